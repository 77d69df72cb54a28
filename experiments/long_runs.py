"""How much longer runs gain over the published ones of `runs/day_table.py`.

    python experiments/long_runs.py [--suite fsmtw] [--every 12] [--seconds 60] [--seeds 1]
        [--beside 2]

Runs `hybrid` with one thread on every so-many-th instance of a suite. Each run appends a raw line
to out/long-runs.jsonl and is not repeated by the next call. Then prints, for these instances, how
far the published runs of hybrid and PyVRP are above the cheapest plan of the longer runs and of
those that ship with the library, in percent.
"""

from __future__ import annotations

from pathlib import Path
from statistics import fmean

from fripn import Budget
from fripn.bench.lines import Line, read_lines
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
    long = [
        line
        for line in read_lines(options.lines)
        if line["suite"] == options.suite and line["time_limit"] == options.seconds
    ]
    print(table(long, read_lines(PUBLISHED)))


def table(long: list[Line], published: list[Line]) -> str:
    """Return how far all runs are above the cheapest plans, mean and worst, in percent."""
    names = {line["instance"] for line in long}
    costs = {name: [value.cost] if (value := library.best_known(name)) else [] for name in names}
    for line in long:
        costs[line["instance"]].append(line["cost"])
    best = {name: min(found) for name, found in costs.items()}
    runs = {f"hybrid, {long[0]['time_limit']:g} s": long}
    for line in published:
        if line["instance"] in names:
            runs.setdefault(f"{line['method']}, {line['time_limit']:g} s", []).append(line)
    rows = []
    for what, lines in runs.items():
        above = [100.0 * (line["cost"] / best[line["instance"]] - 1.0) for line in lines]
        rows.append([what, str(len(above)), f"{fmean(above):.3f}", f"{max(above):.3f}"])
    return markdown_table(["", "runs", "mean above the cheapest plan, %", "worst, %"], rows)


if __name__ == "__main__":
    run(main)
