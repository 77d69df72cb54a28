"""Instances with a working day in PyVRP's integers.

`day_integers` rounds times so that what PyVRP finds feasible is feasible. The largest number of
stops is one more load dimension of which every customer has 1. A profile without arcs back to the
depot makes a route open. Access is a profile in which the arcs to other customers are too long for
any route.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
from pyvrp.constants import MAX_VALUE

from fripn.baselines.peers.day_integers import (
    IntegerTimes,
    cost_alone,
    load_factor,
    travel_matrices,
    vehicles_offered,
)
from fripn.baselines.peers.integer_problem import IntegerFleet, IntegerProblem
from fripn.features import ROUTING, WORKING_DAY, Feature
from fripn.problem import Instance, VehicleType
from fripn.problem.serviceability import shift_of

#: PyVRP has groups of clients for several windows, which this adapter does not use.
SUPPORTED = ROUTING | (WORKING_DAY - {Feature.SEVERAL_WINDOWS})

#: What a plan with a vehicle for each customer may cost per unit of load. PyVRP's penalties per
#: unit of overload go up to 100,000.
_MAX_COST_PER_LOAD = 20_000.0

#: Costs per unit of time are exact to this many digits.
_COST_DIGITS = 4

IntMatrix = npt.NDArray[np.int64]


def day_problem(instance: Instance) -> tuple[IntegerProblem, dict[str, Any]]:
    """Return an instance in integers and the data that `pyvrp_worker` makes PyVRP's of."""
    return _Builder(instance).build()


def _cost_factor(instance: Instance) -> int:
    """Return the power of ten by which costs per unit of time become integers."""
    rates = [vehicle.cost_per_hour / instance.hour for vehicle in instance.vehicle_types]
    digits = 0
    while digits < _COST_DIGITS and any(
        abs(rate * 10**digits - round(rate * 10**digits)) > 1e-9 for rate in rates
    ):
        digits += 1
    return int(10**digits)


class _Builder:
    """Builds the data of one instance."""

    def __init__(self, instance: Instance) -> None:
        self._instance = instance
        self._distances, self._travel = travel_matrices(instance)
        self._times = IntegerTimes(instance, self._travel)
        # A multiple of the scale of times, so that costs per unit of time are integers.
        self._cost_scale = self._times.scale * _cost_factor(instance)
        self._profiles: dict[tuple[Any, ...], int] = {}
        self._distance_matrices: list[IntMatrix] = []
        self._duration_matrices: list[IntMatrix] = []
        #: By profile with customers that it may not serve, the distance of the arcs to them.
        self._too_far: dict[int, int] = {}
        self._counts_stops = any(
            vehicle.max_stops is not None for vehicle in instance.vehicle_types
        )

    def build(self) -> tuple[IntegerProblem, dict[str, Any]]:
        instance = self._instance
        alone = cost_alone(instance)
        demands, capacities = self._loads(alone)
        counts = vehicles_offered(instance, alone)
        fleets, types = [], []
        for k, vehicle in enumerate(instance.vehicle_types):
            if not counts[k]:
                continue
            profile = self._profile(k, vehicle)
            fixed_cost = round(vehicle.fixed_cost * self._cost_scale)
            fleets.append(IntegerFleet(k, counts[k], capacities[k][0], fixed_cost, profile))
            types.append(self._vehicle_type(vehicle, counts[k], capacities[k], fixed_cost, profile))
        places = instance.coordinates
        if places is None:
            places = np.zeros((instance.num_nodes, 2))
        data = {
            "locations": places,
            "clients": [self._client(j, demands[j]) for j in range(1, instance.num_customers + 1)],
            "depots": [instance.depot_node(depot) for depot in range(instance.num_depots)],
            "vehicle_types": types,
            "distance_matrices": self._distance_matrices,
            "duration_matrices": self._duration_matrices,
        }
        loads = np.array([row[0] for row in demands], dtype=np.int64)
        return IntegerProblem(loads, tuple(fleets), (), self._cost_scale), data

    def _client(self, customer: int, demand: list[int]) -> dict[str, Any]:
        instance = self._instance
        service = 0.0
        if instance.service_times is not None:
            service = float(instance.service_times[customer])
        early, late = 0, MAX_VALUE
        windows = () if instance.time_windows is None else instance.time_windows[customer]
        if windows:
            opens, closes = windows[0]
            early = self._times.up(opens) if math.isfinite(opens) else early
            late = max(early, self._times.down(closes)) if math.isfinite(closes) else late
        return {
            "location": customer,
            "delivery": demand,
            "service_duration": self._times.duration(service),
            "tw_early": early,
            "tw_late": late,
        }

    def _vehicle_type(
        self, vehicle: VehicleType, count: int, capacity: list[int], fixed_cost: int, profile: int
    ) -> dict[str, Any]:
        earliest, latest = shift_of(self._instance, vehicle)
        early = self._times.up(earliest) if math.isfinite(earliest) else 0
        limits = {}
        if math.isfinite(latest):
            limits["tw_late"] = max(early, self._times.down(latest))
        if vehicle.max_duration is not None:
            limits["shift_duration"] = self._times.limit(vehicle.max_duration)
        if vehicle.max_distance is not None:
            # Distances are rounded to the nearest: half a unit for every arc.
            arcs = min(self._instance.num_customers, vehicle.max_stops or MAX_VALUE) + 1
            factor = self._cost_scale * (vehicle.unit_cost or 1.0)
            most = math.floor(vehicle.max_distance * factor - arcs / 2)
            limits["max_distance"] = max(0, most)
        elif profile in self._too_far:
            limits["max_distance"] = self._too_far[profile] - 1
        return {
            "num_available": count,
            "capacity": capacity,
            "start_depot": vehicle.depot,
            "end_depot": vehicle.depot,
            "fixed_cost": fixed_cost,
            "tw_early": early,
            "unit_distance_cost": 1 if vehicle.unit_cost > 0 else 0,
            "unit_duration_cost": round(
                vehicle.cost_per_hour / self._instance.hour * self._cost_scale / self._times.scale
            ),
            "profile": profile,
            **limits,
        }

    def _profile(self, k: int, vehicle: VehicleType) -> int:
        """Return the number of the matrices of a type, shared by types that drive alike."""
        instance = self._instance
        customers = range(1, instance.num_customers + 1)
        barred = tuple(c for c in customers if not instance.may_serve(k, c))
        # Distances carry the cost, so that a type needs no fractional cost per unit.
        factor = vehicle.unit_cost or 1.0
        open_depot = None if vehicle.returns else instance.depot_node(vehicle.depot)
        key = (factor, vehicle.speed, barred, open_depot)
        if key not in self._profiles:
            self._profiles[key] = len(self._profiles)
            distances = np.rint(self._distances * (factor * self._cost_scale)).astype(np.int64)
            times = np.ceil(self._travel * (self._times.scale / vehicle.speed) - 1e-6)
            durations = times.astype(np.int64)
            if open_depot is not None:
                distances[:, open_depot] = durations[:, open_depot] = 0
            if barred:
                # Longer than any route that the type may drive. PyVRP's largest integer does not
                # work: penalties on it overflow, and PyVRP finds no plan or does not end.
                too_far = (instance.num_customers + 2) * max(1, int(distances.max()))
                distances[:, list(barred)] = distances[list(barred), :] = too_far
                np.fill_diagonal(distances, 0)
                self._too_far[self._profiles[key]] = too_far
            self._distance_matrices.append(distances)
            self._duration_matrices.append(durations)
        return self._profiles[key]

    def _loads(self, alone: float) -> tuple[list[list[int]], list[list[int]]]:
        """Return the demands per stop and the capacities per type, all dimensions."""
        instance = self._instance
        columns = [column.tolist() for column in instance.load_matrix.T]
        limits = [list(vehicle.capacities) for vehicle in instance.vehicle_types]
        if self._counts_stops:
            columns.append([0.0, *[1.0] * instance.num_customers])
            for row, vehicle in zip(limits, instance.vehicle_types, strict=True):
                row.append(vehicle.max_stops or instance.num_customers)
        demands: list[list[int]] = [[] for _ in range(instance.num_customers + 1)]
        capacities: list[list[int]] = [[] for _ in instance.vehicle_types]
        for load, column in enumerate(columns):
            factor = load_factor(np.array(column))
            # PyVRP's penalty for a unit of overload has a largest value.
            per_unit = alone * self._cost_scale / max(1.0, factor * math.fsum(column))
            if per_unit > _MAX_COST_PER_LOAD:
                factor *= 10.0 ** math.ceil(math.log10(per_unit / _MAX_COST_PER_LOAD))
            for integers, demand in zip(demands, column, strict=True):
                integers.append(math.ceil(demand * factor - 1e-6))
            for integers, row in zip(capacities, limits, strict=True):
                integers.append(math.floor(row[load] * factor + 1e-6))
        return demands, capacities
