"""Groups of neighbouring routes: which customers are planned again together."""

from __future__ import annotations

from itertools import chain

import numpy as np

from fripn.problem import Instance, Solution
from fripn.problem.limits import FloatArray, IntArray


def group_routes(
    instance: Instance, plan: Solution, num_groups: int, rng: np.random.Generator
) -> list[list[int]]:
    """Divide the routes of a plan into groups of neighbours with about equally many customers.

    The routes are cut in two by a line through their centres, each half again at right angles to
    it, and so on. The first direction is random, so that other routes become neighbours with every
    call.

    Parameters
    ----------
    instance, plan
        The problem and a plan of it.
    num_groups
        Groups there should be; fewer where there are fewer routes.
    rng
        Draws the direction.

    Returns
    -------
    list of list of int
        Indices of routes; every route that visits anybody is in one group.
    """
    visits = [len(route.customers) for route in plan.routes]
    routes = np.flatnonzero(visits)
    sizes = np.array(visits)[routes]
    customers = np.fromiter(
        chain.from_iterable(route.customers for route in plan.routes), dtype=int, count=sum(visits)
    )
    firsts = np.cumsum(sizes) - sizes
    places = _places(instance, rng)
    centres = np.add.reduceat(places[customers], firsts, axis=0) / sizes[:, None]
    angle = rng.uniform(0.0, np.pi)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    groups: list[list[int]] = []
    _halve(np.arange(len(routes)), centres @ turn, sizes, num_groups, rng, groups)
    return [routes[group].tolist() for group in groups]


def _places(instance: Instance, rng: np.random.Generator) -> FloatArray:
    """Return points of a plane by which to tell neighbours.

    Without coordinates: the distances from two customers drawn at random, which are similar for
    neighbours.
    """
    if instance.coordinates is not None:
        if instance.metric != "great_circle":
            return instance.coordinates
        width = np.cos(np.radians(instance.coordinates[:, 1].mean()))
        scaled: FloatArray = instance.coordinates * np.array([width, 1.0])
        return scaled
    assert instance.matrix is not None
    drawn = rng.choice(np.arange(1, instance.num_customers + 1), size=2, replace=False)
    return np.ascontiguousarray(instance.matrix[drawn].T)


def _halve(
    members: IntArray,
    centres: FloatArray,
    sizes: IntArray,
    num_groups: int,
    rng: np.random.Generator,
    groups: list[list[int]],
) -> None:
    if num_groups <= 1 or len(members) <= 1:
        groups.append(members.tolist())
        return
    # The longer side is cut, so that groups are not narrow.
    extent = np.ptp(centres[members], axis=0)
    ordered = members[np.argsort(centres[members, int(extent.argmax())], kind="stable")]
    # Of an odd number either half may have the larger share.
    in_first = (num_groups + int(rng.integers(2))) // 2
    filled = np.cumsum(sizes[ordered])
    cut = int(np.searchsorted(filled, filled[-1] * in_first / num_groups, side="right"))
    cut = min(max(cut, 1), len(ordered) - 1)
    _halve(ordered[:cut], centres, sizes, in_first, rng, groups)
    _halve(ordered[cut:], centres, sizes, num_groups - in_first, rng, groups)
