"""Conversion of an `Instance` for the core."""

from __future__ import annotations

import numpy as np

from fripn import _core
from fripn.problem import Instance
from fripn.problem.instance import LOAD_TOLERANCE


def core_instance(instance: Instance) -> _core.Instance:
    """Copy an instance into the core; loads get half the tolerance that `evaluate` allows."""
    nothing = np.empty(0)
    return _core.Instance(
        metric=instance.metric,
        coordinates=nothing if instance.coordinates is None else instance.coordinates.ravel(),
        matrix=nothing if instance.matrix is None else instance.matrix.ravel(),
        demands=instance.demands,
        capacities=instance.capacities,
        load_limits=instance.capacities * (1.0 + LOAD_TOLERANCE / 2),
        fixed_costs=instance.fixed_costs,
        unit_costs=instance.unit_costs,
        available=np.array(
            [-1 if one.available is None else one.available for one in instance.vehicle_types],
            dtype=np.int64,
        ),
    )
