"""Round numbers for the axes of pictures."""

from __future__ import annotations

import math
from itertools import pairwise


def nice_ticks(low: float, high: float, wanted: int = 5) -> list[float]:
    """Return round numbers between two values."""
    raw = (high - low) / wanted
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * unit for unit in (1, 2, 2.5, 5, 10) if power * unit >= raw)
    start = math.ceil(low / step)
    return [tick * step for tick in range(start, math.floor(high / step) + 1)]


def tick_labels(ticks: list[float]) -> list[str]:
    """Return the ticks as text, all with as many decimals as their distance needs."""
    step = min((b - a for a, b in pairwise(ticks)), default=0.0)
    largest = max(map(abs, ticks), default=0.0)
    if step <= 0 or largest >= 1e7 or largest < 1e-3:
        digits = 6 if step <= 0 else math.ceil(math.log10(largest / step)) + 2
        return [f"{tick:.{digits}g}" for tick in ticks]
    decimals = next((d for d in range(9) if math.isclose(step, round(step, d), rel_tol=1e-6)), 9)
    return [f"{tick:.{decimals}f}" for tick in ticks]
