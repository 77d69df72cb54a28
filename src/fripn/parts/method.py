"""The method ``parts``: rounds over neighbouring parts of a huge instance.

The first plan is that of savings. In every round its routes are divided into groups of neighbours,
each group is searched as a problem of its own, from its present routes, and put back if it became
cheaper. Other groups are made in the next round, so that no boundary lasts.

All groups of a round can be searched at the same time, in as many processes or on as many machines
as there are. A search needs the memory of its part alone, however large the instance is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, ClassVar

import numpy as np

from fripn import _core
from fripn.budget import Budget
from fripn.core import to_core
from fripn.executors import Executor, Processes, Workers
from fripn.features import ROUTING, WORKING_DAY, Feature
from fripn.incumbent import Incumbent
from fripn.parts.part import ENGINE, Cut, Improved, Part, cut_out, give_up, improve_part
from fripn.parts.partition import group_routes
from fripn.problem import Instance, Solution
from fripn.result import Result
from fripn.run import Run
from fripn.search import search_from
from fripn.settings import LARGEST_SIZE, Range, Size, check_fields

#: Customers from which dividing an instance is worth it.
LEAST_CUSTOMERS = 5000

#: Least and most customers of a part, in relation to `Parts.part_customers`.
_SMALLEST, _LARGEST = 0.5, 1.5

#: Iterations, or seconds, per customer that a round has where the budget is enough for it:
#: annealing begins at its full heat then.
_ROUND_ITERATIONS = 4.0
_ROUND_SECONDS = 4e-3

#: Rounds, at least and at most: every boundary is moved, and longer rounds are better than more.
_MIN_ROUNDS, _MAX_ROUNDS = 2, 8

#: Seconds between two looks at the clock and at the stop.
_CHECK_SECONDS = 0.2

#: Seconds that outcomes may be late, before what is still running is given up.
_GRACE_SECONDS = 2.0

#: Rounds without improvement that end a run for which no limit is named.
_UNLIMITED_ROUNDS = 2


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
        """Solve the instance with one process per thread of the run; see `fripn.Method`."""
        return self.solve_on(Processes(run.threads), instance, run)

    def solve_on(self, executor: Executor, instance: Instance, run: Run) -> Result:
        """Solve the instance with any executor for its parts."""
        best = Incumbent(instance, run, self.name)
        if not self.divides(instance):
            start = [] if run.start is None else [run.start]
            return best.result(iterations=search_from(best, start))
        iterations = _first_plan(best)
        if best.solution is None or best.is_over:
            return best.result(iterations=iterations)
        rounds = _Rounds(self, best, iterations)
        try:
            with executor.open(improve_part, give_up) as workers:
                rounds.run(workers)
        except (KeyboardInterrupt, _Over):
            # What the workers were at is lost; parts that were finished have been put back.
            pass
        best.take(rounds.plan)
        return best.result(iterations=rounds.iterations)

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


class _Over(Exception):
    """Leaves a round before its end: the time is up, or the run is cancelled."""


class _Rounds:
    """The state of a run: the present plan, and what is left of the budget."""

    def __init__(self, settings: Parts, best: Incumbent, iterations: int) -> None:
        assert best.solution is not None
        self._settings = settings
        self._best = best
        self._budget = best.run.budget
        self._rng = np.random.default_rng([best.run.seed, 1])
        self._stalled = 0
        self._reported = best.seconds
        self.plan = best.solution
        self.iterations = iterations

    def run(self, workers: Workers[Part, Improved]) -> None:
        """Do all rounds.

        Raises
        ------
        _Over
            When the time is up, or the run is cancelled.
        """
        num_done, num_idle = 0, 0
        while not self._best.is_over:
            num_parts = self._num_parts(workers.num_slots)
            groups = group_routes(self._best.instance, self.plan, num_parts, self._rng)
            cuts = cut_out(self._best.instance, self.plan, groups, self._rng)
            # Cutting takes time too, so what is left is shared out afterwards.
            share = self._share(len(cuts), workers.num_slots, num_done)
            if share is None:
                return
            before = self.iterations
            saving = sum(self._round(workers, groups, cuts, share))
            self._best.take(self.plan)
            num_done += 1
            num_idle = 0 if saving > 0 else num_idle + 1
            self._stalled = 0 if saving > 0 else self._stalled + self.iterations - before
            if self._budget.stall is not None and self._stalled >= self._budget.stall:
                return
            if self._budget.is_open_ended and num_idle == _UNLIMITED_ROUNDS:
                return

    def _num_parts(self, num_slots: int) -> int:
        """Return a number of parts that keeps all slots at work, or the usual one."""
        num_customers, usual = self._best.instance.num_customers, self._settings.part_customers
        fewest = max(2, round(num_customers / (usual * _LARGEST)))
        most = max(2, round(num_customers / (usual * _SMALLEST)))
        wanted = max(2, round(num_customers / usual))
        if self._budget.seconds is None:
            return wanted  # the plan depends on the seed alone, wherever parts are searched
        full = num_slots * max(1, round(wanted / num_slots))
        return full if fewest <= full <= most else min(max(wanted, min(num_slots, most)), most)

    def _share(self, num_parts: int, num_slots: int, num_done: int) -> Budget | None:
        """Return what each part of the next round may use; None when nothing is left."""
        size = self._best.instance.num_customers / num_parts
        seconds, iterations = None, None
        if self._budget.seconds is not None:
            num_turns = -(-num_parts // num_slots)
            left = self._best.seconds_left / num_turns
            if left <= 0:
                return None
            seconds = left / self._rounds_left(left / (size * _ROUND_SECONDS), num_done)
        if self._budget.iterations is not None:
            left = (self._budget.iterations - self.iterations) / num_parts
            iterations = int(left / self._rounds_left(left / (size * _ROUND_ITERATIONS), num_done))
            if iterations < 1:
                return None
        if seconds is None and iterations is None:
            iterations = max(1, round(size * _ROUND_ITERATIONS))
        return Budget(seconds=seconds, iterations=iterations)

    def _rounds_left(self, possible: float, num_done: int) -> int:
        """Return the rounds still to do, when so many of the least length are possible."""
        usual = min(max(_MIN_ROUNDS, round(possible) + num_done), _MAX_ROUNDS)
        return max(1, (self._settings.rounds or usual) - num_done)

    def _round(
        self,
        workers: Workers[Part, Improved],
        groups: Sequence[Sequence[int]],
        cuts: Sequence[Cut],
        share: Budget,
    ) -> Iterator[float]:
        """Search all parts, put back what became cheaper, and yield what each saves."""
        routes = [[self.plan.routes[index] for index in group] for group in groups]
        seeds = self._rng.integers(2**62, size=len(cuts)).tolist()
        waiting = [
            Part(number, cut.instance, cut.plan, share, seed)
            for number, (cut, seed) in enumerate(zip(cuts, seeds, strict=True))
        ]
        waiting.reverse()
        num_running = 0
        while waiting or num_running:
            while waiting and num_running < workers.capacity:
                workers.submit(waiting.pop())
                num_running += 1
            improved = self._wait(workers)
            num_running -= 1
            self.iterations += improved.iterations
            if improved.plan is not None:
                routes[improved.number] = cuts[improved.number].original_routes(improved.plan)
                self.plan = Solution(tuple(route for group in routes for route in group))
                self._report()
            yield improved.saving

    def _wait(self, workers: Workers[Part, Improved]) -> Improved:
        while True:
            try:
                return workers.wait(_CHECK_SECONDS)
            except TimeoutError:
                limit = self._budget.seconds
                late = 0.0 if limit is None else self._best.seconds - limit
                if self._best.is_interrupted or late > _GRACE_SECONDS:
                    raise _Over from None

    def _report(self) -> None:
        """Evaluate the plan now and then where somebody is watching."""
        if self._best.is_watched and self._best.seconds - self._reported > 1.0:
            self._best.take(self.plan)
            self._reported = self._best.seconds
