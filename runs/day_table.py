"""The table of working days, with PyVRP beside the default method: sets, budgets and targets.

    python runs/day_table.py [--rows fsmtw,fsmtw-T,…] [--every 8] [--seeds 1] [--beside 2]
    python runs/day_table.py --report --update-docs

Each run appends a raw line to out/day.jsonl and is not repeated by the next call. Both methods have
one thread, and the runs of an instance follow each other, so that a busy machine slows both.
--every takes every so-many-th instance of a set. Lines hold the plans, from which
tools/best_plans.py takes the best ones. The table is made from these lines and the published ones
in docs/results/ and printed; --update-docs writes it into docs/benchmarks.md.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
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
from fripn.problem import library

ROOT = Path(__file__).resolve().parents[1]

METHODS = ("hybrid", "pyvrp")

#: A run is its instance, for one seed.
Pairs = dict[tuple[str, int], Line]


@dataclass(frozen=True)
class Row:
    """One line of the table and its targets, in percent; None where there is no such target.

    Parameters
    ----------
    title, suite, seconds, takes
        What is measured, and which instances of the suite.
    most_mean, most_worst
        The largest mean difference to PyVRP, and the largest difference on one instance.
    most_gap
        The largest mean gap to the published values, which PyVRP's must not be below.
    less_service
        Whether the sum of the service times is subtracted from costs before they are compared, as
        the literature does.
    """

    title: str
    suite: str
    seconds: float
    takes: Callable[[str], bool] = lambda name: True
    most_mean: float | None = None
    most_worst: float | None = None
    most_gap: float | None = None
    less_service: bool = False

    def target(self) -> str:
        """Return the targets in words."""
        parts = []
        if self.most_mean is not None:
            parts.append(f"mean {self.most_mean:+g} %")
        if self.most_worst is not None:
            parts.append(f"worst {self.most_worst:+g} %")
        if self.most_gap is not None:
            parts.append(f"gap {self.most_gap:g} %, not above PyVRP's")
        return ", ".join(parts)


ROWS = {
    "fsmtw": Row(
        "mixed fleets and windows, distance, 10 s", "fsmtw", 10.0, most_mean=-2.5, most_worst=0.3
    ),
    "fsmtw-T": Row(
        "mixed fleets and windows, hours, class a, 10 s",
        "fsmtw-T",
        10.0,
        lambda name: name.endswith("a-T"),
        most_mean=-2.0,
        most_worst=0.3,
        less_service=True,
    ),
    "sdvrptw": Row("access, windows and durations, 30 s", "sdvrptw", 30.0, most_gap=0.7),
    "mdvrp": Row("several depots and durations, 30 s", "mdvrp", 30.0, most_gap=0.5),
    "solomon": Row("one type and windows, 10 s", "solomon", 10.0, most_mean=0.2),
}


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("--rows", type=list_of(one_of(ROWS)), default=list(ROWS))
    parser.add_argument("--methods", type=list_of(one_of(METHODS)), default=list(METHODS))
    parser.add_argument("--every", type=integer(1), default=1)
    parser.add_argument("--seeds", type=integer(1), default=1, help="runs of each method, 0 first")
    parser.add_argument("--beside", type=integer(1), default=1, help="runs at the same time")
    parser.add_argument("--again", action="store_true", help="repeat published runs of these rows")
    options = parse_options(parser, ROOT / "out" / "day.jsonl")
    lines = Lines(ROOT / "docs" / "results" / "day.jsonl", options.lines)
    if not options.report:
        items = [
            item
            for name in options.rows
            for item in items_of(ROWS[name], options.methods, options.every, options.seeds)
        ]
        left = lines.left(items, again=options.again)
        print(expectation(left, options.beside), file=sys.stderr)
        lines.run(left, options.beside, again=options.again)
    measured = lines.all()
    block = Block(ROOT / "docs" / "benchmarks.md", "day_table", table(measured))
    present(options, [block], missing_cells(measured), lines)


def items_of(row: Row, methods: Sequence[str], every: int, seeds: int) -> list[WorkItem]:
    """Return the runs of one row, all methods of an instance one after the other."""
    return [
        bench_item(case, method, seed, 1, Budget(seconds=row.seconds), keep_plan=True)
        for seed in range(seeds)
        for case in [case for case in open_suite(row.suite) if row.takes(case.name)][::every]
        for method in methods
    ]


def expectation(left: Sequence[WorkItem], beside: int) -> str:
    """Return how many runs there are and about how long they take."""
    seconds = sum(item.budget.seconds or 0.0 for item in left) / min(beside, max(1, len(left)))
    minutes = math.ceil(seconds / 60.0)
    time = f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min"
    return f"{len(left)} runs to do, {beside} at a time: about {time}"


def lines_of(lines: Sequence[Line], row: Row, method: str) -> Pairs:
    """Return the lines of one row and method, by instance and seed."""
    return {
        (line["instance"], line["seed"]): line
        for line in lines
        if (line["suite"], line["method"], line["time_limit"]) == (row.suite, method, row.seconds)
        and row.takes(line["instance"])
    }


def missing_cells(lines: Sequence[Line]) -> list[str]:
    """Name the cells that lack an instance."""
    missing = []
    for row in ROWS.values():
        names = {case.name for case in open_suite(row.suite) if row.takes(case.name)}
        for method in METHODS:
            left = names - {name for name, _ in lines_of(lines, row, method)}
            if left:
                missing.append(f"{row.title} with {method} ({len(left)} of {len(names)} instances)")
    return missing


def table(lines: Sequence[Line]) -> str:
    """Return the table, and below it on which commits the runs were."""
    if not lines:
        return "Not measured yet."
    header = ["instances, time", "target", *METHODS, "mean difference", "worst instance", "result"]
    rows = []
    for row in ROWS.values():
        ours, theirs = (lines_of(lines, row, method) for method in METHODS)
        figures = [figure_of(row, mine) for mine in (ours, theirs)]
        mean, worst = differences(row, ours, theirs)
        verdict = verdict_of(row, ours, theirs)
        rows.append([row.title, row.target(), *figures, mean, worst, verdict])
    commits = sorted({line["commit"] or "unknown" for line in lines})
    return f"{markdown_table(header, rows)}\n\nCommits: {', '.join(commits)}."


def figure_of(row: Row, lines: Pairs) -> str:
    """Return the mean gap to the published values, or the mean cost where the row has none."""
    if not lines:
        return "–"
    costs = [cost for line in lines.values() if (cost := cost_of(row, line)) is not None]
    missing = f", {len(lines) - len(costs)} without a plan" if len(costs) < len(lines) else ""
    gap = mean_gap(lines)
    if row.most_gap is not None and gap is not None:
        figure = f"gap {gap:z.3f} %"
    else:
        figure = f"mean cost {fmean(costs):.2f}" if costs else "–"
    return f"{figure} ({len(costs)} runs{missing})"


def mean_gap(lines: Pairs) -> float | None:
    """Return the mean gap in percent to the published values; None if there is no plan or value."""
    costs = [(name, line["cost"]) for (name, _), line in lines.items() if line["cost"] is not None]
    values = [library.published(name) for name, _ in costs]
    gaps = [
        100.0 * (cost / value.cost - 1.0)
        for (_, cost), value in zip(costs, values, strict=True)
        if value is not None
    ]
    return fmean(gaps) if gaps and None not in values else None


def cost_of(row: Row, line: Line) -> float | None:
    """Return the cost as the row compares it; None without a plan."""
    cost = line["cost"]
    return cost - service_of(line["instance"]) if row.less_service and cost is not None else cost


@cache
def service_of(name: str) -> float:
    """Return the sum of the service times of an instance of the library."""
    services = library.load(name).service_times
    return 0.0 if services is None else float(services.sum())


def percent_by_instance(row: Row, ours: Pairs, theirs: Pairs) -> dict[str, float]:
    """Return by how many percent our costs differ, mean over the seeds that both solved."""
    by_instance: dict[str, list[float]] = {}
    for key in ours.keys() & theirs.keys():
        mine, other = cost_of(row, ours[key]), cost_of(row, theirs[key])
        if mine is not None and other is not None:
            by_instance.setdefault(key[0], []).append(100.0 * (mine / other - 1.0))
    return {name: fmean(values) for name, values in sorted(by_instance.items())}


def differences(row: Row, ours: Pairs, theirs: Pairs) -> tuple[str, str]:
    """Return the mean difference to PyVRP, and the largest with its instance."""
    percents = percent_by_instance(row, ours, theirs)
    if not percents:
        return "–", "–"
    worst = max(percents, key=lambda name: percents[name])
    mean = fmean(percents.values())
    return f"{mean:+z.2f} % ({len(percents)})", f"{percents[worst]:+z.2f} % ({worst})"


def verdict_of(row: Row, ours: Pairs, theirs: Pairs) -> str:
    """Return whether the targets are met by what is measured."""
    percents = percent_by_instance(row, ours, theirs)
    if not percents:
        return "–"
    limits = [(row.most_mean, fmean(percents.values())), (row.most_worst, max(percents.values()))]
    is_met = all(line["cost"] is not None for line in ours.values())
    is_met &= all(value <= limit for limit, value in limits if limit is not None)
    if row.most_gap is not None:
        gap, other = mean_gap(ours), mean_gap(theirs)
        is_met &= gap is not None and other is not None and gap <= min(row.most_gap, other)
    names = {case.name for case in open_suite(row.suite) if row.takes(case.name)}
    part = "" if percents.keys() == names else f" so far ({len(percents)} of {len(names)})"
    return ("met" if is_met else "missed") + part


if __name__ == "__main__":
    run(main)
