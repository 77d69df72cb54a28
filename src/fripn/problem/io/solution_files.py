"""Plans as files; see ``docs/data-format.md``."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from fripn.errors import InvalidSolution
from fripn.messages import named
from fripn.problem.evaluate import Evaluation, evaluate
from fripn.problem.instance import Instance
from fripn.problem.io.atomic import write_atomically
from fripn.problem.io.json_text import dump_json, parse_json
from fripn.problem.io.solution_json import solution_from_dict, solution_to_dict
from fripn.problem.io.suffixes import SOLUTION_READ_SUFFIXES, SOLUTION_WRITE_SUFFIXES, check_suffix
from fripn.problem.io.table_dialect import TableDialect
from fripn.problem.io.text import checked_table, checked_text, located, read_bytes
from fripn.problem.solution import Solution

#: Formats of `parse_solution`.
SolutionForm = Literal["json", "sol", "csv", "xlsx"]


def read_solution(
    path: Path | str, instance: Instance, *, max_bytes: int | None = None
) -> Solution:
    """Read a plan for an instance from a file; `evaluate` returns the rules it breaks.

    Parameters
    ----------
    path
        A ``.json``, ``.sol``, ``.csv`` or ``.xlsx`` file.
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
    content = read_bytes(path, max_bytes)
    with located(path):
        text = _solution_text(content, suffix, max_bytes)
    return _build_solution(text, suffix, instance, str(path))


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
        Its format: ``json``, ``sol``, ``csv`` or ``xlsx``.
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
        content = _solution_text(text, suffix, max_bytes)
    return _build_solution(content, suffix, instance, name)


def _solution_text(content: str | bytes, suffix: str, max_bytes: int | None) -> str:
    if suffix == ".csv":
        return checked_table(content, max_bytes)[0]
    if suffix == ".xlsx":
        from fripn.problem.io.plan_workbook import plan_workbook_text

        return plan_workbook_text(content, max_bytes)
    return checked_text(content, max_bytes)


def _build_solution(text: str, suffix: str, instance: Instance, place: str) -> Solution:
    with located(place):
        if suffix in (".csv", ".xlsx"):
            from fripn.problem.io.solution_csv import solution_from_table

            return solution_from_table(text, instance)
        if suffix == ".sol":
            from fripn.problem.io.sol_text import solution_from_sol

            return solution_from_sol(text, instance)
        return solution_from_dict(parse_json(text), instance)


def write_solution(
    instance: Instance,
    solution: Solution,
    path: Path | str,
    *,
    dialect: TableDialect | None = None,
) -> None:
    """Write a plan, whole or not at all.

    Parameters
    ----------
    instance, solution
        The problem and a plan that keeps its rules.
    path
        Ending in ``.json``, ``.sol``, ``.csv`` or ``.xlsx``; `fripn.render.write_plan` writes
        pictures too.
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
    suffix = check_suffix(
        path, SOLUTION_WRITE_SUFFIXES, "solution data (fripn.render.write_plan draws)"
    )
    evaluation = evaluate_valid(instance, solution, path)
    if suffix == ".sol":
        from fripn.problem.io.sol_text import sol_text

        write_atomically(path, sol_text(instance, solution, evaluation.cost))
    elif suffix == ".csv":
        from fripn.problem.io.solution_csv import solution_table

        dialect = dialect or TableDialect()
        write_atomically(path, dialect.encode(solution_table(instance, solution, dialect)))
    elif suffix == ".xlsx":
        from fripn.problem.io.plan_table import clock_rows, plan_header
        from fripn.problem.io.xlsx_file import xlsx_file

        rows = clock_rows(instance, solution)
        write_atomically(path, xlsx_file(instance.name, plan_header(instance), rows))
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
