"""The search of working days on instances that no table uses.

    python experiments/working_day.py LINES [--method hgs] [--seconds 10] [--seeds 1]
        [--groups fsmtw,solomon,sdvrptw,mdvrp] [--label NAME]

Instances are perturbed ones of the library: mirrored and shifted coordinates, windows exchanged
between customers or moved, other costs of vehicles. One JSON line per run goes to LINES; at the end
the mean gaps of every label in LINES to the best plan of all are printed, by group.
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from fripn import Budget, Instance, solve
from fripn.bench.markdown import markdown_table
from fripn.bench.script import ScriptParser, integer, list_of, one_of, positive, run
from fripn.problem import library

GROUPS = {
    "fsmtw": (
        *("fsmtw-R103a", "fsmtw-R110b", "fsmtw-R109c", "fsmtw-C104a", "fsmtw-C108c"),
        *("fsmtw-RC102a", "fsmtw-RC106b", "fsmtw-R203a", "fsmtw-R210c", "fsmtw-C203b"),
        *("fsmtw-RC202a", "fsmtw-RC207c"),
    ),
    "hours": ("fsmtw-R105a-T", "fsmtw-RC103a-T", "fsmtw-R206a-T"),
    "solomon": ("solomon-R107", "solomon-RC203", "solomon-R209", "solomon-RC108"),
    "sdvrptw": ("sdvrptw-PR03", "sdvrptw-PR17B", "sdvrptw-PR15"),
    "mdvrp": ("mdvrp-p11", "mdvrp-p15", "mdvrp-pr04", "mdvrp-p07"),
}
FIRST_SEED = 910_000


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("lines", type=Path)
    parser.add_argument("--method", type=one_of(["hgs", "pyvrp"]), default="hgs")
    parser.add_argument("--seconds", type=positive, default=10.0)
    parser.add_argument("--seeds", type=integer(1), default=1)
    parser.add_argument("--groups", type=list_of(one_of(list(GROUPS))), default=list(GROUPS))
    parser.add_argument("--label", default=None, help="default: the method and its seconds")
    options = parser.parse_args()
    label = options.label or f"{options.method}-{options.seconds:g}s"
    for group in options.groups:
        for name in GROUPS[group]:
            instance = perturbed(name)
            for seed in range(options.seeds):
                budget = Budget(seconds=options.seconds)
                began = time.process_time()
                result = solve(instance, options.method, budget=budget, seed=seed, threads=1)
                line = {
                    **{"label": label, "group": group, "instance": name, "seed": seed},
                    **{"cost": result.cost, "iterations": result.iterations},
                    "processor": time.process_time() - began,
                }
                with options.lines.open("a") as file:
                    file.write(json.dumps(line) + "\n")
    print(table(options.lines))


def perturbed(name: str) -> Instance:
    """Return an instance like the one of that name that no table has."""
    instance = library.load(name)
    rng = np.random.default_rng([FIRST_SEED, *name.encode()])
    n = instance.num_customers
    assert instance.coordinates is not None
    places = np.array(instance.coordinates)
    places[:, 0] = places[:, 0].min() + places[:, 0].max() - places[:, 0]
    extent = np.ptp(places, axis=0).max()
    places[1 : n + 1] += rng.normal(0, 0.015 * extent, (n, 2))
    factor = float(rng.uniform(0.8, 1.25))
    types = [replace(k, fixed_cost=factor * k.fixed_cost) for k in instance.vehicle_types]
    changes: dict[str, Any] = {"name": f"{name}-perturbed"}
    changes |= {"coordinates": places, "vehicle_types": tuple(types)}
    if instance.time_windows is not None:
        changes["time_windows"] = other_windows(instance, places, rng)
    return replace(instance, **changes)


def other_windows(instance: Instance, places: Any, rng: np.random.Generator) -> Any:
    """Return the windows exchanged between customers; of clustered ones only moved a little."""
    assert instance.time_windows is not None
    n = instance.num_customers
    windows = [list(windows) for windows in instance.time_windows]
    (depot,) = windows[0] or [(0.0, np.inf)]
    is_clustered = "-C" in instance.name
    order = np.arange(1, n + 1) if is_clustered else rng.permutation(np.arange(1, n + 1))
    moved = [tuple(map(tuple, windows[0]))]
    for c in range(1, n + 1):
        there = float(np.hypot(*(places[c] - places[0])))
        service = 0.0 if instance.service_times is None else float(instance.service_times[c])
        first, last = depot[0] + there, depot[1] - there - service
        spans = []
        for opens, closes in windows[order[c - 1]]:
            shift = float(rng.normal(0, 0.01)) * (depot[1] - depot[0]) if is_clustered else 0.0
            width = closes - opens
            closes = min(max(closes + shift, first + 0.2 * min(width, last - first)), last)
            spans.append((max(min(closes - width, closes), depot[0]), closes))
        moved.append(tuple(spans))
    moved.extend(tuple(map(tuple, other)) for other in windows[n + 1 :])
    return tuple(moved)


def table(lines: Path) -> str:
    """Return the mean gaps of every label to the best of all, in percent, by group."""
    rows = [json.loads(line) for line in lines.read_text().splitlines()]
    best: dict[str, float] = defaultdict(lambda: float("inf"))
    for row in rows:
        best[row["instance"]] = min(best[row["instance"]], row["cost"])
    gaps: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        gap = 100 * (row["cost"] / best[row["instance"]] - 1)
        gaps[row["label"]][row["group"]].append(gap)
        gaps[row["label"]]["*" + row["instance"]].append(gap)
    columns = [*GROUPS, *(f"*{name}" for names in GROUPS.values() for name in names)]
    labels = list(gaps)
    cells = [
        [column.lstrip("*"), *(f"{fmean(g):.2f}" if (g := gaps[k][column]) else "" for k in labels)]
        for column in columns
    ]
    return markdown_table(["", *labels], cells)


if __name__ == "__main__":
    run(main)
