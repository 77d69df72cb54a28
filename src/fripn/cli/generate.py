"""``fripn generate``: random instances, seeded."""

from __future__ import annotations

import sys
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from fripn.cli.outputs import check_target
from fripn.errors import InvalidSetting
from fripn.settings import Seed, Size, checked


class DistributionName(Enum):
    """The distributions to draw from."""

    PAPER = "paper"
    WIDE = "wide"


def generate(
    context: typer.Context,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="The file to write: .json .vrp .csv. With --count, numbers are added to the name.",
            show_default=False,
        ),
    ],
    *,
    customers: Annotated[
        int, typer.Option("--customers", "-n", metavar="N", help="Number of customers.")
    ] = 20,
    types: Annotated[
        int | None,
        typer.Option("--types", metavar="K", help="Number of vehicle types; drawn when not given."),
    ] = None,
    distribution: Annotated[
        DistributionName,
        typer.Option(
            "--distribution",
            help="paper: the paper's distribution; wide: a wide range of prices, fleets, places "
            "and demands.",
        ),
    ] = DistributionName.PAPER,
    law: Annotated[
        DistributionName | None,
        typer.Option("--law", hidden=True, help="Former name of --distribution."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Random seed.")] = 0,
    count: Annotated[
        int, typer.Option("--count", metavar="N", help="How many instances to write.")
    ] = 1,
) -> None:
    """Draw random instances and write them to files."""
    from fripn.problem.generate import paper_instance, wide_instance
    from fripn.problem.io import INSTANCE_SUFFIXES, write_instance

    for flag, value in (("--customers", customers), ("--count", count), ("--types", types)):
        checked(flag, value, Size | None)
    checked("--seed", seed, Seed)
    check_target(output, INSTANCE_SUFFIXES)
    source = context.get_parameter_source("distribution")
    if law is not None and source is not None and source.name == "COMMANDLINE":
        raise InvalidSetting(
            "--distribution and its former name --law are both given",
            field="--law",
            value=law,
            remedy="leave --law out",
        )
    is_wide = (law or distribution) is DistributionName.WIDE
    draw = wide_instance if is_wide else paper_instance
    width = len(str(count - 1))
    for number in range(count):
        path = output
        if count > 1:
            path = output.with_name(f"{output.stem}-{number:0{width}d}{output.suffix}")
        # Instance k of a seed does not depend on how many are drawn.
        problem = draw(customers, seed + number, types).replace(name=path.stem)
        write_instance(problem, path)
    print(f"wrote {count} instance{'s' if count > 1 else ''}", file=sys.stderr)
