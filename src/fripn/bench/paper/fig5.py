"""Fig. 5: what the networks with and without the remaining graph embedding learn."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from fripn.bench.markdown import markdown_table
from fripn.bench.paper.protocol import NETWORKS
from fripn.bench.paper.published import SIZES, table1
from fripn.errors import InvalidFile
from fripn.render.line_chart import Panel, draw_panels

#: What is trained, by the name of a run without its number of customers: the paper's networks, and
#: the first of them once more from plans that it imitated.
CURVES = {**NETWORKS, "paper-imitation": "Ours, imitation start"}

#: Rows of the paper's Table 1 that curves are compared with.
_ROWS = {**NETWORKS, "paper-imitation": NETWORKS["paper"]}

#: Sizes at which the curve with an imitation start is wanted.
_IMITATION_SIZES = (20,)

#: Instances that the paper's networks have seen.
PAPER_INSTANCES = 20_000_000


class Point(NamedTuple):
    """A validation of a training run: instances seen so far, mean greedy and best sampled cost."""

    run: str
    instances: int
    greedy: float
    sampled: float


def runs_in(folder: Path) -> list[Point]:
    """Return the points of the training runs in a folder, ``paper-20`` and so on.

    Raises
    ------
    InvalidFile
        When the folder has none, or a curve cannot be read.
    """
    points = []
    for run in _run_names():
        path = folder / run / "curve.csv"
        if path.is_file():
            points += [Point(run, *point) for point in _curve(path)]
    if not points:
        raise InvalidFile(
            f"{folder} has no curve.csv of a run such as {_run_names()[0]}",
            field="folder",
            value=folder,
            remedy="name the folder that holds the folders of fripn train --out",
        )
    return points


def joined(published: Sequence[Point], new: Sequence[Point]) -> list[Point]:
    """Return published points with new ones, run by run.

    A new curve goes on where its run started: it replaces the published points from its first one
    on.
    """
    curves = _by_run(published)
    for run, curve in _by_run(new).items():
        first = min(point.instances for point in curve)
        curves[run] = [one for one in curves.get(run, []) if one.instances < first] + curve
    return [point for run in _run_names() for point in curves.get(run, [])]


def read_points(path: Path) -> list[Point]:
    """Return published points; none where there is no file."""
    if not path.is_file():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return [
            Point(row["run"], int(row["instances"]), float(row["greedy"]), float(row["sampled"]))
            for row in csv.DictReader(file)
        ]


def points_text(points: Sequence[Point]) -> str:
    """Return the points as CSV."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(Point._fields)
    writer.writerows(points)
    return text.getvalue()


def text(points: Sequence[Point], picture: str) -> str:
    """Return the end of each curve beside the paper's greedy cost, and the picture."""
    curves = _by_run(points)
    if not curves:
        return "Not measured: no training run has been published yet."
    rows = []
    for run, curve in curves.items():
        network, size = _network_and_size(run)
        paper = table1()[_ROWS[network], "greedy"][size].cost
        last = curve[-1]
        share = 100.0 * last.instances / PAPER_INSTANCES
        rows.append(
            [
                f"{CURVES[network]}, n = {size}",
                f"{last.instances:,}",
                f"{share:.2g}",
                f"{last.greedy:.2f}",
                f"{paper:.2f}",
            ]
        )
    header = [
        "network",
        "instances seen",
        "% of the paper's",
        "greedy, ours",
        "greedy, paper's Table 1",
    ]
    table = markdown_table(header, rows)
    return f"![Cost over instances seen]({picture})\n\n{table}"


def missing(points: Sequence[Point]) -> list[str]:
    """Name the runs at n = 20 and n = 50 without a curve."""
    curves = _by_run(points)
    return [f"curve of {run}" for run in _run_names() if run not in curves and _is_wanted(run)]


def draw(points: Sequence[Point], path: Path) -> None:
    """Draw the mean greedy cost over the instances seen, one panel per size."""
    panels: dict[int, dict[str, tuple[list[float], list[float]]]] = {}
    for run, curve in _by_run(points).items():
        network, size = _network_and_size(run)
        seen = [point.instances / 1000 for point in curve]
        costs = [point.greedy for point in curve]
        panels.setdefault(size, {})[CURVES[network]] = seen, costs
    draw_panels(
        [
            Panel(f"n = {size}", "thousands of instances seen", "mean cost, greedy", panels[size])
            for size in sorted(panels)
        ],
        path,
    )


def _run_names() -> list[str]:
    return [f"paper-{size}{network.removeprefix('paper')}" for size in SIZES for network in CURVES]


def _is_wanted(run: str) -> bool:
    network, size = _network_and_size(run)
    return size in ((20, 50) if network in NETWORKS else _IMITATION_SIZES)


def _network_and_size(run: str) -> tuple[str, int]:
    stem, size, *rest = run.split("-", 2)
    return "-".join([stem, *rest]), int(size)


def _by_run(points: Sequence[Point]) -> dict[str, list[Point]]:
    curves: defaultdict[str, list[Point]] = defaultdict(list)
    for point in points:
        curves[point.run].append(point)
    return dict(curves)


def _curve(path: Path) -> list[tuple[int, float, float]]:
    try:
        with path.open(newline="", encoding="utf-8") as file:
            return [
                (int(float(row["instances"])), float(row["greedy"]), float(row["sampled"]))
                for row in csv.DictReader(file)
            ]
    except (OSError, ValueError, KeyError, TypeError, csv.Error) as error:
        raise InvalidFile(
            f"{path} is not the curve of a run ({error})",
            field="curve",
            value=path,
            remedy="name another folder",
        ) from (None)
