"""The best plan and bound so far, their clock and their curves: the state of a run.

One object for every method. Each plan is evaluated once, when it is offered; the result, the curve
and the progress reports all come from here.
"""

from __future__ import annotations

import time
from collections.abc import Iterable

from fripn.errors import InvalidSolution
from fripn.problem import Evaluation, Instance, Solution, evaluate
from fripn.result import BoundImprovement, Improvement, Result, Status, saving_percent
from fripn.run import Progress, Run


class Incumbent:
    """The best plan and the best bound of a run.

    The clock starts when this object is made, so make it first: what a method spends on building
    models or matrices is part of its time.

    Parameters
    ----------
    instance
        The problem.
    run
        Limits, start and callback.
    method
        Name of the method.

    Raises
    ------
    InvalidSolution
        When the plan to start from breaks a rule.
    """

    def __init__(self, instance: Instance, run: Run, method: str) -> None:
        self._started = time.perf_counter()
        self.instance = instance
        self.run = run
        self._method = method
        self.solution: Solution | None = None
        self.evaluation: Evaluation | None = None
        self.lower_bound: float | None = None
        self._proved_by: str | None = None
        self._curve: list[Improvement] = []
        self._bound_curve: list[BoundImprovement] = []
        self._is_optimal = False
        self._is_interrupted = False
        if run.start is not None:
            violations = self.consider(run.start).violations
            if violations:
                raise InvalidSolution(
                    f"the plan to start from is not a valid plan for {instance.name}: "
                    f"{violations[0].message}",
                    field="start",
                    value=violations[0].code,
                    remedy="fix it first",
                )

    @property
    def cost(self) -> float:
        """Cost of the best plan; infinity before there is one."""
        return float("inf") if self.evaluation is None else self.evaluation.cost

    @property
    def seconds(self) -> float:
        """Seconds since the run began."""
        return time.perf_counter() - self._started

    @property
    def seconds_left(self) -> float:
        """Seconds until the time limit; infinity without one, never below 0."""
        if self.run.budget.seconds is None:
            return float("inf")
        return max(0.0, self.run.budget.seconds - self.seconds)

    @property
    def reached_target(self) -> bool:
        """Whether the best plan costs no more than the target, if there is one."""
        target = self.run.budget.target
        return target is not None and self.cost <= target

    @property
    def reached_gap(self) -> bool:
        """Whether the gap between plan and bound is at most that of the budget."""
        wanted = self.run.budget.gap
        if wanted is None or self.lower_bound is None or self.evaluation is None:
            return False
        return saving_percent(self.cost, self.lower_bound) <= wanted

    @property
    def is_interrupted(self) -> bool:
        """Whether the run was cancelled."""
        return self._is_interrupted or self.run.is_cancelled

    @property
    def is_over(self) -> bool:
        """Whether the time is up, the target or the gap is reached, or the run is cancelled."""
        return (
            self.is_interrupted
            or self.seconds_left <= 0.0
            or self.reached_target
            or self.reached_gap
        )

    @property
    def is_watched(self) -> bool:
        """Whether a callback receives improvements before the run ends."""
        return self.run.on_progress is not None

    def consider(self, solution: Solution, seconds: float | None = None) -> Evaluation:
        """Evaluate a plan, and keep it if it keeps all rules and is cheaper than the best.

        Parameters
        ----------
        solution
            The plan.
        seconds
            When it was found, since the run began; now, when None.
        """
        if solution == self.solution and self.evaluation is not None:
            return self.evaluation
        evaluation = evaluate(self.instance, solution)
        self.note(solution, evaluation, seconds)
        return evaluation

    def offer(self, solution: Solution, seconds: float | None = None) -> bool:
        """Consider a plan; return whether it is the new best."""
        before = self.cost
        return self.consider(solution, seconds).is_feasible and self.cost < before

    def take(self, solution: Solution, seconds: float | None = None) -> bool:
        """Do the same with a plan that must keep all rules.

        Raises
        ------
        InvalidSolution
            When it does not: a bug of the method, not of the user.
        """
        before = self.cost
        violations = self.consider(solution, seconds).violations
        if violations:
            raise InvalidSolution(
                f"method {self._method} returned an invalid plan for {self.instance.name}: "
                f"{violations[0].message}",
                field="method",
                value=self._method,
                remedy="correct the method",
            )
        return self.cost < before

    def note(
        self, solution: Solution, evaluation: Evaluation, seconds: float | None = None
    ) -> None:
        """Keep a plan that has been evaluated elsewhere, if it is valid and cheaper."""
        if evaluation.violations or not evaluation.cost < self.cost:
            return
        self.solution, self.evaluation = solution, evaluation
        seconds = self.seconds if seconds is None else seconds
        self._curve.append(Improvement(seconds, evaluation.cost))
        if self.run.on_progress is not None:
            self.run.on_progress(Progress(seconds, evaluation.cost, plan=solution))

    def trace(self, points: Iterable[Improvement]) -> None:
        """Add to the curve what a part of the run recorded of itself, on the clock of the run.

        A point of the same moment as one that is there gives way: that one has been evaluated.
        """
        known = {point.seconds: point for point in self._curve}
        added = [point for point in points if point.seconds not in known]
        best = float("inf")
        curve = []
        for point in sorted([*self._curve, *added], key=lambda point: point.seconds):
            if point.cost < best and (point.cost > self.cost or point.seconds in known):
                best = point.cost
                curve.append(point)
        self._curve = curve

    def raise_bound(self, lower_bound: float, proved_by: str) -> None:
        """Keep a lower bound if it is higher than the best; no plan can cost less.

        Parameters
        ----------
        lower_bound
            Proven up to a solver's tolerances; one above the best plan counts as its cost.
        proved_by
            Description of the proof.
        """
        lower_bound = min(lower_bound, self.cost)
        if not (lower_bound > (-float("inf") if self.lower_bound is None else self.lower_bound)):
            return
        self.lower_bound, self._proved_by = lower_bound, proved_by
        seconds = self.seconds
        self._bound_curve.append(BoundImprovement(seconds, lower_bound))
        if self.run.on_progress is not None:
            self.run.on_progress(Progress(seconds, self.cost, lower_bound=lower_bound))

    def prove_optimal(self, proved_by: str) -> None:
        """Record that no plan is cheaper than the best."""
        self.raise_bound(self.cost, proved_by)
        self._is_optimal = True

    def interrupt(self) -> None:
        """Record that a signal ended the run."""
        self._is_interrupted = True

    def result(self, *, iterations: int = 0, notes: tuple[str, ...] = ()) -> Result:
        """Return the best plan and how it came about."""
        if self._is_optimal:
            status = Status.OPTIMAL
        elif self.is_interrupted:
            status = Status.INTERRUPTED
        else:
            status = Status.NO_PLAN if self.solution is None else Status.FEASIBLE
        bound = self.lower_bound
        return Result(
            instance=self.instance,
            method=self._method,
            solution=self.solution,
            evaluation=self.evaluation,
            status=status,
            seconds=self.seconds,
            seed=self.run.seed,
            iterations=iterations,
            # A plan found after the bound may cost less by the tolerance of the proof.
            lower_bound=None if bound is None else min(bound, self.cost),
            proved_by=self._proved_by,
            curve=tuple(self._curve),
            bound_curve=tuple(self._bound_curve),
            notes=notes,
        )
