"""The README's table: the default method, PyVRP and the paper, one thread against one thread.

    python runs/readme_table.py [--rows golden,xh-unlimited,…] [--beside 2]
    python runs/readme_table.py --report --update-docs

Both methods run side by side on the same machine in the same call, each on one thread, --beside
runs at a time. Each run appends a raw line to out/readme.jsonl and is not repeated by the next
call. The policy's rows come from the lines of runs/policy_table.py, the paper's figures from its
tables 1 and 2. The table is printed; --update-docs writes it into README.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from fripn import Budget
from fripn.batch.lines import AMOUNT, SOME, TEXT, LineFormat, iter_lines
from fripn.batch.runner import WorkItem
from fripn.bench.lines import Line
from fripn.bench.markdown import markdown_table
from fripn.bench.page import Block
from fripn.bench.publish import Lines, parse_options, present
from fripn.bench.run import bench_item
from fripn.bench.script import ScriptParser, integer, list_of, one_of, run
from fripn.bench.suites import open_suite
from fripn.problem import library
from fripn.result import gap_percent

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "docs" / "results"
METHODS = ("hybrid", "pyvrp")
POLICY_LINES = LineFormat("runs/policy_table.py", {"size": SOME, "decoding": TEXT, "cost": AMOUNT})

#: The paper's costs on golden (its table 2, column "Ours", sampling with augmentation).
PAPER_GOLDEN = {
    "golden-03": 979.22, "golden-04": 6442.22, "golden-05": 1008.59, "golden-06": 6518.13,
    "golden-13": 2496.12, "golden-14": 9137.82, "golden-15": 2644.28, "golden-16": 2774.28,
    "golden-17": 1786.66, "golden-18": 2457.30, "golden-19": 8760.59, "golden-20": 4145.65,
}  # fmt: skip

#: The paper's mean costs (its table 1, "Ours", sampling with augmentation), by customers.
PAPER_MEAN = {20: 64.05, 100: 295.32}


@dataclass(frozen=True)
class Row:
    """A row that is measured here."""

    title: str
    suite: str
    seconds: float
    takes: Callable[[str], bool] = lambda name: True
    most: int = 1000
    every: int = 1  # every so-many-th instance, so that the table takes minutes, not hours


ROWS = {
    "golden": Row("golden, 10 s", "golden", 10.0, lambda name: name in PAPER_GOLDEN),
    "xh-unlimited": Row(
        "X, unlimited fleet, 10 s", "xh", 10.0, lambda name: "FSM" in name, every=3
    ),
    "xh-limited": Row(
        "X, limited fleet, 10 s", "xh", 10.0, lambda name: "FSM" not in name, every=2
    ),
    "paper-100": Row("paper-100, 1 s", "paper-100", 1.0, most=50),
}

#: Customers of the test sets on which the policy alone is compared with the paper's.
POLICY_SIZES = (20, 100)
POLICY_DECODING = "sampling x8"


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("--rows", type=list_of(one_of(ROWS)), default=list(ROWS))
    parser.add_argument("--beside", type=integer(1), default=2, help="runs at the same time")
    options = parse_options(parser, ROOT / "out" / "readme.jsonl")
    lines = Lines(RESULTS / "readme.jsonl", options.lines)
    if not options.report:
        for name in options.rows:
            lines.run(items_of(ROWS[name]), options.beside)
    measured = lines.all()
    block = Block(ROOT / "README.md", "readme_table", table(measured, policy_costs()))
    present(options, [block], missing_cells(measured), lines)


def items_of(row: Row) -> list[WorkItem]:
    """Return the runs of a row; the methods take turns, so that both see the same machine."""
    cases = [case for case in open_suite(row.suite) if row.takes(case.name)]
    return [
        bench_item(case, method, 0, 1, Budget(seconds=row.seconds))
        for case in cases[: row.most : row.every]
        for method in METHODS
    ]


def lines_of(lines: Sequence[Line], row: Row, method: str) -> list[Line]:
    """Return the lines of a row and a method that have a plan."""
    return [
        line
        for line in lines
        if (line["suite"], line["method"], line["time_limit"]) == (row.suite, method, row.seconds)
        and row.takes(line["instance"])
        and line["cost"] is not None
    ]


def missing_cells(lines: Sequence[Line]) -> list[str]:
    """Name the cells without a line."""
    return [
        f"{row.title} with {method}"
        for row in ROWS.values()
        for method in METHODS
        if not lines_of(lines, row, method)
    ]


def policy_costs() -> dict[int, list[float]]:
    """Return the policy's costs on the test sets of `POLICY_SIZES`."""
    path = RESULTS / "policy_table.jsonl"
    found: dict[int, list[float]] = {size: [] for size in POLICY_SIZES}
    for placed in iter_lines(path, POLICY_LINES) if path.exists() else ():
        line = placed.line
        if line["size"] in found and line["decoding"] == POLICY_DECODING:
            found[line["size"]].append(line["cost"])
    return found


def paper_gap() -> float:
    """Return the mean of the gaps of the paper's costs on golden to the best-known values."""
    known = {name: library.best_known(name) for name in PAPER_GOLDEN}
    return fmean(
        gap_percent(cost, known[name].cost) for name, cost in PAPER_GOLDEN.items() if known[name]
    )


def figure_of(lines: Sequence[Line]) -> str:
    """Return the mean gap, or the mean cost where there are no best-known values."""
    if not lines:
        return "–"
    if all(line["gap_percent"] is not None for line in lines):
        return f"+{fmean(line['gap_percent'] for line in lines):.2f} %".replace("+-", "−")
    return f"cost {fmean(line['cost'] for line in lines):.2f}"


def table(lines: Sequence[Line], policy: dict[int, list[float]]) -> str:
    """Return the table."""
    header = ["test", "instances", "`fripn`", "PyVRP 0.14.1", "the paper"]
    rows = []
    for name, row in ROWS.items():
        cells = [lines_of(lines, row, method) for method in METHODS]
        # On paper-100 the paper has all 1,000 instances, so its mean is not that of these.
        paper = f"+{paper_gap():.2f} %" if name == "golden" else "–"
        rows.append([row.title, f"{len(cells[0])}", *map(figure_of, cells), paper])
    for size, costs in policy.items():
        mean = f"cost {fmean(costs):.2f}" if costs else "–"
        title = f"paper-{size}, the policy alone"
        rows.append([title, f"{len(costs):,}", mean, "–", f"cost {PAPER_MEAN[size]:.2f}"])
    return markdown_table(header, rows)


if __name__ == "__main__":
    run(main)
