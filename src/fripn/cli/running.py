"""What the commands that solve have in common: files, a run that Ctrl-C ends, and the output."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fripn.budget import Budget
from fripn.cli.json_output import print_json
from fripn.cli.outputs import PICTURES, REPORTS, check_solution_targets, check_target
from fripn.errors import InvalidSolution
from fripn.problem import Instance, Solution
from fripn.problem.io import read_solution
from fripn.result import Result, Status
from fripn.run import Method, OnProgress, Stop, stop_on_interrupt
from fripn.solve import solve

if TYPE_CHECKING:
    from fripn.problem.library import BestKnown


def num_cores() -> int:
    """Return the number of cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def solve_until_interrupt(
    instance: Instance,
    method: Method,
    budget: Budget,
    *,
    seed: int,
    threads: int,
    start_file: Path | None,
    on_progress: OnProgress | None,
) -> Result:
    """Solve; Ctrl-C ends the run with its best plan, a second one the process.

    Raises
    ------
    InvalidInput
        When the plan to start from cannot be read, or breaks a rule.
    """
    start: Solution | None = None
    if start_file is not None:
        start = read_solution(start_file, instance)
    stop = Stop()
    try:
        with stop_on_interrupt(stop, again=signal.SIG_DFL):
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
    except InvalidSolution as error:
        if start_file is not None:
            error.within(str(start_file))
        raise


def check_files(
    instance: Instance,
    output: Sequence[Path] | None,
    plot: Path | None,
    report: Path | None,
    inputs: Sequence[Path | str | None],
) -> list[Path]:
    """Refuse files that could not be written later; return those that hold the plan."""
    if plot is not None:
        check_target(plot, PICTURES)
    if report is not None:
        check_target(report, REPORTS)
    files = [*(output or []), *([plot] if plot else [])]
    check_solution_targets(files, instance, inputs)
    return files


def hand_over(
    result: Result,
    budget: Budget,
    known: BestKnown | None,
    files: Sequence[Path],
    report: Path | None,
    *,
    as_json: bool,
    quiet: bool,
) -> None:
    """Write the files, and print the plan.

    Raises
    ------
    NoPlanFound
        When there is no plan; the JSON object is printed all the same.
    KeyboardInterrupt
        When there is none because Ctrl-C came before the first.
    """
    best_known = known.cost if known else None
    files = [*files, *([report] if report else [])]
    if result.solution is not None and files:
        from fripn.render.result_files import write_result

        for path in files:
            write_result(result, path, best_known=best_known)
    if as_json:
        print_json(result.to_dict(best_known=best_known))
    elif not quiet and result.solution is not None:
        from fripn.cli.tables import print_result

        print_result(result, known)
    if result.solution is None and result.status is Status.INTERRUPTED:
        raise KeyboardInterrupt("interrupted before a first plan was found")
    result.require_plan(budget)
    if not quiet:
        for path in files:
            print(f"wrote {path}", file=sys.stderr)
