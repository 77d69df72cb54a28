"""The runs of a benchmark: methods on the cases of a suite, each recorded as a line."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from fripn._version import __version__
from fripn.batch.lines import Line, iter_lines
from fripn.batch.runner import Outcome, WorkItem
from fripn.bench.lines import FORMAT, WITH_WEIGHTS, Key
from fripn.bench.suites import Case
from fripn.budget import Budget
from fripn.errors import InvalidInput
from fripn.result import gap_percent
from fripn.run import Method

if TYPE_CHECKING:
    from fripn.policy import PolicyWeights


def bench_item(
    case: Case,
    method: str,
    seed: int,
    threads: int,
    budget: Budget,
    *,
    chosen: Method | None = None,
    keep_curve: bool = False,
    keep_plan: bool = False,
) -> WorkItem:
    """Return one run to do: a method on a case, with a seed and a budget.

    Parameters
    ----------
    case, method, seed, threads, budget
        What makes it the run it is.
    chosen
        The method with settings of its own, which `method` then names in the line; None for the
        method of that name with its defaults.
    keep_curve
        Whether its line holds every improvement.
    keep_plan
        Whether its line holds the routes: vehicle type and customers of each.
    """
    key = Key(case.suite, case.name, method, seed, threads, budget.seconds, budget.iterations)
    fields = {**key._asdict(), "best_known": case.best_known}
    describe = partial(_describe, keep_curve=keep_curve, keep_plan=keep_plan)
    solver = method if chosen is None else chosen
    return WorkItem(fields, case.load, solver, describe, budget, seed, threads)


def bench_items(
    cases: Sequence[Case],
    methods: Sequence[str] | Mapping[str, Method],
    seeds: int,
    threads: int,
    budget: Budget,
    *,
    keep_curve: bool = False,
    keep_plan: bool = False,
) -> Iterator[WorkItem]:
    """Yield every run, seed by seed, so that an interrupted file is fair to all methods.

    `methods` are names, or methods with settings of their own by the name they have in the lines.
    """
    for seed in range(seeds):
        for case in cases:
            for name in methods:
                chosen = methods[name] if isinstance(methods, Mapping) else None
                yield bench_item(
                    case,
                    name,
                    seed,
                    threads,
                    budget,
                    chosen=chosen,
                    keep_curve=keep_curve,
                    keep_plan=keep_plan,
                )


def others_in(path: Path, methods: Mapping[str, Method]) -> list[str]:
    """Return what the lines of a file come from, where it is not what would run now.

    Parameters
    ----------
    path
        The file of lines, which need not exist.
    methods
        The methods that would run, by their names in lines; the weights of the others do not
        matter.

    Returns
    -------
    list of str
        Such as ``commit 1324cfeee7b6`` or ``weights 6693ce5cb1a3``, each once.
    """
    origins: set[str] = set()
    weights: set[str] = set()
    current = {name: weights_of(method) for name, method in methods.items()}
    for _, _, line in iter_lines(path, FORMAT) if path.exists() else ():
        origins.add(_origin(line.get("commit"), line.get("version")))
        method, used = line["method"], line.get("weights")
        if method in current and used not in (None, current[method]):
            weights.add(f"weights {used}")
    return [*sorted(origins - {_origin(current_commit(), __version__)}), *sorted(weights)]


def _origin(commit: str | None, version: str | None) -> str:
    return f"commit {commit}" if commit else f"version {version or 'unknown'}"


def _describe(outcome: Outcome, *, keep_curve: bool, keep_plan: bool) -> Line:
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
    if keep_plan and result is not None and result.solution is not None:
        line["routes"] = result.solution.pairs()
    return line


def require_weights(methods: Iterable[Method]) -> None:
    """Refuse weights files that cannot be used, before anything runs.

    Raises
    ------
    InvalidInput
        See `fripn.policy.load_weights`.
    """
    for method in methods:
        given = getattr(method, "weights", None)
        if given is not None:
            from fripn.policy import Policy

            Policy(weights=given).loaded_weights()


def require_solvers(methods: Iterable[Method]) -> None:
    """Refuse solvers of the exact model that are not installed, before anything runs.

    Raises
    ------
    MissingExtra
        See `fripn.baselines.milp.method.load_backend`.
    """
    for method in methods:
        if method.name == "milp":
            from fripn.baselines.milp.method import Milp, load_backend

            if isinstance(method, Milp):
                load_backend(method.solver)


def weights_of(method: str | Method) -> str | None:
    """Return the fingerprint of the weights that a method uses, or None when it uses none."""
    if isinstance(method, str):
        return _fingerprint(None) if method in WITH_WEIGHTS else None
    return _fingerprint(getattr(method, "weights", None)) if method.name in WITH_WEIGHTS else None


@cache
def _fingerprint(weights: PolicyWeights | Path | str | None) -> str | None:
    from fripn.policy import Policy

    try:
        return Policy(weights=weights).loaded_weights().fingerprint
    except InvalidInput:  # no weights, or none that fit: the method reports it
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
