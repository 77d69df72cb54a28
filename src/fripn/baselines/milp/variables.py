"""The decision variables of the model, as columns of one matrix."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fripn.problem import Instance
from fripn.problem.instance import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class Variables:
    """The columns of the variables.

    Parameters
    ----------
    arc
        Shape (K, n + 1, n + 1): the column of x^k_ij, 1 when a vehicle of type k drives i → j.
        The diagonal is there, fixed at 0, so that the array has no holes.
    load
        Shape (n + 1,): the column of y_j, what the vehicle has delivered when it leaves j; empty in
        the paper's model.
    type_load
        Shape (K, n + 1): the column of u^k_j, the same for each type, 0 where another one serves j;
        empty except in the paper's model.
    hired
        Shape (K,): the column of N_k, the number of vehicles of type k; may be empty.
    served
        Shape (K, n): the column of z^k_j, 1 when type k serves customer j; empty likewise.
    flow
        Shape (n + 1, n + 1): the column of g_ij, what is on board from i to j; empty likewise.
    lower, upper
        Bounds per column: equation (7) for x, (8) and (9) for y or u.
    is_integer
        Whether a column takes integers only.
    day_names
        Names of the columns that a working day adds at the end; see `fripn.baselines.milp.day`.
    """

    arc: IntArray
    load: IntArray
    type_load: IntArray
    hired: IntArray
    served: IntArray
    flow: IntArray
    lower: FloatArray
    upper: FloatArray
    is_integer: npt.NDArray[np.bool_]
    day_names: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """Number of columns."""
        return len(self.lower)

    @property
    def num_stops(self) -> int:
        """Number of customers and the depot."""
        return int(self.arc.shape[1])

    def name(self, column: int) -> str:
        """Readable name of a column, such as ``x[2,0,3]`` for type 2 from the depot to 3."""
        size = self.num_stops
        first_of_day = self.count - len(self.day_names)
        if column >= first_of_day:
            return self.day_names[column - first_of_day]
        if column < self.arc.size:
            k, rest = divmod(column, size * size)
            return f"x[{k},{rest // size},{rest % size}]"
        column -= self.arc.size
        if column < self.load.size:
            return f"y[{column}]"
        column -= self.load.size
        if column < self.type_load.size:
            k, stop = divmod(column, size)
            return f"u[{k},{stop}]"
        column -= self.type_load.size
        if column < len(self.hired):
            return f"N[{column}]"
        column -= len(self.hired)
        if column < self.served.size:
            k, customer = divmod(column, size - 1)
            return f"z[{k},{customer + 1}]"
        origin, destination = divmod(column - self.served.size, size)
        return f"g[{origin},{destination}]"


def make_variables(
    instance: Instance,
    demands: FloatArray,
    capacities: FloatArray,
    *,
    loads_by_type: bool = False,
    with_fleet: bool = False,
    with_flow: bool = False,
) -> Variables:
    """Assign columns and bounds to the variables.

    Parameters
    ----------
    instance
        The problem.
    demands, capacities
        Loads in the unit of the model.
    loads_by_type
        Whether each customer has a load per type (u) instead of one (y).
    with_fleet, with_flow
        Whether N and z, and whether g, all of which the arcs imply, get columns of their own.
    """
    num_types, size = instance.num_types, instance.num_customers + 1
    fleet_types, flow_stops = num_types * with_fleet, size * with_flow
    count = 0

    def take(*shape: int) -> IntArray:
        nonlocal count
        first, count = count, count + math.prod(shape)
        return np.arange(first, count, dtype=np.int64).reshape(shape)

    arc = take(num_types, size, size)
    load = take(0 if loads_by_type else size)
    type_load = take(num_types if loads_by_type else 0, size)
    hired, served = take(fleet_types), take(fleet_types, size - 1)
    flow = take(flow_stops, flow_stops)
    lower, upper = np.zeros(count), np.ones(count)
    upper[arc[:, range(size), range(size)]] = 0.0
    if loads_by_type:
        upper[type_load] = np.inf
        upper[type_load[:, 0]] = 0.0
    else:
        lower[load] = demands
        upper[load] = capacities.max()
        upper[load[0]] = 0.0
    for k, column in enumerate(hired):
        available = instance.vehicle_types[k].available
        upper[column] = size - 1 if available is None else min(available, size - 1)
    upper[flow] = capacities.max()
    upper[flow[range(flow_stops), range(flow_stops)]] = 0.0
    is_integer = np.ones(count, dtype=np.bool_)
    is_integer[load] = False
    is_integer[type_load] = False
    is_integer[flow] = False
    return Variables(arc, load, type_load, hired, served, flow, lower, upper, is_integer)
