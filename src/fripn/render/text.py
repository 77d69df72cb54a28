"""Numbers, durations and fleets as text."""

from __future__ import annotations

from collections import Counter
from html import escape

from fripn.messages import named
from fripn.problem import Instance, Solution

__all__ = ["escape", "fleet_text", "number", "percent", "quantity", "seconds_text"]


def number(value: float) -> str:
    """Two decimals with thousands separated; tiny and huge values by their leading digits."""
    size = abs(value)
    if size != 0 and (size < 0.01 or size >= 1e12):
        return f"{value:.4g}"
    return f"{value:,.2f}"


def quantity(value: float) -> str:
    """Write a load or capacity: as a cost, but an integer without decimals."""
    return f"{value:,.0f}" if value == round(value) and abs(value) < 1e12 else number(value)


def percent(share: float, decimals: int = 0) -> str:
    """Write a share as percent."""
    return f"{100 * share:.{decimals}f} %"


def seconds_text(seconds: float) -> str:
    """Write a duration: milliseconds below a second, minutes above two."""
    if seconds < 1:
        return f"{1000 * seconds:.0f} ms"
    if seconds < 120:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.1f} min"


def fleet_text(instance: Instance, solution: Solution) -> str:
    """Return what is hired, such as ``2 × A, 5 × C``."""
    counts = Counter(route.vehicle_type for route in solution.routes if route.customers)
    return ", ".join(
        f"{counts[index]} × {named(vehicle.name)}"
        for index, vehicle in enumerate(instance.vehicle_types)
        if counts[index]
    )
