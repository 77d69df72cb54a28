"""The way from a validated `Instance` to the core's copy of it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from fripn import _core
from fripn.errors import Unsupported
from fripn.problem import Instance, VehicleType
from fripn.problem.instance import FloatArray, IntArray, Metric


def to_core(instance: Instance) -> _core.Instance:
    """Copy an instance into the core.

    Raises
    ------
    Unsupported
        When the instance has more load dimensions, or more different rights of access, than the
        core can hold.
    """
    day = working_day_arrays(instance) if instance.uses_working_day else {}
    return arrays_to_core(
        metric=instance.metric,
        coordinates=instance.coordinates,
        matrix=instance.matrix,
        demands=instance.demands,
        capacities=instance.capacities,
        fixed_costs=instance.fixed_costs,
        unit_costs=instance.unit_costs,
        available=available_counts(instance),
        **day,
    )


def to_plain_core(instance: Instance, what: str) -> _core.Instance:
    """Copy an instance into the core for a function (`what`) that knows loads and distances alone.

    Raises
    ------
    Unsupported
        When more than these matters.
    """
    core = to_core(instance)
    if core.has_day:
        raise Unsupported(
            f"{instance.name} has times, access, several loads or several depots, which {{value}} "
            "does not support",
            field="function",
            value=what,
            remedy="call fripn.solve",
        )
    return core


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
    **day: Any,
) -> _core.Instance:
    """Copy the arrays of an instance, perhaps scaled ones, into the core.

    The core adds its own tolerance to the capacities: half of what `evaluate` allows. `day` are the
    arguments of `working_day_arrays`.
    """
    nothing = np.empty(0)
    return _core.Instance(
        metric=metric,
        coordinates=nothing if coordinates is None else coordinates.ravel(),
        matrix=nothing if matrix is None else matrix.ravel(),
        demands=demands.ravel(),
        capacities=capacities.ravel(),
        fixed_costs=fixed_costs,
        unit_costs=unit_costs,
        available=available,
        **day,
    )


def working_day_arrays(instance: Instance) -> dict[str, Any]:
    """Return what the working day adds to the arguments of the core's instance."""
    types = instance.vehicle_types
    if instance.num_loads > _core.MAX_LOADS:
        raise Unsupported(
            f"{instance.name} has {{value}} load dimensions, more than the search supports",
            field="loads",
            value=instance.num_loads,
            remedy=f"leave out those that never fill a vehicle; {_core.MAX_LOADS} are supported",
        )

    def each(read: Any, dtype: type = float) -> Any:
        return np.array([read(vehicle) for vehicle in types], dtype=dtype)

    def limit(field: str, without: float) -> Any:
        def read(vehicle: VehicleType) -> Any:
            value = getattr(vehicle, field)
            return without if value is None else value

        return each(read)

    arrays = {
        "num_depots": instance.num_depots,
        "num_loads": instance.num_loads,
        "type_depots": each(lambda vehicle: vehicle.depot, np.int64),
        "time_factors": each(lambda vehicle: 1.0 / vehicle.speed),
        "shift_starts": limit("shift_start", -math.inf),
        "shift_ends": limit("shift_end", math.inf),
        "max_durations": limit("max_duration", math.inf),
        "max_distances": limit("max_distance", math.inf),
        "max_stops": limit("max_stops", _core.UNLIMITED).astype(np.int64),
        "time_costs": each(lambda vehicle: vehicle.cost_per_hour / instance.hour),
        "returns": each(lambda vehicle: vehicle.returns, np.uint8),
    }
    if instance.durations is not None:
        arrays["durations"] = instance.durations.ravel()
    if instance.service_times is not None:
        arrays["service_times"] = instance.service_times
    if instance.time_windows is not None:
        pairs = [pair for windows in instance.time_windows for pair in windows]
        arrays["window_offsets"] = np.cumsum(
            [0, *(len(windows) for windows in instance.time_windows)], dtype=np.int64
        )
        arrays["window_opens"] = np.array([opens for opens, _ in pairs], dtype=float)
        arrays["window_closes"] = np.array([closes for _, closes in pairs], dtype=float)
    if instance.allowed_types is not None or instance.requires is not None:
        arrays["access"] = _access(instance)
    return arrays


def _access(instance: Instance) -> Any:
    """Return for each type and stop whether the type may serve it, row after row."""
    rows = np.array(
        [
            [stop == 0 or instance.may_serve(k, stop) for stop in range(instance.num_customers + 1)]
            for k in range(instance.num_types)
        ],
        dtype=np.uint8,
    )
    groups = len(np.unique(rows, axis=0))
    if groups > _core.MAX_ACCESS_GROUPS:
        raise Unsupported(
            f"the vehicle types of {instance.name} may serve {{value}} different sets of "
            "customers, more than the search supports",
            field="access",
            value=groups,
            remedy=f"use fewer tags or types; {_core.MAX_ACCESS_GROUPS} sets are supported",
        )
    return rows.ravel()


def available_counts(instance: Instance) -> IntArray:
    """Return the vehicles per type as the core spells them: `_core.UNLIMITED` without a limit."""
    counts = [
        _core.UNLIMITED if vehicle.available is None else vehicle.available
        for vehicle in instance.vehicle_types
    ]
    return np.array(counts, dtype=np.int64)
