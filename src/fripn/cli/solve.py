"""``fripn solve``: plan the fleet and its routes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fripn.budget import Budget
from fripn.cli.cluster import ClusterOption, parts_on
from fripn.cli.groups import with_groups
from fripn.cli.inputs import ProblemOptions, read_problem
from fripn.cli.methods import MethodOptions, make_method, proving_method
from fripn.cli.options import (
    GapOption,
    InstanceArgument,
    JsonOption,
    MethodOption,
    OutputOption,
    PlotOption,
    ProgressOption,
    ProveOption,
    QuietOption,
    ReportOption,
    SeedOption,
    ThreadsOption,
    TimeLimitOption,
    TimelineOption,
    VehicleFileArgument,
)
from fripn.cli.progress import ProgressMode
from fripn.cli.running import Outputs, solve_and_hand_over
from fripn.cli.showing import SheetsOption, ShowingOptions


@with_groups
def solve(
    instance: InstanceArgument,
    vehicle_file: VehicleFileArgument = None,
    *,
    method: MethodOption = None,
    time_limit: TimeLimitOption = None,
    iterations: Annotated[
        int | None,
        typer.Option(
            "--iterations", metavar="N", help="Stop after N iterations of the method, per thread."
        ),
    ] = None,
    stall: Annotated[
        int | None,
        typer.Option(
            "--stall", metavar="N", help="Stop after N iterations without improvement, per thread."
        ),
    ] = None,
    target: Annotated[
        float | None,
        typer.Option("--target", metavar="COST", help="Stop as soon as a plan costs no more."),
    ] = None,
    gap: GapOption = None,
    prove: ProveOption = False,
    seed: SeedOption = 0,
    threads: ThreadsOption = None,
    cluster: ClusterOption = None,
    start: Annotated[
        Path | None,
        typer.Option("--start", metavar="FILE", help="A plan to start from; never made worse."),
    ] = None,
    settings: MethodOptions,
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
    """Find the cheapest fleet and its routes."""
    problem = problem.with_vehicles(vehicle_file)
    given = read_problem(instance, problem, quiet=quiet)
    show = showing.presentation(instance, problem.vehicles)
    if prove:
        method = proving_method(method)
    if cluster is not None and method is None:
        method = "parts"
    chosen = make_method(method, settings.settings())
    with parts_on(cluster, chosen, given.instance, threads) as on_workers:
        solve_and_hand_over(
            given.instance,
            on_workers,
            Budget(time_limit, iterations, stall, target, gap),
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
            inputs=(instance, *problem.files(), start),
            seed=seed,
            threads=threads,
            start_file=start,
        )
    return 0
