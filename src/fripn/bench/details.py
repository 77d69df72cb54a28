"""Tables beside the report: one row per instance, and methods compared instance by instance."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, fields
from statistics import fmean, stdev
from typing import Any

import numpy as np

from fripn.bench.formats import csv_table, number_cell, text_table
from fripn.bench.lines import Line
from fripn.bench.markdown import markdown_table
from fripn.bench.report import Instance, describe_budget, latest_runs, reference_costs
from fripn.result import gap_percent

#: Up to so many pairs the distribution of the test is computed, beyond it is approximated.
MOST_EXACT = 200


@dataclass(frozen=True, slots=True)
class InstanceRow:
    """The runs of one method on one instance, over their seeds; None where all failed."""

    suite: str
    instance: str
    method: str
    budget: str
    threads: int
    runs: int
    failures: int
    reference: float | None
    best_cost: float | None
    mean_cost: float | None
    cost_spread: float | None
    mean_gap: float | None
    worst_gap: float | None
    mean_seconds: float | None


@dataclass(frozen=True, slots=True)
class PairRow:
    """Two methods on the instances that both solved: mean costs over the seeds, compared.

    Parameters
    ----------
    suite, budget, threads, first, second
        What is compared.
    instances, better, worse
        How many, and on how many of them the first costs less and more.
    mean_difference
        Mean of (first - second) / second, in percent.
    p_value
        Of Wilcoxon's signed-rank test, two-sided: how likely so unequal ranks are by chance. None
        where the two never differ.
    """

    suite: str
    budget: str
    threads: int
    first: str
    second: str
    instances: int
    better: int
    worse: int
    mean_difference: float
    p_value: float | None


def by_instance(lines: Sequence[Line]) -> list[InstanceRow]:
    """Return a row per suite, instance, method, budget and number of threads."""
    runs = latest_runs(lines)
    references = reference_costs(runs)
    groups: dict[tuple[str, str, str, str, int], list[Line]] = {}
    for line in runs:
        budget = describe_budget(line)
        group = (line["suite"], line["instance"], line["method"], budget, line["threads"])
        groups.setdefault(group, []).append(line)
    rows = []
    for group, mine in groups.items():
        costs = [line["cost"] for line in mine if line["cost"] is not None]
        reference = references.get((group[0], group[1]))
        gaps = [gap_percent(cost, reference) for cost in costs if reference is not None]
        seconds = [line["seconds"] for line in mine if line["cost"] is not None]
        rows.append(
            InstanceRow(
                *group,
                runs=len(mine),
                failures=len(mine) - len(costs),
                reference=reference,
                best_cost=min(costs, default=None),
                mean_cost=fmean(costs) if costs else None,
                cost_spread=stdev(costs) if len(costs) > 1 else None,
                mean_gap=fmean(gaps) if gaps else None,
                worst_gap=max(gaps, default=None),
                mean_seconds=fmean(seconds) if seconds else None,
            )
        )
    return rows


def compare_pairs(lines: Sequence[Line]) -> list[PairRow]:
    """Compare every two methods with the same suite, budget and number of threads."""
    means: dict[tuple[str, str, int], dict[str, dict[Instance, list[float]]]] = {}
    for line in latest_runs(lines):
        if line["cost"] is not None:
            group = (line["suite"], describe_budget(line), line["threads"])
            method = means.setdefault(group, {}).setdefault(line["method"], {})
            method.setdefault((line["suite"], line["instance"]), []).append(line["cost"])
    rows = []
    for group, methods in means.items():
        for first, second in itertools.combinations(methods, 2):
            shared = [one for one in methods[first] if one in methods[second]]
            if not shared:
                continue
            pairs = [(fmean(methods[first][one]), fmean(methods[second][one])) for one in shared]
            differences = [gap_percent(mine, other) for mine, other in pairs]
            rows.append(
                PairRow(
                    *group,
                    first,
                    second,
                    instances=len(shared),
                    better=sum(difference < 0 for difference in differences),
                    worse=sum(difference > 0 for difference in differences),
                    mean_difference=fmean(differences),
                    p_value=signed_rank_test(differences),
                )
            )
    return rows


def signed_rank_test(differences: Sequence[float]) -> float | None:
    """Return the two-sided p-value of Wilcoxon's signed-rank test; None without a difference.

    Differences of 0 are left out, equal sizes share their ranks.

    References
    ----------
    F. Wilcoxon (1945), doi 10.2307/3001968.
    """
    values = np.array([value for value in differences if value != 0.0])
    if not len(values):
        return None
    _, group, counts = np.unique(np.abs(values), return_inverse=True, return_counts=True)
    # Twice the mean rank of a group of equal sizes is an integer.
    doubled = (2 * np.cumsum(counts) - counts + 1)[group]
    statistic = int(doubled[values > 0].sum())
    if len(values) <= MOST_EXACT:
        chances = np.ones(1)
        for rank in doubled:
            chances = 0.5 * (np.pad(chances, (0, rank)) + np.pad(chances, (rank, 0)))
        tails = chances[: statistic + 1].sum(), chances[statistic:].sum()
        return float(min(1.0, 2.0 * min(tails)))
    from math import erfc, sqrt

    deviation = sqrt(float((doubled.astype(np.float64) ** 2).sum()) / 4.0)
    distance = abs(statistic - doubled.sum() / 2.0)
    return float(erfc(distance / deviation / sqrt(2.0)))


_INSTANCE_COLUMNS = (
    "suite", "instance", "method", "budget", "threads", "runs", "failures", "reference",
    "best cost", "mean cost", "spread", "mean gap %", "worst gap %", "mean seconds",
)  # fmt: skip
_PAIR_COLUMNS = (
    "suite", "budget", "threads", "method", "compared with", "instances", "better", "worse",
    "mean difference %", "p",
)  # fmt: skip


def instance_table(rows: Sequence[InstanceRow], form: str) -> str:
    """Return the rows per instance as ``md``, ``text`` or ``csv``."""
    cells = [
        (
            row.suite,
            row.instance,
            row.method,
            row.budget,
            str(row.threads),
            str(row.runs),
            str(row.failures),
            *(
                number_cell(value, 2)
                for value in (row.reference, row.best_cost, row.mean_cost, row.cost_spread)
            ),
            *(number_cell(value, 3) for value in (row.mean_gap, row.worst_gap, row.mean_seconds)),
        )
        for row in rows
    ]
    return _table(_INSTANCE_COLUMNS, cells, 4, rows, InstanceRow, form)


def pair_table(rows: Sequence[PairRow], form: str) -> str:
    """Return the comparisons as ``md``, ``text`` or ``csv``."""
    cells = [
        (
            row.suite,
            row.budget,
            str(row.threads),
            row.first,
            row.second,
            str(row.instances),
            str(row.better),
            str(row.worse),
            number_cell(row.mean_difference, 3),
            number_cell(row.p_value, 4),
        )
        for row in rows
    ]
    return _table(_PAIR_COLUMNS, cells, 5, rows, PairRow, form)


def _table(
    header: Sequence[str],
    cells: Sequence[Sequence[str]],
    num_left: int,
    rows: Sequence[Any],
    row_class: type[InstanceRow] | type[PairRow],
    form: str,
) -> str:
    if form == "csv":
        names = [field.name for field in fields(row_class)]
        return csv_table(names, ([getattr(row, name) for name in names] for row in rows))
    make = markdown_table if form == "md" else text_table
    return make(header, cells, num_left=num_left) + "\n"
