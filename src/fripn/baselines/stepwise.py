"""Running a search of the core in small steps, so that clock and signals are seen in between."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from fripn import _core
from fripn.baselines.first_plan import Routes, first_plan
from fripn.budget import Budget
from fripn.incumbent import Incumbent
from fripn.problem import Instance, Solution
from fripn.result import Result, Status
from fripn.search import core_instance

#: Seconds that a step should take.
_STEP_SECONDS = 0.02

#: Iterations without improvement that end a search for which no limit was given.
DEFAULT_STALL = 100_000


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
