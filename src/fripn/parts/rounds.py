"""The rounds of a run over parts: what is cut out, how long it is searched, what is put back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fripn.budget import Budget
from fripn.executors import Workers
from fripn.incumbent import Incumbent
from fripn.parts.part import ANNEALING, Cut, Improved, Part, cut_out
from fripn.parts.partition import group_routes
from fripn.parts.schedule import STEPS_PER_ITERATION, Schedule
from fripn.problem import Route, Solution

#: Least and most customers of a part, in relation to the usual number.
_SMALLEST, _LARGEST = 0.5, 1.5

#: Rounds at least and at most, and the iterations per customer that each has where the budget is
#: enough for more than the fewest: boundaries move often, and preparing a round costs little.
_MIN_ROUNDS, _MAX_ROUNDS = 4, 40
_ROUND_ITERATIONS = 0.15

#: The same where each round anneals on its own, which takes longer.
_MIN_OWN_ROUNDS, _MAX_OWN_ROUNDS = 2, 8
_OWN_ROUND_ITERATIONS = 4.0

#: Seconds that an iteration takes, until it is known; and what evaluating the last plan takes per
#: customer.
_ITERATION_SECONDS = 1e-3
_EVALUATION_SECONDS = 1e-5

#: Seconds between two looks at the clock and at the stop.
_CHECK_SECONDS = 0.2

#: Seconds that outcomes may be late, before what is still running is given up.
_GRACE_SECONDS = 2.0

#: Rounds without improvement that end a run for which no limit is named.
_UNLIMITED_ROUNDS = 2


class Over(Exception):
    """Leaves a round before its end: the time is up, or the run is cancelled."""


class Rounds:
    """The state of a run: the present plan, the cheapest one, and what is left of the budget.

    With a limit of time or iterations all rounds together follow one annealing schedule: a round
    goes on where the one before ended, from the present plan, at its temperature. Without one, and
    for instances with a working day, every round anneals on its own from the cheapest plan.

    Parameters
    ----------
    best
        The run, with a first plan; receives cheaper ones.
    part_customers, rounds
        As for `fripn.parts.Parts`.
    iterations
        Those of the first plan.
    """

    def __init__(
        self, best: Incumbent, part_customers: int, rounds: int | None, iterations: int
    ) -> None:
        assert best.solution is not None
        assert best.evaluation is not None
        self._best = best
        self._part_customers = part_customers
        self._rounds = rounds
        self._budget = best.run.budget
        self._rng = np.random.default_rng([best.run.seed, 1])
        self._has_end = self._budget.seconds is not None or self._budget.iterations is not None
        self._schedule = None
        if not best.instance.uses_working_day:
            self._schedule = Schedule.of(
                best.instance,
                best.evaluation,
                start=ANNEALING.start_temperature,
                end=ANNEALING.end_temperature,
            )
        self._is_joint = self._has_end and self._schedule is not None
        self._num_done = 0
        self._began = best.seconds
        self._reported = best.seconds
        self._first_iterations = iterations
        self._present = best.solution
        self.iterations = iterations

    def run(self, workers: Workers[Part, Improved]) -> None:
        """Do all rounds.

        Raises
        ------
        Over
            When the time is up, or the run is cancelled.
        """
        num_idle, stalled = 0, 0
        while not self._best.is_over:
            groups = group_routes(
                self._best.instance, self._present, self._num_parts(workers.num_slots), self._rng
            )
            cuts = cut_out(self._best.instance, self._present, groups, self._rng)
            # Cutting takes time too, so what is left is shared out afterwards.
            parts = self._parts(cuts, workers.num_slots)
            if not parts:
                return
            before = self.iterations
            is_cheaper = self._round(workers, groups, cuts, parts)
            self._num_done += 1
            num_idle = 0 if is_cheaper else num_idle + 1
            stalled = 0 if is_cheaper else stalled + self.iterations - before
            if self._budget.stall is not None and stalled >= self._budget.stall:
                return
            if self._budget.is_open_ended and num_idle == _UNLIMITED_ROUNDS:
                return

    def _num_parts(self, num_slots: int) -> int:
        """Return a number of parts that keeps all slots at work, or the usual one."""
        num_customers, usual = self._best.instance.num_customers, self._part_customers
        fewest = max(2, round(num_customers / (usual * _LARGEST)))
        most = max(2, round(num_customers / (usual * _SMALLEST)))
        wanted = max(2, round(num_customers / usual))
        if self._budget.seconds is None:
            return wanted  # the plan depends on the seed alone, wherever parts are searched
        full = num_slots * max(1, round(wanted / num_slots))
        return full if fewest <= full <= most else min(max(wanted, min(num_slots, most)), most)

    def _parts(self, cuts: Sequence[Cut], num_slots: int) -> list[Part]:
        """Return the parts of the next round, as long as there is something left for them."""
        num_customers = self._best.instance.num_customers
        num_turns = -(-len(cuts) // num_slots)
        seconds_left = self._best.seconds_left - _EVALUATION_SECONDS * num_customers
        # Iterations that are left, per customer.
        left = float("inf")
        if self._budget.seconds is not None:
            per_part = seconds_left / num_turns / self._iteration_seconds(num_slots)
            left = per_part * len(cuts) / num_customers
        if self._budget.iterations is not None:
            left = min(left, (self._budget.iterations - self.iterations) / num_customers)
        if left <= 0:
            return []
        rounds = self._rounds_left(left)
        per_customer = left / rounds if self._has_end else _OWN_ROUND_ITERATIONS
        temperatures = self._temperatures(left, rounds)
        seconds = None
        if self._budget.seconds is not None:
            seconds = max(seconds_left, 0.0) / num_turns / rounds
        seeds = self._rng.integers(2**62, size=len(cuts)).tolist()
        parts = []
        for number, (cut, seed) in enumerate(zip(cuts, seeds, strict=True)):
            iterations = None
            if self._budget.seconds is None or self._budget.iterations is not None:
                iterations = int(per_customer * len(cut.customers))
                if iterations < 1:
                    return []
            budget = Budget(seconds=seconds, iterations=iterations)
            parts.append(Part(number, cut.instance, cut.plan, budget, seed, temperatures))
        return parts

    def _iteration_seconds(self, num_slots: int) -> float:
        """Return how long an iteration takes, measured as soon as there were some."""
        done = self.iterations - self._first_iterations
        if done <= 0:
            return _ITERATION_SECONDS
        return (self._best.seconds - self._began) * num_slots / done

    def _rounds_left(self, left: float) -> int:
        """Return the rounds still to do with so many iterations per customer left."""
        if self._rounds is not None:
            return max(1, self._rounds - self._num_done)
        if self._is_joint:
            fewest, most, length = _MIN_ROUNDS, _MAX_ROUNDS, _ROUND_ITERATIONS
        else:
            fewest, most, length = _MIN_OWN_ROUNDS, _MAX_OWN_ROUNDS, _OWN_ROUND_ITERATIONS
        possible = int(min(left / length, most)) + self._num_done
        return max(1, min(max(fewest, possible), most) - self._num_done)

    def _temperatures(self, left: float, rounds: int) -> tuple[float, float] | None:
        """Return the temperatures of the next round; None when the engine chooses them."""
        if self._schedule is None:
            return None
        if not self._is_joint:
            steps = STEPS_PER_ITERATION * _OWN_ROUND_ITERATIONS
            return self._schedule.temperature(0.0, steps), self._schedule.temperature(1.0, steps)
        done = (self.iterations - self._first_iterations) / self._best.instance.num_customers
        steps = STEPS_PER_ITERATION * (done + left)
        first = done / (done + left)
        last = (done + left / rounds) / (done + left)
        return self._schedule.temperature(first, steps), self._schedule.temperature(last, steps)

    def _round(
        self,
        workers: Workers[Part, Improved],
        groups: Sequence[Sequence[int]],
        cuts: Sequence[Cut],
        parts: Sequence[Part],
    ) -> bool:
        """Search all parts and put them back; return whether the cheapest plan became cheaper."""
        before = self._best.cost
        present = [[self._present.routes[index] for index in group] for group in groups]
        cheapest = list(present)
        waiting = list(reversed(parts))
        num_running = 0
        try:
            while waiting or num_running:
                while waiting and num_running < workers.capacity:
                    workers.submit(waiting.pop())
                    num_running += 1
                improved = self._wait(workers)
                num_running -= 1
                self.iterations += improved.iterations
                cut = cuts[improved.number]
                if improved.present is not None:
                    present[improved.number] = cut.original_routes(improved.present)
                if improved.best is not None:
                    cheapest[improved.number] = cut.original_routes(improved.best)
                    self._report(cheapest)
        finally:
            # Also when the round is cut short: what is finished counts.
            self._best.take(_joined(cheapest))
        if self._is_joint:
            self._present = _joined(present)
        else:
            assert self._best.solution is not None
            self._present = self._best.solution
        return self._best.cost < before

    def _wait(self, workers: Workers[Part, Improved]) -> Improved:
        # Quick parts never let the wait time out, so the stop is checked before it.
        while not self._best.is_interrupted:
            try:
                return workers.wait(_CHECK_SECONDS)
            except TimeoutError:
                limit = self._budget.seconds
                if limit is not None and self._best.seconds - limit > _GRACE_SECONDS:
                    break
        raise Over

    def _report(self, routes: Sequence[Sequence[Route]]) -> None:
        """Evaluate the plan now and then where somebody is watching."""
        if self._best.is_watched and self._best.seconds - self._reported > 1.0:
            self._best.take(_joined(routes))
            self._reported = self._best.seconds


def _joined(groups: Sequence[Sequence[Route]]) -> Solution:
    return Solution(tuple(route for group in groups for route in group))
