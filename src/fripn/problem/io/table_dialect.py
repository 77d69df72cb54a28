"""How a table is written: separator, decimal mark, encoding, and the user's words for columns."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain


@dataclass(frozen=True, slots=True)
class TableDialect:
    """How a table is written, so that what goes back can be written alike.

    Parameters
    ----------
    separator
        Between two cells: a comma, a semicolon or a tab.
    decimal
        The decimal mark, a point or a comma.
    encoding
        Name for `str.encode`; ``utf-8-sig`` and ``utf-16`` write a byte-order mark.
    newline
        End of a line.
    titles
        What the table of stops calls our columns: ``{"demand": "Menge"}``.
    is_workbook
        Whether the table is a sheet of a workbook.
    """

    separator: str = ","
    decimal: str = "."
    encoding: str = "utf-8"
    newline: str = "\n"
    titles: Mapping[str, str] = field(default_factory=dict)
    is_workbook: bool = False

    def title(self, column: str) -> str:
        """Return what the user calls a column of ours."""
        return self.titles.get(column, column)

    def number(self, value: float) -> str:
        """Return a number in its shortest form, with the decimal mark: 3,5 or 12."""
        text = repr(float(value))
        return text.removesuffix(".0").replace(".", self.decimal)

    def encode(self, text: str) -> bytes:
        """Return the content of a file, in UTF-8 where the encoding lacks a character."""
        try:
            return text.encode(self.encoding)
        except UnicodeEncodeError:
            return text.encode("utf-8-sig")


def table_text(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    dialect: TableDialect | None = None,
) -> str:
    """Return a table as CSV text.

    Parameters
    ----------
    columns
        The header.
    rows
        Strings, integers and floats; None for an empty cell.
    dialect
        How to write it; None for commas and decimal points. `TableDialect.encode` makes a file
        of the text.
    """
    return "".join(table_lines(columns, rows, dialect))


def table_lines(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    dialect: TableDialect | None = None,
) -> Iterator[str]:
    """Yield the lines of `table_text`, one by one: there may be very many."""
    buffer = io.StringIO(newline="")
    newline = "\n" if dialect is None else dialect.newline
    separator = "," if dialect is None else dialect.separator
    writer = csv.writer(buffer, delimiter=separator, lineterminator=newline)
    for row in chain((columns,), rows):
        cells = row
        if dialect is not None:
            cells = [dialect.number(cell) if isinstance(cell, float) else cell for cell in row]
        writer.writerow(cells)
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
