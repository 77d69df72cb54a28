"""How much longer runs gain over the published ones of `runs/day_table.py`.

    python experiments/long_runs.py [--suite fsmtw] [--every 12] [--seconds 60] [--seeds 1]
        [--beside 2]

Runs `hybrid` with one thread on every so-many-th instance of a suite. Each run appends a raw line
to out/long-runs.jsonl and is not repeated by the next call. Then prints, for these instances, how
far the longer runs and the published ones of hybrid and PyVRP are above the cheapest plan of them
all and of the library, in percent.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from fripn import Budget
from fripn.bench.lines import Line, key_of
from fripn.bench.markdown import markdown_table
from fripn.bench.publish import Lines
from fripn.bench.run import bench_item
from fripn.bench.script import ScriptParser, integer, positive, run
from fripn.bench.suites import open_suite
from fripn.problem import library

ROOT = Path(__file__).resolve().parents[1]
PUBLISHED = ROOT / "docs" / "results" / "day.jsonl"


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("--suite", default="fsmtw", help="default: %(default)s")
    parser.add_argument("--every", type=integer(1), default=12, help="default: %(default)s")
    parser.add_argument("--seconds", type=positive, default=60.0, help="default: %(default)s")
    parser.add_argument("--seeds", type=integer(1), default=1, help="default: %(default)s")
    parser.add_argument("--beside", type=integer(1), default=1, help="runs at the same time")
    parser.add_argument("--lines", type=Path, default=ROOT / "out" / "long-runs.jsonl")
    options = parser.parse_args()
    lines = Lines(PUBLISHED, options.lines)
    items = [
        bench_item(case, "hybrid", seed, 1, Budget(seconds=options.seconds), keep_plan=True)
        for case in open_suite(options.suite)[:: options.every]
        for seed in range(options.seeds)
    ]
    lines.run(lines.left(items), options.beside)
    keys = {key_of(item.fields) for item in items}
    done = [line for line in lines.all() if line["cost"] is not None]
    print(table([line for line in done if key_of(line) in keys], done))


def table(long: Sequence[Line], done: Sequence[Line]) -> str:
    """Return how far runs are above the cheapest plans, mean and worst, in percent.

    Parameters
    ----------
    long
        The longer runs, which choose the instances.
    done
        All runs, the published ones among them.
    """
    costs: dict[str, list[float]] = {line["instance"]: [] for line in long}
    runs: dict[str, list[Line]] = {}
    for line in done:
        if line["instance"] in costs:
            costs[line["instance"]].append(line["cost"])
            runs.setdefault(f"{line['method']}, {line['time_limit']:g} s", []).append(line)
    for name, found in costs.items():
        if (value := library.best_known(name)) is not None:
            found.append(value.cost)
    rows = []
    for what, lines in runs.items():
        above = [100.0 * (line["cost"] / min(costs[line["instance"]]) - 1.0) for line in lines]
        rows.append([what, str(len(above)), f"{fmean(above):.3f}", f"{max(above):.3f}"])
    return markdown_table(["", "runs", "mean above the cheapest plan, %", "worst, %"], rows)


if __name__ == "__main__":
    run(main)
