"""One door to every method: `solve(instance, method=…, time_limit=…, seed=…)`."""

from __future__ import annotations

import difflib
import importlib
from dataclasses import dataclass

from fripn.budget import Budget
from fripn.errors import InvalidSetting, MissingExtra
from fripn.problem import Instance, Solution
from fripn.result import Method, OnImprovement, Result


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
    "savings": MethodInfo(
        "fripn.baselines.savings", "Savings", "savings and the optimal split; answers at once"
    ),
}


def get_method(name: str) -> Method:
    """Give the method of that name with its default settings.

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
        method: Method = getattr(importlib.import_module(info.module), info.attribute)()
    except ModuleNotFoundError as error:
        if info.extra is None or (error.name or "").split(".")[0] == "fripn":
            raise
        raise MissingExtra(
            f"method {name!r} needs the package {error.name!r}, which is not installed; "
            f"run: pip install 'fripn[{info.extra}]'"
        ) from None
    return method


def solve(
    instance: Instance,
    method: str | Method,
    *,
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
        The problem.
    method
        A name from `METHODS`, or a method object with settings of its own.
    time_limit
        Seconds; short for ``budget=Budget(seconds=…)``.
    budget
        All limits at once; give this or `time_limit`, not both.
    seed, threads, start, on_improvement
        See `Method`.
    """
    if budget is not None and time_limit is not None:
        raise InvalidSetting("both time_limit and budget are given; give one of them")
    if budget is None:
        budget = Budget(seconds=time_limit)
    chosen = get_method(method) if isinstance(method, str) else method
    return chosen(
        instance, budget, seed=seed, threads=threads, start=start, on_improvement=on_improvement
    )
