"""The best plan so far, its clock and its curve: what a method keeps while it runs."""

from __future__ import annotations

import time

from fripn.budget import Budget
from fripn.problem import Instance, Solution, evaluate
from fripn.result import Improvement, OnImprovement, Result, Status


class Incumbent:
    """The best plan of a run, judged by `evaluate` before it counts.

    The clock starts when this object is made, so make it first: what a method spends on building
    models or matrices is part of its time.

    Parameters
    ----------
    instance
        The problem.
    budget
        When the run has to stop.
    start
        A plan to begin with; ignored when it breaks a rule.
    on_improvement
        Told of every better plan.
    """

    def __init__(
        self,
        instance: Instance,
        budget: Budget,
        start: Solution | None = None,
        on_improvement: OnImprovement | None = None,
    ) -> None:
        self._started = time.perf_counter()
        self.instance = instance
        self._budget = budget
        self._on_improvement = on_improvement
        self.curve: list[Improvement] = []
        self.solution: Solution | None = None
        self.cost = float("inf")
        if start is not None:
            self.offer(start)

    @property
    def seconds(self) -> float:
        """Seconds since the run began."""
        return time.perf_counter() - self._started

    @property
    def seconds_left(self) -> float:
        """Seconds until the time limit; infinity without one, never below 0."""
        if self._budget.seconds is None:
            return float("inf")
        return max(0.0, self._budget.seconds - self.seconds)

    @property
    def reached_target(self) -> bool:
        """Whether the best plan costs no more than the target, if there is one."""
        return self._budget.target is not None and self.cost <= self._budget.target

    @property
    def is_over(self) -> bool:
        """Whether the time is up or the target is reached."""
        return self.seconds_left <= 0.0 or self.reached_target

    def offer(self, solution: Solution, seconds: float | None = None) -> bool:
        """Take the plan if it keeps all rules and is cheaper; say whether it was taken.

        Parameters
        ----------
        solution
            The plan.
        seconds
            When it was found, since the run began; now, when None.
        """
        evaluation = evaluate(self.instance, solution)
        return not evaluation.violations and self.note(evaluation.cost, solution, seconds)

    def note(self, cost: float, solution: Solution, seconds: float | None = None) -> bool:
        """Do the same with a plan that has passed `evaluate` already, at this cost."""
        if not cost < self.cost:
            return False
        self.solution, self.cost = solution, cost
        seconds = self.seconds if seconds is None else seconds
        self.curve.append(Improvement(seconds, cost))
        if self._on_improvement is not None:
            self._on_improvement(seconds, cost, solution)
        return True

    def result(
        self,
        method: str,
        *,
        status: Status = Status.FEASIBLE,
        seed: int = 0,
        iterations: int = 0,
        lower_bound: float | None = None,
        notes: tuple[str, ...] = (),
    ) -> Result:
        """Hand over the best plan with how it came about."""
        return Result.judged(
            self.instance,
            self.solution,
            method=method,
            status=status,
            seconds=self.seconds,
            seed=seed,
            iterations=iterations,
            lower_bound=lower_bound,
            curve=tuple(self.curve),
            notes=notes,
        )
