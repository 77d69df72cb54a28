"""Learning curves under one budget: without the remaining graph, the paper's network, and ours.

    python runs/ablation.py --out runs/ablation --validation runs/first-validation
        --labels runs/first-labels [--hours 0.1] [--networks without-graph,paper,cover]
    python runs/ablation.py --out runs/ablation --validation runs/first-validation
        --method reinforce

The paper's Fig. 5 compares its network with and without the remaining graph embedding; the other
curves add our cover features, the residual around the attention among types, the pair term, the
packing features, what customers nearby can fill and who is left around a customer.
The budget is processor time of one thread. Writes a run per network, and the points of all curves
as a table and as a picture; runs that are there are continued or kept.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from script import list_of, run

from fripn.problem.io.atomic import write_atomically
from fripn.train.config import parse_config
from fripn.train.curve import draw_curve, read_curve
from fripn.train.loop import CHECKPOINT, train

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


def settings(network: dict[str, Any], options: argparse.Namespace) -> dict[str, Any]:
    """Give settings that differ in the network alone."""
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


def write_points(path: Path, folders: dict[str, Path]) -> None:
    """Write the curves of all runs as one table, the network in the first column."""
    lines: list[str] = []
    for network, folder in folders.items():
        header, *rows = (folder / CURVE).read_text(encoding="utf-8").splitlines()
        lines = lines or [f"network,{header}"]
        lines += [f"{network},{row}" for row in rows]
    write_atomically(path, "\n".join(lines) + "\n")


def slug(name: str) -> str:
    """Give the name of a network as options and files have it."""
    return name.replace(", ", "-").replace(" ", "-")


def main() -> None:
    slugs = [slug(name) for name in NETWORKS]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--labels", type=Path, help="to imitate")
    parser.add_argument("--validation", type=Path, required=True)
    parser.add_argument("--method", choices=("imitation", "reinforce"), default="imitation")
    parser.add_argument("--networks", type=list_of(str, slugs), default=slugs)
    parser.add_argument("--hours", type=float, default=0.1, help="of each network")
    parser.add_argument("--seed", type=int, default=1234)
    options = parser.parse_args()
    if options.method == "imitation" and options.labels is None:
        parser.error("imitation needs --labels, a folder made by fripn train label")
    curves, folders = {}, {}
    for name, network in NETWORKS.items():
        if slug(name) not in options.networks:
            continue
        folder = folders[slug(name)] = options.out / f"{options.method}-{slug(name)}"
        config = parse_config(settings(network, options))
        train(config, folder, resume=(folder / CHECKPOINT).exists())
        curves[name] = read_curve(folder / CURVE)
        draw_curve(options.out / f"ablation-{options.method}.png", curves)
        write_points(options.out / f"ablation-{options.method}.csv", folders)
        last = curves[name][-1]
        print(f"{name}: greedy {last.greedy_gap:+.2f} %, samples {last.sampled_gap:+.2f} %")


if __name__ == "__main__":
    run(main)
