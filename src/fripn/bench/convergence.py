"""How the gap falls with time, per method, from the curves in lines."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from fripn.bench.lines import Line
from fripn.bench.report import describe_budget, latest_runs, reference_costs
from fripn.errors import InvalidFile, MissingExtra
from fripn.problem.instance import FloatArray
from fripn.render.line_chart import Panel, draw_panels
from fripn.result import gap_percent

#: Points of a line.
NUM_POINTS = 200


def plot_convergence(lines: Sequence[Line], path: Path) -> None:
    """Draw the mean gap of every method over time, a chart per suite.

    A line begins where every run of the method has a plan.

    Parameters
    ----------
    lines
        Lines with curves, as ``fripn bench run --curve`` writes them.
    path
        The .svg file.

    Raises
    ------
    InvalidFile
        When no line has a curve, or the file has another ending.
    MissingExtra
        When matplotlib is not installed.
    """
    if path.suffix.lower() != ".svg":
        raise InvalidFile(
            f"{path} does not end in .svg", field="--plot", value=path, remedy="name an .svg file"
        )
    if importlib.util.find_spec("matplotlib") is None:
        raise MissingExtra(
            "--plot needs the package 'matplotlib', which is not installed",
            field="package",
            value="matplotlib",
            remedy="run: pip install 'fripn[plot]'",
        )
    runs = latest_runs(lines)
    references = reference_costs(runs)
    suites: dict[str, dict[str, list[Line]]] = {}
    for line in runs:
        if line.get("curve") and (line["suite"], line["instance"]) in references:
            name = f"{line['method']}, {describe_budget(line)}, threads: {line['threads']}"
            suites.setdefault(line["suite"], {}).setdefault(name, []).append(line)
    if not suites:
        raise InvalidFile(
            "no line has a curve", field="--plot", remedy="run fripn bench run with --curve"
        )
    panels = []
    for suite, methods in suites.items():
        series = {}
        for name, mine in methods.items():
            first = max(line["curve"][0][0] for line in mine)
            last = max(line["seconds"] for line in mine)
            times = np.geomspace(max(first, 1e-3), max(last, first, 1e-3), NUM_POINTS)
            gaps = [_gaps(line, references[suite, line["instance"]], times) for line in mine]
            series[name] = (times.tolist(), np.mean(gaps, axis=0).tolist())
        panels.append(Panel(suite, "seconds", "mean gap %", series, logarithmic=True))
    draw_panels(panels, path)


def _gaps(line: Line, reference: float, times: FloatArray) -> FloatArray:
    """Return the gap of a run at each time."""
    seconds = np.array([point[0] for point in line["curve"]])
    gaps = np.array([gap_percent(point[1], reference) for point in line["curve"]])
    found = np.searchsorted(seconds, times, side="right") - 1
    return np.asarray(gaps[np.maximum(found, 0)], dtype=np.float64)
