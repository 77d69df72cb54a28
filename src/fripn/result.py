"""What a method gives back, and what a method is."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, Protocol

from fripn.budget import Budget
from fripn.errors import InvalidSolution, NoPlanFound
from fripn.problem import Evaluation, Instance, Route, Solution, evaluate


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

    @property
    def routes(self) -> tuple[Route, ...]:
        """The routes of the plan; none when there is no plan."""
        return self.solution.routes if self.solution else ()

    @property
    def fleet(self) -> dict[str, int]:
        """How many vehicles of which type are hired, by name; types not hired are left out."""
        if self.evaluation is None:
            return {}
        kinds = zip(self.instance.vehicle_types, self.evaluation.types, strict=True)
        return {vehicle.name: kind.count for vehicle, kind in kinds if kind.count}

    def to_dict(self) -> dict[str, Any]:
        """Give everything but the problem as plain data: what ``fripn solve --json`` prints.

        Costs are None and ``routes`` is empty when there is no plan. The keys of a plan are those
        of our solution files, so the text can be read back as one.
        """
        from fripn.problem.io import solution_to_dict
        from fripn.source import best_known

        known = best_known(self.instance)
        record: dict[str, Any] = {"instance": self.instance.name}
        if self.solution is not None and self.evaluation is not None:
            record = solution_to_dict(self.instance, self.solution, self.evaluation)
        nothing = dict.fromkeys(("cost", "fixed_cost", "travel_cost"))
        routes = record.pop("routes", [])
        return {
            **nothing,
            **record,
            "method": self.method,
            "status": self.status.value,
            "seconds": self.seconds,
            "seed": self.seed,
            "iterations": self.iterations,
            "lower_bound": self.lower_bound,
            "best_known": known.cost if known else None,
            "gap_percent": gap_percent(self.cost, known.cost) if known and self.solution else None,
            "curve": [[point.seconds, point.cost] for point in self.curve],
            "notes": list(self.notes),
            "routes": routes,
        }

    def to_json(self, *, indent: int | None = None) -> str:
        """Give `to_dict` as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=indent)

    def plot(self, path: Path | str | None = None) -> Picture:
        """Draw the routes, coloured by vehicle type.

        Parameters
        ----------
        path
            Where to write the picture; nowhere when None. It ends in ``.svg``, or in ``.png``,
            which needs the extra ``[plot]``.

        Returns
        -------
        Picture
            SVG text, which a notebook shows as a picture.

        Raises
        ------
        NoPlanFound
            When there is no plan to draw.
        """
        from io import BytesIO

        from fripn.render.pictures import draw_routes

        if self.solution is None:
            raise NoPlanFound(f"there is no plan for {self.instance.name} to draw")
        if path is not None:
            draw_routes(self.instance, self.solution, path)
        drawn = BytesIO()
        draw_routes(self.instance, self.solution, drawn, picture_format="svg")
        return Picture(drawn.getvalue().decode())

    def _repr_html_(self) -> str:
        """Show the plan in a notebook."""
        from fripn.render.notebook import plan_html

        head = f"{self.method}, {self.status.value} after {self.seconds:.2f} s"
        if self.solution is None or self.evaluation is None:
            return plan_html(self.instance, None, None, head)
        return plan_html(self.instance, self.solution, self.evaluation, head)


class Picture(str):
    """SVG text that notebooks show as a picture."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)


def gap_percent(cost: float, reference: float) -> float:
    """Give how far a cost lies above a reference, in percent of it; 0 when both are 0."""
    if reference == 0:
        return 0.0 if cost == 0 else math.inf
    return 100.0 * (cost - reference) / reference


def saving_percent(cost: float, lower_bound: float) -> float:
    """Return how much of a cost could be saved at most, in percent of it; 0 when it is 0."""
    return 100.0 * (cost - lower_bound) / cost if cost > 0 else 0.0


#: What published costs are rounded to, and how closely others are compared.
_ROUNDING = 0.01
_TOLERANCE = 1e-6


def highest_equal(reference: float) -> float:
    """Give the highest cost that counts as a published one, but for rounding.

    A reference with at most two decimals is taken as rounded to them; others are exact values, on
    which 0.01 may be a real difference.
    """
    is_rounded = math.isclose(round(reference, 2), reference, rel_tol=0, abs_tol=1e-9)
    # A rounded 10.00 is no excuse for a tenth of a percent on costs of that size.
    slack = _ROUNDING if is_rounded and reference >= 1.0 / _ROUNDING else 0.0
    return reference + max(slack, _TOLERANCE * abs(reference))


#: Called with each better plan while a method runs: (seconds since start, cost, plan).
OnImprovement = Callable[[float, float, Solution], None]


class Method(Protocol):
    """Anything that turns an instance into a plan.

    A method may say when it ends if nobody names a limit: ``default_stall``, iterations without
    improvement, and ``ends_by_itself``, which spares it the default time limit of `fripn.solve`.
    """

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
