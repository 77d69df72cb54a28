"""How the report writes numbers and names."""

from __future__ import annotations

from html import escape

__all__ = ["escape", "number", "percent", "quantity", "seconds_text"]


def number(value: float) -> str:
    """Two decimals with thousands separated; tiny and huge values by their leading digits."""
    size = abs(value)
    if size != 0 and (size < 0.01 or size >= 1e12):
        return f"{value:.4g}"
    return f"{value:,.2f}"


def quantity(value: float) -> str:
    """Write a load or capacity: as a cost, but a whole number without decimals."""
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
