"""``fripn solve``: plan the fleet and its routes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fripn.budget import Budget
from fripn.cli.inputs import input_options, read_problem
from fripn.cli.methods import make_method, with_decoding
from fripn.cli.options import (
    AugmentOption,
    DecimalOption,
    DecodeOption,
    DecodingOption,
    DepotOption,
    DurationsOption,
    GapOption,
    InstanceArgument,
    JsonOption,
    MapOption,
    MatrixOption,
    MethodOption,
    ModelOption,
    OutputOption,
    PlotOption,
    ProgressOption,
    QuietOption,
    ReportOption,
    RoadFactorOption,
    SamplesOption,
    SeedOption,
    SolverOption,
    SplitOption,
    StartPlanOption,
    TemperatureOption,
    ThreadsOption,
    TimeLimitOption,
    VehicleFileArgument,
    VehiclesOption,
    WeightsOption,
    one_vehicle_file,
)
from fripn.cli.progress import ProgressMode
from fripn.cli.running import Outputs, solve_and_hand_over
from fripn.cli.showing import (
    ColoursOption,
    CurrencyOption,
    DateOption,
    DistanceUnitOption,
    LanguageOption,
    LoadUnitOption,
    SheetsOption,
    TitleOption,
    make_presentation,
)
from fripn.errors import InvalidSetting


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
    prove: Annotated[
        bool,
        typer.Option(
            "--prove", help="Short for --method exact: plans and a lower bound, side by side."
        ),
    ] = False,
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
    temperature: TemperatureOption = None,
    decoding: DecodingOption = None,
    weights: WeightsOption = None,
    solver: SolverOption = None,
    model: ModelOption = None,
    start_plan: StartPlanOption = None,
    output: OutputOption = None,
    plot: PlotOption = None,
    report: ReportOption = None,
    sheets: SheetsOption = None,
    title: TitleOption = None,
    date: DateOption = None,
    language: LanguageOption = "en",
    currency: CurrencyOption = None,
    load_unit: LoadUnitOption = None,
    distance_unit: DistanceUnitOption = None,
    colours: ColoursOption = "shade",
    vehicles: VehiclesOption = None,
    depot: DepotOption = None,
    columns: MapOption = None,
    decimal: DecimalOption = None,
    matrix: MatrixOption = None,
    durations: DurationsOption = None,
    road_factor: RoadFactorOption = None,
    progress: ProgressOption = ProgressMode.AUTO,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Find the cheapest fleet and its routes."""
    vehicles = one_vehicle_file(vehicle_file, vehicles)
    options = input_options(vehicles, depot, columns, decimal, matrix, durations, road_factor)
    given = read_problem(instance, options, quiet=quiet)
    show = make_presentation(
        language=language,
        currency=currency,
        load_unit=load_unit,
        distance_unit=distance_unit,
        title=title,
        date=date,
        colours=colours,
        sources=(instance, vehicles),
    )
    settings = {
        "decode": decode,
        "samples": samples,
        "augment": augment,
        "split": split,
        "temperature": temperature,
        "weights": weights,
        "solver": solver,
        "model": model,
        "start_plan": start_plan,
    }
    if prove:
        if method not in (None, "exact"):
            raise InvalidSetting(
                f"--prove needs method 'exact', not {method!r}",
                field="--method",
                value=method,
                remedy="leave one out",
            )
        method = "exact"
    chosen = make_method(method, with_decoding(settings, decoding))
    solve_and_hand_over(
        given.instance,
        chosen,
        Budget(time_limit, iterations, stall, target, gap),
        Outputs(
            output=output,
            plot=plot,
            report=report,
            sheets=sheets,
            show=show,
            dialect=given.dialect,
            progress=progress,
            as_json=as_json,
            quiet=quiet,
        ),
        inputs=(instance, vehicles, matrix, durations, start),
        seed=seed,
        threads=threads,
        start_file=start,
    )
    return 0
