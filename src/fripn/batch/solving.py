"""Solve many instances: one line of JSON each, and no failure stops the rest."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

from fripn.batch.lines import Line, LineFormat
from fripn.batch.runner import Entry, Loader, Outcome, Record, WorkItem, run_batch
from fripn.budget import Budget
from fripn.errors import InvalidFile, InvalidInput, InvalidSetting, InvalidSolution
from fripn.executors import Executor
from fripn.problem import Instance, Solution, library
from fripn.problem.inputs import (
    TABLE_FIELDS,
    TABLE_SUFFIX,
    InputOptions,
    is_table,
    open_input,
)
from fripn.problem.io import solution_from_dict
from fripn.result import Improvement, Result, Status
from fripn.settings import Count, Positive, Seed, checked, require
from fripn.solve import DEFAULT_METHOD, get_method

FORMAT = LineFormat(
    "fripn solve-many",
    required={"source": str, "method": str, "time_limit": Positive | None, "seed": Count},
    optional={
        "vehicles_file": str | None,
        "depot": str | None,
        "input": dict,
        "digest": str | None,
        "status": str,
        "error": str | None,
    },
)

#: Files of solve-many.
RECORD = Record(
    FORMAT,
    key=("source", "vehicles_file", "depot", "input", "method", "time_limit", "limits", "seed"),
    label="source",
    checks_instance=True,
)


def solve_many(
    instances: Iterable[Instance | str | Path],
    method: str = DEFAULT_METHOD,
    *,
    time_limit: float | None = None,
    budget: Budget | None = None,
    seed: int = 0,
    executor: Executor | None = None,
    output: Path | str | None = None,
    retry_failed: bool = False,
) -> Iterator[Line]:
    """Solve many instances and yield a line for each, as they are finished.

    A line is what ``fripn solve --json`` prints, and what the instance is known by: ``source``,
    its path or name, and ``digest``. A failure has an ``error`` and no plan.

    Parameters
    ----------
    instances
        Instances, files or library names, taken as needed: there may be very many. Those given as
        objects are known by their names, which must differ.
    method
        Name of the method.
    time_limit, budget
        Limits per instance, as for `fripn.solve`.
    seed
        Random seed of every run.
    executor
        Where to solve: `Processes` for several at a time; in this process when None.
    output
        A file that lines are appended to. Instances whose line it holds are not solved again, but
        their lines are yielded; so an interrupted call can be repeated.
    retry_failed
        Whether instances with a failed line are solved again.

    Raises
    ------
    InvalidSetting
        When an argument is out of range, or two instances are known by the same name.
    InvalidFile
        When the output holds something else.
    """
    if budget is not None and time_limit is not None:
        raise InvalidSetting(
            "both time_limit and budget are given", field="time_limit", remedy="give one of them"
        )
    limits = Budget(seconds=time_limit) if budget is None else budget
    items = solve_items(instances, method, limits, seed)
    entries = run_batch(
        items,
        RECORD,
        output=None if output is None else Path(output),
        executor=executor,
        retry_failed=retry_failed,
    )
    return _lines(entries)


def _lines(entries: Generator[Entry]) -> Iterator[Line]:
    # Closing ends the workers at once when the caller stops.
    with closing(entries):
        for entry in entries:
            yield entry.line


def plan_of_line(line: Line, instance: Instance) -> Solution | None:
    """Return the plan that a line of `solve_many` holds; None if the run failed.

    Raises
    ------
    InvalidInput
        When the line has another instance's customers or vehicle types.
    """
    if line["error"] is not None:
        return None
    plan = {name: line.get(name) for name in ("format", "version", "routes")}
    return solution_from_dict(plan, instance)


def result_of_line(line: Line, instance: Instance) -> Result:
    """Return the result that a line of `solve_many` records; its plan is evaluated again.

    Raises
    ------
    InvalidInput
        When the run failed, or the line has another instance's customers or vehicle types, or
        values that no run writes.
    """
    plan = plan_of_line(line, instance)
    if plan is None:
        raise InvalidSolution(
            "the line of {value} has no plan",
            field="source",
            value=line["source"],
            remedy="solve it again",
        )
    try:
        return Result.from_solution(
            instance,
            plan,
            method=line["method"],
            status=Status(line["status"]),
            seconds=float(line["seconds"]),
            seed=int(line["seed"]),
            iterations=int(line["iterations"]),
            lower_bound=line["lower_bound"],
            proved_by=line["proved_by"],
            curve=tuple(Improvement(float(time), float(cost)) for time, cost in line["curve"]),
            notes=tuple(map(str, line["notes"])),
        )
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, InvalidInput):
            raise
        raise InvalidFile(
            f"the line of {{value}} is not as solve-many writes it ({error})",
            field="source",
            value=line["source"],
            remedy="solve it again",
        ) from None


def solve_items(
    instances: Iterable[Instance | str | Path],
    method: str,
    budget: Budget,
    seed: int,
    options: InputOptions | None = None,
) -> Iterator[WorkItem]:
    """Return an item for each instance; what `options` say about tables goes with tables alone.

    Raises
    ------
    InvalidInput
        When the method or the seed is wrong: at once, as every item would fail for it.
    """
    get_method(method)
    checked("seed", seed, Seed)
    options = options or InputOptions()
    return (_item(instance, method, budget, seed, options) for instance in instances)


def check_tables(sources: Iterable[str], options: InputOptions) -> None:
    """Refuse what belongs to tables and goes with none of the sources.

    Raises
    ------
    InvalidSetting
        When there is no table of stops among them.
    """
    given = [option for option in TABLE_FIELDS if getattr(options, option) is not None]
    if not given or any(map(is_table, sources)):
        return
    option, value = given[0], getattr(options, given[0])
    raise InvalidSetting(
        f"{{field}} {{value}} is given, but none of the instances is a table of stops "
        f"({TABLE_SUFFIX})",
        field="map" if option == "columns" else option,
        value=value if isinstance(value, dict) else str(value),
        remedy="leave the option out",
    )


def _item(
    given: Instance | str | Path,
    method: str,
    budget: Budget,
    seed: int,
    options: InputOptions,
) -> WorkItem:
    source: Instance | Loader
    if isinstance(given, Instance):
        name, options = given.name, InputOptions()
        source = given
    else:
        name = str(given)
        if not is_table(name):
            options = replace(options, **dict.fromkeys(TABLE_FIELDS))
        source = partial(_load, name, options)
    others = {limit: value for limit, value in asdict(budget).items() if value is not None}
    seconds = others.pop("seconds", None)
    fields = {
        "source": name,
        **_input_fields(options),
        "method": method,
        "time_limit": seconds,
        **({"limits": others} if others else {}),
        "seed": seed,
    }
    return WorkItem(fields, source, method, _describe, budget, seed)


def _load(name: str, options: InputOptions) -> Instance:
    return open_input(name, options).instance


def _input_fields(options: InputOptions) -> Line:
    """Return the fields of a line that name what belongs to an instance; see `options_of_line`."""
    given = {
        name: str(value) if isinstance(value, Path) else value
        for name, value in asdict(options).items()
    }
    fields = {"vehicles_file": given.pop("vehicles"), "depot": given.pop("depot")}
    others = {name: value for name, value in given.items() if value is not None}
    return {**fields, "input": others} if others else fields


def options_of_line(line: Line) -> InputOptions:
    """Return what belongs to the instance of a line.

    Raises
    ------
    InvalidFile
        When the line holds something else.
    """
    try:
        others = checked_input(line.get("input") or {})
        return InputOptions(line.get("vehicles_file"), line.get("depot"), **others)
    except (InvalidSetting, TypeError) as error:
        raise InvalidFile(
            f"the line of {{value}} names its input in another way ({error})",
            field="source",
            value=line["source"],
            remedy="solve it again",
        ) from None


def checked_input(given: Line) -> dict[str, Any]:
    """Return the values of the field ``input`` of a line.

    Raises
    ------
    InvalidSetting
        When one of them is of another type, or its name is not known.
    """
    types = {
        "columns": dict,
        "decimal": str,
        "matrix": str,
        "durations": str,
        "road_factor": Positive,
    }
    for name, value in given.items():
        require(name in types, "input", name, f"use {', '.join(types)}")
        require(name != "columns" or isinstance(value, dict), name, value, "give an object")
        checked(name, value, types[name])
    return dict(given)


def _describe(outcome: Outcome) -> Line:
    instance, result = outcome.instance, outcome.result
    head: Line = {**outcome.item.fields, "digest": None if instance is None else instance.digest}
    if instance is None or result is None:
        return head | {
            "status": outcome.status,
            "cost": None,
            "routes": [],
            "error": outcome.error,
        }
    known = library.best_known_of(instance)
    record = result.to_dict(best_known=known.cost if known else None)
    return {**head, **record, **head, "error": outcome.error}
