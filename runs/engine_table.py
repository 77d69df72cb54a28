"""The engine's table, with PyVRP beside it in the same run: suites, budgets and mean gaps.

    python runs/engine_table.py [--rows golden-1.5,xh-fsm-10,…] [--every 3] [--seeds 1]
    python runs/engine_table.py --scaling

Each run appends a raw line to runs/engine/table.jsonl and is not repeated by the next call; the
table is printed from the lines. The engine has two threads, PyVRP one core, as it always has.
`--every` takes every so-many-th instance of a suite. `--scaling` prints what an improvement costs
from 100 to 10,000 customers instead.
"""

from __future__ import annotations

import argparse
import resource
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import numpy as np

from fripn import Budget, Instance, VehicleType, solve
from fripn.bench.lines import Line, key_of, read_lines
from fripn.bench.run import Job, run_jobs, unfinished
from fripn.bench.suites import Case, open_suite

LINES = Path(__file__).parent / "engine" / "table.jsonl"


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    suite: str
    seconds: float
    goal: str
    takes: Callable[[str], bool] = lambda name: True
    most: int = 1000


ROWS = {
    "golden-1.5": Row("golden", 1.5, "0.10", lambda name: name.count("-") == 1),
    "golden-10": Row("golden", 10.0, "0.01", lambda name: name.count("-") == 1),
    "xh-fsm-10": Row("xh", 10.0, "0.80", lambda name: "FSM" in name),
    "xh-limited-10": Row("xh", 10.0, "1.50", lambda name: "FSM" not in name),
    "brandao-10": Row("brandao", 10.0, "1.50", lambda name: name.count("-") == 1),
    "li-10": Row("li", 10.0, "1.50"),
    "paper-20-0.05": Row("paper-20", 0.05, "0.01"),
    "paper-100-1": Row("paper-100", 1.0, "0.3 below PyVRP at 10 s", most=100),
    "paper-100-10": Row("paper-100", 10.0, "", most=100),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", default=",".join(ROWS))
    parser.add_argument("--methods", default="hgs,pyvrp")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--scaling", action="store_true")
    options = parser.parse_args()
    if options.scaling:
        print_scaling()
        return
    LINES.parent.mkdir(parents=True, exist_ok=True)
    for name in options.rows.split(","):
        row = ROWS[name]
        cases = [case for case in open_suite(row.suite) if row.takes(case.name)]
        cases = cases[: row.most : options.every]
        methods = options.methods.split(",")
        run_jobs(unfinished(jobs_of(row, cases, methods, options.seeds), LINES), LINES, 1, tell)
        print_row(name, row, cases, methods)


def jobs_of(row: Row, cases: list[Case], methods: list[str], seeds: int) -> list[Job]:
    return [
        Job(case, method, seed, 2 if method == "hgs" else 1, Budget(seconds=row.seconds))
        for seed in range(seeds)
        for case in cases
        for method in methods
    ]


def tell(line: Line) -> None:
    print(line["instance"], line["method"], line["time_limit"], line["cost"], line["gap_percent"])


def print_row(name: str, row: Row, cases: list[Case], methods: list[str]) -> None:
    """Print mean gaps, or mean costs where no best-known values exist."""
    lines = {key_of(line): line for line in read_lines(LINES)}.values()
    wanted = {case.name for case in cases}
    for method in methods:
        mine = [
            line
            for line in lines
            if (line["suite"], line["method"], line["time_limit"])
            == (row.suite, method, row.seconds)
            and line["instance"] in wanted
        ]
        solved = [line for line in mine if line["cost"] is not None]
        if not solved:
            continue
        if all(line["gap_percent"] is not None for line in solved):
            gaps = [line["gap_percent"] for line in solved]
            figure = f"mean gap {fmean(gaps):.3f} %, worst {max(gaps):.3f} %"
        else:
            figure = f"mean cost {fmean(line['cost'] for line in solved):.4f}"
        late = max(line["seconds"] / row.seconds for line in solved)
        print(
            f"| {name} | {method} | {figure} | {len(solved)} runs, {len(mine) - len(solved)} "
            f"without a plan | latest end {late:.2f} | goal {row.goal} |"
        )


def print_scaling(seconds: float = 10.0) -> None:
    """Print, by size: first plan, iterations and cost of halving the way to the final gain."""
    print("| customers | first plan s | iterations/s | gain % | half the gain by s | peak MB |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: |")
    for n in (100, 300, 1000, 3000, 10_000):
        result = solve(wide_instance(n), "hgs", time_limit=seconds, threads=2)
        first, last = result.curve[0], result.curve[-1]
        middle = (first.cost + last.cost) / 2
        half = next(point.seconds for point in result.curve if point.cost <= middle)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"| {n} | {first.seconds:.2f} | {result.iterations / result.seconds:.0f} | "
            f"{100 * (1 - last.cost / first.cost):.2f} | {half:.2f} | {peak:.0f} |"
        )


def wide_instance(n: int) -> Instance:
    rng = np.random.default_rng(n)
    return Instance(
        name=f"scaling-{n}",
        coordinates=rng.random((n + 1, 2)) * 1000,
        demands=[0.0, *rng.integers(1, 100, n)],
        vehicle_types=(
            VehicleType("small", 300, 200, 1.0),
            VehicleType("medium", 800, 450, 1.3),
            VehicleType("large", 1500, 700, 1.6),
        ),
    )


if __name__ == "__main__":
    main()
