"""The timeline of a plan as a picture: when every vehicle drives, waits and serves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO

from fripn.messages import named
from fripn.problem.evaluate import Evaluation
from fripn.problem.instance import Instance
from fripn.problem.schedule import RouteSchedule
from fripn.problem.solution import Solution
from fripn.render.axes import nice_ticks, tick_labels
from fripn.render.colours import RouteColour, number_colour, route_colours
from fripn.render.png import check_png_is_possible
from fripn.render.presentation import Presentation
from fripn.render.svg import xml_text

WIDTH = 960.0
_LEFT, _RIGHT, _TOP, _ROW, _FOOT = 170.0, 24.0, 72.0, 26.0, 40.0

#: Steps of the axis in hours, where the unit of time is known.
_STEPS = (0.25, 0.5, 1.0, 2.0, 3.0, 6.0, 12.0, 24.0)
_MOST_TICKS = 13

#: Services wider than this have the number of their stop.
NUMBERED = 11.0

#: Characters of the name of a route, and of the title.
_LONGEST_NAME, _LONGEST_TITLE = 20, 80

_STYLE = (
    "text{font-family:'DejaVu Sans',Verdana,'Helvetica Neue',Arial,sans-serif;font-size:12px;"
    "fill:#1a1d23}.tick,.legend{font-size:11px;fill:#666666}.title{font-size:18px}"
    ".number{font-size:10px;font-weight:bold}.axis{stroke:#e6e6e6;stroke-width:1}"
    ".drive{stroke-width:2;fill:none}.wait{opacity:0.3}"
)


@dataclass(frozen=True, slots=True)
class TimelineRow:
    """One route in the timeline."""

    label: str
    schedule: RouteSchedule
    colour: RouteColour


def timeline_rows(
    instance: Instance, solution: Solution, evaluation: Evaluation, show: Presentation
) -> list[TimelineRow]:
    """Return a row for every route that has a schedule."""
    pairs = zip(solution.routes, evaluation.routes, strict=True)
    driven = [(route, cost) for route, cost in pairs if route.customers]
    colours = route_colours([route.vehicle_type for route, _ in driven], show.colours)
    return [
        TimelineRow(row_label(instance, number, route.vehicle_type), cost.schedule, colour)
        for number, ((route, cost), colour) in enumerate(zip(driven, colours, strict=True), start=1)
        if cost.schedule is not None
    ]


def row_label(instance: Instance, number: int, vehicle_type: int) -> str:
    """Return number and vehicle type of a route, shortened."""
    label = f"{number} · {named(instance.vehicle_types[vehicle_type].name)}"
    return label if len(label) <= _LONGEST_NAME else f"{label[: _LONGEST_NAME - 1]}…"


def time_ticks(
    low: float, high: float, instance: Instance, show: Presentation
) -> list[tuple[float, str]]:
    """Return full hours, or round numbers without a unit of time; each with its text."""
    if not show.has_clock(instance):
        ticks = nice_ticks(low, high, 8)
        return list(zip(ticks, tick_labels(ticks), strict=True))
    return [(tick, show.clock(tick, instance)) for tick in _hours(low, high, instance)]


def _hours(low: float, high: float, instance: Instance) -> list[float]:
    hour = instance.hour
    step = next((s for s in _STEPS if (high - low) / (s * hour) <= _MOST_TICKS), None)
    if step is None:
        step = 24.0 * math.ceil((high - low) / hour / 24.0 / _MOST_TICKS)
    width = step * hour
    first, last = math.ceil(low / width - 1e-9), math.floor(high / width + 1e-9)
    return [tick * width for tick in range(first, last + 1)]


def time_span(schedules: Sequence[RouteSchedule]) -> tuple[float, float]:
    """Return the first departure and the last end; an interval of some length."""
    first = min(schedule.departure for schedule in schedules)
    last = max(schedule.end for schedule in schedules)
    return first, last if last > first else first + 1.0


def timeline_chart_svg(
    instance: Instance, rows: Sequence[TimelineRow], title: str, show: Presentation
) -> str:
    """Return the timeline as the text of an SVG file."""
    first, last = time_span([row.schedule for row in rows])
    height = _TOP + _ROW * len(rows) + _FOOT
    bottom = height - _FOOT + 4

    def across(time: float) -> float:
        return _LEFT + (WIDTH - _LEFT - _RIGHT) * (time - first) / (last - first)

    axis = "\n".join(
        f'<path class="axis" d="M{across(tick):.1f} {_TOP - 6:g}V{bottom:g}"/>'
        f'<text class="tick" x="{across(tick):.1f}" y="{_TOP - 12:g}" text-anchor="middle">'
        f"{xml_text(label)}</text>"
        for tick, label in time_ticks(first, last, instance, show)
    )
    bars = []
    for place, row in enumerate(rows):
        middle = _TOP + _ROW * (place + 0.5)
        ends = (row.schedule.departure, row.schedule.end)
        driven = " – ".join(show.clock(time, instance) for time in ends)
        parts = [
            f'<text x="16" y="{middle + 4:.1f}">{xml_text(row.label)}</text>',
            f'<path class="drive" stroke="{row.colour.light}" d="M'
            f"{across(row.schedule.departure):.1f} {middle:.1f}H{across(row.schedule.end):.1f}"
            f'"><title>{xml_text(driven)}</title></path>',
        ]
        for position, visit in enumerate(row.schedule.visits, start=1):
            arrival, begin, leave = map(across, (visit.arrival, visit.start, visit.departure))
            name = named(instance.stop_label(visit.stop))
            if begin - arrival > 0.5:
                waits = show.text(
                    "waits",
                    start=show.clock(visit.arrival, instance),
                    end=show.clock(visit.start, instance),
                )
                parts.append(
                    f'<rect class="wait" x="{arrival:.1f}" y="{middle - 4:.1f}" '
                    f'width="{begin - arrival:.1f}" height="8" fill="{row.colour.light}">'
                    f"<title>{xml_text(f'{name}: {waits}')}</title></rect>"
                )
            serves = show.text(
                "serves",
                start=show.clock(visit.start, instance),
                end=show.clock(visit.departure, instance),
            )
            width = max(leave - begin, 2.0)
            parts.append(
                f'<rect x="{begin:.1f}" y="{middle - 8:.1f}" width="{width:.1f}" height="16" '
                f'rx="2" fill="{row.colour.light}">'
                f"<title>{xml_text(f'{position} · {name}: {serves}')}</title></rect>"
            )
            if width >= NUMBERED:
                parts.append(
                    f'<text class="number" x="{begin + width / 2:.1f}" y="{middle + 3.6:.1f}" '
                    f'text-anchor="middle" style="fill:{number_colour(row.colour.light)}">'
                    f"{position}</text>"
                )
        bars.append(f"<g>{''.join(parts)}</g>")
    shown = title if len(title) <= _LONGEST_TITLE else f"{title[: _LONGEST_TITLE - 1]}…"
    rows_text = "\n".join(bars)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:g} {height:g}" '
        f'width="{WIDTH:g}" height="{height:g}" role="img">\n'
        f"<title>{xml_text(title)}</title>\n<style>{_STYLE}</style>\n"
        f'<rect width="{WIDTH:g}" height="{height:g}" fill="#ffffff"/>\n'
        f'<text class="title" x="16" y="30">{xml_text(shown)}</text>\n{axis}\n{rows_text}\n'
        f'<text class="legend" x="16" y="{height - 12:g}">'
        f"{xml_text(show.text('timeline_legend'))}</text>\n</svg>\n"
    )


def draw_timeline_png(
    instance: Instance,
    rows: Sequence[TimelineRow],
    title: str,
    show: Presentation,
    buffer: IO[bytes],
) -> None:
    """Draw the timeline into an open binary file.

    Raises
    ------
    MissingExtra
        When matplotlib is not installed.
    """
    check_png_is_possible()
    from matplotlib.figure import Figure

    first, last = time_span([row.schedule for row in rows])
    figure = Figure(
        figsize=(9.6, min(400.0, 1.3 + 0.27 * len(rows))), layout="constrained", facecolor="white"
    )
    axes = figure.add_subplot()
    for place, row in enumerate(rows):
        colour = row.colour.light
        schedule = row.schedule
        axes.hlines(place, schedule.departure, schedule.end, colors=colour, linewidth=1.5)
        for position, visit in enumerate(schedule.visits, start=1):
            axes.barh(
                place, visit.waiting, left=visit.arrival, height=0.3, color=colour, alpha=0.3,
                linewidth=0,
            )  # fmt: skip
            # Services without length are seen, too.
            width = max(visit.departure - visit.start, 0.0025 * (last - first))
            axes.barh(place, width, left=visit.start, height=0.62, color=colour, linewidth=0)
            if width >= 0.016 * (last - first):
                axes.text(
                    visit.start + width / 2, place, str(position), ha="center", va="center",
                    fontsize=7, fontweight="bold", color=number_colour(colour),
                )  # fmt: skip
    margin = 0.01 * (last - first)
    axes.set_xlim(first - margin, last + margin)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    ticks = time_ticks(first, last, instance, show)
    labels = axes.set_xticks([tick for tick, _ in ticks], [label for _, label in ticks])
    names = axes.set_yticks(range(len(rows)), [row.label for row in rows])
    axes.grid(axis="x", color="#e6e6e6", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(colors="#666666", labelsize=8)
    axes.spines[:].set_color("#cccccc")
    heading = axes.set_title(title, loc="left", fontsize=13)
    legend = axes.set_xlabel(show.text("timeline_legend"), fontsize=8, color="#666666")
    # A dollar sign in a name is a dollar sign.
    heading.set_parse_math(False)
    legend.set_parse_math(False)
    for tick in (*labels, *names):
        tick.label1.set_parse_math(False)
    figure.savefig(buffer, format="png", dpi=140, metadata={"Software": None})
