"""Map any instance to the ranges the network was trained on, and back.

Dividing all distances by one constant, all loads by another and all costs by a third changes no
decision, so the map is exact: a plan for the scaled instance is a plan for the original, and
its cost is the scaled cost times ``cost_scale``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fripn.core import available_counts
from fripn.errors import Unsupported
from fripn.features import WORKING_DAY, features_of
from fripn.messages import listed
from fripn.policy.cells import CellArray, count_cells
from fripn.problem import Instance
from fripn.problem.instance import EARTH_RADIUS_KM, FloatArray, IntArray

#: The paper's ranges; an instance inside them is left as it is.
COORDINATE_RANGE = (0.0, 1.0)
CAPACITY_RANGE = (0.5, 3.0)
UNIT_COST_RANGE = (1.0, 3.0)

#: Scaled mean unit cost, and scaled largest fixed cost if no type has a unit cost.
MEAN_UNIT_COST = 2.0
LARGEST_FIXED_COST = 30.0

#: Beyond this many stops a distance matrix of a great-circle instance would take over 200 MB;
#: trajectories are then ranked by distances in the projected plane.
MAX_STOPS_WITH_MATRIX = 5000


@dataclass(frozen=True, slots=True, eq=False)
class ScaledInstance:
    """Problem data in the network's ranges.

    Parameters
    ----------
    coordinates
        Shape (N, 2), within the unit square.
    demands, capacities
        Loads, divided by ``load_scale``.
    fixed_costs, unit_costs
        Costs, divided so that scaled distances give scaled costs.
    available
        Vehicles on offer per type; -1 for as many as needed.
    matrix
        Scaled distances where they are not the straight lines between coordinates, else None.
    origin
        Subtracted from the coordinates before they were divided.
    distance_scale, load_scale, cost_scale
        What one scaled unit is worth in the instance's own units.
    load_unit, load_cells
        Width of a cell of load, and the demands in whole cells, see `fripn.policy.cells`.
    """

    coordinates: FloatArray
    demands: FloatArray
    capacities: FloatArray
    fixed_costs: FloatArray
    unit_costs: FloatArray
    available: IntArray
    matrix: FloatArray | None
    origin: FloatArray
    distance_scale: float
    load_scale: float
    cost_scale: float
    load_unit: float
    load_cells: CellArray

    @property
    def num_customers(self) -> int:
        """Number of customers."""
        return len(self.demands) - 1

    @property
    def num_types(self) -> int:
        """Number of vehicle types."""
        return len(self.capacities)


def scale(instance: Instance) -> ScaledInstance:
    """Map an instance into the network's ranges.

    Parameters
    ----------
    instance
        Any instance with coordinates. Great-circle coordinates are projected to a plane in
        kilometres around the depot; with a matrix, the coordinates are inputs of the network and
        the matrix determines the costs of trajectories.

    Raises
    ------
    Unsupported
        When there are no coordinates.
    """
    day = features_of(instance) & WORKING_DAY
    if day:
        raise Unsupported(
            f"{instance.name} has {listed(sorted(feature.value for feature in day))}, which "
            "the policy does not know",
            field="features",
            value=sorted(feature.value for feature in day),
            remedy="choose another method",
        )
    if instance.coordinates is None:
        raise Unsupported(
            f"{instance.name} has a distance matrix and no coordinates, which the policy "
            "needs as inputs",
            field="coordinates",
            remedy="add coordinates or choose the method hgs",
        )
    plane = instance.coordinates
    if instance.metric == "great_circle":
        plane = _project(instance.coordinates)
    capacities, fixed, unit = instance.capacities, instance.fixed_costs, instance.unit_costs
    load_unit, load_cells = count_cells(instance.demands, capacities)
    available = available_counts(instance)
    if (
        instance.metric == "euclidean"
        and _inside(plane, COORDINATE_RANGE)
        and _inside(capacities, CAPACITY_RANGE)
        and _inside(unit, UNIT_COST_RANGE)
    ):
        return ScaledInstance(
            plane,
            instance.demands,
            capacities,
            fixed,
            unit,
            available,
            matrix=None,
            origin=np.zeros(2),
            distance_scale=1.0,
            load_scale=1.0,
            cost_scale=1.0,
            load_unit=load_unit,
            load_cells=load_cells,
        )
    origin = plane.min(axis=0)
    side = float((plane.max(axis=0) - origin).max()) or 1.0
    coordinates = (plane - origin) / side
    distance_scale, matrix = side, None
    if instance.metric == "matrix" or (
        instance.metric == "great_circle" and len(plane) <= MAX_STOPS_WITH_MATRIX
    ):
        matrix = instance.distance_matrix()
        if instance.metric == "matrix":
            distance_scale = _matrix_scale(matrix, coordinates)
        matrix = matrix / distance_scale
    load_scale = float(capacities.max()) / CAPACITY_RANGE[1]
    if unit.any():
        cost_scale = float(unit.mean()) * distance_scale / MEAN_UNIT_COST
    else:
        cost_scale = float(fixed.max()) / LARGEST_FIXED_COST or 1.0
    return ScaledInstance(
        coordinates,
        instance.demands / load_scale,
        capacities / load_scale,
        fixed / cost_scale,
        unit * (distance_scale / cost_scale),
        available,
        matrix,
        origin,
        distance_scale,
        load_scale,
        cost_scale,
        load_unit / load_scale,
        load_cells,
    )


def straight_lines(coordinates: FloatArray) -> FloatArray:
    """Return the distances (…, N, N) between coordinates (…, N, 2)."""
    gaps = coordinates[..., :, None, :] - coordinates[..., None, :, :]
    return np.hypot(gaps[..., 0], gaps[..., 1])


def _inside(values: FloatArray, bounds: tuple[float, float]) -> bool:
    return bool(values.min() >= bounds[0] and values.max() <= bounds[1])


def _project(degrees: FloatArray) -> FloatArray:
    """Kilometres east and north of the depot, true to scale at the mean latitude."""
    longitude, latitude = degrees.T
    # Within ±180 degrees, so that stops on both sides of the date line stay together.
    east = (longitude - longitude[0] + 180.0) % 360.0 - 180.0
    shrink = np.cos(np.radians(latitude.mean()))
    kilometres = np.radians(np.stack([east * shrink, latitude - latitude[0]], axis=1))
    return np.asarray(kilometres * EARTH_RADIUS_KM, dtype=np.float64)


def _matrix_scale(matrix: FloatArray, coordinates: FloatArray) -> float:
    """Ratio of the matrix to the straight-line distances of the scaled coordinates."""
    straight = 0.0
    for point in coordinates:
        straight += float(np.hypot(*(coordinates - point).T).sum())
    total = float(matrix.sum())
    return total / straight if total > 0 and straight > 0 else 1.0
