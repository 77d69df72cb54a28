"""``fripn convert``: an instance or a plan from one file format to another."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fripn.cli.inputs import input_options, read_problem
from fripn.cli.options import (
    DecimalOption,
    DepotOption,
    DurationsOption,
    MapOption,
    MatrixOption,
    RoadFactorOption,
    VehiclesOption,
    one_vehicle_file,
)
from fripn.cli.outputs import (
    LINES_SUFFIXES,
    check_no_input,
    check_sheet_targets,
    check_solution_targets,
    check_target,
)
from fripn.cli.showing import (
    ColoursOption,
    CurrencyOption,
    DateOption,
    DistanceUnitOption,
    LanguageOption,
    LoadUnitOption,
    TitleOption,
    make_presentation,
)
from fripn.errors import InvalidSetting
from fripn.problem.inputs import Input
from fripn.problem.io.solution_files import evaluate_valid

if TYPE_CHECKING:
    from fripn.render.presentation import Presentation


def convert(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="IN [VEHICLES] OUT",
            help="An instance as for solve, or a plan with --instance; then the file to write, "
            "whose ending determines the format: .json .vrp .csv.",
            show_default=False,
        ),
    ],
    *,
    instance: Annotated[
        str | None,
        typer.Option(
            "--instance",
            metavar="INSTANCE",
            help="IN is a plan for this instance; OUT may end in .json .sol .csv .xlsx .geojson "
            ".png .svg, .html (the report) or .pdf (driver sheets).",
        ),
    ] = None,
    sheets: Annotated[
        bool,
        typer.Option(
            "--sheets",
            help="Write driver sheets of the plan: OUT ends in .html or .pdf, or is a folder.",
        ),
    ] = False,
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
) -> None:
    """Write an instance, or a plan, in another format."""
    from fripn.problem.io import INSTANCE_SUFFIXES, vehicles_path, write_instance

    source, vehicle_file, target = _split(files)
    vehicles = one_vehicle_file(vehicle_file, vehicles)
    options = input_options(vehicles, depot, columns, decimal, matrix, durations, road_factor)
    written = [target]
    show = make_presentation(
        language=language,
        currency=currency,
        load_unit=load_unit,
        distance_unit=distance_unit,
        title=title,
        date=date,
        colours=colours,
        sources=() if instance is None else (instance, vehicles, source),
    )
    if instance is None and Path(source).suffix.lower() in LINES_SUFFIXES:
        from fripn.cli.line_plans import convert_lines

        written = convert_lines(Path(source), target, show)
    elif instance is not None:
        given = read_problem(instance, options)
        inputs = (source, instance, vehicles, matrix, durations)
        _convert_plan(given, source, target, inputs, show, as_sheets=sheets)
    elif sheets:
        raise InvalidSetting(
            "driver sheets are made from a plan",
            field="--sheets",
            remedy="name its instance with --instance",
        )
    else:
        problem = read_problem(source, options).instance
        check_target(target, INSTANCE_SUFFIXES)
        pair = [target, vehicles_path(target)] if target.suffix.lower() == ".csv" else [target]
        for path in pair:
            check_no_input(path, (source, vehicles, matrix, durations))
        write_instance(problem, target)
    for path in written:
        print(f"wrote {path}", file=sys.stderr)


def _split(files: list[str]) -> tuple[str, Path | None, Path]:
    """Return what to read, the file of vehicles, and what to write."""
    if not 2 <= len(files) <= 3:
        raise InvalidSetting(
            f"{len(files)} files are given" if len(files) > 1 else "one file is given",
            field="files",
            value=files,
            remedy="give the file to read, the vehicles of a table of stops, and the file to write",
        )
    return files[0], Path(files[1]) if len(files) == 3 else None, Path(files[-1])


def _convert_plan(
    given: Input,
    source: str,
    target: Path,
    inputs: Sequence[str | Path | None],
    show: Presentation,
    *,
    as_sheets: bool,
) -> None:
    from fripn.problem.io import read_solution
    from fripn.render.result_files import write_result
    from fripn.render.sheets import write_sheets
    from fripn.result import Result, Status

    instance = given.instance
    plan = read_solution(source, instance)
    if as_sheets:
        check_sheet_targets([target], instance, inputs, show)
        write_sheets(instance, plan, target, show)
        return
    check_solution_targets([target], instance, inputs, show)
    evaluate_valid(instance, plan, target)
    # The report of a plan that no method has found here: it took no time and has no curve.
    result = Result.from_solution(
        instance, plan, method=Path(source).name, status=Status.FEASIBLE, seconds=0.0
    )
    write_result(result, target, show=show, dialect=given.dialect)
