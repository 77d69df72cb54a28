"""The data of an instance and what can be read from them; `Instance` adds the checks.

Index 0 is the depot, customers are 1 … n. This holds everywhere in the package. Further depots, of
which most instances have none, are n + 1, n + 2, ….
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from fripn.messages import named
from fripn.problem.distances import Metric, great_circle_km, straight_line
from fripn.problem.limits import FloatArray
from fripn.problem.vehicle_type import VehicleType

#: The time windows of a stop, (open, close) each, in order; none: always open.
Windows = tuple[tuple[float, float], ...]

#: Fields of the working day that are None when they are not used.
_DAY_FIELDS = (
    "durations",
    "service_times",
    "time_windows",
    "allowed_types",
    "requires",
    "load_names",
    "time_unit",
    "distance_unit",
)


@dataclass(frozen=True, slots=True, eq=False)
class InstanceFields:
    """The fields of an `Instance`, which describes them; not checked here."""

    name: str
    coordinates: FloatArray | None
    demands: FloatArray
    vehicle_types: tuple[VehicleType, ...]
    metric: Metric = "euclidean"
    matrix: FloatArray | None = None
    stop_names: tuple[str, ...] | None = None
    stop_ids: tuple[str, ...] | None = None
    extra_columns: Mapping[str, tuple[str, ...]] | None = None
    has_map: bool | None = None
    num_depots: int = 1
    durations: FloatArray | None = None
    service_times: FloatArray | None = None
    time_windows: tuple[Windows, ...] | None = None
    allowed_types: tuple[tuple[int, ...] | None, ...] | None = None
    requires: tuple[tuple[str, ...], ...] | None = None
    hour: float = 1.0
    load_names: tuple[str, ...] | None = None
    time_unit: str | None = None
    distance_unit: str | None = None

    @property
    def num_customers(self) -> int:
        """Number of customers n; they are 1 … n."""
        return len(self.demands) - 1

    @property
    def num_types(self) -> int:
        """Number of vehicle types."""
        return len(self.vehicle_types)

    @property
    def num_nodes(self) -> int:
        """Number of customers and depots."""
        return self.num_customers + self.num_depots

    @property
    def num_loads(self) -> int:
        """Number of load dimensions."""
        return 1 if self.demands.ndim == 1 else self.demands.shape[1]

    @property
    def capacities(self) -> FloatArray:
        """Capacity per type: shape (K,), or (K, L) with L > 1 load dimensions."""
        return np.array([vehicle.capacity for vehicle in self.vehicle_types])

    @property
    def load_matrix(self) -> FloatArray:
        """Demands with one column per load dimension: shape (n + 1, L)."""
        return self.demands.reshape(len(self.demands), -1)

    @property
    def fixed_costs(self) -> FloatArray:
        """Fixed cost per type."""
        return np.array([vehicle.fixed_cost for vehicle in self.vehicle_types])

    @property
    def unit_costs(self) -> FloatArray:
        """Cost per unit of distance, per type."""
        return np.array([vehicle.unit_cost for vehicle in self.vehicle_types])

    @property
    def has_limited_fleet(self) -> bool:
        """Whether the number of vehicles of any type is limited."""
        return any(vehicle.available is not None for vehicle in self.vehicle_types)

    @property
    def is_symmetric(self) -> bool:
        """Whether every distance is the same in both directions."""
        return self.matrix is None or bool(np.array_equal(self.matrix, self.matrix.T))

    @property
    def is_geographic(self) -> bool:
        """Whether the coordinates are (longitude, latitude), however distances are computed."""
        return self.metric == "great_circle" or bool(self.has_map)

    @property
    def limits_time(self) -> bool:
        """Whether the time of a route matters: windows, shifts, durations or costs per hour."""
        return self.time_windows is not None or any(
            vehicle.limits_time for vehicle in self.vehicle_types
        )

    @property
    def uses_working_day(self) -> bool:
        """Whether any field of the working day is used, by the instance or a vehicle type."""
        return (
            self.num_depots > 1
            or self.num_loads > 1
            or self.hour != 1.0
            or any(getattr(self, field) is not None for field in _DAY_FIELDS)
            or any(vehicle.uses_working_day for vehicle in self.vehicle_types)
        )

    @property
    def has_schedule(self) -> bool:
        """Whether routes have a schedule: the instance limits the time, or states times at all."""
        return self.limits_time or self.durations is not None or self.service_times is not None

    @property
    def horizon(self) -> float:
        """Largest absolute time of all windows and shifts; 0 without any."""
        times = [time for windows in self.time_windows or () for pair in windows for time in pair]
        for vehicle in self.vehicle_types:
            times += [time for time in (vehicle.shift_start, vehicle.shift_end) if time is not None]
        return max((abs(time) for time in times if math.isfinite(time)), default=0.0)

    def depot_node(self, depot: int) -> int:
        """Return the node of a depot: 0 for the first, then n + 1, n + 2, …."""
        return self.num_customers + depot if depot else 0

    def tour(self, vehicle_type: int, customers: Sequence[int]) -> list[int]:
        """Return the nodes of a route: depot, customers, and depot again if the type returns."""
        vehicle = self.vehicle_types[vehicle_type]
        depot = self.depot_node(vehicle.depot)
        return [depot, *customers, *([depot] if vehicle.returns else [])]

    def is_depot(self, node: int) -> bool:
        """Return whether a node is a depot."""
        return node == 0 or node > self.num_customers

    def may_serve(self, vehicle_type: int, customer: int) -> bool:
        """Return whether a customer's allowed types and required tags admit a type."""
        if self.allowed_types is not None:
            allowed = self.allowed_types[customer]
            if allowed is not None and vehicle_type not in allowed:
                return False
        return self.lacking_tag(vehicle_type, customer) is None

    def lacking_tag(self, vehicle_type: int, customer: int) -> str | None:
        """Return the first tag that a customer requires and a type does not offer, or None."""
        if self.requires is None:
            return None
        offers = self.vehicle_types[vehicle_type].offers
        return next((tag for tag in self.requires[customer] if tag not in offers), None)

    def travel_times(
        self, origins: npt.NDArray[np.integer[Any]], destinations: npt.NDArray[np.integer[Any]]
    ) -> FloatArray:
        """Return the travel time at speed 1 from each origin to its destination."""
        if self.durations is not None:
            return np.asarray(self.durations[origins, destinations], dtype=np.float64)
        return self.distances(origins, destinations)

    def stop_id(self, index: int) -> str:
        """Return the id of a stop: the given one, else the customer's number, or ``depot``.

        Further depots are ``depot-2``, ``depot-3``, ….
        """
        if self.stop_ids is not None:
            return self.stop_ids[index]
        if index > self.num_customers:
            return f"depot-{index - self.num_customers + 1}"
        return str(index) if index else "depot"

    def stop_name(self, index: int) -> str:
        """Return the name of a stop: the given one, else its id."""
        return self.stop_id(index) if self.stop_names is None else self.stop_names[index]

    def stop_label(self, index: int) -> str:
        """Return the name of a stop, followed by its id where it has both: ``Ann (105)``."""
        name = self.stop_name(index)
        if self.stop_ids is None or name == self.stop_ids[index]:
            return name
        return f"{name} ({self.stop_ids[index]})"

    def describe_stop(self, index: int) -> str:
        """Return a description of a stop for messages: ``customer 1 (Ann, id 105)``."""
        if index == 0 and self.num_depots == 1:
            return "the depot"
        names, ids = self.stop_names, self.stop_ids
        known = [] if names is None else [named(names[index])]
        if ids is not None and (names is None or ids[index] != names[index]):
            known.append(f"id {named(ids[index])}")
        what = f"customer {index}"
        if self.is_depot(index):
            what = f"depot {max(1, index - self.num_customers + 1)}"
        return what + (f" ({', '.join(known)})" if known else "")

    def distances(
        self, origins: npt.NDArray[np.integer[Any]], destinations: npt.NDArray[np.integer[Any]]
    ) -> FloatArray:
        """Return the distance from each origin to its destination (arrays broadcast)."""
        if self.matrix is not None:
            return np.asarray(self.matrix[origins, destinations], dtype=np.float64)
        assert self.coordinates is not None
        start, end = self.coordinates[origins], self.coordinates[destinations]
        if self.metric == "great_circle":
            return great_circle_km(start, end)
        return straight_line(start, end)

    def distance_matrix(self) -> FloatArray:
        """Return the distance between all nodes; 8 (n + 1)² bytes if computed from coordinates."""
        if self.matrix is not None:
            return self.matrix
        everyone = np.arange(self.num_nodes)
        return self.distances(everyone[:, None], everyone[None, :])
