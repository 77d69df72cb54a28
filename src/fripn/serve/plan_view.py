"""A plan as the page and other programs see it: costs, loads, schedule and broken rules."""

from __future__ import annotations

from typing import Any

from fripn.problem import Instance, Route, Solution, evaluate
from fripn.problem.evaluate import Evaluation, RouteCost
from fripn.problem.io import solution_from_dict


def plan_view(
    instance: Instance, solution: Solution, evaluation: Evaluation | None = None
) -> dict[str, Any]:
    """Return a plan, complete or not, as plain data.

    Parameters
    ----------
    instance, solution
        The problem and any plan for it.
    evaluation
        Of the plan, where it is known.
    """
    found = evaluate(instance, solution) if evaluation is None else evaluation
    visited = {customer for route in solution.routes for customer in route.customers}
    return {
        "cost": found.cost,
        "feasible": found.is_feasible,
        "fixed_cost": found.fixed_cost,
        "distance_cost": found.travel_cost,
        "time_cost": found.time_cost,
        "distance": found.distance,
        "duration": found.duration if instance.has_schedule else None,
        "violations": [
            {
                "code": violation.code.value,
                "message": violation.message,
                "route": None if violation.route is None else violation.route - 1,
                "stop": violation.stop,
                "amount": violation.amount,
                "limit": violation.limit,
            }
            for violation in found.violations
        ],
        "fleet": [
            {
                "vehicle_type": vehicle.name,
                "count": total.count,
                "capacity": list(vehicle.capacities),
                "loads": list(total.loads),
                "distance": total.distance,
                "cost": total.cost,
            }
            for vehicle, total in zip(instance.vehicle_types, found.types, strict=True)
        ],
        "unserved": [
            customer for customer in range(1, instance.num_customers + 1) if customer not in visited
        ],
        "routes": [
            _route(instance, route, cost)
            for route, cost in zip(solution.routes, found.routes, strict=True)
        ],
    }


def _route(instance: Instance, route: Route, cost: RouteCost) -> dict[str, Any]:
    vehicle = instance.vehicle_types[route.vehicle_type]
    schedule = cost.schedule
    return {
        "vehicle_type": vehicle.name,
        "customers": list(route.customers),
        "loads": list(cost.loads),
        "capacity": list(vehicle.capacities),
        "distance": cost.distance,
        "cost": cost.cost,
        "fixed_cost": cost.fixed_cost,
        "duration": None if schedule is None else schedule.duration,
        "departure": None if schedule is None else schedule.departure,
        "return": None if schedule is None else schedule.end,
        "schedule": None
        if schedule is None
        else [
            {
                "stop": visit.stop,
                "arrival": visit.arrival,
                "start": visit.start,
                "departure": visit.departure,
                "waiting": visit.waiting,
            }
            for visit in schedule.visits
        ],
    }


def solution_of(instance: Instance, routes: list[dict[str, Any]]) -> Solution:
    """Return the plan that routes describe: ``[{"vehicle_type": "van", "customers": [3, 1]}]``.

    Keys other than these two are passed over, so that the routes of `plan_view` can be sent back.

    Raises
    ------
    InvalidInput
        When a vehicle type or a customer does not exist.
    """
    plain = [
        {"vehicle_type": route["vehicle_type"], "customers": route["customers"]} for route in routes
    ]
    return solution_from_dict({"format": "fripn-solution", "version": 1, "routes": plain}, instance)
