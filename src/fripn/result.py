"""What a run returns."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from fripn.budget import Budget
from fripn.errors import InvalidSolution, NoPlanFound
from fripn.problem import Evaluation, Instance, Route, Solution, evaluate

if TYPE_CHECKING:
    import pandas


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
class BoundImprovement:
    """A better lower bound, proven this many seconds into the run."""

    seconds: float
    lower_bound: float


@dataclass(frozen=True, slots=True)
class Result:
    """A plan with its evaluation, and how it was found.

    Methods build it through `fripn.incumbent.Incumbent`; `Result.from_solution` is for a plan that
    comes from elsewhere.

    Parameters
    ----------
    instance
        The problem that was solved.
    method
        Name of the method.
    solution, evaluation
        The best plan, or None when none was found.
    status
        ``INTERRUPTED`` when Ctrl-C or a `fripn.Stop` ended the run early, with or without a plan;
        ``NO_PLAN`` when it ended otherwise and there is none.
    seconds
        Wall-clock time of the method.
    seed
        Random seed of the run.
    iterations
        The method's own count.
    lower_bound, proved_by
        No plan can cost less, and what proved that; None when the method proved nothing.
    curve
        Every improvement in the order found.
    bound_curve
        Every better lower bound in the order proven.
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
    proved_by: str | None = None
    curve: tuple[Improvement, ...] = ()
    bound_curve: tuple[BoundImprovement, ...] = ()
    notes: tuple[str, ...] = ()

    #: Set by the package: how a result is written to a file and as text, which need this module.
    write_file: ClassVar[Callable[[Result, Path | str], None]]
    show_as_text: ClassVar[Callable[[Result], str]]

    @classmethod
    def from_solution(
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
        proved_by: str | None = None,
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
            status = Status.INTERRUPTED if status is Status.INTERRUPTED else Status.NO_PLAN
        else:
            evaluation = evaluate(instance, solution)
            if evaluation.violations:
                raise InvalidSolution(
                    f"method {method} returned an invalid plan for {instance.name}: "
                    f"{evaluation.violations[0].message}",
                    field="method",
                    value=method,
                    remedy="correct the method",
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
            proved_by=proved_by,
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
        pairs = zip(self.instance.vehicle_types, self.evaluation.types, strict=True)
        return {vehicle.name: type_cost.count for vehicle, type_cost in pairs if type_cost.count}

    @property
    def gap(self) -> float | None:
        """Percent of the cost that a cheaper plan could save at most; None without plan or bound.

        The ``gap`` of `fripn.Budget` is the same quantity.
        """
        if self.evaluation is None or self.lower_bound is None:
            return None
        return saving_percent(self.cost, self.lower_bound)

    @property
    def why_impossible(self) -> str | None:
        """Why no plan exists, if a note says so."""
        return self._reason("No plan exists: ")

    @property
    def why_unlikely(self) -> str | None:
        """Why probably no plan exists, if a note says so."""
        return self._reason("No plan was found: ")

    def _reason(self, prefix: str) -> str | None:
        notes = [note for note in self.notes if note.startswith(prefix)]
        return notes[0].removeprefix(prefix).removesuffix(".") if notes else None

    def require_plan(self, budget: Budget) -> None:
        """Do nothing if there is a plan.

        Parameters
        ----------
        budget
            The limits of the run, which decide on the remedy: time helps only where it was what
            ended the run.

        Raises
        ------
        NoPlanFound
            When there is none, with what may help.
        """
        if self.solution is not None:
            return
        limits = ((budget.seconds, self.seconds), (budget.iterations, self.iterations))
        if self.why_impossible is not None:
            raise NoPlanFound(
                f"{self.instance.name} has no plan: {self.why_impossible}",
                field="instance",
                value=self.instance.name,
                remedy="add vehicles or change these limits",
            )
        if self.why_unlikely is not None and self.status is not Status.INTERRUPTED:
            raise NoPlanFound(
                f"no plan was found for {self.instance.name}: {self.why_unlikely}",
                field="instance",
                value=self.instance.name,
                remedy="change one of these limits, or check the matrix, in which a detour is "
                "shorter",
            )
        remedy = "try another method, or offer more vehicles where their number is limited"
        if self.status is Status.INTERRUPTED:
            remedy = "the run was interrupted"
        elif any(limit is not None and used >= 0.9 * limit for limit, used in limits):
            remedy = "allow more time, or more vehicles where their number is limited"
        raise NoPlanFound(
            f"no plan was found for {self.instance.name} in {self.seconds:.3g} s by method "
            f"{self.method!r}",
            field="method",
            value=self.method,
            remedy=remedy,
        )

    def to_dict(self, *, best_known: float | None = None) -> dict[str, Any]:
        """Return everything but the problem as plain data: what ``fripn solve --json`` prints.

        Every key is there with and without a plan; without one its costs are None and ``routes``
        is empty. The keys of a plan are those of solution files, so the text can be read back
        as one.

        Parameters
        ----------
        best_known
            The cost to compare with, if there is one; see `fripn.problem.library.best_known_of`.
        """
        from fripn.problem.io import solution_to_dict

        plan, evaluation = self.solution, self.evaluation
        if plan is None or evaluation is None:
            empty = Solution(())
            record = solution_to_dict(self.instance, empty, evaluate(self.instance, empty))
            record |= dict.fromkeys(("cost", "fixed_cost", "travel_cost", "distance"))
        else:
            record = solution_to_dict(self.instance, plan, evaluation)
        routes = record.pop("routes")
        is_compared = best_known is not None and self.solution is not None
        return {
            **record,
            "method": self.method,
            "status": self.status.value,
            "seconds": self.seconds,
            "seed": self.seed,
            "iterations": self.iterations,
            "lower_bound": self.lower_bound,
            "proved_by": self.proved_by,
            "bound_gap_percent": self.gap,
            "best_known": best_known,
            "gap_percent": gap_percent(self.cost, best_known or 0.0) if is_compared else None,
            "curve": [[point.seconds, point.cost] for point in self.curve],
            "bound_curve": [[point.seconds, point.lower_bound] for point in self.bound_curve],
            "notes": list(self.notes),
            "routes": routes,
        }

    def to_json(self, *, best_known: float | None = None, indent: int | None = None) -> str:
        """Return `to_dict` as JSON."""
        record = self.to_dict(best_known=best_known)
        return json.dumps(record, ensure_ascii=False, allow_nan=False, indent=indent)

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
        from fripn.render.pictures import draw_routes

        return self._drawn(draw_routes, path)

    def timeline(self, path: Path | str | None = None) -> Picture:
        """Draw when every vehicle drives, waits and serves; for instances with times.

        Parameters
        ----------
        path
            As for `plot`.

        Returns
        -------
        Picture
            SVG text, which a notebook shows as a picture.

        Raises
        ------
        NoPlanFound
            When there is no plan to draw.
        Unsupported
            When the instance has no times.
        """
        from fripn.render.pictures import draw_timeline

        return self._drawn(draw_timeline, path)

    def _drawn(self, draw: Callable[..., None], path: Path | str | None) -> Picture:
        """Return a picture of the plan as SVG, and write it where a path is given."""
        from io import BytesIO

        solution = self._plan_to("draw")
        if path is not None:
            draw(self.instance, solution, path)
        drawn = BytesIO()
        draw(self.instance, solution, drawn, picture_format="svg")
        return Picture(drawn.getvalue().decode())

    def save(self, path: Path | str) -> None:
        """Write the plan to a file, whole or not at all; its ending determines the format.

        Parameters
        ----------
        path
            ``.json``, ``.sol``, ``.csv`` or ``.xlsx`` for the plan, ``.geojson`` for a map,
            ``.png`` or ``.svg`` for a picture, ``.html`` for the report, ``.pdf`` for driver
            sheets.

        Raises
        ------
        NoPlanFound
            When there is no plan to write.
        InvalidFile
            When the ending is another one, or the file cannot be written.
        """
        type(self).write_file(self, path)

    def report(self, path: Path | str) -> None:
        """Write the page for the browser: map, tables and curve, complete in itself.

        Parameters
        ----------
        path
            Ends in ``.html``.

        Raises
        ------
        NoPlanFound
            When there is no plan to show.
        InvalidFile
            When the ending is another one, or the file cannot be written.
        """
        from fripn.problem.io.suffixes import check_suffix

        check_suffix(Path(path), (".html",), "a report")
        self.save(path)

    def to_frame(self) -> pandas.DataFrame:
        """Return the plan as a pandas DataFrame: a row per stop, with the depot of every route.

        Raises
        ------
        NoPlanFound
            When there is no plan.
        MissingExtra
            When pandas is not installed.
        """
        from fripn.render.frames import plan_frame

        return plan_frame(self.instance, self._plan_to("show"))

    def _plan_to(self, verb: str) -> Solution:
        if self.solution is None:
            raise NoPlanFound(
                f"there is no plan for {self.instance.name} to {verb}",
                field="plan",
                remedy="allow more time or more vehicles",
            )
        return self.solution

    def __str__(self) -> str:
        """Return cost, fleet, gap and how the run ended, a line each."""
        return type(self).show_as_text(self)

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
    """Return how far a cost lies above a reference, in percent of it; 0 when both are 0."""
    if reference == 0:
        return 0.0 if cost == 0 else math.inf
    return 100.0 * (cost - reference) / reference


def saving_percent(cost: float, lower_bound: float) -> float:
    """Return how much of a cost could be saved at most, in percent of it; 0 when it is 0.

    This gap is used everywhere; solvers of mixed-integer models use the same.
    """
    return 100.0 * (cost - lower_bound) / cost if cost > max(lower_bound, 0.0) else 0.0


#: What published costs are rounded to, and how closely others are compared.
_ROUNDING = 0.01
_TOLERANCE = 1e-6


def highest_equal(reference: float) -> float:
    """Return the highest cost that counts as a published one, but for rounding.

    A reference with at most two decimals is taken as rounded to them; others are exact values, on
    which 0.01 may be a real difference.
    """
    is_rounded = math.isclose(round(reference, 2), reference, rel_tol=0, abs_tol=1e-9)
    # On costs below 100, 0.01 would be more than a hundredth of a percent.
    slack = _ROUNDING if is_rounded and reference >= 1.0 / _ROUNDING else 0.0
    return reference + max(slack, _TOLERANCE * abs(reference))
