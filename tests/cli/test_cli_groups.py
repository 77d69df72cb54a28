"""Groups of options: dataclasses in the signatures of commands."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from fripn.cli.groups import with_groups

pytestmark = pytest.mark.pure


@dataclass(frozen=True, slots=True)
class Colour:
    """A group."""

    shade: Annotated[str, typer.Option("--shade", "-s", help="Which one.")] = "dark"
    count: Annotated[int | None, typer.Option("--count")] = None


@with_groups
def paint(
    what: Annotated[str, typer.Argument()],
    *,
    colour: Colour,
    twice: Annotated[bool, typer.Option("--twice")] = False,
) -> None:
    """Paint something."""
    print(what, colour, twice)


def test_fields_are_options_in_the_place_of_the_group():
    """With their defaults and help, and the command gets them as one value."""
    assert list(inspect.signature(paint).parameters) == ["what", "shade", "count", "twice"]
    app = typer.Typer()
    app.command()(paint)
    run = CliRunner().invoke
    assert run(app, ["wall"]).output == f"wall {Colour()} False\n"
    assert run(app, ["wall", "-s", "light", "--count", "3", "--twice"]).output == (
        f"wall {Colour('light', 3)} True\n"
    )
    assert "Which one." in run(app, ["--help"]).output
    assert run(app, ["wall", "--colour", "x"]).exit_code == 2
