"""Instances and solutions as files: the suffix says which format; see ``docs/data-format.md``."""

from __future__ import annotations

from pathlib import Path

from fripn.errors import InvalidFile, InvalidSetting, InvalidSolution
from fripn.messages import nearest
from fripn.problem.evaluate import Evaluation, evaluate
from fripn.problem.instance import Instance
from fripn.problem.io.atomic import write_all_atomically, write_atomically
from fripn.problem.io.instance_json import instance_from_dict, instance_to_dict
from fripn.problem.io.json_text import dump_json, parse_json, stem
from fripn.problem.io.solution_json import solution_from_dict, solution_to_dict
from fripn.problem.io.text import located, read_text
from fripn.problem.solution import Solution

__all__ = [
    "INSTANCE_SUFFIXES",
    "SOLUTION_READ_SUFFIXES",
    "SOLUTION_WRITE_SUFFIXES",
    "instance_from_dict",
    "instance_to_dict",
    "read_instance",
    "read_solution",
    "solution_from_dict",
    "solution_to_dict",
    "write_instance",
    "write_solution",
]

#: Endings of files that `read_instance` and `write_instance` know.
INSTANCE_SUFFIXES = (".json", ".csv", ".vrp")
#: Endings of files that `read_solution` knows.
SOLUTION_READ_SUFFIXES = (".json", ".sol", ".csv")
#: Endings of files that `write_solution` knows.
SOLUTION_WRITE_SUFFIXES = (".json", ".sol", ".csv")


def read_instance(
    path: Path | str, *, vehicles: Path | str | None = None, depot: str | None = None
) -> Instance:
    """Read an instance.

    Parameters
    ----------
    path
        A ``.json`` or ``.vrp`` file, or the stops of a pair of ``.csv`` files.
    vehicles
        The vehicle table that belongs to a ``.csv`` file of stops.
    depot
        Id or name of the depot in a ``.csv`` file that does not flag it.

    Raises
    ------
    InvalidInput
        And nothing else, when the file is missing or wrong; the message says where.
    """
    path = Path(path)
    suffix = check_suffix(path, INSTANCE_SUFFIXES, "an instance")
    if suffix == ".csv":
        from fripn.problem.io.instance_csv import read_instance_csv

        if vehicles is None:
            raise InvalidFile(_ask_for_vehicles(path))
        return read_instance_csv(path, Path(vehicles), depot)
    for option, value in (("vehicles", vehicles), ("depot", depot)):
        if value is not None:
            raise InvalidSetting(
                f"{option} {str(value)!r} is given, but {path} is not a table of stops (.csv); "
                "leave the option out"
            )
    if suffix == ".vrp":
        from fripn.problem.io.vrplib_text import read_vrplib

        return read_vrplib(path)
    text = read_text(path)
    with located(path):
        return instance_from_dict(parse_json(text), stem(path))


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

        stops, vehicles = instance_tables(instance)
        write_all_atomically({path: stops, vehicles_path(path): vehicles})
    elif suffix == ".vrp":
        from fripn.problem.io.vrplib_text import vrplib_text

        write_atomically(path, vrplib_text(instance))
    else:
        write_atomically(path, dump_json(instance_to_dict(instance)))


def vehicles_path(path: Path | str) -> Path:
    """Say where `write_instance` puts the vehicles that belong to a ``.csv`` file of stops."""
    path = Path(path)
    return path.with_name(f"{path.stem}-vehicles.csv")


def read_solution(path: Path | str, instance: Instance) -> Solution:
    """Read a plan for an instance; `evaluate` says whether it keeps the rules.

    Parameters
    ----------
    path
        A ``.json``, ``.sol`` or ``.csv`` file.
    instance
        The problem it is for.

    Raises
    ------
    InvalidInput
        And nothing else, when the file is missing or wrong; the message says where.
    """
    path = Path(path)
    suffix = check_suffix(path, SOLUTION_READ_SUFFIXES, "a solution")
    if suffix == ".csv":
        from fripn.problem.io.solution_csv import read_solution_csv

        return read_solution_csv(path, instance)
    if suffix == ".sol":
        from fripn.problem.io.vrplib_text import read_sol

        return read_sol(path, instance)
    text = read_text(path)
    with located(path):
        return solution_from_dict(parse_json(text), instance)


def write_solution(instance: Instance, solution: Solution, path: Path | str) -> None:
    """Write a plan, whole or not at all.

    Parameters
    ----------
    instance, solution
        The problem and a plan that keeps its rules.
    path
        Ending in ``.json``, ``.sol`` or ``.csv``; `fripn.render.write_plan` knows pictures too.

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
        from fripn.problem.io.vrplib_text import sol_text

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
            f"the plan for {instance.name} breaks a rule, so {path} is not written: "
            f"{evaluation.violations[0].message}"
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
            f"{path} ends in {suffix!r}, which is not a format for {what}; {nearest(suffix, valid)}"
        )
    return suffix


def _ask_for_vehicles(path: Path) -> str:
    if not path.exists():
        return f"{path} does not exist; check the path"
    for sibling in (vehicles_path(path), path.with_name("vehicles.csv")):
        if sibling.is_file() and sibling != path:
            return f"{path} holds stops only; add --vehicles {sibling} (vehicles=… in Python)"
    return (
        f"{path} holds stops only; name the table of vehicles too, "
        "with --vehicles vehicles.csv (vehicles=… in Python)"
    )
