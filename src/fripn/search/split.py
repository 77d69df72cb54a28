"""Where to cut a giant tour, and which vehicle drives each piece."""

from __future__ import annotations

from collections.abc import Sequence

from fripn import _core
from fripn.core import to_plain_core
from fripn.errors import InvalidSolution, NoPlanFound
from fripn.problem import Instance, Solution


def split(instance: Instance, tour: Sequence[int]) -> Solution:
    """Cut a giant tour into routes at the least total cost, types included.

    One dynamic program over cuts and types: exact for unlimited fleets. With limited fleets it
    keeps the limits, and is exact as long as a bounded number of fleets in use suffices.

    Parameters
    ----------
    instance
        The problem.
    tour
        Every customer once, in the order they are to be visited.

    Raises
    ------
    Unsupported
        When more than loads and distances matters: time windows, access, several depots, ….
    InvalidSolution
        When the tour is not a permutation of the customers.
    NoPlanFound
        When the limited fleet allows no cut of this tour that was found.

    References
    ----------
    .. [1] C. Prins (2004), doi 10.1016/S0305-0548(03)00158-8.
    """
    stops = [int(customer) for customer in tour]
    if sorted(stops) != list(range(1, instance.num_customers + 1)):
        raise InvalidSolution(
            f"the tour has {len(stops)} stops",
            field="tour",
            value=stops,
            remedy=f"give each customer from 1 to {instance.num_customers} exactly once",
        )
    routes = _core.split(to_plain_core(instance, "split"), stops)
    if not routes:
        raise NoPlanFound(
            f"no way was found to cut the tour of {instance.name} "
            "within the number of vehicles available",
            field="tour",
            value=stops,
            remedy="give another tour or more vehicles",
        )
    return Solution.of(routes)
