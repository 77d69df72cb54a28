"""Results as files: the plan, a picture of it, the report or driver sheets; by the ending."""

from __future__ import annotations

from pathlib import Path

from fripn.errors import NoPlanFound
from fripn.problem.io import TableDialect
from fripn.render.plan_files import PLAN_SUFFIXES, write_plan
from fripn.render.presentation import Presentation
from fripn.render.report import write_report
from fripn.render.sheets import write_sheets
from fripn.result import Result

#: Endings that `write_result` accepts.
RESULT_SUFFIXES = (*PLAN_SUFFIXES, ".html", ".pdf")


def write_result(
    result: Result,
    path: Path | str,
    *,
    best_known: float | None = None,
    show: Presentation | None = None,
    dialect: TableDialect | None = None,
) -> None:
    """Write the plan of a result to a file, whole or not at all.

    Parameters
    ----------
    result
        What a run returned.
    path
        ``.json``, ``.sol``, ``.csv`` or ``.xlsx`` for the plan, ``.geojson`` for a map, ``.png`` or
        ``.svg`` for a picture, ``.html`` for the report, ``.pdf`` for driver sheets.
    best_known
        The cost to compare with in the report, if there is one.
    show
        Language, units and heads of the report and the sheets.
    dialect
        How a ``.csv`` file is written.

    Raises
    ------
    NoPlanFound
        When there is no plan to write.
    """
    if result.solution is None:
        raise NoPlanFound(
            f"there is no plan for {result.instance.name} to write",
            field="plan",
            remedy="allow more time or more vehicles",
        )
    suffix = Path(path).suffix.lower()
    if suffix == ".html":
        write_report(result, Path(path), best_known=best_known, show=show)
    elif suffix == ".pdf":
        write_sheets(result.instance, result.solution, path, show)
    else:
        write_plan(result.instance, result.solution, path, dialect=dialect)
