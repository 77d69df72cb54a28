"""The runs of a benchmark: methods on the cases of a suite, each recorded as a line."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from functools import cache, partial
from pathlib import Path

from fripn._version import __version__
from fripn.batch.lines import Line, iter_lines
from fripn.batch.runner import Outcome, WorkItem
from fripn.bench.lines import FORMAT, WITH_WEIGHTS, Key
from fripn.bench.suites import Case
from fripn.budget import Budget
from fripn.errors import InvalidFile
from fripn.result import gap_percent


def bench_item(
    case: Case,
    method: str,
    seed: int,
    threads: int,
    budget: Budget,
    *,
    keep_curve: bool = False,
) -> WorkItem:
    """Return one run to do: a method on a case, with a seed and a budget.

    Parameters
    ----------
    case, method, seed, threads, budget
        What makes it the run it is.
    keep_curve
        Whether its line holds every improvement.
    """
    key = Key(case.suite, case.name, method, seed, threads, budget.seconds, budget.iterations)
    fields = {**key._asdict(), "best_known": case.best_known}
    describe = partial(_describe, keep_curve=keep_curve)
    return WorkItem(fields, case.load, method, describe, budget, seed, threads)


def bench_items(
    cases: Sequence[Case],
    methods: Sequence[str],
    seeds: int,
    threads: int,
    budget: Budget,
    *,
    keep_curve: bool = False,
) -> Iterator[WorkItem]:
    """Yield every run, seed by seed, so that an interrupted file is fair to all methods."""
    for seed in range(seeds):
        for case in cases:
            for method in methods:
                yield bench_item(case, method, seed, threads, budget, keep_curve=keep_curve)


def others_in(path: Path, methods: Sequence[str]) -> list[str]:
    """Return what the lines of a file come from, where it is not what would run now.

    Parameters
    ----------
    path
        The file of lines, which need not exist.
    methods
        The methods that would run; the weights of the others do not matter.

    Returns
    -------
    list of str
        Such as ``commit 1324cfeee7b6`` or ``weights 6693ce5cb1a3``, each once.
    """
    origins: set[str] = set()
    weights: set[str] = set()
    for _, _, line in iter_lines(path, FORMAT) if path.exists() else ():
        origins.add(_origin(line.get("commit"), line.get("version")))
        method, used = line["method"], line.get("weights")
        if method in methods and used not in (None, weights_of(method)):
            weights.add(f"weights {used}")
    return [*sorted(origins - {_origin(current_commit(), __version__)}), *sorted(weights)]


def _origin(commit: str | None, version: str | None) -> str:
    return f"commit {commit}" if commit else f"version {version or 'unknown'}"


def _describe(outcome: Outcome, *, keep_curve: bool) -> Line:
    """Return the line of a run."""
    item, instance, result = outcome.item, outcome.instance, outcome.result
    evaluation = None if result is None else result.evaluation
    known = item.fields["best_known"]
    line = {
        **item.fields,
        "n": None if instance is None else instance.num_customers,
        "types": None if instance is None else instance.num_types,
        "status": outcome.status,
        "cost": None if evaluation is None else evaluation.cost,
        "fixed_cost": None if evaluation is None else evaluation.fixed_cost,
        "travel_cost": None if evaluation is None else evaluation.travel_cost,
        "seconds": None if result is None else result.seconds,
        "iterations_done": None if result is None else result.iterations,
        "lower_bound": None if result is None else result.lower_bound,
        "gap_percent": None
        if evaluation is None or known is None
        else gap_percent(evaluation.cost, known),
        "error": outcome.error,
        "version": __version__,
        "commit": current_commit(),
        "cpus": os.cpu_count(),
        "weights": weights_of(item.method),
    }
    if keep_curve and result is not None and evaluation is not None:
        line["curve"] = [[point.seconds, point.cost] for point in result.curve]
    return line


@cache
def weights_of(method: str) -> str | None:
    """Return the fingerprint of the weights that a method uses, or None when it uses none."""
    if method not in WITH_WEIGHTS:
        return None
    from fripn.policy.weights import default_weights

    try:
        return default_weights().fingerprint
    except InvalidFile:  # an installation without weights: the method reports it
        return None


@cache
def current_commit() -> str | None:
    """Return the commit of the checkout this package runs from, with ``+`` when it was changed."""
    folder = Path(__file__).parent
    try:
        answer = subprocess.run(
            ["git", "describe", "--always", "--dirty=+", "--exclude=*", "--abbrev=12"],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=10,
        )
        tracked = subprocess.run(
            ["git", "ls-files", "--error-unmatch", Path(__file__).name],
            cwd=folder,
            capture_output=True,
            timeout=10,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    # An installed copy may lie below another repository; only ours tracks this file.
    if answer.returncode or tracked.returncode:
        return None
    return answer.stdout.strip()
