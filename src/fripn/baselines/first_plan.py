"""A plan to start from."""

from __future__ import annotations

from fripn import _core
from fripn.incumbent import Incumbent
from fripn.problem import Solution

Routes = list[tuple[int, list[int]]]

#: Attempts to fit all customers into a limited fleet before savings are used.
_FITTING_ATTEMPTS = 2_000


def first_plan(core: _core.Instance, best: Incumbent) -> Routes | None:
    """Return the routes of a plan to start from, and offer it; None when none was found in time.

    That is the best plan so far if there is one, else the savings plan. With a limited fleet
    savings are slow and may fail: there customers are inserted by regret, and taken out and put
    back until all have found room.
    """
    instance, run = best.instance, best.run
    neighbourhood = _core.LargeNeighbourhood(core, seed=run.seed)
    if best.solution is not None:
        given = best.solution.pairs()
        # A plan at the edge of the tolerance of `evaluate` is beyond the core's, which is half.
        if neighbourhood.evaluate(core, given).is_complete:
            return given
    routes = fit_into_fleet(core, best, neighbourhood) if instance.has_limited_fleet else None
    if routes is None and not (instance.has_limited_fleet and best.is_over):
        routes = _core.savings(core, run.flag, best.seconds_left) or None
    if routes is not None:
        best.offer(Solution.of(routes))
    return routes


def fit_into_fleet(
    core: _core.Instance, best: Incumbent, neighbourhood: _core.LargeNeighbourhood | None = None
) -> Routes | None:
    """Insert customers into a limited fleet until all have room; None when they found none.

    Parameters
    ----------
    core
        The instance.
    best
        The run: its seed, clock and stop.
    neighbourhood
        What removes and inserts, to be used again by the caller.
    """
    neighbourhood = neighbourhood or _core.LargeNeighbourhood(core, seed=best.run.seed)
    plan = neighbourhood.evaluate(core, [])
    removed = max(2, min(30, best.instance.num_customers // 3))
    operators = (_core.Destroy.RELATED, _core.Destroy.ROUTE, _core.Destroy.RANDOM)
    for attempt in range(_FITTING_ATTEMPTS):
        destroy = operators[attempt % len(operators)]
        candidate = neighbourhood.rebuild(
            plan, destroy, _core.Repair.REGRET2, removed, best.run.flag
        )
        # Equal plans are taken too: with as many left out, others may be.
        if candidate.num_absent <= plan.num_absent:
            plan = candidate
        if plan.is_complete:
            return plan.routes()
        if best.is_over:
            break
    return None
