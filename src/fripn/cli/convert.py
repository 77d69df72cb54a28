"""``fripn convert``: an instance or a plan from one file format to another."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

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
from fripn.cli.outputs import check_solution_targets, check_target
from fripn.errors import InvalidFile, InvalidSetting


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
            help="IN is a plan for this instance; OUT may end in .json .sol .csv .geojson .png "
            ".svg.",
        ),
    ] = None,
    vehicles: VehiclesOption = None,
    depot: DepotOption = None,
    columns: MapOption = None,
    decimal: DecimalOption = None,
    matrix: MatrixOption = None,
    durations: DurationsOption = None,
    road_factor: RoadFactorOption = None,
) -> None:
    """Write an instance, or a plan, in another format."""
    from fripn.problem.io import INSTANCE_SUFFIXES, read_solution, vehicles_path, write_instance
    from fripn.render import write_plan

    source, vehicle_file, target = _split(files)
    vehicles = one_vehicle_file(vehicle_file, vehicles)
    options = input_options(vehicles, depot, columns, decimal, matrix, durations, road_factor)
    if instance is not None:
        problem = read_problem(instance, options).instance
        plan = read_solution(source, problem)
        check_solution_targets([target], problem, (source, instance, vehicles))
        write_plan(problem, plan, target)
    else:
        problem = read_problem(source, options).instance
        check_target(target, INSTANCE_SUFFIXES)
        written = [target, vehicles_path(target)] if target.suffix.lower() == ".csv" else [target]
        for path in written:
            for given in (source, vehicles, matrix, durations):
                if given is not None and path.resolve() == Path(given).resolve():
                    raise InvalidFile(
                        f"{path} is an input of this command",
                        value=path,
                        remedy="write to another file",
                    )
        write_instance(problem, target)
    print(f"wrote {target}", file=sys.stderr)


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
