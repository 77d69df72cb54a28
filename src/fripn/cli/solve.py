"""``fripn solve``: an instance in, a plan out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fripn.cli.methods import make_method
from fripn.cli.options import (
    AugmentOption,
    DecodeOption,
    DepotOption,
    InstanceArgument,
    JsonOption,
    MethodOption,
    OutputOption,
    PlotOption,
    ProgressOption,
    QuietOption,
    ReportOption,
    SamplesOption,
    SeedOption,
    SolverOption,
    SplitOption,
    ThreadsOption,
    TimeLimitOption,
    VehicleFileArgument,
    VehiclesOption,
    WeightsOption,
    one_vehicle_file,
)
from fripn.cli.progress import ProgressMode, follow
from fripn.cli.running import (
    check_files,
    hand_over,
    make_budget,
    num_cores,
    read_plan,
    run_method,
)
from fripn.source import best_known, open_instance


def solve(
    instance: InstanceArgument,
    vehicle_file: VehicleFileArgument = None,
    *,
    method: MethodOption = None,
    time_limit: TimeLimitOption = None,
    iterations: Annotated[
        int | None,
        typer.Option("--iterations", metavar="N", help="Stop after N iterations of the method."),
    ] = None,
    stall: Annotated[
        int | None,
        typer.Option("--stall", metavar="N", help="Stop after N iterations without improvement."),
    ] = None,
    target: Annotated[
        float | None,
        typer.Option("--target", metavar="COST", help="Stop as soon as a plan costs no more."),
    ] = None,
    seed: SeedOption = 0,
    threads: ThreadsOption = None,
    start: Annotated[
        Path | None,
        typer.Option("--start", metavar="FILE", help="A plan to start from; never made worse."),
    ] = None,
    decode: DecodeOption = None,
    samples: SamplesOption = None,
    augment: AugmentOption = None,
    split: SplitOption = None,
    weights: WeightsOption = None,
    solver: SolverOption = None,
    output: OutputOption = None,
    plot: PlotOption = None,
    report: ReportOption = None,
    vehicles: VehiclesOption = None,
    depot: DepotOption = None,
    progress: ProgressOption = ProgressMode.AUTO,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Find the cheapest fleet and its routes."""
    vehicles = one_vehicle_file(vehicle_file, vehicles)
    problem = open_instance(instance, vehicles=vehicles, depot=depot)
    settings = {
        "decode": decode,
        "samples": samples,
        "augment": augment,
        "split": split,
        "weights": weights,
        "solver": solver,
    }
    name, chosen = make_method(method, settings)
    budget = make_budget(problem, chosen, time_limit, iterations, stall, target)
    first = None if start is None else read_plan(start, problem)
    files = check_files(problem, output, plot, report, (instance, vehicles, start))
    if threads is None:
        threads = 1 if iterations is not None else num_cores()

    known = best_known(problem)
    shown = ProgressMode.NONE if quiet and progress is ProgressMode.AUTO else progress
    with follow(shown, problem, budget, known.cost if known else None) as on_improvement:
        result = run_method(name, chosen, problem, budget, seed, threads, first, on_improvement)
    hand_over(result, budget, known, files, report, as_json=as_json, quiet=quiet)
    return 0
