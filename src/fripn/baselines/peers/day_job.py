"""Instances with a working day in integers, as jobs for OR-Tools and VROOM.

`day_integers` rounds times so that what these solvers find feasible is feasible; distances with a
limit are rounded up, too.
"""

from __future__ import annotations

import contextlib
import math
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from fripn import _core
from fripn.baselines.peers.day_integers import (
    LONGEST_TRAVEL,
    IntegerTimes,
    cost_alone,
    load_factor,
    travel_matrices,
    vehicles_offered,
)
from fripn.baselines.peers.integer_problem import sum_of_costliest
from fripn.core import to_core
from fripn.errors import Unsupported
from fripn.problem import Instance, Solution, VehicleType, evaluate
from fripn.problem.limits import DISTANCE_TOLERANCE, SEARCH_LOAD_TOLERANCE
from fripn.problem.serviceability import shift_of

IntMatrix = npt.NDArray[np.int64]

#: The longest distance has about so many units where distances are limited.
_LONGEST = 1e6


@dataclass(frozen=True, slots=True)
class DayJob:
    """An instance in integers.

    Parameters
    ----------
    fleets
        One dictionary per type on offer: ``vehicle_type``, ``count``, ``capacities``,
        ``fixed_cost``, ``profile``, ``depot`` (its node), ``returns``, ``earliest``, ``latest``,
        ``max_duration``, ``max_distance``, ``max_stops`` (None without a limit) and ``time_cost``
        (per unit of time).
    costs, times
        Matrices of travel costs and travel times per profile.
    distances
        Of all profiles; None where no type has a largest distance.
    demands
        Per node and load dimension; 0 at depots.
    services, windows
        Per node; windows are lists of (first, last) starts of the service, empty for always.
    allowed
        Per customer (entry 0 unused) the types that may serve it; None where all may.
    horizon
        A time after the end of every route that could be needed.
    """

    fleets: list[dict[str, Any]]
    costs: list[IntMatrix]
    times: list[IntMatrix]
    distances: IntMatrix | None
    demands: list[list[int]]
    services: list[int]
    windows: list[list[tuple[int, int]]]
    allowed: list[list[int] | None]
    horizon: int

    def vehicle_types(self) -> list[int]:
        """Return the vehicle type of every single vehicle."""
        return [fleet["vehicle_type"] for fleet in self.fleets for _ in range(fleet["count"])]


def day_job(
    instance: Instance,
    *,
    total: float,
    largest: float,
    largest_sum: float = math.inf,
    units: float = LONGEST_TRAVEL,
    pays_time_by_arc: bool = False,
    start: Solution | None = None,
    stop: _core.StopFlag | None = None,
) -> DayJob:
    """Describe an instance in integers.

    Parameters
    ----------
    instance
        The problem.
    total
        How large the cost of a good plan may become: costs are multiplied by the power of ten that
        brings them nearest from below.
    largest
        The largest single cost that the solver can take.
    largest_sum
        The largest sum of the costliest arcs of all customers and vehicles that it can take.
    units
        About so many units of time has the longest travel time.
    pays_time_by_arc
        Whether the cost of time is part of the travel costs, as it can be where nobody waits:
        travel times and the service times of the stops they lead to.
    start
        A plan whose vehicles must be on offer.
    stop
        Ends the search for a first plan early.

    Raises
    ------
    Unsupported
        When costs differ so much that the solver's integers cannot hold them.
    """
    return _Builder(instance, units, pays_time_by_arc).build(
        total, largest, largest_sum, start, stop
    )


class _Builder:
    """Builds the job of one instance."""

    def __init__(self, instance: Instance, units: float, pays_time_by_arc: bool) -> None:
        self._instance = instance
        self._distances, self._travel = travel_matrices(instance)
        self._times = IntegerTimes(instance, self._travel, units)
        self._pays_time_by_arc = pays_time_by_arc
        self._services = np.zeros(instance.num_nodes)
        if instance.service_times is not None:
            self._services = instance.service_times
        farthest = float(self._distances.max())
        self._distance_scale = _LONGEST / farthest if farthest > 0 else 1.0
        self._profiles: dict[tuple[float, float, float], int] = {}
        self._costs: list[IntMatrix] = []
        self._time_matrices: list[IntMatrix] = []

    def build(
        self,
        total: float,
        largest: float,
        largest_sum: float,
        start: Solution | None,
        stop: _core.StopFlag | None,
    ) -> DayJob:
        instance = self._instance
        likely = _plan_cost(instance, start, stop)
        counts = self._counts(likely, start)
        scale = self._cost_scale(likely, total, largest, largest_sum, counts)
        demands, capacities = self._loads()
        fleets = [
            self._fleet(k, vehicle, counts[k], capacities[k], scale)
            for k, vehicle in enumerate(instance.vehicle_types)
            if counts[k]
        ]
        limits_distance = any(fleet["max_distance"] is not None for fleet in fleets)
        distances = np.ceil(self._distances * self._distance_scale - 1e-6).astype(np.int64)
        customers = range(1, instance.num_customers + 1)
        return DayJob(
            fleets=fleets,
            costs=self._costs,
            times=self._time_matrices,
            distances=distances if limits_distance else None,
            demands=demands,
            services=[self._times.duration(float(time)) for time in self._services],
            windows=[self._windows(node) for node in range(instance.num_nodes)],
            allowed=[None, *(self._allowed(customer) for customer in customers)],
            horizon=self._horizon(),
        )

    def _cost_scale(
        self, likely: float, total: float, largest: float, largest_sum: float, counts: list[int]
    ) -> float:
        scale = 10.0 ** math.floor(math.log10(total / likely)) if likely > 0.0 else 1.0
        types = self._instance.vehicle_types
        arcs = np.max([self._arc_costs(vehicle) for vehicle in types], axis=0)
        highest = max(float(arcs.max()), max(vehicle.fixed_cost for vehicle in types))
        depots = [self._instance.depot_node(vehicle.depot) for vehicle in types]
        sum_of_arcs = sum_of_costliest(arcs, self._instance.num_customers, depots, counts)
        while highest * scale > largest or sum_of_arcs * scale > largest_sum:
            scale /= 10.0
        if 0.0 < likely * scale < 1e3:
            raise Unsupported(
                f"the costs of {self._instance.name} differ so much (a plan costs {likely:g}, one "
                f"arc or vehicle up to {highest:g}) that this solver's integers cannot hold them",
                field="costs",
                value=highest,
                remedy="choose another method",
            )
        return scale

    def _counts(self, likely: float, start: Solution | None) -> list[int]:
        """Return how many vehicles to offer: none of a type that cannot start before it must end.

        The vehicles of a start are on offer in any case.
        """
        counts = vehicles_offered(self._instance, likely)
        for k, vehicle in enumerate(self._instance.vehicle_types):
            earliest, latest = shift_of(self._instance, vehicle)
            if earliest > latest:
                counts[k] = 0
        routes = () if start is None else start.routes
        for k, used in Counter(route.vehicle_type for route in routes).items():
            counts[k] = max(counts[k], used)
        return counts

    def _fleet(
        self, k: int, vehicle: VehicleType, count: int, capacities: list[int], scale: float
    ) -> dict[str, Any]:
        earliest, latest = shift_of(self._instance, vehicle)
        limit = vehicle.max_distance
        rate = 0.0 if self._pays_time_by_arc else vehicle.cost_per_hour / self._instance.hour
        return {
            "vehicle_type": k,
            "count": count,
            "capacities": capacities,
            "fixed_cost": round(vehicle.fixed_cost * scale),
            "profile": self._profile(vehicle, scale),
            "depot": self._instance.depot_node(vehicle.depot),
            "returns": vehicle.returns,
            "earliest": self._times.up(earliest) if math.isfinite(earliest) else 0,
            "latest": self._times.down(latest) if math.isfinite(latest) else None,
            "max_duration": (
                None if vehicle.max_duration is None else self._times.limit(vehicle.max_duration)
            ),
            "max_distance": (
                None
                if limit is None
                else math.floor(limit * (1 + DISTANCE_TOLERANCE / 2) * self._distance_scale + 1e-6)
            ),
            "max_stops": vehicle.max_stops,
            "time_cost": round(rate * scale / self._times.scale),
        }

    def _arc_costs(self, vehicle: VehicleType) -> npt.NDArray[np.float64]:
        costs = self._distances * vehicle.unit_cost
        if self._pays_time_by_arc and vehicle.cost_per_hour:
            rate = vehicle.cost_per_hour / self._instance.hour
            times = self._travel / vehicle.speed + self._services[None, :]
            np.fill_diagonal(times, 0.0)
            costs = costs + rate * times
        return costs

    def _profile(self, vehicle: VehicleType, scale: float) -> int:
        """Return the number of the matrices of a type, shared by types that drive alike."""
        rate = vehicle.cost_per_hour if self._pays_time_by_arc else 0.0
        key = (vehicle.unit_cost, vehicle.speed, rate)
        if key not in self._profiles:
            self._profiles[key] = len(self._profiles)
            self._costs.append(np.rint(self._arc_costs(vehicle) * scale).astype(np.int64))
            times = np.ceil(self._travel * (self._times.scale / vehicle.speed) - 1e-6)
            self._time_matrices.append(times.astype(np.int64))
        return self._profiles[key]

    def _loads(self) -> tuple[list[list[int]], list[list[int]]]:
        """Return the demands per node and the capacities per type, all dimensions."""
        instance = self._instance
        matrix = instance.load_matrix
        factors = [load_factor(column) for column in matrix.T]
        demands = [
            [math.ceil(load * factor - 1e-6) for load, factor in zip(row, factors, strict=True)]
            for row in matrix.tolist()
        ]
        demands += [[0] * len(factors) for _ in range(instance.num_depots - 1)]
        capacities = [
            [
                math.floor(limit * (1 + SEARCH_LOAD_TOLERANCE) * factor + 1e-6)
                for limit, factor in zip(vehicle.capacities, factors, strict=True)
            ]
            for vehicle in instance.vehicle_types
        ]
        return demands, capacities

    def _windows(self, node: int) -> list[tuple[int, int]]:
        instance = self._instance
        if instance.time_windows is None or not 1 <= node <= instance.num_customers:
            return []
        windows = []
        for opens, closes in instance.time_windows[node]:
            first = self._times.up(opens) if math.isfinite(opens) else 0
            last = self._times.down(closes) if math.isfinite(closes) else self._horizon()
            if last >= 0 and first <= last:
                windows.append((first, last))
        return windows

    def _horizon(self) -> int:
        """Return a time at which every route can be over that waits for the last opening."""
        instance = self._instance
        slowest = min(vehicle.speed for vehicle in instance.vehicle_types)
        longest = float(self._travel.max()) / slowest
        drive = longest * (instance.num_customers + 1) + float(self._services.sum())
        named = [time for own in instance.time_windows or () for pair in own for time in pair]
        for vehicle in instance.vehicle_types:
            named += shift_of(instance, vehicle)
        last = max([0.0, *(time for time in named if math.isfinite(time))])
        return self._times.up(last + drive) + instance.num_customers + 1

    def _allowed(self, customer: int) -> list[int] | None:
        instance = self._instance
        types = [k for k in range(instance.num_types) if instance.may_serve(k, customer)]
        return None if len(types) == instance.num_types else types


def _plan_cost(instance: Instance, start: Solution | None, stop: _core.StopFlag | None) -> float:
    """Return the cost of a plan: the start, a savings plan, or a vehicle for each customer."""
    costs = [cost_alone(instance)]
    plans = [] if start is None else [start]
    # The core refuses more loads or sets of access than it can hold.
    with contextlib.suppress(Unsupported):
        plans.append(Solution.of(_core.savings(to_core(instance), stop)))
    for plan in plans:
        evaluation = evaluate(instance, plan)
        if evaluation.is_feasible:
            costs.append(evaluation.cost)
    # The first is an upper bound only where each customer can be served alone.
    return min(costs[1:], default=costs[0])
