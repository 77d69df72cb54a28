"""The data of an instance and what can be read from them; `Instance` adds the checks.

Index 0 is the depot, customers are 1 … n. This holds everywhere in the package.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from fripn.messages import named
from fripn.problem.distances import Metric, great_circle_km, straight_line
from fripn.problem.limits import FloatArray
from fripn.problem.vehicle_type import VehicleType


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

    @property
    def num_customers(self) -> int:
        """Number of customers n; they are 1 … n."""
        return len(self.demands) - 1

    @property
    def num_types(self) -> int:
        """Number of vehicle types."""
        return len(self.vehicle_types)

    @property
    def capacities(self) -> FloatArray:
        """Capacity per type."""
        return np.array([vehicle.capacity for vehicle in self.vehicle_types])

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

    def stop_id(self, index: int) -> str:
        """Return the id of a stop: the given one, else ``depot`` or the customer's number."""
        if self.stop_ids is not None:
            return self.stop_ids[index]
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
        if index == 0:
            return "the depot"
        names, ids = self.stop_names, self.stop_ids
        known = [] if names is None else [named(names[index])]
        if ids is not None and (names is None or ids[index] != names[index]):
            known.append(f"id {named(ids[index])}")
        return f"customer {index}" + (f" ({', '.join(known)})" if known else "")

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
        """Return the (n + 1, n + 1) matrix; 8 (n + 1)² bytes when computed from coordinates."""
        if self.matrix is not None:
            return self.matrix
        everyone = np.arange(self.num_customers + 1)
        return self.distances(everyone[:, None], everyone[None, :])
