"""Colours of routes: a shade of the type's colour, the type's colour, or one per route."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from fripn.render.presentation import Colours
from fripn.render.svg import TYPE_COLOURS, type_colour, type_dash

#: `TYPE_COLOURS` on a dark page.
DARK_COLOURS = (
    "#5ab0f0",
    "#ff9355",
    "#3ccb9f",
    "#e08bc9",
    "#dcba3b",
    "#ffcdd8",
    "#a99dff",
    "#b8bdc6",
)

#: How far a shade goes from its colour: toward black, and toward white. Light shades stay visible
#: on white paper.
_DARKEST, _LIGHTEST = 0.5, 0.4

#: Steps of the golden section put successive routes of a type far apart in its range of shades.
_GOLDEN = 0.6180339887498949


@dataclass(frozen=True, slots=True)
class RouteColour:
    """The colour of a route on a light and on a dark page, and its dash pattern."""

    light: str
    dark: str
    dash: str

    @property
    def number_colours(self) -> tuple[str, str]:
        """Colours of numbers on it, on a light and on a dark page."""
        return number_colour(self.light), number_colour(self.dark)

    @property
    def style(self) -> str:
        """Return the variables of the page's style sheet."""
        on_light, on_dark = self.number_colours
        return f"--l:{self.light};--d:{self.dark};--ln:{on_light};--dn:{on_dark}"


def route_colours(vehicle_types: Sequence[int], colours: Colours) -> list[RouteColour]:
    """Return the colours of routes, given the vehicle type of each."""
    if colours == "route":
        return [_coloured_by_route(index) for index in range(len(vehicle_types))]
    totals, seen = Counter(vehicle_types), Counter[int]()
    shades = {vehicle_type: _shades(count) for vehicle_type, count in totals.items()}
    chosen = []
    for vehicle_type in vehicle_types:
        shade = shades[vehicle_type][seen[vehicle_type]] if colours == "shade" else 0.0
        seen[vehicle_type] += 1
        dark = DARK_COLOURS[vehicle_type % len(DARK_COLOURS)]
        chosen.append(
            RouteColour(
                _shade(type_colour(vehicle_type), shade),
                _shade(dark, shade),
                type_dash(vehicle_type),
            )
        )
    return chosen


def number_colour(background: str) -> str:
    """Return white or black, whichever can be read on a colour: always 4.5:1 or more.

    References
    ----------
    Web Content Accessibility Guidelines 2.2, contrast ratio, https://www.w3.org/TR/WCAG22/
    """
    return max(("#ffffff", "#000000"), key=lambda colour: contrast(colour, background))


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio of two colours, from 1 to 21."""
    low, high = sorted((_luminance(first), _luminance(second)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    parts = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _coloured_by_route(index: int) -> RouteColour:
    place, turn = index % len(TYPE_COLOURS), index // len(TYPE_COLOURS)
    shade = (0.0, -1.0, 1.0)[turn % 3]
    return RouteColour(
        _shade(TYPE_COLOURS[place], shade), _shade(DARK_COLOURS[place], shade), type_dash(index)
    )


def _shades(count: int) -> list[float]:
    """Return evenly spaced shades from -1 to 1 in an order that keeps neighbours apart."""
    if count == 1:
        return [0.0]
    order = sorted(range(count), key=lambda index: index * _GOLDEN % 1.0)
    rank = {index: place for place, index in enumerate(order)}
    return [2 * rank[index] / (count - 1) - 1 for index in range(count)]


def _shade(colour: str, shade: float) -> str:
    """Return a colour mixed with black (-1 … 0) or with white (0 … 1)."""
    target, share = (0, -shade * _DARKEST) if shade < 0 else (255, shade * _LIGHTEST)
    parts = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return "#" + "".join(f"{round(part + (target - part) * share):02x}" for part in parts)
