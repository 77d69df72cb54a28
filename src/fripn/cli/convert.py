"""``fripn convert``: an instance or a plan from one file format to another."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from fripn.cli.options import DepotOption, VehiclesOption
from fripn.cli.outputs import check_solution_targets, check_target
from fripn.errors import InvalidFile
from fripn.problem.inputs import open_instance


def convert(
    source: Annotated[
        str,
        typer.Argument(
            metavar="IN", help="An instance (file or library name), or a plan with --instance."
        ),
    ],
    target: Annotated[
        Path,
        typer.Argument(
            metavar="OUT",
            help="The file to write; its ending determines the format: .json .vrp .csv.",
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
) -> None:
    """Write an instance, or a plan, in another format."""
    from fripn.problem.io import INSTANCE_SUFFIXES, read_solution, vehicles_path, write_instance
    from fripn.render import write_plan

    if instance is not None:
        problem = open_instance(instance, vehicles=vehicles, depot=depot)
        plan = read_solution(source, problem)
        check_solution_targets([target], problem, (source, instance, vehicles))
        write_plan(problem, plan, target)
    else:
        problem = open_instance(source, vehicles=vehicles, depot=depot)
        check_target(target, INSTANCE_SUFFIXES)
        written = [target, vehicles_path(target)] if target.suffix.lower() == ".csv" else [target]
        for path in written:
            for given in (source, vehicles):
                if given is not None and path.resolve() == Path(given).resolve():
                    raise InvalidFile(
                        f"{path} is an input of this command",
                        value=path,
                        remedy="write to another file",
                    )
        write_instance(problem, target)
    print(f"wrote {target}", file=sys.stderr)
