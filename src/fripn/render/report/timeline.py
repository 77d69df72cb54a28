"""When every vehicle drives, waits and serves: the schedule of a plan, as SVG."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from fripn.messages import named
from fripn.problem import Instance
from fripn.problem.schedule import RouteSchedule
from fripn.render.axes import nice_ticks
from fripn.render.colours import RouteColour
from fripn.render.presentation import Presentation
from fripn.render.report.parts import CostedRoute
from fripn.render.text import escape

WIDTH = 1000.0
_LEFT, _RIGHT, _TOP, _ROW = 150.0, 14.0, 26.0, 26.0

#: Steps of the axis in hours, where the unit of time is known.
_STEPS = (0.25, 0.5, 1.0, 2.0, 3.0, 6.0, 12.0, 24.0)
_MOST_TICKS = 13

#: Services wider than this have the number of their stop.
_NUMBERED = 11.0


def timeline_card(
    instance: Instance,
    routes: Sequence[CostedRoute],
    colours: Sequence[RouteColour],
    show: Presentation,
) -> str:
    """Return the card with a row per route; nothing for an instance without times."""
    rows = [
        (index, route, cost.schedule, colour)
        for index, ((route, cost), colour) in enumerate(zip(routes, colours, strict=True), start=1)
        if cost.schedule is not None
    ]
    if not rows:
        return ""
    first = min(schedule.departure for _, _, schedule, _ in rows)
    last = max(schedule.end for _, _, schedule, _ in rows)
    span = last - first or 1.0
    height = _TOP + _ROW * len(rows) + 6

    def across(time: float) -> float:
        return _LEFT + (WIDTH - _LEFT - _RIGHT) * (time - first) / span

    parts = []
    for tick in _ticks(first, first + span, instance, show):
        x = across(tick)
        parts.append(
            f'<line class="axis" x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP - 6:g}" y2="{height - 6:g}"/>'
            f'<text x="{x:.1f}" y="14" text-anchor="middle">{escape(show.clock(tick, instance))}'
            "</text>"
        )
    for place, (index, route, schedule, colour) in enumerate(rows):
        middle = _TOP + _ROW * (place + 0.5)
        name = named(instance.vehicle_types[route.vehicle_type].name)
        label = f"{index} · {name}"
        label = label if len(label) <= 20 else f"{label[:19]}…"
        parts.append(
            f'<g class="rc" style="{colour.style}">'
            f'<text x="4" y="{middle + 4:.1f}">{escape(label)}</text>'
            f"{_bars(instance, schedule, across, middle, show)}</g>"
        )
    return (
        f'<div class="card"><h2>{escape(show.text("timeline"))}</h2>'
        f'<p class="legend">{escape(show.text("timeline_legend"))}</p><div class="scroll">'
        f'<svg id="timeline" viewBox="0 0 {WIDTH:g} {height:g}" role="img" '
        f'aria-label="{escape(show.text("timeline"))}">{"".join(parts)}</svg></div></div>'
    )


def _bars(
    instance: Instance,
    schedule: RouteSchedule,
    across: Callable[[float], float],
    middle: float,
    show: Presentation,
) -> str:
    def clock(time: float) -> str:
        return show.clock(time, instance)

    start, end = across(schedule.departure), across(schedule.end)
    parts = [
        f'<path class="drive" d="M{start:.1f} {middle:.1f}H{end:.1f}"><title>'
        f"{escape(clock(schedule.departure))} – {escape(clock(schedule.end))}</title></path>"
    ]
    for position, visit in enumerate(schedule.visits, start=1):
        arrival, begin, leave = map(across, (visit.arrival, visit.start, visit.departure))
        name = escape(named(instance.stop_label(visit.stop)))
        if begin - arrival > 0.5:
            text = show.text("waits", start=clock(visit.arrival), end=clock(visit.start))
            parts.append(
                f'<rect class="wait" x="{arrival:.1f}" y="{middle - 4:.1f}" '
                f'width="{begin - arrival:.1f}" height="8"><title>{name}: {escape(text)}</title>'
                "</rect>"
            )
        width = max(leave - begin, 2.0)
        text = show.text("serves", start=clock(visit.start), end=clock(visit.departure))
        parts.append(
            f'<rect class="serve" x="{begin:.1f}" y="{middle - 8:.1f}" width="{width:.1f}" '
            f'height="16" rx="2"><title>{position} · {name}: {escape(text)}</title></rect>'
        )
        if width >= _NUMBERED:
            parts.append(
                f'<text class="on" x="{begin + width / 2:.1f}" y="{middle + 3.6:.1f}" '
                f'text-anchor="middle">{position}</text>'
            )
    return "".join(parts)


def _ticks(low: float, high: float, instance: Instance, show: Presentation) -> list[float]:
    """Return full hours, or round numbers where the unit of time is not known."""
    if not show.has_clock(instance):
        return nice_ticks(low, high, 8)
    hour = instance.hour
    step = next((s for s in _STEPS if (high - low) / (s * hour) <= _MOST_TICKS), None)
    if step is None:
        step = 24.0 * math.ceil((high - low) / hour / 24.0 / _MOST_TICKS)
    width = step * hour
    first, last = math.ceil(low / width - 1e-9), math.floor(high / width + 1e-9)
    return [tick * width for tick in range(first, last + 1)]
