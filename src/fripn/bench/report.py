"""Tables made from raw lines: one row per suite, method, budget and number of threads."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from statistics import fmean
from typing import Any

from fripn.bench.formats import csv_table, number_cell, text_table
from fripn.bench.lines import WITH_WEIGHTS, Key, Line, key_of
from fripn.bench.markdown import markdown_table
from fripn.bench.seeds import over_seeds
from fripn.result import gap_percent, highest_equal

COLUMNS = (
    "suite",
    "method",
    "budget",
    "threads",
    "runs",
    "failures",
    "mean gap %",
    "seed spread %",
    "worst gap %",
    "best reached %",
    "mean cost",
    "mean seconds",
)

#: The first columns hold text, the others numbers.
NUM_TEXT_COLUMNS = 3


#: An instance: its suite and its name.
Instance = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Row:
    """Averages of the runs of one method on one suite; None where there is nothing to average.

    ``seed_spread`` is the standard deviation over the seeds of the mean gap.
    """

    suite: str
    method: str
    budget: str
    threads: int
    runs: int
    failures: int
    mean_gap: float | None
    seed_spread: float | None
    worst_gap: float | None
    reached: float | None
    mean_cost: float | None
    mean_seconds: float | None


@dataclass(frozen=True, slots=True)
class Report:
    """The rows, against what the gaps are measured, and where the runs come from.

    Parameters
    ----------
    rows
        One per suite, method, budget and number of threads.
    num_known, num_compared
        Instances with a best-known cost, and those compared with the best of all lines.
    num_replaced
        Lines that do not count, because a later one is for the same run.
    commits, versions, cpus, threads, weights
        What the lines that count name, each once and sorted.
    """

    rows: tuple[Row, ...]
    num_known: int
    num_compared: int
    num_replaced: int
    commits: tuple[str, ...]
    versions: tuple[str, ...]
    cpus: tuple[str, ...]
    threads: tuple[str, ...]
    weights: tuple[str, ...]

    @property
    def reference(self) -> str:
        """Return what the gaps are measured against."""
        known = f"the best-known cost ({self.num_known} instances)"
        compared = f"the best cost of all lines in the file ({self.num_compared} instances)"
        parts = [known] if self.num_known else []
        parts += [compared] if self.num_compared else []
        return f"Gaps are to {' and to '.join(parts)}." if parts else "There is no run to compare."

    @property
    def origin(self) -> str:
        """Return what the runs were made with; empty when there are none."""
        if not self.rows:
            return ""
        parts = [
            f"Commits: {', '.join(self.commits)}.",
            f"Version: {', '.join(self.versions)}.",
            f"Cores: {', '.join(self.cpus)}.",
            f"Threads: {', '.join(self.threads)}.",
        ]
        if self.weights:
            parts.append(f"Weights of the policy: {', '.join(self.weights)}.")
        if self.num_replaced:
            parts.append(f"Lines with a later one for the same run, left out: {self.num_replaced}.")
        return " ".join(parts)

    @property
    def remarks(self) -> str:
        """What stands below the table."""
        return "\n".join(filter(None, (self.reference, self.origin)))


def summarize(lines: Sequence[Line]) -> Report:
    """Average the lines of every suite, method, budget and number of threads.

    Parameters
    ----------
    lines
        Raw lines; of two lines for the same run the later one counts.
    """
    runs = latest_runs(lines)
    references = reference_costs(runs)
    groups: dict[tuple[str, str, str, int], list[Line]] = {}
    for line in runs:
        group = (line["suite"], line["method"], describe_budget(line), line["threads"])
        groups.setdefault(group, []).append(line)
    known = {_instance(line) for line in runs if line["best_known"] is not None}
    return Report(
        rows=tuple(_row(*group, mine, references) for group, mine in groups.items()),
        num_known=len(known),
        num_compared=len(references.keys() - known),
        num_replaced=len(lines) - len(runs),
        commits=_named(line.get("commit") for line in runs),
        versions=_named(line.get("version") for line in runs),
        cpus=_named(line.get("cpus") for line in runs),
        threads=_named(line["threads"] for line in runs),
        weights=_named(line.get("weights") for line in runs if line["method"] in WITH_WEIGHTS),
    )


def latest_runs(lines: Sequence[Line]) -> list[Line]:
    """Return a line per run: of two for the same run the later one."""
    latest: dict[Key, Line] = {key_of(line): line for line in lines}
    return list(latest.values())


def describe_budget(line: Line) -> str:
    """Return the limits of a run in words."""
    parts = []
    if line["time_limit"] is not None:
        parts.append(f"{line['time_limit']:g} s")
    if line["iterations"] is not None:
        parts.append(f"{line['iterations']} iterations")
    return ", ".join(parts) or "none"


def _named(values: Iterable[Any]) -> tuple[str, ...]:
    """Return the values of one field, each once and sorted; unknown where a line has none."""
    found = set(values)
    known = sorted(value for value in found if value is not None)
    return (*map(str, known), *(["unknown"] if None in found else []))


def _instance(line: Line) -> Instance:
    return line["suite"], line["instance"]


def reference_costs(runs: Sequence[Line]) -> dict[Instance, float]:
    """Return the cost that each instance is compared with: best known, else best of all runs."""
    references: dict[Instance, float] = {}
    for line in runs:
        cost = line["cost"]
        if line["best_known"] is None and cost is not None:
            instance = _instance(line)
            references[instance] = min(cost, references.get(instance, math.inf))
    for line in runs:
        if line["best_known"] is not None:
            references[_instance(line)] = line["best_known"]
    return references


def _row(
    suite: str,
    method: str,
    budget: str,
    threads: int,
    lines: Sequence[Line],
    references: dict[Instance, float],
) -> Row:
    def gap_of(line: Line) -> float:
        return gap_percent(line["cost"], references[_instance(line)])

    solved = [line for line in lines if line["cost"] is not None]
    gaps = [gap_of(line) for line in solved]
    seeds = over_seeds(solved, gap_of)
    reached = [line["cost"] <= highest_equal(references[_instance(line)]) for line in solved]
    return Row(
        suite=suite,
        method=method,
        budget=budget,
        threads=threads,
        runs=len(lines),
        failures=len(lines) - len(solved),
        mean_gap=fmean(gaps) if gaps else None,
        seed_spread=None if seeds is None else seeds.spread,
        worst_gap=max(gaps, default=None),
        # A failed run reached nothing.
        reached=100.0 * sum(reached) / len(lines) if lines else None,
        mean_cost=fmean(line["cost"] for line in solved) if solved else None,
        mean_seconds=fmean(line["seconds"] for line in solved) if solved else None,
    )


# -- formats -------------------------------------------------------------------------------------


def to_markdown(report: Report) -> str:
    """Return the report as a Markdown table with remarks below it."""
    table = markdown_table(COLUMNS, map(_cells, report.rows), num_left=NUM_TEXT_COLUMNS)
    return f"{table}\n\n{report.remarks}\n"


def to_text(report: Report) -> str:
    """Return the report as aligned columns with remarks below it."""
    table = text_table(COLUMNS, map(_cells, report.rows), num_left=NUM_TEXT_COLUMNS)
    return f"{table}\n\n{report.remarks}\n"


def to_csv(report: Report) -> str:
    """Return the report as CSV with all digits."""
    names = [field.name for field in fields(Row)]
    return csv_table(names, ([getattr(row, name) for name in names] for row in report.rows))


FORMATS: dict[str, Callable[[Report], str]] = {"md": to_markdown, "text": to_text, "csv": to_csv}


def _cells(row: Row) -> tuple[str, ...]:
    return (
        row.suite,
        row.method,
        row.budget,
        str(row.threads),
        str(row.runs),
        str(row.failures),
        number_cell(row.mean_gap, 3),
        number_cell(row.seed_spread, 3),
        number_cell(row.worst_gap, 3),
        number_cell(row.reached, 1),
        number_cell(row.mean_cost, 2),
        number_cell(row.mean_seconds, 3),
    )
