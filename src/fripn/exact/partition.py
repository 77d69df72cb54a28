"""Set partitioning over given routes, without a proof: the cheapest plan they make."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from fripn import _core
from fripn.core import to_core
from fripn.exact.highs import lp_solver
from fripn.problem import Instance, Solution
from fripn.problem.instance import LOAD_TOLERANCE


def cheapest_partition(
    instance: Instance,
    routes: Iterable[tuple[int, Sequence[int]]],
    *,
    cutoff: float = math.inf,
    seconds: float = math.inf,
    stop: _core.StopFlag | None = None,
) -> Solution | None:
    """Return the cheapest plan that chooses among routes, by one integer program in HiGHS.

    Parameters
    ----------
    instance
        The instance; of its limits, capacities and numbers of vehicles count, and no others.
    routes
        Vehicle type and customers of each; routes that no vehicle of the type can drive are left
        out. Where the triangle inequality holds, a customer that two chosen routes visit is left
        out of the second.
    cutoff
        Plans that cost as much are of no interest.
    seconds
        After these the best plan found so far is returned.
    stop
        Ends it early when set.

    Returns
    -------
    Solution or None
        None where there is no plan below the cutoff, or none was found in time.
    """
    found = _core.partition_routes(
        to_core(instance),
        lp_solver(),
        [(vehicle_type, list(customers)) for vehicle_type, customers in routes],
        load_tolerance=LOAD_TOLERANCE,
        cutoff=cutoff,
        seconds=seconds,
        stop=stop,
    )
    return None if found is None else Solution.of(found)
