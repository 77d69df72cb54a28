"""A plan in a workbook, as the text of the same table."""

from __future__ import annotations

import csv
import io

from fripn.errors import InvalidFile
from fripn.problem.io.table import number_text
from fripn.problem.io.text import checked_text
from fripn.problem.io.workbook import Workbook


def plan_workbook_text(content: str | bytes, max_bytes: int | None = None) -> str:
    """Return the first sheet that is not empty as CSV, a line for each of its rows.

    Raises
    ------
    InvalidFile
        When it is not a workbook, or has no cells.
    """
    if isinstance(content, str):
        raise InvalidFile("a workbook is not a string", remedy="give its bytes")
    book = Workbook(content, max_bytes)
    sheet = next((name for name in book.sheets if not book.is_empty(name)), None)
    if sheet is None:
        raise InvalidFile("the workbook is empty", remedy="give a header and rows")
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    written = 0
    for number, cells in book.rows(sheet):
        # Lines without cells keep the numbers of the rows in messages, if no cell has two lines.
        buffer.write("\n" * (number - 1 - written))
        writer.writerow([cell if isinstance(cell, str) else number_text(cell) for cell in cells])
        written = number
    return checked_text(buffer.getvalue())
