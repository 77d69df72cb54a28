"""The way from a validated `Instance` to the core's copy of it."""

from __future__ import annotations

import numpy as np

from fripn import _core
from fripn.problem import Instance
from fripn.problem.instance import FloatArray, IntArray, Metric


def to_core(instance: Instance) -> _core.Instance:
    """Copy an instance into the core."""
    return arrays_to_core(
        metric=instance.metric,
        coordinates=instance.coordinates,
        matrix=instance.matrix,
        demands=instance.demands,
        capacities=instance.capacities,
        fixed_costs=instance.fixed_costs,
        unit_costs=instance.unit_costs,
        available=available_counts(instance),
    )


def arrays_to_core(
    *,
    metric: Metric,
    coordinates: FloatArray | None,
    matrix: FloatArray | None,
    demands: FloatArray,
    capacities: FloatArray,
    fixed_costs: FloatArray,
    unit_costs: FloatArray,
    available: IntArray,
) -> _core.Instance:
    """Copy the arrays of an instance, perhaps scaled ones, into the core.

    The core adds its own tolerance to the capacities: half of what `evaluate` allows.
    """
    nothing = np.empty(0)
    return _core.Instance(
        metric=metric,
        coordinates=nothing if coordinates is None else coordinates.ravel(),
        matrix=nothing if matrix is None else matrix.ravel(),
        demands=demands,
        capacities=capacities,
        fixed_costs=fixed_costs,
        unit_costs=unit_costs,
        available=available,
    )


def available_counts(instance: Instance) -> IntArray:
    """Return the vehicles per type as the core spells them: `_core.UNLIMITED` without a limit."""
    counts = [
        _core.UNLIMITED if vehicle.available is None else vehicle.available
        for vehicle in instance.vehicle_types
    ]
    return np.array(counts, dtype=np.int64)
