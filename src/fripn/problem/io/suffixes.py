"""Endings of files, which are their formats."""

from __future__ import annotations

from pathlib import Path

from fripn.errors import InvalidFile
from fripn.messages import nearest
from fripn.problem.io.workbook import WORKBOOK_SUFFIXES

#: Endings of tables: as text, and of all.
TEXT_TABLES = (".csv", ".txt", ".tsv")
TABLE_SUFFIXES = (*TEXT_TABLES, *WORKBOOK_SUFFIXES)
#: Endings of files that `read_instance` accepts.
INSTANCE_READ_SUFFIXES = (".json", ".vrp", *TABLE_SUFFIXES)
#: Endings of text files that may be Solomon's or Cordeau's; theirs often have none.
BENCHMARK_SUFFIXES = (".txt", "")
#: Endings of files that `write_instance` accepts.
INSTANCE_SUFFIXES = (".json", ".csv", ".xlsx", ".vrp")
#: Endings of files that `read_solution` accepts.
SOLUTION_READ_SUFFIXES = (".json", ".sol", ".csv", ".xlsx")
#: Endings of files that `write_solution` accepts.
SOLUTION_WRITE_SUFFIXES = (".json", ".sol", ".csv", ".xlsx")


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
