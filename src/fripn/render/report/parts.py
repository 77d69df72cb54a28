"""Small pieces that several sections of the report share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fripn.messages import named
from fripn.problem import Instance, Route
from fripn.problem.evaluate import RouteCost
from fripn.render.colours import RouteColour
from fripn.render.svg import TYPE_COLOURS, TYPE_DASHES, type_dash
from fripn.render.text import escape

#: A route of the plan with its cost.
CostedRoute = tuple[Route, RouteCost]


def colour_class(vehicle_type: int) -> str:
    """Return the class that has the colour of a vehicle type."""
    return f"t{vehicle_type % len(TYPE_COLOURS)}"


def type_key(vehicle_type: int) -> str:
    """Return a stroke in the colour of a vehicle type."""
    dash = TYPE_DASHES.index(type_dash(vehicle_type))
    return f'<span class="key dash{dash} {colour_class(vehicle_type)}"></span>'


def route_key(colour: RouteColour) -> str:
    """Return a stroke in the colour of a route."""
    dash = TYPE_DASHES.index(colour.dash)
    return f'<span class="key dash{dash} rc" style="{colour.style}"></span>'


def type_name(instance: Instance, vehicle_type: int) -> str:
    """Return the name of a vehicle type as HTML."""
    return escape(named(instance.vehicle_types[vehicle_type].name))


def head_row(titles: Sequence[str], texts: Iterable[int] = (0,)) -> str:
    """Return the head of a table; the columns in `texts` are set left."""
    left = set(texts)
    cells = "".join(
        f"<th{_class('text' if place in left else '')}>{escape(title)}</th>"
        for place, title in enumerate(titles)
    )
    return f"<thead><tr>{cells}</tr></thead>"


def body_row(
    titles: Sequence[str],
    cells: Sequence[str],
    texts: Iterable[int] = (0,),
    row_class: str = "",
    marks: str = "",
) -> str:
    """Return a row whose cells know their titles, which a narrow page shows beside them.

    Parameters
    ----------
    titles
        Of the columns.
    cells
        HTML text.
    texts
        Columns that are set left.
    row_class, marks
        Class of the row, and classes of its last cell.
    """
    left = set(texts)
    shown = []
    for place, (title, cell) in enumerate(zip(titles, cells, strict=True)):
        classes = ["text"] if place in left else []
        if marks and place == len(cells) - 1:
            classes.append(marks)
        shown.append(f'<td{_class(" ".join(classes))} data-label="{escape(title)}">{cell}</td>')
    return f"<tr{_class(row_class)}>{''.join(shown)}</tr>"


def _class(names: str) -> str:
    return f' class="{names}"' if names else ""
