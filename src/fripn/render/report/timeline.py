"""When every vehicle drives, waits and serves: the schedule of a plan, as SVG."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fripn.messages import named
from fripn.problem import Instance
from fripn.problem.schedule import RouteSchedule
from fripn.render.colours import RouteColour
from fripn.render.presentation import Presentation
from fripn.render.report.parts import CostedRoute
from fripn.render.text import escape
from fripn.render.timeline_chart import NUMBERED, row_label, time_span, time_ticks

WIDTH = 1000.0
_LEFT, _RIGHT, _TOP, _ROW = 150.0, 14.0, 26.0, 26.0


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
    first, last = time_span([schedule for _, _, schedule, _ in rows])
    span = last - first
    height = _TOP + _ROW * len(rows) + 6

    def across(time: float) -> float:
        return _LEFT + (WIDTH - _LEFT - _RIGHT) * (time - first) / span

    parts = []
    for tick, label in time_ticks(first, last, instance, show):
        x = across(tick)
        parts.append(
            f'<line class="axis" x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP - 6:g}" y2="{height - 6:g}"/>'
            f'<text x="{x:.1f}" y="14" text-anchor="middle">{escape(label)}</text>'
        )
    for place, (index, route, schedule, colour) in enumerate(rows):
        middle = _TOP + _ROW * (place + 0.5)
        label = row_label(instance, index, route.vehicle_type)
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
        if width >= NUMBERED:
            parts.append(
                f'<text class="on" x="{begin + width / 2:.1f}" y="{middle + 3.6:.1f}" '
                f'text-anchor="middle">{position}</text>'
            )
    return "".join(parts)
