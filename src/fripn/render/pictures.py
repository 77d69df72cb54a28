"""Pictures of a plan: its routes, coloured by vehicle type, and its timeline."""

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
from fripn.render.presentation import Presentation
from fripn.render.timeline_chart import draw_timeline_png, timeline_chart_svg, timeline_rows

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
    picture_format = _picture_format(target, picture_format)
    evaluation = evaluate(instance, solution)
    heading = title if title is not None else _heading(instance, evaluation)
    if picture_format == "svg":
        content = plan_chart_svg(instance, solution, evaluation, heading).encode()
    else:
        buffer = BytesIO()
        draw_png(instance, solution, evaluation, heading, buffer)
        content = buffer.getvalue()
    _write(content, target)


def draw_timeline(
    instance: Instance,
    solution: Solution,
    target: Path | str | IO[bytes],
    *,
    picture_format: str | None = None,
    title: str | None = None,
    show: Presentation | None = None,
) -> None:
    """Draw when every vehicle drives, waits and serves: a row per route, the time across.

    Parameters
    ----------
    instance, solution
        The problem and a plan for it.
    target, picture_format
        As for `draw_routes`.
    title
        Put above the picture; the instance's name and the cost when None.
    show
        Language and colours.

    Raises
    ------
    Unsupported
        When the instance has no times, or the plan no routes.
    MissingExtra
        When a PNG is required and matplotlib is not installed.
    """
    picture_format = _picture_format(target, picture_format)
    check_timeline(instance)
    show = Presentation() if show is None else show
    evaluation = evaluate(instance, solution)
    rows = timeline_rows(instance, solution, evaluation, show)
    if not rows:
        raise Unsupported(
            f"the plan of {named(instance.name)} has no routes, so there is no timeline",
            field="routes",
            remedy="give a plan that visits customers",
        )
    heading = title if title is not None else _heading(instance, evaluation)
    if picture_format == "svg":
        content = timeline_chart_svg(instance, rows, heading, show).encode()
    else:
        buffer = BytesIO()
        draw_timeline_png(instance, rows, heading, show, buffer)
        content = buffer.getvalue()
    _write(content, target)


def check_timeline(instance: Instance) -> None:
    """Refuse an instance without times.

    Raises
    ------
    Unsupported
        When its plans have no schedule.
    """
    if not instance.has_schedule:
        raise Unsupported(
            f"{named(instance.name)} has no times, so its plans have no timeline",
            field="timeline",
            remedy="add time windows, service times, shifts or costs per hour, or leave it out",
        )


def _picture_format(target: Path | str | IO[bytes], picture_format: str | None) -> str:
    """Return ``png`` or ``svg``."""
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
    return picture_format


def _write(content: bytes, target: Path | str | IO[bytes]) -> None:
    if isinstance(target, (str, Path)):
        write_atomically(target, content)
    else:
        target.write(content)


def _heading(instance: Instance, evaluation: Evaluation) -> str:
    vehicles = "vehicle" if evaluation.num_vehicles == 1 else "vehicles"
    return (
        f"{named(instance.name)}: cost {evaluation.cost:,.2f}, {evaluation.num_vehicles} {vehicles}"
    )
