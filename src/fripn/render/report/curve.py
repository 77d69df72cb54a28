"""The improvement curve: cost of the best plan over time, as SVG."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from fripn.render.axes import nice_ticks
from fripn.render.presentation import Presentation
from fripn.render.text import escape
from fripn.result import Result

#: Maps a time or a cost to its place in the picture.
_Place = Callable[[float], float]

WIDTH, HEIGHT = 720.0, 300.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 84.0, 16.0, 18.0, 34.0

#: A run whose last improvement came this many times later than its first is drawn over log time:
#: most of the gain comes in the first moments.
_LOG_RATIO = 20.0


@dataclass(frozen=True, slots=True)
class CurvePicture:
    """The drawing, and where each improvement lies in it (for the tooltip)."""

    svg: str
    points: tuple[dict[str, float], ...]


def draw_curve(
    result: Result, best_known: float | None, show: Presentation | None = None
) -> CurvePicture | None:
    """Draw the cost over time; None when the run recorded no improvement."""
    show = show or Presentation()
    steps = [step for step in result.curve if math.isfinite(step.cost)]
    if not steps:
        return None
    first = max(steps[0].seconds, 1e-3)
    last = max(result.seconds, steps[-1].seconds, first)
    is_log = last / first > _LOG_RATIO
    costs = [step.cost for step in steps]
    # The known value joins the picture only if it does not squeeze the curve into a line.
    spread = max(costs) - min(costs) or abs(costs[0]) * 0.01 or 1.0
    known = best_known if best_known is not None and min(costs) - best_known < 2 * spread else None
    low = min([*costs, *([known] if known is not None else [])])
    high = max([*costs, *([known] if known is not None else [])])
    pad = 0.06 * (high - low) or 0.5 * spread
    low, high = low - pad, high + pad

    def across(seconds: float) -> float:
        seconds = min(max(seconds, first), last)
        span = math.log(last / first) if is_log else last
        done = math.log(seconds / first) if is_log else seconds
        return _LEFT + (WIDTH - _LEFT - _RIGHT) * (done / span if span else 0.0)

    def up(cost: float) -> float:
        return _TOP + (HEIGHT - _TOP - _BOTTOM) * (high - cost) / (high - low)

    points = tuple(
        {"x": round(across(step.seconds), 2), "seconds": step.seconds, "cost": step.cost}
        for step in steps
    )
    path = f"M{points[0]['x']:.1f} {up(costs[0]):.1f}"
    path += "".join(f"H{point['x']:.1f}V{up(point['cost']):.1f}" for point in points[1:])
    path += f"H{across(last):.1f}"
    dots = "".join(f"M{point['x']:.1f} {up(point['cost']):.1f}h0" for point in points)
    parts = [
        _cost_axis(low, high, up, show),
        _time_axis(first, last, is_log, across, show),
        f'<path class="cost" d="{path}"/><path class="points" d="{dots}"/>',
    ]
    if known is not None:
        # At the left, where the curve is still far above it.
        y = up(known)
        parts.append(
            f'<line class="known" x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
            f'<text class="knownlabel" x="{_LEFT + 4}" y="{y - 5:.1f}">'
            f"{escape(show.text('best_known'))} {show.number(known)}</text>"
        )
    label = escape(
        show.text("curve_label", first=show.number(costs[0]), last=show.number(costs[-1]))
    )
    svg = (
        f'<svg id="curve" viewBox="0 0 {WIDTH:g} {HEIGHT:g}" role="img" aria-label="{label}">'
        + "".join(parts)
        + "</svg>"
    )
    return CurvePicture(svg, points)


def _cost_axis(low: float, high: float, up: _Place, show: Presentation) -> str:
    return "".join(
        f'<line class="axis" x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
        f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{show.number(tick)}</text>'
        for tick in nice_ticks(low, high, 4)
        for y in (up(tick),)
    )


def _time_axis(first: float, last: float, is_log: bool, across: _Place, show: Presentation) -> str:
    if is_log:
        powers = range(math.floor(math.log10(first)), math.ceil(math.log10(last)) + 1)
        ticks = [10.0**power for power in powers if first <= 10.0**power <= last]
    else:
        ticks = nice_ticks(0.0, last)
    base = HEIGHT - _BOTTOM
    return f'<line class="axis" x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{base}" y2="{base}"/>' + (
        "".join(
            f'<line class="axis" x1="{x:.1f}" x2="{x:.1f}" y1="{base}" y2="{base + 5}"/>'
            f'<text x="{x:.1f}" y="{base + 20}" text-anchor="middle">{show.seconds(tick)}</text>'
            for tick in ticks
            for x in (across(tick),)
        )
    )
