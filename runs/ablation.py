"""Learning curves under one budget: without the remaining graph, the paper's network, and ours.

    python runs/ablation.py --validation out/first-validation --labels out/first-labels
        [--hours 0.1] [--networks without-graph,paper,cover] [--out out/ablation]
    python runs/ablation.py --validation out/first-validation --method reinforce
    python runs/ablation.py --report [--method reinforce]

The paper's Fig. 5 compares its network with and without the remaining graph embedding; the other
curves add our cover features, the residual around the attention among types, the pair term, the
packing features, what customers nearby can fill and which are unserved around it. The budget is
processor time of one thread. Writes a run per network, and the points of all curves as a table and
as a picture; runs that are there are continued or kept. The end of each curve is printed as a
table. --report makes it from the published points in docs/results/. --update-docs publishes points
and picture in docs/.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from fripn.bench.markdown import markdown_table
from fripn.bench.publish import parse_options, refuse_missing
from fripn.bench.script import ScriptParser, integer, list_of, one_of, positive, run
from fripn.errors import InvalidFile
from fripn.problem.io.atomic import write_atomically
from fripn.train.config import parse_config
from fripn.train.curve import Row, draw_curve, read_curve
from fripn.train.loop import CHECKPOINT, train

ROOT = Path(__file__).resolve().parents[1]
CURVE = "curve.csv"
NETWORKS: dict[str, dict[str, Any]] = {
    "without graph": {"remaining_graph": False},
    "paper": {},
    "cover": {"features": "cover"},
    "cover, residual": {"features": "cover", "vehicle_residual": True},
    "cover, residual, pair": {"features": "cover", "vehicle_residual": True, "pair_width": 32},
    "pack, residual, pair": {"features": "pack", "vehicle_residual": True, "pair_width": 32},
    "near, residual, pair": {"features": "near", "vehicle_residual": True, "pair_width": 32},
    "local, residual, pair": {"features": "local", "vehicle_residual": True, "pair_width": 32},
}


#: Networks of the published figures, by method, as options and files have them.
PUBLISHED = {
    "imitation": (
        "without-graph",
        "paper",
        "cover",
        "cover-residual",
        "cover-residual-pair",
        "pack-residual-pair",
    ),
    "reinforce": ("without-graph", "paper", "cover", "local-residual-pair"),
}

#: Where points and picture of a method are published, below docs/.
FILES = {
    "imitation": ("results/ablation.csv", "ablation.png"),
    "reinforce": ("results/ablation_reinforce.csv", "ablation-reinforce.png"),
}


def main() -> None:
    slugs = {slug(name): name for name in NETWORKS}
    parser = ScriptParser(__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "ablation")
    parser.add_argument("--labels", type=Path, help="to imitate")
    parser.add_argument("--validation", type=Path, help="labels to measure with")
    parser.add_argument("--method", choices=tuple(PUBLISHED), default="imitation")
    parser.add_argument("--networks", type=list_of(one_of(slugs)), default=list(slugs))
    parser.add_argument("--hours", type=positive, default=0.1, help="of each network")
    parser.add_argument("--seed", type=integer(0), default=1234)
    options = parse_options(parser)
    points, picture = (ROOT / "docs" / file for file in FILES[options.method])
    curves = read_points(points) if options.report else measure(parser, options, slugs)
    print(table(curves))
    refuse_missing(options, [name for name in PUBLISHED[options.method] if name not in curves])
    if options.update_docs:
        if not options.report:
            write_atomically(points, points_text(options.out, options.method, curves))
        draw_curve(picture, {slugs[name]: rows for name, rows in curves.items()})


def measure(
    parser: ScriptParser, options: argparse.Namespace, slugs: dict[str, str]
) -> dict[str, list[Row]]:
    """Train every network and return its curve; points and picture grow with each."""
    if options.validation is None:
        parser.error("--validation is not given; name a folder made by fripn train label")
    if options.method == "imitation" and options.labels is None:
        parser.error("imitation needs --labels, a folder made by fripn train label")
    curves: dict[str, list[Row]] = {}
    for name in options.networks:
        folder = options.out / f"{options.method}-{name}"
        config = parse_config(settings(NETWORKS[slugs[name]], options))
        train(config, folder, resume=(folder / CHECKPOINT).exists(), report=print_progress)
        curves[name] = read_curve(folder / CURVE)
        picture = options.out / f"ablation-{options.method}.png"
        draw_curve(picture, {slugs[one]: rows for one, rows in curves.items()})
        text = points_text(options.out, options.method, curves)
        write_atomically(options.out / f"ablation-{options.method}.csv", text)
    return curves


def settings(network: dict[str, Any], options: argparse.Namespace) -> dict[str, Any]:
    """Return settings that differ in the network alone."""
    table: dict[str, Any] = {
        "steps": 1_000_000,
        "hours": options.hours,
        "seed": options.seed,
        "validate_minutes": options.hours * 6,
        "policy": {"num_layers": 3, **network},
        "instances": {"sizes": [20]},
        "validation": {"labels": str(options.validation), "instances": 32, "samples": 32},
    }
    if options.method == "imitation":
        table["imitation"] = {"weight": 1.0, "labels": str(options.labels), "batch_size": 32}
        table["reinforce"] = {"weight": 0.0}
        table["optimiser"] = {"learning_rate": 6e-4, "warmup": 50, "average": 0.99}
    else:
        table["reinforce"] = {"trajectories": 20, "normalise": True}
        table["optimiser"] = {"learning_rate": 3e-4, "average": 0.99}
    return table


def points_text(folder: Path, method: str, networks: Iterable[str]) -> str:
    """Return the curves of these runs as one table, the network in the first column."""
    lines: list[str] = []
    for name in networks:
        text = (folder / f"{method}-{name}" / CURVE).read_text(encoding="utf-8")
        header, *rows = text.splitlines()
        lines = lines or [f"network,{header}"]
        lines += [f"{name},{row}" for row in rows]
    return "\n".join(lines) + "\n"


def read_points(path: Path) -> dict[str, list[Row]]:
    """Return the curves of a table of points, by network."""
    if not path.is_file():
        raise InvalidFile(f"there is no file {path}; train first, without --report")
    rows = read_curve(path)
    with path.open(newline="", encoding="utf-8") as file:
        names = [line["network"] for line in csv.DictReader(file)]
    curves: dict[str, list[Row]] = {}
    for name, row in zip(names, rows, strict=True):
        curves.setdefault(name, []).append(row)
    return curves


def table(curves: dict[str, list[Row]]) -> str:
    """Return the end of each curve: steps, and gaps to the labels in percent."""
    rows = [
        [name, f"{row[-1].step:,}", f"{row[-1].greedy_gap:+.2f}", f"{row[-1].sampled_gap:+.2f}"]
        for name, row in curves.items()
    ]
    return markdown_table(["network", "steps", "greedy, %", "best of the samples, %"], rows)


def print_progress(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def slug(name: str) -> str:
    """Return the name of a network as options and files have it."""
    return name.replace(", ", "-").replace(" ", "-")


if __name__ == "__main__":
    run(main)
