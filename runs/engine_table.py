"""The engine's table, with PyVRP beside it: suites, budgets and mean gaps.

    python runs/engine_table.py [--rows golden-1.5,xh-fsm-10,…] [--every 3]
    python runs/engine_table.py --scaling
    python runs/engine_table.py --report

Each run appends a raw line to docs/results/engine.jsonl and is not repeated by the next call; a row
whose engine has changed since is measured anew with `--again`. The engine has two threads and the
machine to itself; PyVRP has one core, as it always has, so `--beside` of its runs go side by side.
`--every` takes every so-many-th instance of a suite. `--scaling` measures what an improvement costs
from 100 to 10,000 customers. The tables of docs/benchmarks.md and README.md are then written anew
from all lines; `--report` does only that.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from script import list_of, run

from fripn import Budget, Instance, VehicleType, solve
from fripn.bench.lines import Line, key_of, read_lines
from fripn.bench.page import replace_block
from fripn.bench.run import Job, run_jobs, unfinished
from fripn.bench.suites import open_suite
from fripn.jsonl import SOME, Kind, append, read_objects

ROOT = Path(__file__).parent.parent
LINES = ROOT / "docs" / "results" / "engine.jsonl"
SCALING = ROOT / "docs" / "results" / "engine_scaling.jsonl"
SCALING_KIND = Kind("runs/engine_table.py --scaling", {"customers": SOME})

METHODS = ("hgs", "pyvrp")
THREADS = {"hgs": 2, "pyvrp": 1}

SIZES = (100, 300, 1000, 3000, 10_000)


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    title: str
    suite: str
    seconds: float
    goal: str
    takes: Callable[[str], bool] = lambda name: True
    most: int = 1000
    seeds: int = 1


def _is_native(name: str) -> bool:
    """Whether it is the set's own variant, not one with other costs."""
    return name.count("-") == 1


ROWS = {
    "golden-1.5": Row("golden, 1.5 s, 3 seeds", "golden", 1.5, "0.10", _is_native, seeds=3),
    "golden-10": Row("golden, 10 s", "golden", 10.0, "0.01", _is_native),
    "xh-fsm-10": Row("xh, unlimited fleets, 10 s", "xh", 10.0, "0.80", lambda n: "FSM" in n),
    "xh-limited-10": Row("xh, limited fleets, 10 s", "xh", 10.0, "1.50", lambda n: "FSM" not in n),
    "brandao-10": Row("brandao (limited), 10 s", "brandao", 10.0, "1.50", _is_native),
    "li-10": Row("li (limited), 10 s, 3 seeds", "li", 10.0, "1.50", seeds=3),
    "paper-20-0.05": Row("paper-20, 0.05 s", "paper-20", 0.05, "0.01"),
    "paper-100-1": Row("paper-100, first 100, 1 s", "paper-100", 1.0, "", most=100),
    "paper-100-10": Row("paper-100, first 100, 10 s", "paper-100", 10.0, "", most=100),
}

#: Rows of the short table in the README.
README_ROWS = (
    "golden-1.5", "golden-10", "xh-fsm-10", "xh-limited-10", "paper-20-0.05", "paper-100-1",
    "paper-100-10",
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=list_of(str, ROWS), default=list(ROWS))
    parser.add_argument("--methods", type=list_of(str, METHODS), default=list(METHODS))
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--beside", type=int, default=2, help="runs of PyVRP at the same time")
    parser.add_argument("--again", action="store_true", help="drop the lines of these rows first")
    parser.add_argument("--scaling", action="store_true")
    parser.add_argument("--report", action="store_true", help="only write the tables")
    options = parser.parse_args()
    LINES.parent.mkdir(parents=True, exist_ok=True)
    if options.scaling:
        measure_scaling()
    elif not options.report:
        for name in options.rows:
            for method in options.methods:
                workers = 1 if method == "hgs" else options.beside
                measure(ROWS[name], method, options.every, workers, again=options.again)
                print(f"{ROWS[name].title}, {method}: {figure_of(ROWS[name], method)}", flush=True)
    replace_block(ROOT / "docs" / "benchmarks.md", "engine_table", table(ROWS))
    replace_block(ROOT / "docs" / "benchmarks.md", "engine_scaling", scaling_table())
    replace_block(ROOT / "README.md", "engine_table", table(README_ROWS, has_goals=False))


def measure(row: Row, method: str, every: int, workers: int, *, again: bool) -> None:
    """Do the runs of one row and method that have no line yet."""
    cases = [case for case in open_suite(row.suite) if row.takes(case.name)]
    jobs = [
        Job(case, method, seed, THREADS[method], Budget(seconds=row.seconds))
        for seed in range(row.seeds)
        for case in cases[: row.most : every]
    ]
    if again and LINES.exists():
        keys = {job.key for job in jobs}
        kept = [line for line in read_lines(LINES) if key_of(line) not in keys]
        LINES.unlink()
        for line in kept:
            append(LINES, line)
    run_jobs(unfinished(jobs, LINES), LINES, workers, tell)


def tell(line: Line) -> None:
    print(line["instance"], line["method"], line["time_limit"], line["cost"], line["gap_percent"])


def lines_of(row: Row, method: str) -> list[Line]:
    """Give the lines of one row and method, the newest of each run."""
    lines = {key_of(line): line for line in read_lines(LINES)} if LINES.exists() else {}
    return [
        line
        for line in lines.values()
        if (line["suite"], line["method"], line["time_limit"]) == (row.suite, method, row.seconds)
        and row.takes(line["instance"])
    ]


def figure_of(row: Row, method: str) -> str:
    """Give the mean gap, or the mean cost where no best-known values exist."""
    lines = lines_of(row, method)
    solved = [line for line in lines if line["cost"] is not None]
    if not solved:
        return "–"
    missing = f", {len(lines) - len(solved)} without a plan" if len(solved) < len(lines) else ""
    if all(line["gap_percent"] is not None for line in solved):
        figure = f"{fmean(line['gap_percent'] for line in solved):.3f} %".replace("-0.000", "0.000")
    else:
        figure = f"mean cost {fmean(line['cost'] for line in solved):.3f}"
    return f"{figure} ({len(solved)} runs{missing})"


def table(names: Iterable[str], *, has_goals: bool = True) -> str:
    """Give the table of these rows, and below it what was run and on which commits."""
    goals = {name: f" {ROWS[name].goal} |" if has_goals else "" for name in names}
    by_method = {
        method: [line for name in names for line in lines_of(ROWS[name], method)]
        for method in METHODS
    }
    heads = " | ".join(head_of(method, lines) for method, lines in by_method.items())
    rows = [
        f"| instances, time |{' aim, % |' if has_goals else ''} {heads} |",
        f"| --- |{' ---: |' if has_goals else ''} ---: | ---: |",
    ]
    for name in names:
        row = ROWS[name]
        figures = " | ".join(figure_of(row, method) for method in METHODS)
        rows.append(f"| {row.title} |{goals[name]} {figures} |")
    every = [line for lines in by_method.values() for line in lines]
    commits = sorted({line["commit"] or "unknown" for line in every})
    late = max((line["seconds"] - line["time_limit"] for line in by_method["hgs"]), default=0.0)
    notes = f"{subset_of_xh(every)}Latest end of hgs: {1000 * late:.0f} ms after its limit."
    return "\n".join([*rows, "", f"{notes} Commits: {', '.join(commits)}."])


def head_of(method: str, lines: list[Line]) -> str:
    """Give the head of a column, with the threads that its runs had."""
    threads = sorted({line["threads"] for line in lines})
    title = {"pyvrp": "PyVRP"}.get(method, method)
    unit = "thread" if threads == [1] else "threads"
    return f"{title}, {' or '.join(map(str, threads))} {unit}" if threads else title


def subset_of_xh(lines: list[Line]) -> str:
    """Say which instances of xh were run; nothing when none were."""
    run = {line["instance"]: line["n"] for line in lines if line["suite"] == "xh"}
    if not run:
        return ""
    parts = []
    for fleets, is_unlimited in (("unlimited", True), ("limited", False)):
        mine = [name for name in run if ("FSM" in name) == is_unlimited]
        there = [case for case in open_suite("xh") if ("FSM" in case.name) == is_unlimited]
        share = "all" if len(mine) == len(there) else f"{len(mine)} of"
        parts.append(f"{share} {len(there)} with {fleets} fleets")
    return f"xh: {', '.join(parts)}, {min(run.values())} to {max(run.values())} customers. "


def measure_scaling(seconds: float = 10.0) -> None:
    """Run every size in a process of its own, so that each has its own peak of memory."""
    SCALING.unlink(missing_ok=True)
    context = multiprocessing.get_context("spawn")
    for n in SIZES:
        with context.Pool(1) as pool:
            line = pool.apply(scaling_line, (n, seconds))
        append(SCALING, line)
        print(line, flush=True)


def scaling_line(n: int, seconds: float) -> dict[str, Any]:
    """Solve one random instance and say how the cost fell."""
    result = solve(scaling_instance(n), "hgs", time_limit=seconds, threads=2)
    first, last = result.curve[0], result.curve[-1]
    middle = (first.cost + last.cost) / 2
    return {
        "customers": n,
        "seconds": result.seconds,
        "first_plan": first.seconds,
        "iterations": result.iterations,
        "improvements": len(result.curve) - 1,
        "gain_percent": 100 * (1 - last.cost / first.cost),
        "half_gain": next(point.seconds for point in result.curve if point.cost <= middle),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def scaling_table() -> str:
    """Give, by size: first plan, iterations, and the time to half of the final gain."""
    rows = [
        "| customers | first plan, s | iterations/s | gain in 10 s, % | half the gain by, s | "
        "ended after, s | peak, MB |",
        "| ---: |" + " ---: |" * 6,
    ]
    for _, line in read_objects(SCALING, SCALING_KIND) if SCALING.exists() else ():
        rows.append(
            f"| {line['customers']:,} | {line['first_plan']:.2f} | "
            f"{line['iterations'] / line['seconds']:,.0f} | {line['gain_percent']:.2f} | "
            f"{line['half_gain']:.2f} | {line['seconds']:.2f} | {line['peak_mb']:.0f} |"
        )
    return "\n".join(rows)


def scaling_instance(n: int) -> Instance:
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
    run(main)
