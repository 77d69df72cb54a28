"""``fripn improve``: start from a plan that exists; never make it worse."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fripn.budget import Budget
from fripn.cli.methods import make_method
from fripn.cli.options import (
    DepotOption,
    InstanceArgument,
    JsonOption,
    MethodOption,
    OutputOption,
    PlotOption,
    ProgressOption,
    QuietOption,
    ReportOption,
    SeedOption,
    ThreadsOption,
    TimeLimitOption,
    VehiclesOption,
)
from fripn.cli.progress import ProgressMode, follow, shown_mode
from fripn.cli.running import check_files, hand_over, num_cores, solve_until_interrupt
from fripn.problem.inputs import open_instance
from fripn.problem.library import best_known_of
from fripn.solve import with_defaults


def improve(
    instance: InstanceArgument,
    solution: Annotated[
        Path,
        typer.Argument(
            metavar="SOLUTION",
            help="The plan to start from: .json, .sol or .csv. It must keep all rules.",
            show_default=False,
        ),
    ],
    *,
    method: MethodOption = None,
    time_limit: TimeLimitOption = None,
    seed: SeedOption = 0,
    threads: ThreadsOption = None,
    output: OutputOption = None,
    plot: PlotOption = None,
    report: ReportOption = None,
    vehicles: VehiclesOption = None,
    depot: DepotOption = None,
    progress: ProgressOption = ProgressMode.AUTO,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Improve a plan of your own; the result never costs more."""
    problem = open_instance(instance, vehicles=vehicles, depot=depot)
    chosen = make_method(method, {})
    budget = with_defaults(Budget(seconds=time_limit), problem, chosen)
    # The plan itself may be written over: files are replaced whole, and by a plan no worse.
    files = check_files(problem, output, plot, report, (instance, vehicles))
    threads = num_cores() if threads is None else threads
    known = best_known_of(problem)
    shown = shown_mode(progress, as_json=as_json, quiet=quiet)
    with follow(shown, problem, budget, known.cost if known else None) as on_progress:
        result = solve_until_interrupt(
            problem,
            chosen,
            budget,
            seed=seed,
            threads=threads,
            start_file=solution,
            on_progress=on_progress,
        )
    hand_over(result, budget, known, files, report, as_json=as_json, quiet=quiet)
    if not as_json and not quiet:
        before = result.curve[0].cost  # that of the plan to start from
        saved = before - result.cost
        share = f" ({100 * saved / before:.2f} %)" if before else ""
        print(f"before  {before:.2f}; saved {saved:.2f}{share}")
    return 0
