"""Plans as files, whatever the format: data, maps and pictures."""

from __future__ import annotations

from pathlib import Path

from fripn.problem.instance import Instance
from fripn.problem.io import SOLUTION_WRITE_SUFFIXES, TableDialect, write_solution
from fripn.problem.io.atomic import write_atomically
from fripn.problem.io.json_text import dump_json
from fripn.problem.io.solution_files import evaluate_valid
from fripn.problem.io.suffixes import check_suffix
from fripn.problem.solution import Solution
from fripn.render.geojson import solution_to_geojson
from fripn.render.pictures import PICTURE_SUFFIXES, draw_routes

#: Endings that `write_plan` accepts.
PLAN_SUFFIXES = (*SOLUTION_WRITE_SUFFIXES, ".geojson", *PICTURE_SUFFIXES)


def write_plan(
    instance: Instance,
    solution: Solution,
    path: Path | str,
    *,
    dialect: TableDialect | None = None,
) -> None:
    """Write a plan as data, as a map or as a picture, completely or not at all.

    Parameters
    ----------
    instance, solution
        The problem and a plan that keeps its rules.
    path
        Ending in ``.json``, ``.sol``, ``.csv``, ``.xlsx`` (see `fripn.problem.io.write_solution`),
        ``.geojson``, ``.svg``, or ``.png``, which needs the extra ``[plot]``.
    dialect
        How a ``.csv`` file is written; None for commas and decimal points.

    Raises
    ------
    InvalidSolution
        When the plan breaks a rule.
    InvalidInput
        When the file cannot be written, or the format cannot hold the plan.
    """
    path = Path(path)
    suffix = check_suffix(path, PLAN_SUFFIXES, "a plan")
    if suffix in SOLUTION_WRITE_SUFFIXES:
        write_solution(instance, solution, path, dialect=dialect)
        return
    evaluation = evaluate_valid(instance, solution, path)
    if suffix == ".geojson":
        write_atomically(path, dump_json(solution_to_geojson(instance, solution, evaluation)))
    else:
        draw_routes(instance, solution, path)
