"""An independent scorer for the working day: exact fractions, and every departure that can matter.

It shares no code with `fripn.problem.evaluate` and reads the plain fields of an instance only.
Between two candidates the vehicle's times change linearly or not at all, so that the best departure
is one of them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import hypot, isfinite

from fripn.problem import Instance, Solution

TOLERANCE = Fraction(1, 10**9)


@dataclass
class SlowRoute:
    """What a route costs, and when it happens."""

    cost: Fraction
    distance: Fraction
    loads: list[Fraction]
    departure: Fraction
    end: Fraction
    duration: Fraction
    starts: list[Fraction]


@dataclass
class SlowEvaluation:
    """Cost, routes, and the violations as (code, route, stop)."""

    cost: Fraction
    routes: list[SlowRoute]
    violations: Counter[tuple[str, int | None, int | None]]

    @property
    def is_feasible(self) -> bool:
        """Whether no rule is broken."""
        return not self.violations


def slow_evaluate(instance: Instance, solution: Solution) -> SlowEvaluation:
    """Score a plan whose customers and vehicle types exist."""
    found: Counter[tuple[str, int | None, int | None]] = Counter()
    routes = []
    for number, route in enumerate(solution.routes, start=1):
        if route.customers:
            routes.append(_route(instance, number, route.vehicle_type, route.customers, found))
    visits = Counter(c for route in solution.routes for c in route.customers)
    for customer in range(1, len(instance.demands)):
        if visits[customer] == 0:
            found["missing", None, customer] += 1
        if visits[customer] > 1:
            found["repeated", None, customer] += 1
    hired = Counter(route.vehicle_type for route in solution.routes if route.customers)
    for index, vehicle in enumerate(instance.vehicle_types):
        if vehicle.available is not None and hired[index] > vehicle.available:
            found["too_many_vehicles", None, None] += 1
    return SlowEvaluation(sum((r.cost for r in routes), Fraction(0)), routes, found)


def _length(instance, i, j):
    if instance.matrix is not None:
        return Fraction(float(instance.matrix[i, j]))
    (x1, y1), (x2, y2) = instance.coordinates[i], instance.coordinates[j]
    assert instance.metric == "euclidean"
    return Fraction(hypot(x1 - x2, y1 - y2))


def _time(instance, i, j, speed):
    if instance.durations is not None:
        return Fraction(float(instance.durations[i, j])) / Fraction(speed)
    return _length(instance, i, j) / Fraction(speed)


def _route(instance, number, k, customers, found):
    vehicle = instance.vehicle_types[k]
    customers = list(customers)
    depot = 0 if vehicle.depot == 0 else len(instance.demands) - 1 + vehicle.depot
    nodes = [depot, *customers] + ([depot] if vehicle.returns else [])
    distance = sum((_length(instance, i, j) for i, j in pairwise(nodes)), Fraction(0))
    travel = [_time(instance, i, j, vehicle.speed) for i, j in pairwise(nodes)]
    loads = _loads(instance, vehicle, number, customers, found)
    for customer in customers:
        allowed = None if instance.allowed_types is None else instance.allowed_types[customer]
        required = () if instance.requires is None else instance.requires[customer]
        if (allowed is not None and k not in allowed) or set(required) - set(vehicle.offers):
            found["no_access", number, customer] += 1
    if vehicle.max_distance is not None:
        limit = Fraction(vehicle.max_distance)
        if distance > limit * (1 + TOLERANCE):
            found["too_far", number, None] += 1
    if vehicle.max_stops is not None and len(customers) > vehicle.max_stops:
        found["too_many_stops", number, None] += 1
    times = _Times(instance, vehicle, depot, customers, travel)
    departure, starts, end, late = times.best()
    for customer, amount in zip(customers, late, strict=True):
        if amount:
            found["too_late", number, customer] += 1
    if times.latest is not None and end > times.latest + times.tolerance(times.latest):
        found["late_end", number, None] += 1
    duration = end - departure
    if vehicle.max_duration is not None:
        limit = Fraction(vehicle.max_duration)
        if duration > limit + times.tolerance(limit):
            found["too_long", number, None] += 1
    cost = (
        Fraction(vehicle.fixed_cost)
        + Fraction(vehicle.unit_cost) * distance
        + Fraction(vehicle.cost_per_hour) * duration / Fraction(instance.hour)
    )
    return SlowRoute(cost, distance, loads, departure, end, duration, starts)


def _loads(instance, vehicle, number, customers, found):
    demands = instance.demands
    rows = [[demands[c]] if demands.ndim == 1 else list(demands[c]) for c in customers]
    capacity = vehicle.capacity
    capacities = list(capacity) if isinstance(capacity, tuple) else [capacity]
    loads = [
        sum((Fraction(float(row[d])) for row in rows), Fraction(0)) for d in range(len(rows[0]))
    ]
    for load, limit in zip(loads, capacities, strict=True):
        if load > Fraction(limit) * (1 + TOLERANCE):
            found["overload", number, None] += 1
    return loads


class _Times:
    """The times of one route, and the search for its best departure."""

    def __init__(self, instance, vehicle, depot, customers, travel):
        def windows_of(node):
            return [] if instance.time_windows is None else list(instance.time_windows[node])

        services = instance.service_times
        self.travel = travel
        self.services = [
            Fraction(0) if services is None else Fraction(float(services[c])) for c in customers
        ]
        self.windows = [windows_of(c) for c in customers]
        earliest = [vehicle.shift_start] + [opens for opens, _ in windows_of(depot)]
        latest = [vehicle.shift_end]
        if vehicle.returns:
            latest += [closes for _, closes in windows_of(depot)]
        self.earliest = max(_finite(earliest), default=None)
        self.latest = min(_finite(latest), default=None)
        every = [t for node in instance.time_windows or () for window in node for t in window]
        for one in instance.vehicle_types:
            every += [one.shift_start, one.shift_end]
        self.horizon = max((abs(t) for t in _finite(every)), default=Fraction(0))

    def tolerance(self, limit):
        return TOLERANCE * max(abs(limit), self.horizon)

    def simulate(self, departure):
        """Return starts, the end, and by how much each stop is late."""
        now, starts, late = departure, [], []
        for travel, service, windows in zip(self.travel, self.services, self.windows, strict=False):
            now += travel
            best, lateness = now, Fraction(0)
            if windows:
                fits = [w for w in windows if not isfinite(w[1]) or now <= self._close(w)]
                if fits:
                    opens = min(fits)[0]
                    best = now if not isfinite(opens) else max(now, Fraction(opens))
                else:
                    lateness = now - Fraction(windows[-1][1])
            starts.append(best)
            late.append(lateness)
            now = best + service
        if len(self.travel) > len(self.services):
            now += self.travel[-1]
        return starts, now, late

    def _close(self, window):
        close = Fraction(window[1])
        return close + self.tolerance(close)

    def best(self):
        """Return departure, starts, end and lateness of the best schedule."""
        candidates, before = [], Fraction(0)
        for travel, service, windows in zip(self.travel, self.services, self.windows, strict=False):
            before += travel
            candidates += [t - before for t in _finite([t for w in windows for t in w])]
            before += service
        if len(self.travel) > len(self.services):
            before += self.travel[-1]
        if self.latest is not None:
            candidates.append(self.latest - before)
        if self.earliest is None:
            candidates += [Fraction(0), min([Fraction(0), *candidates])]
        else:
            candidates = [t for t in candidates if t > self.earliest] + [self.earliest]
        best = None
        for departure in sorted(set(candidates)):
            starts, end, late = self.simulate(departure)
            over = Fraction(0) if self.latest is None else max(Fraction(0), end - self.latest)
            key = (sum(late, over), end - departure, departure)
            if best is None or key < best[0]:
                best = (key, departure, starts, end, late)
        _, departure, starts, end, late = best
        return departure, starts, end, late


def _finite(times):
    return [Fraction(t) for t in times if t is not None and isfinite(t)]
