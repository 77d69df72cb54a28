"""Running a search of the core in small steps, so that clock and signals are seen in between."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from fripn import _core
from fripn.baselines.incumbent import Incumbent
from fripn.budget import Budget
from fripn.problem import Instance, Solution
from fripn.result import Result, Status
from fripn.search import core_instance

#: Seconds that a step should take.
_STEP_SECONDS = 0.02

#: Iterations without improvement that end a search for which no limit was given.
DEFAULT_STALL = 100_000

#: Attempts to fit all customers into a limited fleet before giving up.
_FITTING_ATTEMPTS = 5_000

Routes = list[tuple[int, list[int]]]


class Stepwise(Protocol):
    """A search under way."""

    def run(self, iterations: int) -> bool:
        """Go on for so many iterations; say whether the best plan improved."""
        ...

    def best(self) -> Routes:
        """Give the routes of the best plan."""
        ...


@runtime_checkable
class Timed(Protocol):
    """A search that wants to know how much of its time is used up."""

    def set_clock(self, used: float, left: float) -> None:
        """Hear the seconds used and left."""
        ...


def run_stepwise(
    method: str,
    instance: Instance,
    budget: Budget,
    best: Incumbent,
    make: Callable[[_core.Instance, Routes], Stepwise],
    *,
    seed: int,
) -> Result:
    """Run a search until the budget is used up.

    Parameters
    ----------
    method
        Name for the result.
    instance, budget, seed
        As in `Method`.
    best
        Holds the start, if there is one.
    make
        Builds the search for the core's instance and the routes to start from.
    """
    core = core_instance(instance)
    first = first_plan(instance, core, best, seed=seed)
    if first is None:
        return best.result(
            method,
            seed=seed,
            notes=("no plan was found that keeps to the number of vehicles available",),
        )
    search = make(core, first)
    iterations, last_improvement = 0, 0
    stall = DEFAULT_STALL if budget.is_open_ended and budget.target is None else budget.stall
    status, step = Status.FEASIBLE, 1
    try:
        while not best.is_over:
            if budget.iterations is not None:
                step = min(step, budget.iterations - iterations)
            if stall is not None:
                step = min(step, last_improvement + stall - iterations)
            if step <= 0:
                break
            began = best.seconds
            if isinstance(search, Timed) and budget.seconds is not None:
                search.set_clock(began, best.seconds_left)
            improved = search.run(step)
            iterations += step
            if improved:
                last_improvement = iterations
                best.offer(Solution.of(search.best()))
            took = max(best.seconds - began, 1e-6)
            allowed = min(_STEP_SECONDS, best.seconds_left)
            step = max(1, min(10 * step, int(step * allowed / took)))
    except KeyboardInterrupt:
        status = Status.INTERRUPTED
    return best.result(method, status=status, seed=seed, iterations=iterations)


def first_plan(
    instance: Instance, core: _core.Instance, best: Incumbent, *, seed: int
) -> Routes | None:
    """Give the routes of a plan to start from: the best so far, savings, or what fits.

    Savings may fail when the fleet is limited and tight; then customers are taken out and put
    back until all have found room.
    """
    neighbourhood = _core.LargeNeighbourhood(core, seed=seed)
    if best.solution is not None:
        given = [(route.vehicle_type, list(route.customers)) for route in best.solution.routes]
        # A plan at the edge of the judge's tolerance is beyond the core's, which is half of it.
        if neighbourhood.evaluate(core, given).is_complete:
            return given
    if routes := _core.savings(core):
        best.offer(Solution.of(routes))
        return routes
    plan = neighbourhood.evaluate(core, [])
    for _ in range(_FITTING_ATTEMPTS):
        if plan.is_complete or best.is_over:
            break
        candidate = neighbourhood.rebuild(
            plan, _core.Destroy.RELATED, _core.Repair.REGRET2, max(2, instance.num_customers // 5)
        )
        plan = min(plan, candidate, key=lambda each: each.cost)
    if not plan.is_complete:
        return None
    best.offer(Solution.of(plan.routes()))
    return plan.routes()
