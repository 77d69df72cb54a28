"""Running a search of the core in small steps: clock, stop and signals are checked in between."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from fripn import _core
from fripn.baselines.first_plan import Routes, first_plan
from fripn.core import to_core
from fripn.incumbent import Incumbent
from fripn.problem import Solution
from fripn.result import Result

#: Seconds that a step should take.
_STEP_SECONDS = 0.02

#: Iterations without improvement that end a run for which no limit is named.
UNLIMITED_STALL = 100_000


class Stepwise(Protocol):
    """A running search."""

    def run(self, iterations: int, stop: _core.StopFlag | None = None) -> bool:
        """Go on for so many iterations or until the stop; return whether the best plan improved."""
        ...

    def best(self) -> Routes:
        """Return the routes of the best plan."""
        ...


@runtime_checkable
class Timed(Protocol):
    """A search that depends on the share of the time that is used up."""

    def set_clock(self, used: float, left: float) -> None:
        """Take the seconds used and left."""
        ...


def run_stepwise(best: Incumbent, make: Callable[[_core.Instance, Routes], Stepwise]) -> Result:
    """Run a search until the budget is used up or the run is cancelled.

    Parameters
    ----------
    best
        The run; holds the start, if there is one.
    make
        Builds the search for the core's instance and the routes to start from.
    """
    run, budget = best.run, best.run.budget
    core = to_core(best.instance)
    first = first_plan(core, best)
    if first is None:
        note = "no plan was found that keeps to the number of vehicles available"
        return best.result(notes=() if best.is_interrupted else (note,))
    search = make(core, first)
    iterations, last_improvement = 0, 0
    is_unlimited = budget.is_open_ended and budget.target is None
    stall = UNLIMITED_STALL if is_unlimited else budget.stall
    step = 1
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
        improved = search.run(step, run.flag)
        iterations += step
        if improved:
            last_improvement = iterations
            best.offer(Solution.of(search.best()))
        took = max(best.seconds - began, 1e-6)
        allowed = min(_STEP_SECONDS, best.seconds_left)
        step = max(1, min(10 * step, int(step * allowed / took)))
    return best.result(iterations=iterations)
