"""What `solve` and `improve` have in common: a run that Ctrl-C ends, between files and output."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fripn.budget import Budget
from fripn.cli.json_output import print_json
from fripn.cli.outputs import (
    PICTURES,
    REPORTS,
    check_sheet_targets,
    check_solution_targets,
    check_target,
    check_timeline_target,
)
from fripn.cli.progress import ProgressMode, follow, shown_mode
from fripn.errors import InvalidSolution
from fripn.parts.method import ENDED_EARLY
from fripn.problem import Instance, Solution
from fripn.problem.io import TableDialect, read_solution
from fripn.problem.library import BestKnown, best_known_of
from fripn.result import Result, Status
from fripn.run import Method, Stop, stop_on_interrupt
from fripn.solve import default_threads, solve, with_defaults

if TYPE_CHECKING:
    from fripn.render.presentation import Presentation


@dataclass(frozen=True, slots=True)
class Outputs:
    """Where a plan goes: the output options of `solve` and `improve`."""

    output: Sequence[Path] | None
    plot: Path | None
    timeline: Path | None
    report: Path | None
    sheets: Sequence[Path] | None
    show: Presentation
    dialect: TableDialect
    progress: ProgressMode
    as_json: bool
    quiet: bool

    def files(self) -> list[Path]:
        """Return the files that hold the plan itself."""
        return [*(self.output or ()), *((self.plot,) if self.plot else ())]

    def all_files(self) -> list[Path]:
        """Return everything that is written."""
        pages = [path for path in (self.timeline, self.report) if path is not None]
        return [*self.files(), *pages, *(self.sheets or ())]

    def check(self, instance: Instance, inputs: Sequence[Path | str | None]) -> None:
        """Refuse files that could not be written later, or are inputs that must be kept."""
        if self.plot is not None:
            check_target(self.plot, PICTURES)
        if self.report is not None:
            check_target(self.report, REPORTS)
        check_solution_targets(self.files(), instance, inputs, self.show)
        if self.timeline is not None:
            check_timeline_target(self.timeline, instance, (*inputs, *self.files()))
        check_sheet_targets(self.sheets or (), instance, inputs, self.show)


def solve_and_hand_over(
    instance: Instance,
    method: Method,
    budget: Budget,
    outputs: Outputs,
    *,
    inputs: Sequence[Path | str | None],
    seed: int,
    threads: int | None,
    start_file: Path | None,
) -> Result:
    """Solve, write the files, and print the plan.

    Ctrl-C ends the run with its best plan, a second one the process.

    Parameters
    ----------
    instance, method, budget, seed
        As for `fripn.solve`.
    outputs
        What becomes of the plan.
    inputs
        Files that must not be written over.
    threads
        None for all cores, or one where iterations are limited, so that it can be repeated.
    start_file
        A plan to start from.

    Raises
    ------
    InvalidInput
        When a file cannot be written, or the plan to start from cannot be read or breaks a rule.
    NoPlanFound
        When there is no plan; the JSON object is printed all the same.
    KeyboardInterrupt
        When there is none because Ctrl-C came before the first.
    """
    outputs.check(instance, inputs)
    if threads is None:
        threads = default_threads(budget)
    budget = with_defaults(budget, instance, method)
    known = best_known_of(instance)
    start = None if start_file is None else read_solution(start_file, instance)
    shown = shown_mode(outputs.progress, as_json=outputs.as_json, quiet=outputs.quiet)
    try:
        result = solve_followed(
            instance,
            method,
            budget,
            shown,
            seed=seed,
            threads=threads,
            start=start,
            best_known=known.cost if known else None,
        )
    except InvalidSolution as error:
        if start_file is not None:
            error.within(str(start_file))
        raise
    _hand_over(result, budget, known, outputs)
    return result


def solve_followed(
    instance: Instance,
    method: Method,
    budget: Budget,
    shown: ProgressMode,
    *,
    seed: int,
    threads: int | None,
    start: Solution | None = None,
    best_known: float | None = None,
) -> Result:
    """Solve while the progress is shown; Ctrl-C ends the run, a second one the process."""
    stop = Stop()
    with (
        follow(shown, instance, budget, best_known) as on_progress,
        stop_on_interrupt(stop, again=signal.SIG_DFL),
    ):
        return solve(
            instance,
            method,
            budget=budget,
            seed=seed,
            threads=threads,
            start=start,
            on_progress=on_progress,
            stop=stop,
        )


def _hand_over(result: Result, budget: Budget, known: BestKnown | None, outputs: Outputs) -> None:
    best_known = known.cost if known else None
    if result.solution is not None and outputs.all_files():
        from fripn.render.pictures import draw_timeline
        from fripn.render.result_files import write_result
        from fripn.render.sheets import write_sheets

        if outputs.timeline is not None:
            draw_timeline(result.instance, result.solution, outputs.timeline, show=outputs.show)
        for path in (*outputs.files(), *((outputs.report,) if outputs.report else ())):
            write_result(
                result, path, best_known=best_known, show=outputs.show, dialect=outputs.dialect
            )
        for path in outputs.sheets or ():
            write_sheets(result.instance, result.solution, path, outputs.show)
    if outputs.as_json:
        print_json(result.to_dict(best_known=best_known))
    elif not outputs.quiet and result.solution is not None:
        from fripn.cli.tables import print_result

        print_result(result, known)
    if result.solution is None and result.status is Status.INTERRUPTED:
        raise KeyboardInterrupt("interrupted before a first plan was found")
    result.require_plan(budget)
    for note in result.notes:
        if note.startswith(ENDED_EARLY):
            print(f"fripn: {note}", file=sys.stderr)
    if not outputs.quiet:
        for path in outputs.all_files():
            print(f"wrote {path}", file=sys.stderr)
