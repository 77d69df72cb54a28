"""Line charts of measurements, as .svg files that are the same for the same numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Panel:
    """One chart of a figure.

    Parameters
    ----------
    title, x_label, y_label
        What is shown.
    series
        By name, the x and the y values of a line.
    logarithmic
        Whether the x axis is.
    """

    title: str
    x_label: str
    y_label: str
    series: Mapping[str, tuple[Sequence[float], Sequence[float]]]
    logarithmic: bool = False


def draw_panels(panels: Sequence[Panel], path: Path, columns: int = 3) -> None:
    """Draw charts beside and below each other.

    Parameters
    ----------
    panels
        The charts, in order.
    path
        The .svg file.
    columns
        How many stand beside each other, at most.
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    columns = min(columns, len(panels))
    rows = -(-len(panels) // columns)
    figure = Figure(figsize=(4.6 * columns, 3.4 * rows), layout="constrained")
    for place, panel in enumerate(panels, start=1):
        axes = figure.add_subplot(rows, columns, place)
        for name, (x, y) in panel.series.items():
            axes.plot(x, y, marker="." if len(x) < 50 else None, label=name)
        if panel.logarithmic:
            axes.set_xscale("log")
        axes.set_title(panel.title)
        axes.set_xlabel(panel.x_label)
        axes.set_ylabel(panel.y_label)
        axes.grid(alpha=0.3)
        axes.legend()
    with rc_context({"svg.hashsalt": "fripn"}):
        figure.savefig(path, format="svg", metadata={"Date": None})
