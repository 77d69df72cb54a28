"""One door to every method: `solve(instance, method=…, time_limit=…, seed=…)`."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from fripn.budget import Budget, check_seed, check_threads
from fripn.errors import InvalidSetting, InvalidSolution, MissingExtra
from fripn.problem import Instance, Solution, evaluate
from fripn.result import Method, OnImprovement, Result, highest_equal
from fripn.source import best_known, open_instance


@dataclass(frozen=True, slots=True)
class MethodInfo:
    """Where a method lives; it is imported when first used.

    Parameters
    ----------
    module, attribute
        Import path of a class that gives a `Method` when called without arguments.
    summary
        One line for ``--help`` and the docs.
    extra
        The optional dependency group it needs, if any.
    """

    module: str
    attribute: str
    summary: str
    extra: str | None = None


#: Every method by name. Add a line here and nothing else knows about a new method.
METHODS: dict[str, MethodInfo] = {
    "hybrid": MethodInfo(
        "fripn.hybrid", "Hybrid", "the engine, started from the policy's plans; the default"
    ),
    "savings": MethodInfo(
        "fripn.baselines.savings", "Savings", "savings and the optimal split; answers at once"
    ),
    "hgs": MethodInfo("fripn.search.hgs", "Hgs", "the native search engine"),
    "policy": MethodInfo(
        "fripn.policy.decode", "Policy", "the learned policy: sampled trajectories and split"
    ),
    "sweep": MethodInfo(
        "fripn.baselines.sweep", "Sweep", "by angle and the optimal split; needs coordinates"
    ),
    "milp": MethodInfo(
        "fripn.baselines.milp", "Milp", "the paper's exact model; proves small plans optimal"
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


#: The best method for somebody who names none.
DEFAULT_METHOD = "hybrid"


def default_time_limit(num_customers: int) -> float:
    """Give the seconds that `solve` takes when no limit is given.

    A tenth of a second per customer, at least 2 and at most 60 seconds.
    """
    return min(max(2.0, num_customers / 10), 60.0)


def default_budget(instance: Instance, method: Method) -> Budget:
    """Give the limits of `solve` when none is named.

    The default time, unless the method ends by itself; earlier when nothing has improved for what
    is long for the method, or at the proven optimum of a library instance.
    """
    known = best_known(instance)
    target = None
    if known is not None and known.status == "optimal":
        target = highest_equal(known.cost)
    ends_by_itself = getattr(method, "ends_by_itself", False)
    return Budget(
        seconds=None if ends_by_itself else default_time_limit(instance.num_customers),
        stall=getattr(method, "default_stall", None),
        target=target,
    )


def get_method(name: str) -> Method:
    """Give the method of that name with its default settings; see `method_class`."""
    method: Method = method_class(name)()
    return method


def method_class(name: str) -> Callable[..., Method]:
    """Give the class of a method, for settings other than the defaults.

    Raises
    ------
    InvalidSetting
        When there is no such method.
    MissingExtra
        When it needs a package that is not installed.
    """
    if name not in METHODS:
        close = difflib.get_close_matches(name, METHODS, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"choose one of {', '.join(METHODS)}"
        raise InvalidSetting(f"there is no method {name!r}; {hint}")
    info = METHODS[name]
    try:
        found: Callable[..., Method] = getattr(importlib.import_module(info.module), info.attribute)
    except ModuleNotFoundError as error:
        if info.extra is None or (error.name or "").split(".")[0] == "fripn":
            raise
        raise MissingExtra(
            f"method {name!r} needs the package {error.name!r}, which is not installed; "
            f"run: pip install 'fripn[{info.extra}]'"
        ) from None
    return found


def solve(
    instance: Instance | str | Path,
    method: str | Method | None = None,
    *,
    vehicles: str | Path | None = None,
    time_limit: float | None = None,
    budget: Budget | None = None,
    seed: int = 0,
    threads: int = 1,
    start: Solution | None = None,
    on_improvement: OnImprovement | None = None,
) -> Result:
    """Plan the fleet and its routes.

    Parameters
    ----------
    instance
        The problem: an `Instance`, a file, or a library name such as ``golden-20``.
    method
        A name from `METHODS`, a method object with settings of its own, or None for the best.
    vehicles
        The file of vehicle types, when `instance` is a CSV file of stops.
    time_limit
        Seconds; short for ``budget=Budget(seconds=…)``. When neither is given, `default_budget`
        says when to stop.
    budget
        All limits at once; give this or `time_limit`, not both.
    seed, threads, start, on_improvement
        See `Method`.
    """
    if budget is not None and time_limit is not None:
        raise InvalidSetting("both time_limit and budget are given; give one of them")
    check_threads(threads)
    check_seed(seed)
    if not isinstance(instance, Instance):
        instance = open_instance(instance, vehicles=vehicles)
    elif vehicles is not None:
        raise InvalidSetting(
            f"vehicles {str(vehicles)!r} are given, but the instance has its own; leave them out"
        )
    if method is None:
        method = DEFAULT_METHOD
    chosen = get_method(method) if isinstance(method, str) else method
    if time_limit is not None:
        budget = Budget(seconds=time_limit)
    elif budget is None:
        budget = default_budget(instance, chosen)
    if start is not None:
        _check_start(instance, start)
    return chosen(
        instance, budget, seed=seed, threads=threads, start=start, on_improvement=on_improvement
    )


def _check_start(instance: Instance, start: Solution) -> None:
    violations = evaluate(instance, start).violations
    if violations:
        raise InvalidSolution(
            f"the plan to start from is no valid plan for {instance.name}: "
            f"{violations[0].message}; mend it first"
        )
