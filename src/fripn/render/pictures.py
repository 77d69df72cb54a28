"""A picture of a plan: routes coloured by vehicle type."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import IO

from fripn.errors import InvalidFile, Unsupported
from fripn.messages import named
from fripn.problem.evaluate import Evaluation, evaluate
from fripn.problem.instance import Instance
from fripn.problem.io.atomic import write_atomically
from fripn.problem.solution import Solution
from fripn.render.plan_chart import plan_chart_svg
from fripn.render.png import draw_png

#: Endings of pictures.
PICTURE_SUFFIXES = (".png", ".svg")


def draw_routes(
    instance: Instance,
    solution: Solution,
    target: Path | str | IO[bytes],
    *,
    picture_format: str | None = None,
    title: str | None = None,
) -> None:
    """Draw the routes, coloured by vehicle type, with a legend of counts and loads.

    Parameters
    ----------
    instance, solution
        The problem and a plan for it.
    target
        A path ending in ``.svg`` or ``.png``, written completely or not at all, or an open binary
        file.
    picture_format
        ``svg``, or ``png``, which needs the extra ``[plot]``; when None taken from the path, and
        ``png`` for an open file.
    title
        Put above the picture; the instance's name and the cost when None.

    Raises
    ------
    Unsupported
        When the instance has a distance matrix but no coordinates.
    MissingExtra
        When a PNG is required and matplotlib is not installed.
    """
    if instance.coordinates is None:
        raise Unsupported(
            f"{instance.name} has a distance matrix but no coordinates, so nothing can be drawn",
            field="coordinates",
            remedy="add coordinates or write .json, .csv or .sol",
        )
    if picture_format is None:
        is_path = isinstance(target, (str, Path))
        picture_format = Path(target).suffix.lstrip(".").lower() if is_path else "png"  # type: ignore[arg-type]
    if picture_format not in ("png", "svg"):
        raise InvalidFile(
            f"pictures cannot be {picture_format!r}",
            field="format",
            value=picture_format,
            remedy="use png or svg",
        )
    evaluation = evaluate(instance, solution)
    heading = title if title is not None else _heading(instance, evaluation)
    if picture_format == "svg":
        content = plan_chart_svg(instance, solution, evaluation, heading).encode()
    else:
        buffer = BytesIO()
        draw_png(instance, solution, evaluation, heading, buffer)
        content = buffer.getvalue()
    if isinstance(target, (str, Path)):
        write_atomically(target, content)
    else:
        target.write(content)


def _heading(instance: Instance, evaluation: Evaluation) -> str:
    vehicles = "vehicle" if evaluation.num_vehicles == 1 else "vehicles"
    return (
        f"{named(instance.name)}: cost {evaluation.cost:,.2f}, {evaluation.num_vehicles} {vehicles}"
    )
