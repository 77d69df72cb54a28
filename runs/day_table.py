"""The table of working days, with PyVRP beside the engine: sets, budgets, gaps and differences.

    python runs/day_table.py [--rows fsmtw,fsmtw-T,…] [--every 8] [--beside 2]
    python runs/day_table.py --report --update-docs

Each run appends a raw line to out/day.jsonl and is not repeated by the next call. Both methods have
one thread, and the runs of an instance follow each other, so that a busy machine slows both.
--every takes every so-many-th instance of a set. The table is made from these lines and the
published ones in docs/results/ and printed; --update-docs writes it into docs/benchmarks.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from fripn import Budget
from fripn.batch.runner import WorkItem
from fripn.bench.lines import Line
from fripn.bench.markdown import markdown_table
from fripn.bench.page import Block
from fripn.bench.publish import Lines, parse_options, present
from fripn.bench.run import bench_item
from fripn.bench.script import ScriptParser, integer, list_of, one_of, run
from fripn.bench.suites import open_suite

ROOT = Path(__file__).resolve().parents[1]

METHODS = ("hgs", "pyvrp")


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    title: str
    suite: str
    seconds: float
    aim: str
    takes: Callable[[str], bool] = lambda name: True


ROWS = {
    "fsmtw": Row(
        "mixed fleets and windows, distance, 10 s",
        "fsmtw",
        10.0,
        "mean -2.5 %, worst +0.3 %",
    ),
    "fsmtw-T": Row(
        "mixed fleets and windows, hours, class a, 10 s",
        "fsmtw-T",
        10.0,
        "mean -2 %",
        lambda name: name.endswith("a-T"),
    ),
    "sdvrptw": Row(
        "access, windows and durations, 30 s", "sdvrptw", 30.0, "gap 0.7 %, not above PyVRP"
    ),
    "mdvrp": Row("several depots, 30 s", "mdvrp", 30.0, "gap 0.5 %, not above PyVRP"),
    "solomon": Row("one type and windows, 10 s", "solomon", 10.0, "mean +0.2 %"),
}


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("--rows", type=list_of(one_of(ROWS)), default=list(ROWS))
    parser.add_argument("--every", type=integer(1), default=1)
    parser.add_argument("--beside", type=integer(1), default=1, help="runs at the same time")
    parser.add_argument("--again", action="store_true", help="repeat published runs of these rows")
    options = parse_options(parser, ROOT / "out" / "day.jsonl")
    lines = Lines(ROOT / "docs" / "results" / "day.jsonl", options.lines)
    if not options.report:
        for name in options.rows:
            lines.run(items_of(ROWS[name], options.every), options.beside, again=options.again)
    measured = lines.all()
    block = Block(ROOT / "docs" / "benchmarks.md", "day_table", table(measured))
    present(options, [block], missing_cells(measured), lines)


def items_of(row: Row, every: int) -> list[WorkItem]:
    """Return the runs of one row, both methods of an instance one after the other."""
    cases = [case for case in open_suite(row.suite) if row.takes(case.name)]
    return [
        bench_item(case, method, 0, 1, Budget(seconds=row.seconds))
        for case in cases[::every]
        for method in METHODS
    ]


def lines_of(lines: Sequence[Line], row: Row, method: str) -> dict[str, Line]:
    """Return the lines of one row and method, by instance."""
    return {
        line["instance"]: line
        for line in lines
        if (line["suite"], line["method"], line["time_limit"]) == (row.suite, method, row.seconds)
        and row.takes(line["instance"])
    }


def missing_cells(lines: Sequence[Line]) -> list[str]:
    """Name the cells without a line."""
    return [
        f"{row.title} with {method}"
        for row in ROWS.values()
        for method in METHODS
        if not lines_of(lines, row, method)
    ]


def table(lines: Sequence[Line]) -> str:
    """Return the table, and below it on which commits the runs were."""
    if not lines:
        return "Not measured yet."
    header = ["instances, time", "aim", "hgs", "PyVRP", "hgs against PyVRP: mean, worst"]
    rows = []
    for row in ROWS.values():
        ours, theirs = (lines_of(lines, row, method) for method in METHODS)
        figures = [figure_of([*mine.values()]) for mine in (ours, theirs)]
        rows.append([row.title, row.aim, *figures, difference(ours, theirs)])
    commits = sorted({line["commit"] or "unknown" for line in lines})
    return f"{markdown_table(header, rows)}\n\nCommits: {', '.join(commits)}."


def figure_of(lines: Sequence[Line]) -> str:
    """Return the mean gap to the best-known values, or the mean cost where there are none."""
    solved = [line for line in lines if line["cost"] is not None]
    if not solved:
        return "–"
    missing = f", {len(lines) - len(solved)} without a plan" if len(solved) < len(lines) else ""
    if all(line["gap_percent"] is not None for line in solved):
        figure = f"gap {fmean(line['gap_percent'] for line in solved):.3f} %"
    else:
        figure = f"mean cost {fmean(line['cost'] for line in solved):.2f}"
    return f"{figure} ({len(solved)} runs{missing})"


def difference(ours: dict[str, Line], theirs: dict[str, Line]) -> str:
    """Return by how many percent our costs differ, over the instances that both solved."""
    ratios = {
        name: 100.0 * (line["cost"] / theirs[name]["cost"] - 1.0)
        for name, line in ours.items()
        if name in theirs and line["cost"] is not None and theirs[name]["cost"]
    }
    if not ratios:
        return "–"
    worst = max(ratios, key=lambda name: ratios[name])
    return f"{fmean(ratios.values()):+.2f} %, {ratios[worst]:+.2f} % ({worst}); {len(ratios)} pairs"


if __name__ == "__main__":
    run(main)
