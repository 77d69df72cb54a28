"""The picture of a plan as PNG, drawn by matplotlib (extra ``[plot]``)."""

from __future__ import annotations

import importlib.util
import math
from typing import IO, TYPE_CHECKING, Literal

import numpy as np

from fripn.errors import MissingExtra
from fripn.messages import named
from fripn.problem.evaluate import Evaluation
from fripn.problem.instance import FloatArray, Instance
from fripn.problem.solution import Solution
from fripn.render.svg import TYPE_DASHES, type_colour, type_dash

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_STYLES: tuple[Literal["solid", "dashed", "dotted"], ...] = ("solid", "dashed", "dotted")


def check_png_is_possible() -> None:
    """Refuse at once where matplotlib is not installed.

    Raises
    ------
    MissingExtra
        With what to do.
    """
    if importlib.util.find_spec("matplotlib") is None:
        raise MissingExtra(
            "a .png picture needs the package 'matplotlib', which is not installed",
            field="package",
            value="matplotlib",
            remedy="run: pip install 'fripn[plot]', or write .svg, which needs nothing",
        )


def draw_png(
    instance: Instance,
    solution: Solution,
    evaluation: Evaluation,
    title: str,
    buffer: IO[bytes],
) -> None:
    """Draw a plan into an open binary file; the instance has coordinates.

    Raises
    ------
    MissingExtra
        When matplotlib is not installed.
    """
    check_png_is_possible()
    from matplotlib.collections import LineCollection
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    assert instance.coordinates is not None
    places = instance.coordinates
    is_map = instance.is_geographic
    figure = Figure(figsize=(9.6, 7.2), layout="constrained", facecolor="white")
    axes = figure.add_subplot()
    crowd = 1.0 / math.sqrt(1.0 + instance.num_customers / 150.0)

    handles = []
    for used in evaluation.types:
        routes = [r for r in solution.routes if r.vehicle_type == used.vehicle_type and r.customers]
        if not routes:
            continue
        colour = type_colour(used.vehicle_type)
        style = _STYLES[TYPE_DASHES.index(type_dash(used.vehicle_type))]
        paths = [places[list(route.customers)] for route in routes]
        axes.add_collection(
            LineCollection(paths, colors=colour, linestyles=style, linewidths=0.6 + 1.2 * crowd)
        )
        # the arcs from and to the depot lie close together: thin and pale, they hide nothing
        tours = [instance.tour(route.vehicle_type, route.customers) for route in routes]
        ends = [places[tour[:2]] for tour in tours]
        ends += [places[tour[-2:]] for tour in tours if tour[-1] == tour[0]]
        axes.add_collection(
            LineCollection(ends, colors=colour, linestyles=style, linewidths=0.8, alpha=0.3)
        )
        vehicle = instance.vehicle_types[used.vehicle_type]
        handles.append(
            Line2D(
                [], [], color=colour, linestyle=style, linewidth=2, marker="o", markersize=5,
                label=f"{used.count} × {named(vehicle.name)}  "
                f"(capacity {vehicle.capacity_text}, {used.load_factor:.0%} load factor)",
            )
        )  # fmt: skip
        served = np.concatenate(paths)
        axes.scatter(
            served[:, 0], served[:, 1], s=4 + 24 * crowd * crowd, color=colour, edgecolors="white",
            linewidths=0.5 * crowd, zorder=3,
        )  # fmt: skip
    depots = [instance.depot_node(depot) for depot in range(instance.num_depots)]
    axes.scatter(
        places[depots, 0],
        places[depots, 1],
        s=130,
        marker="s",
        color="#222222",
        edgecolors="white",
        linewidths=1.2,
        zorder=4,
    )
    handles.append(
        Line2D([], [], color="#222222", marker="s", markersize=8, linestyle="none", label="depot")
    )
    _frame(axes, places, is_map)
    heading = axes.set_title(title, loc="left", fontsize=13)
    legend = figure.legend(
        handles=handles, loc="outside lower center", ncols=min(3, len(handles)), frameon=False
    )
    for text in (heading, *legend.get_texts()):
        text.set_parse_math(False)  # a dollar sign in a name is a dollar sign
    # the version of matplotlib in the file would be noise in version control
    figure.savefig(buffer, format="png", dpi=140, metadata={"Software": None})


def _frame(axes: Axes, places: FloatArray, is_map: bool) -> None:
    """Equal scales on both axes (on a map: at its middle latitude), a margin, few lines."""
    low, high = places.min(axis=0), places.max(axis=0)
    margin = 0.04 * float((high - low).max() or 1.0)
    axes.set_xlim(low[0] - margin, high[0] + margin)
    axes.set_ylim(low[1] - margin, high[1] + margin)
    stretch = 1.0
    if is_map:
        stretch = 1.0 / max(math.cos(math.radians(float(low[1] + high[1]) / 2)), 0.05)
        axes.set_xlabel("longitude")
        axes.set_ylabel("latitude")
    axes.set_aspect(stretch, adjustable="box")
    axes.grid(color="#e6e6e6", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(colors="#666666", labelsize=8)
    axes.spines[:].set_color("#cccccc")
