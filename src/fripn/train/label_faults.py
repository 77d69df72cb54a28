"""Checks of labels before any of their numbers reach the network or the core."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from fripn.policy.cells import MAX_CELLS
from fripn.problem.instance import LOAD_TOLERANCE, MAX_NUMBER

#: The largest instances there are labels for.
MAX_CUSTOMERS = int(np.iinfo(np.int16).max)
MAX_TYPES = int(np.iinfo(np.int8).max)

#: Rounding of the scaled numbers, relative.
_ROUNDING = 1e-6

_DTYPES = {
    "coordinates": np.float32,
    "demands": np.float64,
    "capacities": np.float64,
    "fixed_costs": np.float64,
    "unit_costs": np.float64,
    "customers": np.int16,
    "starts": np.int8,
    "given": np.int16,
    "costs": np.float64,
    "load_units": np.float64,
    "load_cells": np.int16,
}

#: The least and the largest number of an array. Coordinates lie in the unit square; loads and costs
#: are scaled numbers of an instance.
_RANGES = {
    "coordinates": (-_ROUNDING, 1.0 + _ROUNDING),
    "demands": (0.0, MAX_NUMBER),
    "capacities": (1.0 / MAX_NUMBER, MAX_NUMBER),
    "fixed_costs": (0.0, MAX_NUMBER),
    "unit_costs": (0.0, MAX_NUMBER),
    "costs": (0.0, MAX_NUMBER),
    "load_units": (1.0 / MAX_NUMBER, MAX_NUMBER),
    "load_cells": (0, MAX_CELLS),
}

Arrays = Mapping[str, npt.NDArray[Any]]


def fault_of(arrays: Arrays, num_customers: int, num_types: int) -> str | None:
    """Return what is wrong with the arrays of `Labels` of one size, None when nothing is."""
    if not 1 <= num_customers <= MAX_CUSTOMERS or not 1 <= num_types <= MAX_TYPES:
        return (
            f"there are {num_customers} customers and {num_types} types instead of 1 to "
            f"{MAX_CUSTOMERS} and 1 to {MAX_TYPES}"
        )
    return (
        _shape_fault(arrays, num_customers, num_types)
        or _range_fault(arrays)
        or _plan_fault(arrays, num_customers, num_types)
        or _load_fault(arrays)
    )


def _shape_fault(arrays: Arrays, num_customers: int, num_types: int) -> str | None:
    costs = arrays["costs"]
    count = len(costs) if costs.ndim else 0
    if count == 0:
        return "there are none"
    shapes = {
        "coordinates": (count, num_customers + 1, 2),
        "demands": (count, num_customers + 1),
        "capacities": (count, num_types),
        "fixed_costs": (count, num_types),
        "unit_costs": (count, num_types),
        "customers": (count, num_customers),
        "starts": (count, num_customers),
        "given": (count,),
        "costs": (count,),
        "load_units": (count,),
        "load_cells": (count, num_customers + 1),
    }
    for name, shape in shapes.items():
        array, dtype = arrays[name], np.dtype(_DTYPES[name])
        if array.shape != shape:
            return f"{name} has shape {array.shape} instead of {shape}"
        if array.dtype != dtype:
            return f"{name} has the type {array.dtype} instead of {dtype}"
    return None


def _range_fault(arrays: Arrays) -> str | None:
    for name, (least, most) in _RANGES.items():
        array = arrays[name]
        # Written so that NaN is outside.
        outside = np.argwhere(~((array >= least) & (array <= most)))
        if len(outside):
            place = tuple(outside[0].tolist())
            return f"{name} at {place} is {array[place]} instead of {least:g} to {most:g}"
    if arrays["demands"][:, 0].any() or arrays["load_cells"][:, 0].any():
        return "a depot has a demand"
    return None


def _plan_fault(arrays: Arrays, num_customers: int, num_types: int) -> str | None:
    customers, starts, given = arrays["customers"], arrays["starts"], arrays["given"]
    if (np.sort(customers, axis=1) != np.arange(1, num_customers + 1)).any():
        return f"a plan does not serve each of the customers 1 to {num_customers} once"
    if (starts < -1).any() or (starts >= num_types).any():
        return f"a route has a vehicle type that is not one of 0 to {num_types - 1}"
    if (starts[:, 0] < 0).any():
        return "a plan does not begin with a route"
    if (given < 0).any() or (given > num_customers).any():
        return f"the number of given customers, {int(given.max())}, is out of range"
    partial = np.flatnonzero(given < num_customers)
    if (starts[partial, given[partial]] < 0).any():
        return "the customers that are given end within a route"
    return None


def _load_fault(arrays: Arrays) -> str | None:
    demands, cells, units = arrays["demands"], arrays["load_cells"], arrays["load_units"]
    # A demand is rounded to the nearest cell, or up to the first one.
    if (np.abs(cells * units[:, None] - demands) > units[:, None] * (1.0 + _ROUNDING)).any():
        return "load_cells are not the demands in cells of load_units"
    begins = arrays["starts"] >= 0
    route = np.cumsum(begins) - 1  # over all plans, each of which begins with a route
    served = np.take_along_axis(demands, arrays["customers"].astype(np.intp), axis=1)
    loads = np.bincount(route, weights=served.ravel())
    row, position = np.nonzero(begins)
    room = arrays["capacities"][row, arrays["starts"][row, position]]
    over = np.flatnonzero(loads > room * (1.0 + 2.0 * LOAD_TOLERANCE))
    if len(over):
        return (
            f"a route of plan {row[over[0]]} carries {loads[over[0]]:g}, but its vehicle takes "
            f"{room[over[0]]:g}"
        )
    return None
