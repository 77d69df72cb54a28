"""Loads as integers, for solvers that need them or whose tolerances are too coarse."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fripn.problem import Instance
from fripn.problem.instance import SEARCH_LOAD_TOLERANCE, FloatArray

#: Loads are rounded to this fraction of the largest capacity when no decimal unit fits them.
_FINEST = 1e-7

#: Decimal units that are tried: 1, 0.1, … 1e-6.
_DECIMALS = range(7)


@dataclass(frozen=True, slots=True)
class IntegerLoads:
    """Demands and capacities in a unit in which they are integers.

    Parameters
    ----------
    demands, capacities
        Per stop and per type. Every plan that fits them also fits the instance.
    unit
        What 1 stands for, in the instance's own measure.
    is_exact
        Whether the instance allows no plan that these loads forbid.
    """

    demands: npt.NDArray[np.int64]
    capacities: npt.NDArray[np.int64]
    unit: float
    is_exact: bool


def integer_loads(instance: Instance) -> IntegerLoads:
    """Express all loads of an instance with one load dimension as integers."""
    usable = np.array([vehicle_type.available != 0 for vehicle_type in instance.vehicle_types])
    return integer_loads_of(instance.demands, instance.capacities, usable)


def integer_loads_of(
    demands: FloatArray, capacities: FloatArray, usable: npt.NDArray[np.bool_]
) -> IntegerLoads:
    """Express the loads of one dimension as integers.

    If the demands are multiples of 1, 0.1, … or 1e-6, that is the unit and nothing is lost:
    capacities are rounded down, since no sum of demands lies between. Otherwise demands are
    rounded up and capacities down on a fine grid, so that plans stay valid.

    Parameters
    ----------
    demands, capacities
        Per stop and per type.
    usable
        Per type whether there is any vehicle of it.
    """
    limits = capacities * (1.0 + SEARCH_LOAD_TOLERANCE)
    for decimals in _DECIMALS:
        scaled = demands * 10.0**decimals
        rounded = np.rint(scaled)
        if np.all(np.abs(scaled - rounded) <= 1e-9 * np.maximum(scaled, 1.0)):
            whole = np.minimum(np.floor(limits * 10.0**decimals), rounded.sum())
            return _as_integers(rounded, whole, 10.0**-decimals, is_exact=True)
    unit = float(limits[usable].max()) * _FINEST
    whole = np.floor(limits / unit)
    # A demand as large as the largest vehicle must still fit it after rounding.
    rounded = np.minimum(np.ceil(demands / unit), whole[usable].max())
    return _as_integers(rounded, whole, unit, is_exact=False)


def _as_integers(
    demands: FloatArray, capacities: FloatArray, unit: float, *, is_exact: bool
) -> IntegerLoads:
    return IntegerLoads(demands.astype(np.int64), capacities.astype(np.int64), unit, is_exact)
