"""``fripn weights``: files of policy weights."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(help="Make files of policy weights.", no_args_is_help=True)


@app.callback()
def weights() -> None:
    """Make files of policy weights."""


@app.command("import")
def import_weights(
    checkpoint: Annotated[
        Path,
        typer.Argument(
            metavar="FILE.pt",
            help="A checkpoint of the code that the paper's authors published.",
            show_default=False,
        ),
    ],
    *,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="The weights file, .safetensors; by default beside the checkpoint.",
        ),
    ] = None,
) -> None:
    """Turn a checkpoint of the paper's authors into weights for --weights."""
    from fripn.cli.outputs import check_target
    from fripn.cli.train import need_torch

    need_torch()
    from fripn.train.published import convert_checkpoint

    target = checkpoint.with_suffix(".safetensors") if output is None else output
    check_target(target, (".safetensors",))
    found = convert_checkpoint(checkpoint, target)
    print(f"wrote {target}, weights {found.fingerprint}", file=sys.stderr)
