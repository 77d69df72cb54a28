"""The map of the report and the switches beside it, as HTML text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from fripn.problem import Evaluation, Instance, Route
from fripn.problem.instance import FloatArray
from fripn.render.colours import RouteColour
from fripn.render.presentation import Presentation
from fripn.render.report.parts import CostedRoute, route_key, type_key, type_name
from fripn.render.svg import MARGIN, depot_arcs_data, dots_data, path_data, screen_points
from fripn.render.text import escape

MAP_WIDTH = 1000.0

#: Height of the map at least and at most; between them it has the shape of the plan.
_MIN_HEIGHT, _MAX_HEIGHT = 420.0, 1000.0

#: With more routes than this the map is drawn finer.
_DENSE_ROUTES = 60

#: With more stops than this the printed map has no numbers and no arrows: they would cover it.
_MAX_NUMBERED = 160

#: Size of an arrowhead, and the shortest arc that has one, in units of the map.
_ARROW, _SHORTEST_ARC = 7.0, 34.0


@dataclass(frozen=True, slots=True)
class MapPicture:
    """Where the stops lie in the map, and how high it is."""

    points: FloatArray
    height: float

    @classmethod
    def of(cls, instance: Instance) -> MapPicture | None:
        """Return the map of an instance; None without coordinates."""
        points = screen_points(instance, MAP_WIDTH, MAP_WIDTH)
        if points is None:
            return None
        width, height = np.ptp(points, axis=0).tolist()
        # The margins of the two sides are as wide as those above and below.
        wanted = (MAP_WIDTH - 2 * MARGIN) * height / width + 2 * MARGIN if width else _MAX_HEIGHT
        height = round(min(max(wanted, _MIN_HEIGHT), _MAX_HEIGHT))
        placed = screen_points(instance, MAP_WIDTH, height)
        assert placed is not None
        return cls(placed, height)


def map_card(
    instance: Instance,
    picture: MapPicture | None,
    routes: Sequence[CostedRoute],
    colours: Sequence[RouteColour],
    show: Presentation,
) -> str:
    """Return the routes for print, and the canvas on which the script draws them."""
    if picture is None:
        return f'<div class="card mapcard"><p class="nomap">{escape(show.text("no_map"))}</p></div>'
    points = picture.points
    is_numbered = sum(len(route.customers) for route, _ in routes) <= _MAX_NUMBERED
    shapes = "".join(
        _route_shape(instance, points, route, colour, index, is_numbered=is_numbered)
        for index, ((route, _), colour) in enumerate(zip(routes, colours, strict=True))
    )
    depots = [instance.depot_node(depot) for depot in range(instance.num_depots)]
    names = ["dense"] if len(routes) > _DENSE_ROUTES else []
    names += ["numbered"] if is_numbered else []
    buttons = "".join(
        f'<button type="button" id="{key}" aria-label="{escape(show.text(text))}">{sign}</button>'
        for key, text, sign in (
            ("zoomin", "zoom_in", "+"),
            ("zoomout", "zoom_out", "−"),
            ("zoomfit", "zoom_fit", "⤢"),
        )
    )
    return (
        f'<div class="card mapcard"><svg id="map" viewBox="0 0 {MAP_WIDTH:g} {picture.height:g}" '
        f'role="img" aria-label="{escape(show.text("map_label"))}">'
        f'<g id="view" class="{" ".join(names)}">{shapes}'
        f'<path class="depot" d="{dots_data(points, depots)}"/></g></svg>'
        f'<canvas id="canvas" tabindex="0" aria-label="{escape(show.text("map_keys"))}"></canvas>'
        f'<div class="zoom">{buttons}</div>'
        f'<div class="hint">{escape(show.text("hint"))}</div></div>'
    )


def panel(
    instance: Instance,
    evaluation: Evaluation,
    routes: Sequence[CostedRoute],
    colours: Sequence[RouteColour],
    show: Presentation,
) -> str:
    """Return the switches beside the map."""
    types = "".join(
        f'<label class="row"><input type="checkbox" checked value="{used.vehicle_type}">'
        f"{type_key(used.vehicle_type)}"
        f'<span class="name">{type_name(instance, used.vehicle_type)}</span>'
        f'<span class="side">{escape(show.text("hired", count=used.count))} · '
        f"{show.percent(used.load_factor)}</span></label>"
        for used in evaluation.types
        if used.count
    )
    rows = "".join(
        f'<label class="row"><input type="checkbox" checked>{route_key(colour)}'
        f'<span class="name">{index} · {type_name(instance, route.vehicle_type)}</span>'
        f'<span class="side">{escape(show.stops(len(route.customers)))} · '
        f"{escape(show.money(cost.cost))}</span></label>"
        for index, ((route, cost), colour) in enumerate(zip(routes, colours, strict=True), start=1)
    )
    return (
        f'<div class="card panel"><div class="heading"><h2>{escape(show.text("vehicle_types"))}'
        f'</h2></div><div id="types">{types}</div><div class="heading"><h2>'
        f"{escape(show.text('routes'))}</h2><span>"
        f'<button type="button" id="all">{escape(show.text("all"))}</button>'
        f'<button type="button" id="none">{escape(show.text("none"))}</button>'
        f'</span></div><div id="routelist">{rows}</div></div>'
    )


def _route_shape(
    instance: Instance,
    points: FloatArray,
    route: Route,
    colour: RouteColour,
    index: int,
    *,
    is_numbered: bool,
) -> str:
    tour = instance.tour(route.vehicle_type, route.customers)
    dash = "" if colour.dash == "none" else f' style="stroke-dasharray:{colour.dash}"'
    numbers = ""
    if is_numbered:
        numbers = f'<path class="arrows" d="{_arrows_data(points, tour)}"/>'
    dots = f'<path class="dots" d="{dots_data(points, route.customers)}"/>'
    if is_numbered:
        dots += "".join(
            f'<text x="{x:.2f}" y="{y + 3.6:.2f}">{position}</text>'
            for position, (x, y) in enumerate(points[list(route.customers)], start=1)
        )
    return (
        f'<g class="route rc" style="{colour.style}" data-route="{index}">'
        f'<path class="depot-arcs" d="{depot_arcs_data(points, tour)}"/>'
        f'<path class="line" d="{path_data(points, route.customers)}"{dash}/>'
        f"{numbers}{dots}</g>"
    )


def _arrows_data(points: FloatArray, tour: Sequence[int]) -> str:
    """Return an arrowhead in the middle of every arc that is long enough, as one path."""
    heads = []
    for (from_x, from_y), (to_x, to_y) in pairwise(points[list(tour)].tolist()):
        length = math.hypot(to_x - from_x, to_y - from_y)
        if length < _SHORTEST_ARC:
            continue
        across, down = (to_x - from_x) / length, (to_y - from_y) / length
        tip_x, tip_y = (from_x + to_x) / 2 + across * _ARROW, (from_y + to_y) / 2 + down * _ARROW
        back_x, back_y = tip_x - 1.7 * _ARROW * across, tip_y - 1.7 * _ARROW * down
        side_x, side_y = -down * 0.62 * _ARROW, across * 0.62 * _ARROW
        heads.append(
            f"M{tip_x:.1f} {tip_y:.1f}L{back_x + side_x:.1f} {back_y + side_y:.1f}"
            f"L{back_x - side_x:.1f} {back_y - side_y:.1f}Z"
        )
    return "".join(heads)
