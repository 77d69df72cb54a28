"""Results as files: the plan, a picture of it, or the report; by the ending of the file."""

from __future__ import annotations

from pathlib import Path

from fripn.errors import NoPlanFound
from fripn.render.plan_files import write_plan
from fripn.render.report import write_report
from fripn.result import Result


def write_result(result: Result, path: Path | str, *, best_known: float | None = None) -> None:
    """Write the plan of a result to a file, whole or not at all.

    Parameters
    ----------
    result
        What a run returned.
    path
        ``.json``, ``.sol`` or ``.csv`` for the plan, ``.geojson`` for a map, ``.png`` or ``.svg``
        for a picture, ``.html`` for the report.
    best_known
        The cost to compare with in the report, if there is one.

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
    if Path(path).suffix.lower() == ".html":
        write_report(result, Path(path), best_known=best_known)
    else:
        write_plan(result.instance, result.solution, path)
