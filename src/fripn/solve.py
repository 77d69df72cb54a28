"""One function for every method: `solve(instance, method=…, time_limit=…, seed=…)`."""

from __future__ import annotations

import difflib
import importlib
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fripn.budget import Budget
from fripn.errors import InvalidSetting, MissingExtra, Unsupported
from fripn.features import Feature, features_of
from fripn.messages import listed
from fripn.method_names import build_method, parse_settings, split_settings
from fripn.plugins import (
    METHODS_GROUP,
    entry_points,
    is_import_path,
    load_entry_point,
    load_import_path,
)
from fripn.problem import Instance, Solution
from fripn.problem.impossible import why_impossible, why_unlikely
from fripn.problem.library import best_known_of
from fripn.problem.suspicious import suspicious
from fripn.reading import Frame, read
from fripn.result import Result, Status, highest_equal
from fripn.run import Method, OnProgress, Run, Stop, stop_on_interrupt
from fripn.settings import MOST_THREADS


@dataclass(frozen=True, slots=True)
class MethodInfo:
    """Where a method is defined; it is imported when first used.

    Parameters
    ----------
    module, attribute
        Import path of a class that makes a `Method` when called without arguments.
    summary
        One line for ``--help`` and the docs.
    extra
        The optional dependency group it needs, if any.
    proves
        Whether its purpose is a proof, so that a plan known to be optimal does not end its run.
    """

    module: str
    attribute: str
    summary: str
    extra: str | None = None
    proves: bool = False


#: Every method by name. A new method needs a line here and nowhere else.
METHODS: dict[str, MethodInfo] = {
    "hybrid": MethodInfo(
        "fripn.hybrid", "Hybrid", "the engine, started from the policy's plans; the default"
    ),
    "savings": MethodInfo(
        "fripn.baselines.savings", "Savings", "savings and the optimal split; answers at once"
    ),
    "hgs": MethodInfo("fripn.search.hgs", "Hgs", "the native search engine"),
    "parts": MethodInfo(
        "fripn.parts", "Parts", "the engine on neighbouring parts of 5,000 customers and more"
    ),
    "policy": MethodInfo(
        "fripn.policy.decode", "Policy", "the learned policy: sampled trajectories and split"
    ),
    "sweep": MethodInfo(
        "fripn.baselines.sweep", "Sweep", "by angle and the optimal split; needs coordinates"
    ),
    "exact": MethodInfo(
        "fripn.exact", "Exact", "bounds the cost of all plans; proves plans optimal", proves=True
    ),
    "milp": MethodInfo(
        "fripn.baselines.milp",
        "Milp",
        "the paper's exact model; proves small plans optimal",
        proves=True,
    ),
    "alns": MethodInfo(
        "fripn.baselines.alns",
        "AdaptiveLargeNeighbourhoodSearch",
        "adaptive large neighbourhood search",
    ),
    "tabu": MethodInfo("fripn.baselines.tabu", "Tabu", "tabu search"),
    "genetic": MethodInfo(
        "fripn.baselines.genetic", "GeneticAlgorithm", "giant tours, crossover, local search"
    ),
    "pyvrp": MethodInfo(
        "fripn.baselines.peers.pyvrp", "PyVrp", "PyVRP's iterated local search", "bench"
    ),
    "ortools": MethodInfo(
        "fripn.baselines.peers.ortools", "OrTools", "OR-Tools' guided local search", "bench"
    ),
    "vroom": MethodInfo(
        "fripn.baselines.peers.vroom", "Vroom", "VROOM's constructions and local search", "bench"
    ),
}


#: The method when none is named.
DEFAULT_METHOD = "hybrid"


def default_time_limit(num_customers: int) -> float:
    """Return the seconds that `solve` takes when no limit is given.

    A tenth of a second per customer, at least 2 and at most 60 seconds.
    """
    return min(max(2.0, num_customers / 10), 60.0)


def num_cores() -> int:
    """Return the number of cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def default_threads(budget: Budget) -> int:
    """Return the threads of a run that names none: all cores, but one with limited iterations."""
    return 1 if budget.iterations is not None else min(num_cores(), MOST_THREADS)


def with_defaults(budget: Budget, instance: Instance, method: Method) -> Budget:
    """Complete a budget that names neither seconds nor iterations nor a stall.

    It gets the default time, unless the method ends by itself, and, where it names no target, the
    proven optimum of a library instance, unless the method is there to prove. Nothing else ends
    such a run early but a proof: what has not improved for long may still improve.
    """
    if not budget.is_open_ended:
        return budget
    target = budget.target
    proves = method.name in METHODS and METHODS[method.name].proves
    if target is None and not proves:
        known = best_known_of(instance)
        if known is not None and known.status == "optimal":
            target = highest_equal(known.cost)
    seconds = None if method.ends_by_itself else default_time_limit(instance.num_customers)
    return replace(budget, seconds=seconds, target=target)


def check_supported(instance: Instance, method: Method) -> None:
    """Refuse an instance that uses what a method does not support.

    Raises
    ------
    Unsupported
        With the instance, what it uses, the method, and methods that support it.
    """
    used = features_of(instance)
    missing = used - method.supports
    if not missing:
        return
    lacks = listed(sorted(feature.value for feature in missing))
    able = [name for name in METHODS if used <= _supported(name)]
    raise Unsupported(
        f"{instance.name} has {lacks}, which method {{value}} does not support",
        field="method",
        value=method.name,
        remedy=f"choose one of {', '.join(able)}" if able else "no method supports it yet",
    )


def _supported(name: str) -> frozenset[Feature]:
    """Return what a method supports; nothing, where a package that it needs is missing."""
    try:
        return get_method(name).supports
    except MissingExtra:
        return frozenset()


def get_method(name: str) -> Method:
    """Return the method of that name.

    Parameters
    ----------
    name
        A name from `METHODS` or of an installed package, or an import path such as
        ``my_module:MyMethod``; settings may follow: ``policy:decode=greedy,samples=100``.

    Raises
    ------
    InvalidSetting
        When there is no such method, or a setting does not exist or is out of range.
    MissingExtra
        When it needs a package that is not installed.
    """
    bare, settings = split_method(name)
    method: Method = build_method(bare, method_class(bare), settings)
    return method


def split_method(text: str) -> tuple[str, dict[str, Any]]:
    """Return the name and the settings that a name stands for; see `get_method`."""
    known = METHODS if text.partition(":")[0] in METHODS else entry_points(METHODS_GROUP)
    name, settings = split_settings(text, known)
    return name, parse_settings(name, method_class(name), settings) if settings else {}


def method_class(name: str) -> Callable[..., Method]:
    """Return what makes a method, for settings other than the defaults: a class as a rule.

    Parameters
    ----------
    name
        As for `get_method`, without settings.

    Raises
    ------
    InvalidSetting
        When there is no such method.
    MissingExtra
        When it needs a package that is not installed.
    """
    if name not in METHODS:
        return _method_of_others(name)
    info = METHODS[name]
    try:
        found: Callable[..., Method] = getattr(importlib.import_module(info.module), info.attribute)
    except ModuleNotFoundError as error:
        if info.extra is None or (error.name or "").split(".")[0] == "fripn":
            raise
        raise MissingExtra(
            f"method {name!r} needs the package {error.name!r}, which is not installed",
            field="method",
            value=name,
            remedy=f"run: pip install 'fripn[{info.extra}]'",
        ) from None
    return found


def _method_of_others(name: str) -> Callable[..., Method]:
    offered = entry_points(METHODS_GROUP)
    found: Callable[..., Method]
    if name in offered:
        found = load_entry_point(METHODS_GROUP, name)
    elif is_import_path(name):
        found = load_import_path(name)
    else:
        known = [*METHODS, *offered]
        close = difflib.get_close_matches(name, known, n=1)
        hint = f"choose one of {', '.join(known)}, or name your own as module:attribute"
        raise InvalidSetting(
            f"there is no method {name!r}",
            field="method",
            value=name,
            remedy=f"did you mean {close[0]!r}?" if close else hint,
        )
    return found


def solve(
    instance: Instance | str | Path | Frame,
    method: str | Method | None = None,
    *,
    vehicles: str | Path | Frame | None = None,
    time_limit: float | None = None,
    budget: Budget | None = None,
    seed: int = 0,
    threads: int | None = None,
    start: Solution | None = None,
    on_progress: OnProgress | None = None,
    stop: Stop | None = None,
) -> Result:
    """Plan the fleet and its routes.

    Ctrl-C on the main thread ends the run as `stop` does: the best plan so far is returned, with
    status ``INTERRUPTED``. A second Ctrl-C raises KeyboardInterrupt.

    Parameters
    ----------
    instance
        The problem: an `Instance`, or what `fripn.read` takes: a file, a library name such as
        ``golden-20``, or a DataFrame of stops.
    method
        A name as for `get_method`, a method object with settings of its own, or None for the best.
    vehicles
        The file or DataFrame of vehicle types that belongs to a table of stops.
    time_limit
        Seconds; short for ``budget=Budget(seconds=…)``.
    budget
        All limits at once; give this or `time_limit`, not both. When no limit is named,
        `with_defaults` adds one.
    threads
        None for all cores, or for one where iterations are limited, so that the run can be
        repeated.
    seed, start, on_progress, stop
        See `Run`.

    Raises
    ------
    InvalidSetting
        When an argument is out of range or contradicts another.
    InvalidSolution
        When `start` breaks a rule.
    Unsupported
        When the method cannot handle the instance.
    """
    if budget is not None and time_limit is not None:
        raise InvalidSetting(
            "both time_limit and budget are given",
            field="time_limit",
            value=time_limit,
            remedy="give one of them",
        )
    if not isinstance(instance, Instance):
        instance = read(instance, vehicles)
    elif vehicles is not None:
        raise InvalidSetting(
            "vehicles {value} are given, but the instance has its own",
            field="vehicles",
            value=vehicles,
            remedy="leave them out",
        )
    if method is None:
        method = DEFAULT_METHOD
    chosen = get_method(method) if isinstance(method, str) else method
    check_supported(instance, chosen)
    limits = Budget(seconds=time_limit) if budget is None else budget
    run = Run(
        budget=with_defaults(limits, instance, chosen),
        seed=seed,
        threads=default_threads(limits) if threads is None else threads,
        start=start,
        on_progress=on_progress,
        stop=Stop() if stop is None else stop,
    )
    assert run.stop is not None
    with stop_on_interrupt(run.stop):
        result = chosen(instance, run)
    notes = [found.message for found in suspicious(instance)]
    if result.status is Status.NO_PLAN:
        reason = why_impossible(instance) or why_unlikely(instance)
        notes += [] if reason is None else [reason]
    return replace(result, notes=(*result.notes, *notes)) if notes else result
