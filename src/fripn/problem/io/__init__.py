"""Instances and solutions as files; the suffix is the format; see ``docs/data-format.md``."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from fripn.errors import InvalidFile, InvalidSetting, InvalidSolution
from fripn.messages import named, nearest
from fripn.problem.evaluate import Evaluation, evaluate
from fripn.problem.instance import Instance
from fripn.problem.io.atomic import write_all_atomically, write_atomically
from fripn.problem.io.instance_json import instance_from_dict, instance_to_dict
from fripn.problem.io.json_text import dump_json, parse_json, stem
from fripn.problem.io.solution_json import solution_from_dict, solution_to_dict
from fripn.problem.io.text import MAX_BYTES, check_plain, checked_text, located, read_text
from fripn.problem.solution import Solution

__all__ = [
    "INSTANCE_SUFFIXES",
    "MAX_BYTES",
    "SOLUTION_READ_SUFFIXES",
    "SOLUTION_WRITE_SUFFIXES",
    "instance_from_dict",
    "instance_to_dict",
    "parse_instance",
    "parse_solution",
    "read_instance",
    "read_solution",
    "solution_from_dict",
    "solution_to_dict",
    "write_instance",
    "write_solution",
]

#: Formats of `parse_instance` and of `parse_solution`.
InstanceForm = Literal["json", "csv", "vrp"]
SolutionForm = Literal["json", "sol", "csv"]

#: Endings of files that `read_instance` and `write_instance` accept.
INSTANCE_SUFFIXES = (".json", ".csv", ".vrp")
#: Endings of files that `read_solution` accepts.
SOLUTION_READ_SUFFIXES = (".json", ".sol", ".csv")
#: Endings of files that `write_solution` accepts.
SOLUTION_WRITE_SUFFIXES = (".json", ".sol", ".csv")


def read_instance(
    path: Path | str,
    *,
    vehicles: Path | str | None = None,
    depot: str | None = None,
    max_bytes: int | None = None,
) -> Instance:
    """Read an instance from a file.

    Parameters
    ----------
    path
        A ``.json`` or ``.vrp`` file, or the stops of a pair of ``.csv`` files.
    vehicles
        The vehicle table that belongs to a ``.csv`` file of stops.
    depot
        Id or name of the depot in a ``.csv`` file that does not flag it.
    max_bytes
        Size up to which a file is read; None for `MAX_BYTES`, or ``FRIPN_MAX_SIZE``.

    Raises
    ------
    InvalidInput
        The only exception: when the file is missing or wrong; the message names the place.
    """
    path = Path(path)
    suffix = check_suffix(path, INSTANCE_SUFFIXES, "an instance")
    if suffix == ".csv" and vehicles is None:
        raise _vehicles_missing(path)
    _check_options(suffix, str(path), vehicles, depot)
    contents = [read_text(one, max_bytes) for one in (path, vehicles) if one is not None]
    return _build_instance(contents, suffix, stem(path), (str(path), str(vehicles)), depot)


def parse_instance(
    text: str | bytes,
    form: InstanceForm,
    *,
    vehicles: str | bytes | None = None,
    depot: str | None = None,
    name: str = "instance",
    max_bytes: int | None = None,
) -> Instance:
    """Build an instance from the content of a file.

    Parameters
    ----------
    text
        The content: ``json`` or ``vrp``, or the stops of a pair of ``csv`` tables.
    form
        Which of these formats it is.
    vehicles
        The table of vehicles that belongs to a ``csv`` table of stops.
    depot
        Id or name of the depot in a ``csv`` table that does not flag it.
    name
        Name of the content in messages, and of the instance if the content has none.
    max_bytes
        Size up to which content is read; None for `MAX_BYTES`, or ``FRIPN_MAX_SIZE``.

    Raises
    ------
    InvalidInput
        The only exception: when the text is wrong; the message names the place.
    """
    suffix = check_suffix(Path(f"x.{form}"), INSTANCE_SUFFIXES, "an instance")
    if suffix == ".csv" and vehicles is None:
        raise InvalidFile(
            "a table holds stops only", place=name, remedy="give the table of vehicles too"
        )
    _check_options(suffix, name, vehicles, depot)
    places = (name, f"{name}, vehicles")
    given = [text] if vehicles is None else [text, vehicles]
    contents = []
    for place, content in zip(places, given, strict=False):
        with located(place):
            contents.append(checked_text(content, max_bytes))
    return _build_instance(contents, suffix, name, places, depot)


def _check_options(suffix: str, place: str, vehicles: object, depot: str | None) -> None:
    for option, value in (("vehicles", vehicles), ("depot", depot)):
        if suffix != ".csv" and value is not None:
            raise InvalidSetting(
                f"{{field}} {{value}} is given, but {place} is not a table of stops (.csv)",
                field=option,
                value=value,
                remedy="leave the option out",
            )


def _build_instance(
    contents: list[str], suffix: str, name: str, places: tuple[str, str], depot: str | None
) -> Instance:
    """Build an instance from the content of one file, or of a pair of tables."""
    if suffix == ".csv":
        from fripn.problem.io.instance_csv import instance_from_tables

        stops, types = contents
        return instance_from_tables(stops, types, depot, name, places)
    with located(places[0]):
        if suffix == ".vrp":
            from fripn.problem.io.vrplib_text import instance_from_vrplib

            return instance_from_vrplib(contents[0], name)
        return instance_from_dict(parse_json(contents[0]), name)


def write_instance(instance: Instance, path: Path | str) -> None:
    """Write an instance, whole or not at all.

    Parameters
    ----------
    instance
        The problem.
    path
        Ending in ``.json``, ``.vrp``, or ``.csv``; the last writes the stops there and the
        vehicles to ``<stem>-vehicles.csv`` beside it.

    Raises
    ------
    InvalidInput
        When the file cannot be written, or the format cannot hold the instance.
    """
    path = Path(path)
    suffix = check_suffix(path, INSTANCE_SUFFIXES, "an instance")
    if suffix == ".csv":
        from fripn.problem.io.instance_csv import instance_tables

        check_plain(instance, "a pair of tables (.csv)")
        stops, vehicles = instance_tables(instance)
        write_all_atomically({path: stops, vehicles_path(path): vehicles})
    elif suffix == ".vrp":
        from fripn.problem.io.vrplib_text import vrplib_text

        check_plain(instance, ".vrp")
        write_atomically(path, vrplib_text(instance))
    else:
        write_atomically(path, dump_json(instance_to_dict(instance)))


def vehicles_path(path: Path | str) -> Path:
    """Return where `write_instance` puts the vehicles that belong to a ``.csv`` file of stops."""
    path = Path(path)
    return path.with_name(f"{path.stem}-vehicles.csv")


def read_solution(
    path: Path | str, instance: Instance, *, max_bytes: int | None = None
) -> Solution:
    """Read a plan for an instance from a file; `evaluate` returns the rules it breaks.

    Parameters
    ----------
    path
        A ``.json``, ``.sol`` or ``.csv`` file.
    instance
        The problem it is for.
    max_bytes
        Size up to which a file is read; None for `MAX_BYTES`, or ``FRIPN_MAX_SIZE``.

    Raises
    ------
    InvalidInput
        The only exception: when the file is missing or wrong; the message names the place.
    """
    path = Path(path)
    suffix = check_suffix(path, SOLUTION_READ_SUFFIXES, "a solution")
    return _build_solution(read_text(path, max_bytes), suffix, instance, str(path))


def parse_solution(
    text: str | bytes,
    form: SolutionForm,
    instance: Instance,
    *,
    name: str = "plan",
    max_bytes: int | None = None,
) -> Solution:
    """Build a plan for an instance from the content of a file.

    Parameters
    ----------
    text
        The content.
    form
        Its format: ``json``, ``sol`` or ``csv``.
    instance
        The problem it is for.
    name
        Name of the content in messages.
    max_bytes
        Size up to which content is read; None for `MAX_BYTES`, or ``FRIPN_MAX_SIZE``.

    Raises
    ------
    InvalidInput
        The only exception: when the text is wrong; the message names the place.
    """
    suffix = check_suffix(Path(f"x.{form}"), SOLUTION_READ_SUFFIXES, "a solution")
    with located(name):
        content = checked_text(text, max_bytes)
    return _build_solution(content, suffix, instance, name)


def _build_solution(text: str, suffix: str, instance: Instance, place: str) -> Solution:
    with located(place):
        if suffix == ".csv":
            from fripn.problem.io.solution_csv import solution_from_table

            return solution_from_table(text, instance)
        if suffix == ".sol":
            from fripn.problem.io.sol_text import solution_from_sol

            return solution_from_sol(text, instance)
        return solution_from_dict(parse_json(text), instance)


def write_solution(instance: Instance, solution: Solution, path: Path | str) -> None:
    """Write a plan, whole or not at all.

    Parameters
    ----------
    instance, solution
        The problem and a plan that keeps its rules.
    path
        Ending in ``.json``, ``.sol`` or ``.csv``; `fripn.render.write_plan` writes pictures too.

    Raises
    ------
    InvalidSolution
        When the plan breaks a rule.
    InvalidInput
        When the file cannot be written, or the format cannot hold the plan.
    """
    path = Path(path)
    suffix = check_suffix(
        path, SOLUTION_WRITE_SUFFIXES, "solution data (fripn.render.write_plan draws)"
    )
    evaluation = evaluate_valid(instance, solution, path)
    if suffix == ".sol":
        from fripn.problem.io.sol_text import sol_text

        write_atomically(path, sol_text(instance, solution, evaluation.cost))
    elif suffix == ".csv":
        from fripn.problem.io.solution_csv import solution_table

        write_atomically(path, solution_table(instance, solution))
    else:
        write_atomically(path, dump_json(solution_to_dict(instance, solution, evaluation)))


def evaluate_valid(instance: Instance, solution: Solution, path: Path) -> Evaluation:
    """Return the evaluation of a plan that is about to be written.

    Raises
    ------
    InvalidSolution
        When the plan breaks a rule.
    """
    evaluation = evaluate(instance, solution)
    if evaluation.violations:
        raise InvalidSolution(
            f"the plan for {named(instance.name)} breaks a rule, so {path} is not written: "
            f"{evaluation.violations[0].message}",
            field="plan",
            value=evaluation.violations[0].code,
            remedy="correct the plan first",
        )
    return evaluation


def check_suffix(path: Path, valid: tuple[str, ...], what: str) -> str:
    """Return the ending of a path in lower case.

    Raises
    ------
    InvalidFile
        When it is not one of the valid ones.
    """
    suffix = path.suffix.lower()
    if suffix not in valid:
        raise InvalidFile(
            f"{path} ends in {{value}}, which is not a format for {what}",
            field="format",
            value=suffix,
            remedy=nearest(suffix, valid),
        )
    return suffix


def _vehicles_missing(path: Path) -> InvalidFile:
    if not path.exists():
        return InvalidFile("the file does not exist", place=str(path), remedy="check the path")
    for sibling in (vehicles_path(path), path.with_name("vehicles.csv")):
        if sibling.is_file() and sibling != path:
            return InvalidFile(
                f"{path} holds stops only",
                field="vehicles",
                remedy=f"add --vehicles {sibling} (vehicles=… in Python)",
            )
    return InvalidFile(
        f"{path} holds stops only",
        field="vehicles",
        remedy="name the table of vehicles too, with --vehicles vehicles.csv (vehicles=… in "
        "Python)",
    )
