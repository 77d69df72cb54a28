"""The cost and the validity of a solution. No other module decides them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from fripn.problem.instance import Instance
from fripn.problem.limits import DISTANCE_TOLERANCE, FloatArray, IntArray
from fripn.problem.schedule import RouteSchedule, RouteTimes, best_schedule
from fripn.problem.solution import Route, Solution
from fripn.problem.vehicle_type import VehicleType
from fripn.problem.violations import Violation, ViolationCode

__all__ = [
    "Evaluation",
    "RouteCost",
    "TypeCost",
    "Violation",
    "ViolationCode",
    "evaluate",
]


@dataclass(frozen=True, slots=True)
class RouteCost:
    """What one route carries, drives and costs.

    ``load`` is in the first load dimension, ``loads`` in all. ``schedule`` is None unless the
    instance has times; see `InstanceFields.has_schedule`.
    """

    vehicle_type: int
    load: float
    distance: float
    fixed_cost: float
    travel_cost: float
    time_cost: float = 0.0
    loads: tuple[float, ...] = ()
    schedule: RouteSchedule | None = None

    @property
    def cost(self) -> float:
        """Fixed plus travel cost plus what the hours cost."""
        return self.fixed_cost + self.travel_cost + self.time_cost

    @property
    def duration(self) -> float:
        """Time from departure to end; 0 without a schedule."""
        return 0.0 if self.schedule is None else self.schedule.duration


def load_factor_of(loads: Sequence[float], capacities: Sequence[float]) -> float:
    """Return the largest share of a capacity that is used; 0 where there is no capacity."""
    pairs = zip(loads, capacities, strict=True)
    return max((load / capacity for load, capacity in pairs if capacity), default=0.0)


@dataclass(frozen=True, slots=True)
class TypeCost:
    """What all vehicles of one type carry, drive and cost together.

    ``load`` and ``capacity`` are in the first load dimension, ``loads`` and ``capacities`` in all.
    """

    vehicle_type: int
    count: int
    load: float
    capacity: float
    distance: float
    fixed_cost: float
    travel_cost: float
    time_cost: float = 0.0
    duration: float = 0.0
    loads: tuple[float, ...] = ()
    capacities: tuple[float, ...] = ()

    @property
    def cost(self) -> float:
        """Fixed plus travel cost plus what the hours cost."""
        return self.fixed_cost + self.travel_cost + self.time_cost

    @property
    def load_factor(self) -> float:
        """Share of the hired capacity that is used; 0 when none is hired.

        The largest share where there are several load dimensions.
        """
        return load_factor_of(self.loads or (self.load,), self.capacities or (self.capacity,))


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Cost of a solution with its breakdown, and every rule it breaks.

    ``routes`` has one entry per route of the solution, ``types`` one per vehicle type.
    An empty route is a vehicle that is not used: it costs nothing and is not counted.
    ``time_cost`` is what the hours cost, ``duration`` the sum over the routes.
    """

    cost: float
    fixed_cost: float
    travel_cost: float
    distance: float
    routes: tuple[RouteCost, ...]
    types: tuple[TypeCost, ...]
    violations: tuple[Violation, ...]
    time_cost: float = 0.0
    duration: float = 0.0

    @property
    def is_feasible(self) -> bool:
        """Whether no rule is broken."""
        return not self.violations

    @property
    def load_factor(self) -> float:
        """Share of all hired capacity that is used; the largest share of several loads."""
        return load_factor_of(
            [math.fsum(column) for column in zip(*(one.loads for one in self.types), strict=True)],
            [
                math.fsum(column)
                for column in zip(*(one.capacities for one in self.types), strict=True)
            ],
        )

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
        Total cost, its breakdown by route and by type, the schedules, and all violations.
    """
    violations: list[Violation] = []
    known = [
        [c for c in route.customers if 1 <= c <= instance.num_customers]
        for route in solution.routes
    ]
    tours = _tours(instance, solution, known)
    arcs = _per_arc(instance.distances, tours)
    travel_times = arcs
    if instance.durations is not None:
        travel_times = _per_arc(instance.travel_times, tours)
    rules = _Rules.of(instance)
    routes = tuple(
        _cost_of_route(
            instance,
            rules,
            number,
            route,
            known[number - 1],
            arcs[number - 1],
            travel_times[number - 1],
            violations,
        )
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
    scheduled = routes if rules.horizon is not None else ()
    time = math.fsum(route.time_cost for route in scheduled)
    return Evaluation(
        cost=fixed + travel + time,
        fixed_cost=fixed,
        travel_cost=travel,
        distance=math.fsum(route.distance for route in routes),
        routes=routes,
        types=types,
        violations=tuple(violations),
        time_cost=time,
        duration=math.fsum(route.duration for route in scheduled),
    )


@dataclass(frozen=True, slots=True)
class _Rules:
    """What is the same for all routes: which rules there are to check.

    Parameters
    ----------
    load_limits
        Per vehicle type, in all load dimensions.
    horizon
        See `InstanceFields.horizon`; None when routes have no schedule.
    has_limits
        Whether access, distances or numbers of stops are limited.
    """

    load_limits: list[tuple[float, ...]]
    horizon: float | None
    has_limits: bool

    @classmethod
    def of(cls, instance: Instance) -> _Rules:
        return cls(
            [vehicle.load_limits for vehicle in instance.vehicle_types],
            instance.horizon if instance.has_schedule else None,
            instance.allowed_types is not None
            or instance.requires is not None
            or any(
                vehicle.max_distance is not None or vehicle.max_stops is not None
                for vehicle in instance.vehicle_types
            ),
        )


def _tours(instance: Instance, solution: Solution, known: list[list[int]]) -> list[list[int]]:
    """Return the nodes of every route: depot, customers, and depot again if it returns."""
    if instance.num_depots == 1 and all(vehicle.returns for vehicle in instance.vehicle_types):
        return [[0, *customers, 0] if customers else [0] for customers in known]
    tours = []
    for route, customers in zip(solution.routes, known, strict=True):
        if not customers:
            tours.append([0])
        elif route.vehicle_type >= instance.num_types:
            tours.append([0, *customers, 0])
        else:
            tours.append(instance.tour(route.vehicle_type, customers))
    return tours


def _per_arc(
    lengths: Callable[[IntArray, IntArray], FloatArray], tours: list[list[int]]
) -> list[list[float]]:
    """Return a value per arc of every tour, from one call: plans may have hundreds of routes."""
    stops = np.array([stop for tour in tours for stop in tour], dtype=np.int64)
    values = lengths(stops[:-1], stops[1:]).tolist() if len(stops) else []
    arcs, first = [], 0
    for tour in tours:
        # The arc from the last stop of a route to the first of the next belongs to neither.
        arcs.append(values[first : first + len(tour) - 1])
        first += len(tour)
    return arcs


def _cost_of_route(
    instance: Instance,
    rules: _Rules,
    number: int,
    route: Route,
    known: list[int],
    arcs: list[float],
    travel_times: list[float],
    violations: list[Violation],
) -> RouteCost:
    unknown = set(route.customers) - set(known) if len(known) < len(route.customers) else ()
    for customer in sorted(unknown):
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
    loads = _loads(instance, known)
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
        return RouteCost(route.vehicle_type, loads[0], distance, 0.0, 0.0, loads=loads)
    vehicle = instance.vehicle_types[route.vehicle_type]
    limits = rules.load_limits[route.vehicle_type]
    for load, amount in enumerate(loads):
        if amount > limits[load]:
            violations.append(
                Violation.of(
                    instance,
                    ViolationCode.OVERLOAD,
                    route=number,
                    vehicle_type=route.vehicle_type,
                    amount=amount,
                    limit=vehicle.capacities[load],
                    load=load if instance.num_loads > 1 else None,
                )
            )
    schedule = None
    if rules.horizon is not None and known:
        times = RouteTimes.of(instance, vehicle, known, travel_times, rules.horizon)
        schedule = best_schedule(times, instance.hour)
        violations += _check_times(instance, number, route.vehicle_type, times, schedule)
    if rules.has_limits:
        violations += _check_limits(instance, number, route.vehicle_type, known, distance)
    return RouteCost(
        vehicle_type=route.vehicle_type,
        load=loads[0],
        distance=distance,
        fixed_cost=vehicle.fixed_cost if route.customers else 0.0,
        travel_cost=vehicle.unit_cost * distance,
        time_cost=0.0 if schedule is None else vehicle.cost_per_hour * schedule.hours,
        loads=loads,
        schedule=schedule,
    )


def _loads(instance: Instance, customers: list[int]) -> tuple[float, ...]:
    demands = instance.demands[customers]
    if demands.ndim == 1:
        return (math.fsum(demands.tolist()),)
    return tuple(math.fsum(column) for column in demands.T.tolist())


def _check_times(
    instance: Instance, number: int, vehicle_type: int, times: RouteTimes, schedule: RouteSchedule
) -> list[Violation]:
    """Return the limits of time that the schedule of a route breaks."""
    found = []
    for visit, windows in zip(schedule.visits, times.windows, strict=True):
        close = windows[-1][1]
        if visit.start > close + times.tolerance(close):
            found.append(
                Violation.of(
                    instance,
                    ViolationCode.TOO_LATE,
                    route=number,
                    stop=visit.stop,
                    vehicle_type=vehicle_type,
                    amount=visit.start,
                    limit=close,
                )
            )
    for code, amount, limit in (
        (ViolationCode.LATE_END, schedule.end, times.latest),
        (ViolationCode.TOO_LONG, schedule.duration, times.max_duration),
    ):
        if amount > limit + times.tolerance(limit):
            found.append(
                Violation.of(
                    instance,
                    code,
                    route=number,
                    vehicle_type=vehicle_type,
                    amount=amount,
                    limit=limit,
                )
            )
    return found


def _check_limits(
    instance: Instance, number: int, vehicle_type: int, customers: list[int], distance: float
) -> list[Violation]:
    """Return the limits of access, distance and stops that a route breaks."""
    found = []
    vehicle = instance.vehicle_types[vehicle_type]
    if instance.allowed_types is not None or instance.requires is not None:
        for customer in customers:
            if not instance.may_serve(vehicle_type, customer):
                found.append(
                    Violation.of(
                        instance,
                        ViolationCode.NO_ACCESS,
                        route=number,
                        stop=customer,
                        vehicle_type=vehicle_type,
                    )
                )
    limit = vehicle.max_distance
    if limit is not None and distance > limit * (1.0 + DISTANCE_TOLERANCE):
        found.append(
            Violation.of(
                instance,
                ViolationCode.TOO_FAR,
                route=number,
                vehicle_type=vehicle_type,
                amount=distance,
                limit=limit,
            )
        )
    if vehicle.max_stops is not None and len(customers) > vehicle.max_stops:
        found.append(
            Violation.of(
                instance,
                ViolationCode.TOO_MANY_STOPS,
                route=number,
                vehicle_type=vehicle_type,
                amount=len(customers),
                limit=vehicle.max_stops,
            )
        )
    return found


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
    return tuple(
        _type_cost(
            index,
            vehicle,
            [
                cost
                for route, cost in zip(solution.routes, routes, strict=True)
                if route.vehicle_type == index and route.customers
            ],
        )
        for index, vehicle in enumerate(instance.vehicle_types)
    )


def _type_cost(index: int, vehicle: VehicleType, routes: list[RouteCost]) -> TypeCost:
    """Return the sums over the routes of one type."""
    capacities = vehicle.capacities
    loads = tuple(
        math.fsum([route.loads[load] for route in routes]) for load in range(len(capacities))
    )
    scheduled = [route for route in routes if route.schedule is not None]
    return TypeCost(
        vehicle_type=index,
        count=len(routes),
        load=loads[0],
        capacity=capacities[0] * len(routes),
        distance=math.fsum([route.distance for route in routes]),
        fixed_cost=math.fsum([route.fixed_cost for route in routes]),
        travel_cost=math.fsum([route.travel_cost for route in routes]),
        time_cost=math.fsum([route.time_cost for route in scheduled]),
        duration=math.fsum([route.duration for route in scheduled]),
        loads=loads,
        capacities=tuple([capacity * len(routes) for capacity in capacities]),
    )
