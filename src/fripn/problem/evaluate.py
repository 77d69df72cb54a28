"""The cost and the validity of a solution. No other module decides them."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from fripn.messages import named, shown
from fripn.problem.instance import Instance
from fripn.problem.solution import Route, Solution


class ViolationCode(Enum):
    """The rules a plan can break."""

    MISSING = "missing"
    REPEATED = "repeated"
    UNKNOWN_CUSTOMER = "unknown_customer"
    UNKNOWN_TYPE = "unknown_type"
    OVERLOAD = "overload"
    TOO_MANY_VEHICLES = "too_many_vehicles"


@dataclass(frozen=True, slots=True)
class Violation:
    """One broken rule, as data and in words.

    Parameters
    ----------
    code
        Which rule.
    message
        The sentence that the fields make; see `Violation.of`.
    route
        Number of the route, counted from 1; None when it is not a single one.
    stop
        The customer, by number; None when it is not a single one.
    vehicle_type
        Index of the type; None when it is not about one.
    amount, limit
        The actual value and the largest valid one: loads, numbers of visits or of vehicles, or
        numbers of customers or types; None where the rule has no such value.
    """

    code: ViolationCode
    message: str
    route: int | None = None
    stop: int | None = None
    vehicle_type: int | None = None
    amount: float | None = None
    limit: float | None = None

    @classmethod
    def of(
        cls,
        instance: Instance,
        code: ViolationCode,
        *,
        route: int | None = None,
        stop: int | None = None,
        vehicle_type: int | None = None,
        amount: float | None = None,
        limit: float | None = None,
    ) -> Violation:
        """Return a violation with its sentence, in which stops and types have their names."""
        stop_text, type_text = "", ""
        if stop is not None and 0 <= stop <= instance.num_customers:
            stop_text = instance.describe_stop(stop)
        if vehicle_type is not None and vehicle_type < instance.num_types:
            type_text = named(instance.vehicle_types[vehicle_type].name)
        sentence = _SENTENCES[code].format(
            route=route,
            stop=stop_text,
            vehicle_type=type_text,
            amount=_number_text(amount),
            limit=_number_text(limit),
        )
        return cls(code, sentence, route, stop, vehicle_type, amount, limit)

    def to_dict(self, instance: Instance) -> dict[str, Any]:
        """Return the violation as plain data, the vehicle type by its name as in files."""
        vehicle_type: str | int | None = self.vehicle_type
        if self.vehicle_type is not None and self.vehicle_type < instance.num_types:
            vehicle_type = instance.vehicle_types[self.vehicle_type].name
        return {
            "code": self.code.value,
            "message": self.message,
            "route": self.route,
            "customer": self.stop,
            "vehicle_type": vehicle_type,
            "amount": self.amount,
            "limit": self.limit,
        }


_SENTENCES = {
    ViolationCode.MISSING: "{stop} is not visited",
    ViolationCode.REPEATED: "{stop} is visited {amount} times",
    ViolationCode.UNKNOWN_CUSTOMER: (
        "route {route} visits customer {amount}, but the customers are 1 to {limit}"
    ),
    ViolationCode.UNKNOWN_TYPE: (
        "route {route} uses vehicle type number {amount}, but the types are 0 to {limit}"
    ),
    ViolationCode.OVERLOAD: (
        "route {route} carries {amount}, but vehicle type {vehicle_type} holds {limit}"
    ),
    ViolationCode.TOO_MANY_VEHICLES: (
        "{amount} vehicles of type {vehicle_type} are used, but only {limit} are available"
    ),
}


def _number_text(number: float | None) -> str:
    return f"{number:g}" if isinstance(number, float) else shown(number)


@dataclass(frozen=True, slots=True)
class RouteCost:
    """What one route carries, drives and costs."""

    vehicle_type: int
    load: float
    distance: float
    fixed_cost: float
    travel_cost: float

    @property
    def cost(self) -> float:
        """Fixed plus travel cost."""
        return self.fixed_cost + self.travel_cost


@dataclass(frozen=True, slots=True)
class TypeCost:
    """What all vehicles of one type carry, drive and cost together."""

    vehicle_type: int
    count: int
    load: float
    capacity: float
    distance: float
    fixed_cost: float
    travel_cost: float

    @property
    def cost(self) -> float:
        """Fixed plus travel cost."""
        return self.fixed_cost + self.travel_cost

    @property
    def load_factor(self) -> float:
        """Share of the hired capacity that is used; 0 when none is hired."""
        return self.load / self.capacity if self.capacity else 0.0


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Cost of a solution with its breakdown, and every rule it breaks.

    ``routes`` has one entry per route of the solution, ``types`` one per vehicle type.
    An empty route is a vehicle that is not used: it costs nothing and is not counted.
    """

    cost: float
    fixed_cost: float
    travel_cost: float
    distance: float
    routes: tuple[RouteCost, ...]
    types: tuple[TypeCost, ...]
    violations: tuple[Violation, ...]

    @property
    def is_feasible(self) -> bool:
        """Whether no rule is broken."""
        return not self.violations

    @property
    def num_vehicles(self) -> int:
        """Vehicles hired."""
        return sum(type_cost.count for type_cost in self.types)


def evaluate(instance: Instance, solution: Solution) -> Evaluation:
    """Score and check a solution.

    Parameters
    ----------
    instance
        The problem.
    solution
        Any plan, valid or not. Unknown customers and types are reported and cost nothing.

    Returns
    -------
    Evaluation
        Total cost, its breakdown by route and by type, and all violations.
    """
    violations: list[Violation] = []
    known = [
        [c for c in route.customers if 1 <= c <= instance.num_customers]
        for route in solution.routes
    ]
    arcs = _arc_lengths(instance, known)
    routes = tuple(
        _cost_of_route(instance, number, route, known[number - 1], arcs[number - 1], violations)
        for number, route in enumerate(solution.routes, start=1)
    )
    violations += _check_visits(instance, solution)
    types = _sum_by_type(instance, solution, routes)
    for type_cost, vehicle in zip(types, instance.vehicle_types, strict=True):
        if vehicle.available is not None and type_cost.count > vehicle.available:
            violations.append(
                Violation.of(
                    instance,
                    ViolationCode.TOO_MANY_VEHICLES,
                    vehicle_type=type_cost.vehicle_type,
                    amount=type_cost.count,
                    limit=vehicle.available,
                )
            )
    fixed = math.fsum(route.fixed_cost for route in routes)
    travel = math.fsum(route.travel_cost for route in routes)
    return Evaluation(
        cost=fixed + travel,
        fixed_cost=fixed,
        travel_cost=travel,
        distance=math.fsum(route.distance for route in routes),
        routes=routes,
        types=types,
        violations=tuple(violations),
    )


def _arc_lengths(instance: Instance, visits: list[list[int]]) -> list[list[float]]:
    """Return the arc lengths of every route, from one call: plans may have hundreds of routes."""
    tours = [[0, *customers, 0] if customers else [0] for customers in visits]
    stops = np.array([stop for tour in tours for stop in tour], dtype=np.int64)
    lengths = instance.distances(stops[:-1], stops[1:]).tolist() if len(stops) else []
    arcs, first = [], 0
    for tour in tours:
        # The length between the last stop of a route and the first of the next belongs to neither.
        arcs.append(lengths[first : first + len(tour) - 1])
        first += len(tour)
    return arcs


def _cost_of_route(
    instance: Instance,
    number: int,
    route: Route,
    known: list[int],
    arcs: list[float],
    violations: list[Violation],
) -> RouteCost:
    for customer in sorted(set(route.customers) - set(known)):
        violations.append(
            Violation.of(
                instance,
                ViolationCode.UNKNOWN_CUSTOMER,
                route=number,
                stop=customer,
                amount=customer,
                limit=instance.num_customers,
            )
        )
    load = math.fsum(instance.demands[known].tolist())
    distance = math.fsum(arcs)
    if route.vehicle_type >= instance.num_types:
        violations.append(
            Violation.of(
                instance,
                ViolationCode.UNKNOWN_TYPE,
                route=number,
                vehicle_type=route.vehicle_type,
                amount=route.vehicle_type,
                limit=instance.num_types - 1,
            )
        )
        return RouteCost(route.vehicle_type, load, distance, 0.0, 0.0)
    vehicle = instance.vehicle_types[route.vehicle_type]
    if load > vehicle.load_limit:
        violations.append(
            Violation.of(
                instance,
                ViolationCode.OVERLOAD,
                route=number,
                vehicle_type=route.vehicle_type,
                amount=load,
                limit=vehicle.capacity,
            )
        )
    return RouteCost(
        vehicle_type=route.vehicle_type,
        load=load,
        distance=distance,
        fixed_cost=vehicle.fixed_cost if route.customers else 0.0,
        travel_cost=vehicle.unit_cost * distance,
    )


def _check_visits(instance: Instance, solution: Solution) -> list[Violation]:
    visits = Counter(customer for route in solution.routes for customer in route.customers)
    found = []
    for customer in range(1, instance.num_customers + 1):
        count = visits[customer]
        if count != 1:
            code = ViolationCode.REPEATED if count else ViolationCode.MISSING
            found.append(Violation.of(instance, code, stop=customer, amount=count, limit=1))
    return found


def _sum_by_type(
    instance: Instance, solution: Solution, routes: tuple[RouteCost, ...]
) -> tuple[TypeCost, ...]:
    sums = []
    for index, vehicle in enumerate(instance.vehicle_types):
        mine = [
            cost
            for route, cost in zip(solution.routes, routes, strict=True)
            if route.vehicle_type == index and route.customers
        ]
        sums.append(
            TypeCost(
                vehicle_type=index,
                count=len(mine),
                load=math.fsum(cost.load for cost in mine),
                capacity=vehicle.capacity * len(mine),
                distance=math.fsum(cost.distance for cost in mine),
                fixed_cost=math.fsum(cost.fixed_cost for cost in mine),
                travel_cost=math.fsum(cost.travel_cost for cost in mine),
            )
        )
    return tuple(sums)
