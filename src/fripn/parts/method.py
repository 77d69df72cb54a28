"""The method ``parts``: rounds over neighbouring parts of a huge instance.

The first plan is that of savings. In every round its routes are divided into groups of neighbours,
each group is searched as a problem of its own, from its present routes, and put back. Other groups
are made in the next round, so that no boundary lasts.

All groups of a round can be searched at the same time, in as many threads or on as many machines as
there are. A search needs the memory of its part alone, however large the instance is.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Annotated, ClassVar

from fripn import _core
from fripn.core import to_core
from fripn.errors import ClusterFailed
from fripn.executors import Executor, InThreads
from fripn.features import ROUTING, WORKING_DAY, Feature
from fripn.incumbent import Incumbent
from fripn.parts.part import ENGINE, Improved, Part, give_up, improve_part
from fripn.parts.rounds import Over, Rounds
from fripn.problem import Instance, Solution
from fripn.result import Result
from fripn.run import Run, Stop
from fripn.search import search_from
from fripn.settings import LARGEST_SIZE, Range, Size, check_fields

#: Customers from which dividing an instance is worth it.
LEAST_CUSTOMERS = 5000

#: What begins the note about a run that lost its workers.
ENDED_EARLY = "The search ended early: "


@dataclass(frozen=True, slots=True)
class Parts:
    """Settings of the rounds over parts; calling it solves an instance.

    Instances of fewer than twice `part_customers` customers, or `LEAST_CUSTOMERS`, are left to the
    engine undivided.

    Parameters
    ----------
    part_customers
        Customers of a part, about; from half of it to one and a half, so that all workers have one.
    rounds
        How often the instance is divided; None chooses by the budget.

    Raises
    ------
    InvalidSetting
        When a setting is out of its range.
    """

    name: ClassVar[str] = "parts"
    supports: ClassVar[frozenset[Feature]] = ROUTING | WORKING_DAY
    ends_by_itself: ClassVar[bool] = False

    part_customers: Annotated[int, Range(least=50, most=LARGEST_SIZE)] = 1000
    rounds: Size | None = None

    def __post_init__(self) -> None:
        """Check every setting."""
        check_fields(self)

    def __call__(self, instance: Instance, run: Run) -> Result:
        """Solve the instance with the threads of the run; see `fripn.Method`."""
        stop = Stop()
        return self._solve(
            InThreads(run.threads, stop.set), partial(improve_part, stop=stop), instance, run
        )

    def solve_on(self, executor: Executor, instance: Instance, run: Run) -> Result:
        """Solve the instance with any executor for its parts."""
        return self._solve(executor, improve_part, instance, run)

    def _solve(
        self,
        executor: Executor,
        work: Callable[[Part], Improved],
        instance: Instance,
        run: Run,
    ) -> Result:
        best = Incumbent(instance, run, self.name)
        if not self.divides(instance):
            start = [] if run.start is None else [run.start]
            return best.result(iterations=search_from(best, start))
        iterations = _first_plan(best)
        if best.solution is None or best.is_over:
            return best.result(iterations=iterations)
        rounds = Rounds(best, self.part_customers, self.rounds, iterations)
        # What the workers are at when a run is cut short is lost; what they had finished counts.
        notes: tuple[str, ...] = ()
        try:
            with suppress(Over), executor.open(work, give_up) as workers:
                rounds.run(workers)
        except KeyboardInterrupt:
            best.interrupt()
        except ClusterFailed as failure:
            if rounds.iterations == iterations:
                raise
            notes = (f"{ENDED_EARLY}{failure}.",)
        return best.result(iterations=rounds.iterations, notes=notes)

    def divides(self, instance: Instance) -> bool:
        """Return whether an instance is large enough to be divided."""
        return instance.num_customers >= self.least_customers

    @property
    def least_customers(self) -> int:
        """Customers from which an instance is divided."""
        return max(LEAST_CUSTOMERS, 2 * self.part_customers)


@dataclass(frozen=True, slots=True)
class PartsOn:
    """The method `Parts` on an executor of your own, such as `fripn.executors.RayCluster`.

    Parameters
    ----------
    executor
        Where parts are searched, one thread each.
    parts
        The settings.
    """

    name: ClassVar[str] = Parts.name
    supports: ClassVar[frozenset[Feature]] = Parts.supports
    ends_by_itself: ClassVar[bool] = Parts.ends_by_itself

    executor: Executor
    parts: Parts = field(default_factory=Parts)

    def __call__(self, instance: Instance, run: Run) -> Result:
        """Solve the instance; see `fripn.Method`."""
        return self.parts.solve_on(self.executor, instance, run)


def _first_plan(best: Incumbent) -> int:
    """Take the plan of savings, where there is no other; return the iterations it took."""
    if best.solution is not None:
        return 0
    routes = _core.savings(to_core(best.instance), best.run.flag, best.seconds_left)
    if routes:
        best.offer(Solution.of(routes))
    if best.solution is not None or best.is_over:
        return 1
    # Where vehicles are few the engine fits the customers in: any plan is a first one.
    any_plan = replace(best.run.budget, target=float("inf"))
    found = Incumbent(best.instance, replace(best.run, budget=any_plan), Parts.name)
    iterations = search_from(found, [], settings=ENGINE)
    if found.solution is not None:
        best.take(found.solution)
    return iterations
