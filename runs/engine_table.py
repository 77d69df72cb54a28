"""The engine's table, with PyVRP beside it: suites, budgets and mean gaps.

    python runs/engine_table.py [--rows golden-1.5,xh-fsm-10,…] [--every 3]
    python runs/engine_table.py --scaling
    python runs/engine_table.py --report --update-docs

Each run appends a raw line to out/engine.jsonl and is not repeated by the next call; a row whose
engine has changed since it was published is measured again with --again. The engine has two threads
and the machine to itself; PyVRP has one core, as it always has, so --beside of its runs go side by
side. --every takes every so-many-th instance of a suite. --scaling measures what an improvement
costs from 100 to 10,000 customers. The tables, made from these lines and the published ones in
docs/results/, are printed; --update-docs writes them into docs/benchmarks.md.
"""

from __future__ import annotations

import multiprocessing
import resource
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from fripn import Budget, Instance, VehicleType, solve
from fripn.batch.lines import SOME, LineFormat, append, iter_lines
from fripn.batch.runner import WorkItem
from fripn.bench.lines import Line
from fripn.bench.markdown import markdown_table
from fripn.bench.page import Block
from fripn.bench.publish import Lines, parse_options, present
from fripn.bench.run import bench_item
from fripn.bench.script import ScriptParser, integer, list_of, one_of, run
from fripn.bench.suites import open_suite

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "docs" / "results"
SCALING_LINES = LineFormat("runs/engine_table.py --scaling", {"customers": SOME})

METHODS = ("hgs", "pyvrp")
THREADS = {"hgs": 2, "pyvrp": 1}

SIZES = (100, 300, 1000, 3000, 10_000)


@dataclass(frozen=True)
class Row:
    """One line of the table; a method that it is not measured with has a dash there."""

    title: str
    suite: str
    seconds: float
    goal: str
    takes: Callable[[str], bool] = lambda name: True
    most: int = 1000
    seeds: int = 1
    methods: tuple[str, ...] = METHODS


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
    # The engine's 1 s stands beside ten times as much of PyVRP.
    "paper-100-1": Row(
        "paper-100, first 100, 1 s", "paper-100", 1.0, "", most=100, methods=("hgs",)
    ),
    "paper-100-10": Row(
        "paper-100, first 100, 10 s", "paper-100", 10.0, "", most=100, methods=("pyvrp",)
    ),
}


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("--rows", type=list_of(one_of(ROWS)), default=list(ROWS))
    parser.add_argument("--methods", type=list_of(one_of(METHODS)), default=list(METHODS))
    parser.add_argument("--every", type=integer(1), default=1)
    parser.add_argument(
        "--beside", type=integer(1), default=2, help="runs of PyVRP at the same time"
    )
    parser.add_argument("--again", action="store_true", help="repeat published runs of these rows")
    parser.add_argument("--scaling", action="store_true")
    options = parse_options(parser, ROOT / "out" / "engine.jsonl")
    lines = Lines(RESULTS / "engine.jsonl", options.lines)
    scaling = Lines(
        RESULTS / "engine_scaling.jsonl",
        options.lines.with_name(f"{options.lines.stem}_scaling.jsonl"),
        lambda path: [line for _, _, line in iter_lines(path, SCALING_LINES)],
        lambda line: line["customers"],
    )
    if options.scaling and not options.report:
        measure_scaling(scaling.new)
    elif not options.report:
        for name in options.rows:
            for method in options.methods:
                workers = 1 if method == "hgs" else options.beside
                items = items_of(ROWS[name], method, options.every)
                lines.run(items, workers, again=options.again)
    measured, sizes = lines.all(), scaling.all()
    benchmarks = ROOT / "docs" / "benchmarks.md"
    blocks = [
        Block(benchmarks, "engine_table", table(measured, ROWS)),
        Block(benchmarks, "engine_scaling", scaling_table(sizes)),
    ]
    present(options, blocks, missing_cells(measured, sizes), lines, scaling)


def items_of(row: Row, method: str, every: int) -> list[WorkItem]:
    """Return the runs of one row and method; none if it is not measured with it."""
    if method not in row.methods:
        return []
    cases = [case for case in open_suite(row.suite) if row.takes(case.name)]
    return [
        bench_item(case, method, seed, THREADS[method], Budget(seconds=row.seconds))
        for seed in range(row.seeds)
        for case in cases[: row.most : every]
    ]


def missing_cells(lines: Sequence[Line], sizes: Sequence[Line]) -> list[str]:
    """Name the cells of both tables without a line."""
    missing = [
        f"{row.title} with {method}"
        for row in ROWS.values()
        for method in row.methods
        if not lines_of(lines, row, method)
    ]
    measured = {line["customers"] for line in sizes}
    return missing + [f"scaling, {n} customers" for n in SIZES if n not in measured]


def lines_of(lines: Sequence[Line], row: Row, method: str) -> list[Line]:
    """Return the lines of one row and method."""
    return [
        line
        for line in lines
        if (line["suite"], line["method"], line["time_limit"]) == (row.suite, method, row.seconds)
        and row.takes(line["instance"])
    ]


def figure_of(lines: Sequence[Line]) -> str:
    """Return the mean gap, or the mean cost where no best-known values exist."""
    solved = [line for line in lines if line["cost"] is not None]
    if not solved:
        return "–"
    missing = f", {len(lines) - len(solved)} without a plan" if len(solved) < len(lines) else ""
    if all(line["gap_percent"] is not None for line in solved):
        figure = f"{fmean(line['gap_percent'] for line in solved):.3f} %".replace("-0.000", "0.000")
    else:
        figure = f"mean cost {fmean(line['cost'] for line in solved):.3f}"
    return f"{figure} ({len(solved)} runs{missing})"


def table(lines: Sequence[Line], names: Iterable[str]) -> str:
    """Return the table of these rows, and below it what was run and on which commits."""
    cells = {
        (name, method): lines_of(lines, ROWS[name], method) for name in names for method in METHODS
    }
    by_method = {
        method: [line for name in names for line in cells[name, method]] for method in METHODS
    }
    header = ["instances, time", "aim, %"]
    header += [head_of(method, mine) for method, mine in by_method.items()]
    rows = []
    for name in names:
        figures = [figure_of(cells[name, method]) for method in METHODS]
        rows.append([ROWS[name].title, ROWS[name].goal, *figures])
    every = [line for mine in by_method.values() for line in mine]
    commits = sorted({line["commit"] or "unknown" for line in every})
    ends = [
        line["seconds"] - line["time_limit"]
        for line in by_method["hgs"]
        if line["seconds"] is not None
    ]
    late = max(ends, default=0.0)
    notes = f"{subset_of_xh(every)}Latest end of hgs: {1000 * late:.0f} ms after its limit."
    return f"{markdown_table(header, rows)}\n\n{notes} Commits: {', '.join(commits)}."


def head_of(method: str, lines: list[Line]) -> str:
    """Return the head of a column, with the threads that its runs had."""
    threads = sorted({line["threads"] for line in lines})
    title = {"pyvrp": "PyVRP"}.get(method, method)
    unit = "thread" if threads == [1] else "threads"
    return f"{title}, {' or '.join(map(str, threads))} {unit}" if threads else title


def subset_of_xh(lines: list[Line]) -> str:
    """Return which instances of xh were run; nothing when none were."""
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


def measure_scaling(path: Path, seconds: float = 10.0) -> None:
    """Run every size in a process of its own, so that each has its own peak of memory."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    context = multiprocessing.get_context("spawn")
    for n in SIZES:
        with context.Pool(1) as pool:
            line = pool.apply(scaling_line, (n, seconds))
        append(path, line)
        print(line, file=sys.stderr)


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


def scaling_table(lines: Sequence[Line]) -> str:
    """Return, by size: first plan, iterations, and the time to half of the final gain."""
    header = [
        "customers",
        "first plan, s",
        "iterations/s",
        "gain in 10 s, %",
        "half the gain by, s",
        "ended after, s",
        "peak, MB",
    ]
    rows = [
        [
            f"{line['customers']:,}",
            f"{line['first_plan']:.2f}",
            f"{line['iterations'] / line['seconds']:,.0f}",
            f"{line['gain_percent']:.2f}",
            f"{line['half_gain']:.2f}",
            f"{line['seconds']:.2f}",
            f"{line['peak_mb']:.0f}",
        ]
        for line in lines
    ]
    return markdown_table(header, rows, num_left=0)


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
