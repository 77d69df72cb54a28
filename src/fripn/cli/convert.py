"""``fripn convert``: an instance or a plan from one file format to another."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fripn.cli.groups import with_groups
from fripn.cli.inputs import ProblemOptions, read_problem
from fripn.cli.options import complete_instance
from fripn.cli.outputs import (
    LINES_SUFFIXES,
    check_no_input,
    check_sheet_targets,
    check_solution_targets,
    check_target,
    check_timeline_target,
)
from fripn.cli.showing import ShowingOptions
from fripn.errors import InvalidSetting
from fripn.problem.inputs import Input
from fripn.problem.io.solution_files import evaluate_valid

if TYPE_CHECKING:
    from fripn.render.presentation import Presentation


@with_groups
def convert(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="IN [VEHICLES] OUT",
            autocompletion=complete_instance,
            help="An instance as for solve, or a plan with --instance; then the file to write, "
            "whose ending determines the format: .json .vrp .csv .xlsx.",
            show_default=False,
        ),
    ],
    *,
    instance: Annotated[
        str | None,
        typer.Option(
            "--instance",
            metavar="INSTANCE",
            autocompletion=complete_instance,
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
    timeline: Annotated[
        bool,
        typer.Option(
            "--timeline",
            help="Draw the times of all vehicles of the plan: OUT ends in .svg or .png.",
        ),
    ] = False,
    showing: ShowingOptions,
    problem: ProblemOptions,
) -> None:
    """Write an instance, or a plan, in another format."""
    from fripn.problem.io import INSTANCE_SUFFIXES, vehicles_path, write_instance

    source, vehicle_file, target = _split(files)
    problem = problem.with_vehicles(vehicle_file)
    written = [target]
    sources = () if instance is None else (instance, problem.vehicles, source)
    show = showing.presentation(*sources)
    if instance is None and Path(source).suffix.lower() in LINES_SUFFIXES:
        from fripn.cli.line_plans import convert_lines

        written = convert_lines(Path(source), target, show)
    elif instance is not None:
        given = read_problem(instance, problem)
        inputs = (source, instance, *problem.files())
        _convert_plan(given, source, target, inputs, show, as_sheets=sheets, as_timeline=timeline)
    elif sheets or timeline:
        raise InvalidSetting(
            "driver sheets are made from a plan" if sheets else "a timeline is drawn of a plan",
            field="--sheets" if sheets else "--timeline",
            remedy="name its instance with --instance",
        )
    else:
        given = read_problem(source, problem)
        check_target(target, INSTANCE_SUFFIXES)
        pair = [target, vehicles_path(target)] if target.suffix.lower() == ".csv" else [target]
        for path in pair:
            check_no_input(path, (source, *problem.files()))
        write_instance(given.instance, target)
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
    as_timeline: bool,
) -> None:
    from fripn.problem.io import read_solution
    from fripn.render.pictures import draw_timeline
    from fripn.render.result_files import write_result
    from fripn.render.sheets import write_sheets
    from fripn.result import Result, Status

    instance = given.instance
    plan = read_solution(source, instance)
    if as_sheets:
        check_sheet_targets([target], instance, inputs, show)
        write_sheets(instance, plan, target, show)
        return
    if as_timeline:
        check_timeline_target(target, instance, inputs)
        evaluate_valid(instance, plan, target)
        draw_timeline(instance, plan, target, show=show)
        return
    check_solution_targets([target], instance, inputs, show)
    evaluate_valid(instance, plan, target)
    # The report of a plan that no method has found here: it took no time and has no curve.
    result = Result.from_solution(
        instance, plan, method=Path(source).name, status=Status.FEASIBLE, seconds=0.0
    )
    write_result(result, target, show=show, dialect=given.dialect)
