"""What a method gives back, and what a method is."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from fripn.budget import Budget
from fripn.errors import InvalidSolution
from fripn.problem import Evaluation, Instance, Solution, evaluate


class Status(Enum):
    """How a run ended."""

    OPTIMAL = "optimal"
    FEASIBLE = "feasible"
    INTERRUPTED = "interrupted"
    NO_PLAN = "no_plan"


@dataclass(frozen=True, slots=True)
class Improvement:
    """A better plan, found this many seconds into the run."""

    seconds: float
    cost: float


@dataclass(frozen=True, slots=True)
class Result:
    """A plan with its evaluation, and how it came about.

    Build it with `Result.judged`, which passes the plan through `evaluate`.

    Parameters
    ----------
    instance
        The problem that was solved.
    method
        Name of the method.
    solution, evaluation
        The best plan, or None when none was found (status ``NO_PLAN``).
    status
        ``INTERRUPTED`` when a signal ended the run early; the plan is still the best so far.
    seconds
        Wall-clock time of the method.
    seed
        What the run was seeded with.
    iterations
        The method's own count.
    lower_bound
        No plan can cost less, if the method proved one.
    curve
        Every improvement in the order found.
    notes
        Remarks a reader of the result should see, one sentence each.
    """

    instance: Instance
    method: str
    solution: Solution | None
    evaluation: Evaluation | None
    status: Status
    seconds: float
    seed: int = 0
    iterations: int = 0
    lower_bound: float | None = None
    curve: tuple[Improvement, ...] = ()
    notes: tuple[str, ...] = ()

    @classmethod
    def judged(
        cls,
        instance: Instance,
        solution: Solution | None,
        *,
        method: str,
        status: Status,
        seconds: float,
        seed: int = 0,
        iterations: int = 0,
        lower_bound: float | None = None,
        curve: tuple[Improvement, ...] = (),
        notes: tuple[str, ...] = (),
    ) -> Result:
        """Build a result whose plan has passed `evaluate`.

        Raises
        ------
        InvalidSolution
            When the plan breaks a rule: a bug of the method, not of the user.
        """
        evaluation = None
        if solution is None:
            status = Status.NO_PLAN
        else:
            evaluation = evaluate(instance, solution)
            if evaluation.violations:
                raise InvalidSolution(
                    f"method {method} returned an invalid plan for {instance.name}: "
                    f"{evaluation.violations[0].message}"
                )
        return cls(
            instance=instance,
            method=method,
            solution=solution,
            evaluation=evaluation,
            status=status,
            seconds=seconds,
            seed=seed,
            iterations=iterations,
            lower_bound=lower_bound,
            curve=curve,
            notes=notes,
        )

    @property
    def cost(self) -> float:
        """Total cost of the plan; infinity when there is none."""
        return self.evaluation.cost if self.evaluation else math.inf

    def _repr_html_(self) -> str:
        """Show the plan in a notebook."""
        from fripn.problem.display import plan_html

        head = f"{self.method}, {self.status.value} after {self.seconds:.2f} s"
        if self.solution is None or self.evaluation is None:
            return plan_html(self.instance, None, None, head)
        return plan_html(self.instance, self.solution, self.evaluation, head)


#: Called with each better plan while a method runs: (seconds since start, cost, plan).
OnImprovement = Callable[[float, float, Solution], None]


class Method(Protocol):
    """Anything that turns an instance into a plan."""

    def __call__(
        self,
        instance: Instance,
        budget: Budget,
        *,
        seed: int = 0,
        threads: int = 1,
        start: Solution | None = None,
        on_improvement: OnImprovement | None = None,
    ) -> Result:
        """Solve the instance within the budget.

        Parameters
        ----------
        instance
            The problem.
        budget
            When to stop.
        seed
            Same seed, same iteration budget, one thread: same plan.
        threads
            Threads to use at most; methods without parallelism use one.
        start
            A plan to start from; the result is never worse.
        on_improvement
            Called with every better plan, on the caller's thread.
        """
        ...
