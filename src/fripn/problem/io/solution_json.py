"""Solutions as JSON; the format is described by ``data/schema/solution.schema.json``.

Plans of a working day are version 2 (``solution-2.schema.json``): they have a schedule.
"""

from __future__ import annotations

from typing import Any

from fripn.errors import InvalidFile, InvalidSolution
from fripn.messages import named, nearest
from fripn.problem.evaluate import Evaluation, RouteCost
from fripn.problem.instance import Instance
from fripn.problem.io.json_text import (
    check_id,
    check_keys,
    check_list,
    check_text,
    check_version,
    check_whole,
)
from fripn.problem.io.stop_finder import StopFinder
from fripn.problem.solution import Route, Solution

FORMAT = "fripn-solution"
VERSION = 1
VERSION_WITH_DAY = 2

#: Keys beside the routes; `evaluate` computes their values, so readers ignore them.
REMARKS = (
    "instance",
    "method",
    "status",
    "cost",
    "fixed_cost",
    "travel_cost",
    "distance",
    "vehicles",
    "seconds",
    "seed",
    "iterations",
    "lower_bound",
    "proved_by",
    "bound_gap_percent",
    "best_known",
    "gap_percent",
    "curve",
    "bound_curve",
    "notes",
    "violations",
)

_STOP_KEYS = ("customers", "ids", "names")

_ROUTE_REMARKS = ("load", "distance", "fixed_cost", "travel_cost", "cost")

#: Keys that version 2 adds to the plan and to its routes.
_DAY_REMARKS = ("time_cost", "duration")
_DAY_ROUTE_REMARKS = ("loads", "time_cost", "departure", "end", "duration", "waiting", "schedule")


def solution_to_dict(
    instance: Instance, solution: Solution, evaluation: Evaluation
) -> dict[str, Any]:
    """Return a plan as the object of our JSON format.

    Parameters
    ----------
    instance, solution, evaluation
        The problem, its plan, and the result of `evaluate`.

    Returns
    -------
    dict
        Total cost with its breakdown, the number of vehicles per type, and the routes: vehicle
        type by name, customers by number, their ids and names where given, load, distance and
        cost. With a working day the loads of all dimensions and the schedule too.
    """
    routes = []
    for route, cost in zip(solution.routes, evaluation.routes, strict=True):
        entry: dict[str, Any] = {
            "vehicle_type": instance.vehicle_types[route.vehicle_type].name,
            "customers": list(route.customers),
        }
        if instance.stop_ids is not None:
            entry["ids"] = [instance.stop_ids[customer] for customer in route.customers]
        if instance.stop_names is not None:
            entry["names"] = [instance.stop_names[customer] for customer in route.customers]
        entry |= {
            "load": cost.load,
            "distance": cost.distance,
            "fixed_cost": cost.fixed_cost,
            "travel_cost": cost.travel_cost,
            "cost": cost.cost,
        }
        if instance.uses_working_day:
            entry |= _day_of_route(cost)
        routes.append(entry)
    return {
        "format": FORMAT,
        "version": VERSION_WITH_DAY if instance.uses_working_day else VERSION,
        "instance": instance.name,
        **evaluation_to_dict(instance, evaluation),
        "routes": routes,
    }


def _day_of_route(cost: RouteCost) -> dict[str, Any]:
    """Return the loads and the schedule of a route."""
    entry: dict[str, Any] = {"loads": list(cost.loads), "time_cost": cost.time_cost}
    schedule = cost.schedule
    if schedule is None:
        return entry
    return entry | {
        "departure": schedule.departure,
        "end": schedule.end,
        "duration": schedule.duration,
        "waiting": schedule.waiting,
        "schedule": [
            {
                "arrival": visit.arrival,
                "start": visit.start,
                "departure": visit.departure,
                "waiting": visit.waiting,
                "slack": visit.slack,
            }
            for visit in schedule.visits
        ],
    }


def evaluation_to_dict(instance: Instance, evaluation: Evaluation) -> dict[str, Any]:
    """Return the costs of a plan and the vehicles of each type, under the names of our files."""
    day = {"time_cost": evaluation.time_cost, "duration": evaluation.duration}
    return {
        "cost": evaluation.cost,
        "fixed_cost": evaluation.fixed_cost,
        "travel_cost": evaluation.travel_cost,
        "distance": evaluation.distance,
        **(day if instance.uses_working_day else {}),
        "vehicles": {
            vehicle.name: type_cost.count
            for vehicle, type_cost in zip(instance.vehicle_types, evaluation.types, strict=True)
        },
    }


def solution_from_dict(value: dict[str, Any], instance: Instance) -> Solution:
    """Build a plan for an instance from a parsed JSON object.

    Raises
    ------
    InvalidFile, InvalidSolution
        With the key and the value that are wrong. Rules of the problem are left to `evaluate`.
    """
    has_day = check_version(value, FORMAT, (VERSION, VERSION_WITH_DAY)) == VERSION_WITH_DAY
    remarks = (*REMARKS, *(_DAY_REMARKS if has_day else ()))
    route_remarks = (*_ROUTE_REMARKS, *(_DAY_ROUTE_REMARKS if has_day else ()))
    check_keys(value, "the solution", required=("format", "version", "routes"), optional=remarks)
    routes = []
    finder = StopFinder(instance)
    for number, row in enumerate(check_list(value["routes"], '"routes"'), start=1):
        where = f"route {number}"
        check_keys(row, where, required=("vehicle_type",), optional=(*_STOP_KEYS, *route_remarks))
        name = check_text(row["vehicle_type"], f"'vehicle_type' of {where}")
        customers = _customers(finder, where, row)
        routes.append(Route(type_index(instance, name, where), customers))
    return Solution(tuple(routes))


def type_index(instance: Instance, name: str, where: str) -> int:
    """Return the index of a vehicle type by its name.

    Raises
    ------
    InvalidSolution
        When the instance has no such type.
    """
    names = [vehicle.name for vehicle in instance.vehicle_types]
    if name not in names:
        raise InvalidSolution(
            f"{where} uses the vehicle type {{value}}, which {named(instance.name)} does not have",
            field="vehicle_type",
            value=name,
            remedy=nearest(name, names),
        )
    return names.index(name)


def _customers(finder: StopFinder, where: str, row: dict[str, Any]) -> tuple[int, ...]:
    """Return the customers of a route, on which numbers, ids and names must agree."""
    given = {key: check_list(row[key], f"{key!r} of {where}") for key in _STOP_KEYS if key in row}
    if not given:
        raise InvalidFile(
            f"{where} has no key 'customers'",
            field="customers",
            remedy="add it, or 'ids' or 'names'",
        )
    if len({len(entries) for entries in given.values()}) > 1:
        counts = " but ".join(f"{len(entries)} {key}" for key, entries in given.items())
        raise InvalidFile(f"{where} has {counts}", field="customers", remedy="give one each")
    customers = []
    for place in range(len(next(iter(given.values())))):
        stop = f"position {place + 1} of {where}"
        number, own_id, name = (given[key][place] if key in given else None for key in _STOP_KEYS)
        if "customers" in given:
            number = check_whole(number, f"customer at {stop}")
        if "ids" in given:
            own_id = check_id(own_id, f"id at {stop}")
        if "names" in given:
            name = check_text(name, f"name at {stop}")
        customers.append(finder.find(stop, number, own_id, name))
    return tuple(customers)
