"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

InstanceArgument = Annotated[
    str,
    typer.Argument(
        metavar="INSTANCE",
        help="A file (.json, .vrp, or a .csv of stops), a library name such as golden-20, "
        "or paper:20:17.",
        show_default=False,
    ),
]
VehiclesOption = Annotated[
    Path | None,
    typer.Option("--vehicles", metavar="FILE", help="Vehicle types that go with a CSV of stops."),
]
DepotOption = Annotated[
    str | None,
    typer.Option("--depot", metavar="ID", help="Which row of a CSV of stops is the depot."),
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON object on stdout and nothing else.")
]
