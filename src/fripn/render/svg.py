"""Plans and instances as plain SVG text, for notebooks and the HTML report; no plotting library."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from html import escape

import numpy as np

from fripn.messages import named
from fripn.problem.instance import FloatArray, Instance
from fripn.problem.solution import Solution

#: One colour per vehicle type, at least 3:1 against white and distinct under the common forms of
#: colour blindness; from the ninth type on they repeat, with dashes.
TYPE_COLOURS = (
    "#0067b1",
    "#c84e00",
    "#00845f",
    "#a64d8f",
    "#8a6d00",
    "#7a1f3d",
    "#5b4fc4",
    "#6b6b6b",
)

#: Dash pattern of the first eight types, the next eight, and so on.
TYPE_DASHES = ("none", "7 3", "2 3")

#: Free space around a picture.
MARGIN = 16.0

#: What XML 1.0 cannot hold: control characters, surrogates and the last two of the first plane.
_NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml_text(text: str) -> str:
    """Return text for XML, which has no place for control characters, however escaped."""
    return escape(_NOT_IN_XML.sub("\ufffd", text))


def type_colour(vehicle_type: int) -> str:
    """Colour of a vehicle type."""
    return TYPE_COLOURS[vehicle_type % len(TYPE_COLOURS)]


def type_dash(vehicle_type: int) -> str:
    """Dash pattern of a vehicle type."""
    return TYPE_DASHES[vehicle_type // len(TYPE_COLOURS) % len(TYPE_DASHES)]


def screen_points(instance: Instance, width: float, height: float) -> FloatArray | None:
    """Place the stops in a picture: y downward, aspect kept, centred; None without coordinates.

    Longitudes are narrowed by the cosine of the mean latitude, so that a city keeps its shape.
    """
    if instance.coordinates is None:
        return None
    points = np.array(instance.coordinates)
    if instance.is_geographic:
        points[:, 0] *= math.cos(math.radians(float(points[:, 1].mean())))
    low, high = points.min(axis=0), points.max(axis=0)
    span = high - low
    room = np.array([width - 2 * MARGIN, height - 2 * MARGIN])
    scale = min((room[i] / span[i] for i in range(2) if span[i] > 0), default=1.0)
    points = (points - (low + high) / 2) * scale
    return np.column_stack([width / 2 + points[:, 0], height / 2 - points[:, 1]])


def path_data(points: FloatArray, stops: Sequence[int]) -> str:
    """Return the path along some stops."""
    if not stops:
        return ""
    return "M" + "L".join(f"{x:.2f} {y:.2f}" for x, y in points[list(stops)])


def dots_data(points: FloatArray, stops: Iterable[int]) -> str:
    """Return a path of zero-length strokes: with round caps each is a dot as wide as the stroke."""
    return "".join(f"M{x:.2f} {y:.2f}h0" for x, y in points[list(stops)])


def depot_arcs_data(points: FloatArray, tour: Sequence[int]) -> str:
    """Return the arcs between the depot and the ends of a route; `tour` is of its nodes.

    A route that does not return to its depot has one such arc.
    """
    arcs = path_data(points, tour[:2])
    return arcs + path_data(points, tour[-2:]) if tour[-1] == tour[0] else arcs


def instance_svg(instance: Instance, *, width: float = 480, height: float = 360) -> str:
    """Draw the stops, larger dots for larger demands; empty text without coordinates."""
    points = screen_points(instance, width, height)
    if points is None:
        return ""
    demands = instance.load_matrix[:, 0]
    largest = float(demands.max()) or 1.0
    # Three sizes distinguish small from large and keep the number of elements independent of n.
    thirds = np.minimum((3 * demands / largest).astype(int), 2)
    dots = "".join(
        f'<path d="{dots_data(points, members)}" stroke="#0067b1" stroke-width="{3 + 2 * size}"/>'
        for size in range(3)
        if len(members := 1 + np.flatnonzero(thirds[1:] == size))
    )
    return _picture(instance, points, dots, width, height)


def plan_svg(
    instance: Instance, solution: Solution, *, width: float = 480, height: float = 360
) -> str:
    """Draw the routes in the colours of their vehicle types; empty text without coordinates."""
    points = screen_points(instance, width, height)
    if points is None:
        return ""
    parts = []
    for number, route in enumerate(solution.routes, start=1):
        if not route.customers:
            continue
        colour, dash = type_colour(route.vehicle_type), type_dash(route.vehicle_type)
        tour = instance.tour(route.vehicle_type, route.customers)
        name = escape(named(instance.vehicle_types[route.vehicle_type].name))
        parts.append(
            f'<g stroke="{colour}"><title>route {number}, type {name}</title>'
            f'<path d="{depot_arcs_data(points, tour)}" stroke-width="1" stroke-opacity="0.35"/>'
            f'<path d="{path_data(points, route.customers)}" stroke-width="1.6" '
            f'stroke-dasharray="{dash}"/>'
            f'<path d="{dots_data(points, route.customers)}" stroke-width="4.5"/></g>'
        )
    return _picture(instance, points, "".join(parts), width, height)


def _picture(instance: Instance, points: FloatArray, body: str, width: float, height: float) -> str:
    name = named(instance.name)
    depots = [instance.depot_node(depot) for depot in range(instance.num_depots)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}" role="img" aria-label="{escape(name)}">'
        f'<rect width="{width:g}" height="{height:g}" rx="6" fill="#ffffff" stroke="#d5d9e0"/>'
        f'<g fill="none" stroke-linecap="round" stroke-linejoin="round">{body}</g>'
        f'<path d="{dots_data(points, depots)}" stroke="#1a1d23" stroke-width="9" '
        'stroke-linecap="square"><title>depot</title></path></svg>'
    )
