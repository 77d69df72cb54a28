"""The picture of a plan as an SVG file: title, axes, routes and legend, without any library."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fripn.messages import named
from fripn.problem.evaluate import Evaluation, RouteCost
from fripn.problem.instance import FloatArray, Instance
from fripn.problem.solution import Route, Solution
from fripn.render.axes import nice_ticks, tick_labels
from fripn.render.svg import depot_arcs_data, path_data, type_colour, type_dash, xml_text
from fripn.render.text import number, quantity

_WIDTH = 960.0
#: What the map may take; the picture gets as high as its map.
_MAP_WIDTH, _MAP_HEIGHT = 860.0, 640.0
_LEFT, _TOP = 70.0, 48.0
_ROW = 24.0

#: Width of a character in em, a little above the mean of the usual sans-serif fonts.
_CHARACTER = 0.6
_TITLE_SIZE, _LEGEND_SIZE = 18.0, 14.0

_STYLE = (
    "text{font-family:'DejaVu Sans',Verdana,'Helvetica Neue',Arial,sans-serif;fill:#1a1d23}"
    ".tick{font-size:11px;fill:#666666}.legend{font-size:14px}.title{font-size:18px}"
    ".grid{stroke:#e6e6e6;stroke-width:1}.frame{fill:none;stroke:#cccccc}"
    ".routes{fill:none;stroke-linecap:round;stroke-linejoin:round}"
)


@dataclass(frozen=True, slots=True)
class _Frame:
    """Where the map lies in the picture, and which part of the world it shows."""

    left: float
    width: float
    height: float
    low: tuple[float, float]
    high: tuple[float, float]

    @classmethod
    def around(cls, places: FloatArray, stretch: float) -> _Frame:
        """Return a frame with a margin, a unit across being 1 / `stretch` of a unit up."""
        margin = 0.04 * float(np.ptp(places, axis=0).max() or 1.0)
        # Far from the origin, where floating-point numbers are sparse, the frame is still open.
        margin = max(margin, 1e-12 * float(np.abs(places).max()))
        west, south = (places.min(axis=0) - margin).tolist()
        east, north = (places.max(axis=0) + margin).tolist()
        across, up = (east - west) / stretch, north - south
        scale = min(_MAP_WIDTH / across, _MAP_HEIGHT / up)
        width, height = across * scale, up * scale
        left = _LEFT + (_MAP_WIDTH - width) / 2
        return cls(left, width, height, (west, south), (east, north))

    def x(self, value: float) -> float:
        """Return the place of a first coordinate."""
        return self.left + self.width * (value - self.low[0]) / (self.high[0] - self.low[0])

    def y(self, value: float) -> float:
        """Return the place of a second coordinate; up is up."""
        return _TOP + self.height * (self.high[1] - value) / (self.high[1] - self.low[1])

    @property
    def bottom(self) -> float:
        """Lower edge of the map."""
        return _TOP + self.height


def plan_chart_svg(
    instance: Instance, solution: Solution, evaluation: Evaluation, title: str
) -> str:
    """Return the picture of a plan as the text of an SVG file; the instance has coordinates."""
    assert instance.coordinates is not None
    places = instance.coordinates
    is_map = instance.is_geographic
    frame = _Frame.around(places, _stretch(places) if is_map else 1.0)
    points = np.array([(frame.x(x), frame.y(y)) for x, y in places.tolist()])
    axes_bottom = frame.bottom + (44.0 if is_map else 26.0)
    legend, legend_height = _legend(instance, evaluation, axes_bottom + _ROW)
    height = axes_bottom + legend_height + 20.0
    shown = _shortened(title, _TITLE_SIZE, _WIDTH - frame.left - 16.0)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH:g} {height:.0f}" '
        f'width="{_WIDTH:g}" height="{height:.0f}" role="img">\n'
        f"<title>{xml_text(title)}</title>\n<style>{_STYLE}</style>\n"
        f'<rect width="{_WIDTH:g}" height="{height:.0f}" fill="#ffffff"/>\n'
        f'<text class="title" x="{frame.left:.1f}" y="{_TOP - 14:g}">{xml_text(shown)}</text>\n'
        f"{_axes(frame, is_map)}\n{_routes(instance, solution, evaluation, points)}\n{legend}\n"
        "</svg>\n"
    )


def _stretch(places: FloatArray) -> float:
    """Return how much narrower a degree of longitude is than one of latitude, in the middle."""
    middle = float(places[:, 1].min() + places[:, 1].max()) / 2
    return 1.0 / max(math.cos(math.radians(middle)), 0.05)


def _axes(frame: _Frame, is_map: bool) -> str:
    parts = []
    ticks = nice_ticks(frame.low[0], frame.high[0], max(2, round(frame.width / 70)))
    for tick, label in zip(ticks, tick_labels(ticks), strict=True):
        x = frame.x(tick)
        parts.append(
            f'<path class="grid" d="M{x:.1f} {_TOP:g}V{frame.bottom:.1f}"/>'
            f'<text class="tick" x="{x:.1f}" y="{frame.bottom + 16:.1f}" text-anchor="middle">'
            f"{label}</text>"
        )
    ticks = nice_ticks(frame.low[1], frame.high[1], max(2, round(frame.height / 70)))
    for tick, label in zip(ticks, tick_labels(ticks), strict=True):
        y = frame.y(tick)
        parts.append(
            f'<path class="grid" d="M{frame.left:.1f} {y:.1f}h{frame.width:.1f}"/>'
            f'<text class="tick" x="{frame.left - 7:.1f}" y="{y + 4:.1f}" text-anchor="end">'
            f"{label}</text>"
        )
    if is_map:
        middle, side = _TOP + frame.height / 2, frame.left - 54
        parts.append(
            f'<text class="tick" x="{frame.left + frame.width / 2:.1f}" '
            f'y="{frame.bottom + 34:.1f}" text-anchor="middle">longitude</text>'
            f'<text class="tick" x="{side:.1f}" y="{middle:.1f}" text-anchor="middle" '
            f'transform="rotate(-90 {side:.1f} {middle:.1f})">latitude</text>'
        )
    parts.append(
        f'<rect class="frame" x="{frame.left:.1f}" y="{_TOP:g}" '
        f'width="{frame.width:.1f}" height="{frame.height:.1f}"/>'
    )
    return "\n".join(parts)


def _routes(
    instance: Instance, solution: Solution, evaluation: Evaluation, points: FloatArray
) -> str:
    """Draw lines first, dots above them, so that no line crosses the dot of another route."""
    crowd = 1.0 / math.sqrt(1.0 + instance.num_customers / 150.0)
    pairs = zip(solution.routes, evaluation.routes, strict=True)
    numbered = [
        (index, route, cost)
        for index, (route, cost) in enumerate(pairs, start=1)
        if route.customers
    ]
    lines = "\n".join(
        f'<g stroke="{type_colour(route.vehicle_type)}"{_dash(route.vehicle_type)}>'
        f"<title>{xml_text(_route_label(instance, index, route, cost))}</title>"
        # The arcs from and to the depot lie close together: thin and pale, they hide nothing.
        f'<path d="{depot_arcs_data(points, _tour(instance, route))}" stroke-width="1" '
        'stroke-opacity="0.35"/>'
        f'<path d="{path_data(points, route.customers)}" stroke-width="{0.8 + 1.8 * crowd:.2f}"/>'
        "</g>"
        for index, route, cost in numbered
    )
    radius = 1.6 + 2.6 * crowd
    dots = "\n".join(
        f'<g fill="{type_colour(route.vehicle_type)}">'
        + "".join(_dot(instance, points, stop, radius) for stop in route.customers)
        + "</g>"
        for _, route, _ in numbered
    )
    depots = "\n".join(
        _depot(instance, points, instance.depot_node(depot)) for depot in range(instance.num_depots)
    )
    return (
        f'<g class="routes">\n{lines}\n</g>\n'
        f'<g stroke="#ffffff" stroke-width="{0.8 * crowd:.2f}">\n{dots}\n</g>\n'
        f"{depots}"
    )


def _tour(instance: Instance, route: Route) -> list[int]:
    return instance.tour(route.vehicle_type, route.customers)


def _depot(instance: Instance, points: FloatArray, node: int) -> str:
    x, y = points[node]
    return (
        f'<rect x="{x - 8:.2f}" y="{y - 8:.2f}" width="16" height="16" fill="#222222" '
        f'stroke="#ffffff" stroke-width="1.5"><title>{xml_text(named(instance.stop_label(node)))}'
        "</title></rect>"
    )


def _dot(instance: Instance, points: FloatArray, stop: int, radius: float) -> str:
    x, y = points[stop]
    demands = ", ".join(quantity(demand) for demand in instance.load_matrix[stop].tolist())
    label = f"{named(instance.stop_label(stop))}, demand {demands}"
    return (
        f'<circle cx="{x:.2f}" cy="{y:.2f}" r="{radius:.2f}">'
        f"<title>{xml_text(label)}</title></circle>"
    )


def _route_label(instance: Instance, index: int, route: Route, cost: RouteCost) -> str:
    vehicle = instance.vehicle_types[route.vehicle_type]
    return (
        f"route {index}: {named(vehicle.name)}, {len(route.customers)} stops, load "
        f"{quantity(cost.load)} of {quantity(vehicle.main_capacity)}, cost {number(cost.cost)}"
    )


def _legend(instance: Instance, evaluation: Evaluation, top: float) -> tuple[str, float]:
    """Return the entries below the map, in as many columns as fit, and their height."""
    entries: list[tuple[int | None, str]] = []
    for used in evaluation.types:
        if used.count:
            vehicle = instance.vehicle_types[used.vehicle_type]
            name = _shortened(named(vehicle.name), _LEGEND_SIZE, 0.6 * _WIDTH)
            facts = f"(capacity {vehicle.capacity_text}, {used.load_factor:.0%} load factor)"
            entries.append((used.vehicle_type, f"{used.count} × {name}  {facts}"))
    entries.append((None, "depot"))
    widths_of_text = [_text_width(text, _LEGEND_SIZE) for _, text in entries]
    columns = next(
        count
        for count in range(min(3, len(entries)), 0, -1)
        if count == 1 or sum(_column_widths(widths_of_text, count)) <= _WIDTH - 40
    )
    widths = _column_widths(widths_of_text, columns)
    start = max(20.0, (_WIDTH - sum(widths)) / 2)
    parts = []
    for index, (vehicle_type, text) in enumerate(entries):
        x = start + sum(widths[: index % columns])
        y = top + _ROW * (index // columns)
        parts.append(
            f"{_key(vehicle_type, x, y - 5)}"
            f'<text class="legend" x="{x + 44:.1f}" y="{y:.1f}" xml:space="preserve">'
            f"{xml_text(text)}</text>"
        )
    return "\n".join(parts), _ROW * math.ceil(len(entries) / columns)


def _column_widths(widths_of_text: Sequence[float], columns: int) -> list[float]:
    """Return the width of each column with its key and a gap."""
    return [max(widths_of_text[column::columns]) + 44 + 20 for column in range(columns)]


def _key(vehicle_type: int | None, x: float, y: float) -> str:
    if vehicle_type is None:
        return f'<rect x="{x + 11:.1f}" y="{y - 7:.1f}" width="14" height="14" fill="#222222"/>'
    colour = type_colour(vehicle_type)
    return (
        f'<path d="M{x:.1f} {y:.1f}h36" stroke="{colour}" stroke-width="2.6"{_dash(vehicle_type)}/>'
        f'<circle cx="{x + 18:.1f}" cy="{y:.1f}" r="4.5" fill="{colour}"/>'
    )


def _dash(vehicle_type: int) -> str:
    dash = type_dash(vehicle_type)
    return "" if dash == "none" else f' stroke-dasharray="{dash}"'


def _text_width(text: str, size: float) -> float:
    return _CHARACTER * size * len(text)


def _shortened(text: str, size: float, room: float) -> str:
    most = max(8, int(room / (_CHARACTER * size)))
    return text if len(text) <= most else text[: most - 1] + "…"
