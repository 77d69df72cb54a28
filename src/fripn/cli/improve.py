"""``fripn improve``: start from a plan that exists; never make it worse."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from fripn.budget import Budget
from fripn.cli.groups import with_groups
from fripn.cli.inputs import ProblemOptions, read_problem, split_files
from fripn.cli.methods import make_method
from fripn.cli.options import (
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
    TimelineOption,
    complete_instance,
)
from fripn.cli.progress import ProgressMode
from fripn.cli.running import Outputs, solve_and_hand_over
from fripn.cli.showing import SheetsOption, ShowingOptions
from fripn.errors import InvalidSetting


@with_groups
def improve(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="INSTANCE [VEHICLES] PLAN",
            autocompletion=complete_instance,
            help="The instance as for solve, and the plan to start from: .json, .sol, .csv or "
            ".xlsx. It must keep all rules.",
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
    timeline: TimelineOption = None,
    report: ReportOption = None,
    sheets: SheetsOption = None,
    showing: ShowingOptions,
    problem: ProblemOptions,
    progress: ProgressOption = ProgressMode.AUTO,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Improve a plan of your own; the result never costs more."""
    instance, vehicles, solution = split_files(files, problem.vehicles)
    problem = replace(problem, vehicles=vehicles)
    if solution is None:
        raise InvalidSetting(
            "no plan is given", field="PLAN", remedy="name the file of the plan to start from"
        )
    given = read_problem(instance, problem, quiet=quiet)
    show = showing.presentation(instance, problem.vehicles, solution)
    result = solve_and_hand_over(
        given.instance,
        make_method(method, {}),
        Budget(seconds=time_limit),
        Outputs(
            output=output,
            plot=plot,
            timeline=timeline,
            report=report,
            sheets=sheets,
            show=show,
            dialect=given.dialect,
            progress=progress,
            as_json=as_json,
            quiet=quiet,
        ),
        # The plan itself may be written over: files are replaced whole, and by a plan no worse.
        inputs=(instance, *problem.files()),
        seed=seed,
        threads=threads,
        start_file=solution,
    )
    if not as_json and not quiet:
        before = result.curve[0].cost  # that of the plan to start from
        saved = before - result.cost
        share = f" ({100 * saved / before:.2f} %)" if before else ""
        print(f"before  {before:.2f}; saved {saved:.2f}{share}")
    return 0
