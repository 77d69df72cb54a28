"""Tables as spreadsheets save them: comma, semicolon or tab; decimal point or decimal comma."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from fripn.errors import InvalidFile
from fripn.messages import nearest
from fripn.problem.io.text import lines_of

#: Columns about a stop in tables of stops and of plans, each with its other names.
COLUMNS_OF_A_STOP: dict[str, Sequence[str]] = {
    "id": ("stop", "stop_id"),
    "name": (),
    "x": (),
    "y": (),
    "lat": ("latitude",),
    "lon": ("lng", "long", "longitude"),
    "demand": (),
}

#: Cells of a table, and characters of a line of it, at most: both bound the time.
MAX_CELLS = 10_000_000
_MAX_LINE = 100_000

#: Each string matches in one way at most: with several, matching would take quadratic time.
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table.

    Parameters
    ----------
    line
        Its line number in the file, counted from 1.
    columns
        The place of each column of the table.
    text
        Its cells, stripped, with a NUL between two; a row may end early. One string takes a
        fraction of the memory of many.
    decimal_comma
        Whether 1,5 means one and a half.
    """

    line: int
    columns: Mapping[str, int]
    text: str
    decimal_comma: bool

    def __getitem__(self, column: str) -> str:
        """Return the text of a cell; an absent or empty one is ""."""
        place = self.columns.get(column)
        cells = self.text.split("\0")
        return cells[place] if place is not None and place < len(cells) else ""

    def number(self, column: str) -> float:
        """Return the number in a cell.

        Raises
        ------
        InvalidFile
            When the cell is empty or holds something else.
        """
        text = self[column]
        if not text:
            raise self.wrong(column, "give a number", "{field} is empty")
        plain = text.replace(",", ".") if self.decimal_comma and "." not in text else text
        if not _NUMBER.fullmatch(plain):
            raise self.wrong(column, _remedy(text))
        value = float(plain)
        if not math.isfinite(value):
            raise self.wrong(column, "give a finite number")
        return value

    def whole(self, column: str) -> int:
        """Return the integer in a cell; see `number`."""
        value = self.number(column)
        if not value.is_integer():
            raise self.wrong(column, "give an integer")
        return int(value)

    def wrong(self, column: str, remedy: str, problem: str = "") -> InvalidFile:
        """Return the error to raise about a cell; without `problem`: "{column} is {cell}"."""
        return InvalidFile(
            problem, field=column, value=self[column], remedy=remedy, place=f"line {self.line}"
        )


def parse_table(
    text: str, spellings: Mapping[str, Sequence[str]], required: Iterable[str]
) -> list[Row]:
    """Return the rows of a table with a header line.

    Parameters
    ----------
    text
        The content of the file.
    spellings
        The columns that may appear, each with its other names. Case, blanks and hyphens in a
        header do not matter.
    required
        Columns that must appear.

    Raises
    ------
    InvalidFile
        When the text is not a table, has an unknown or repeated column, or lacks one.
    """
    try:
        return _parse(text, spellings, required)
    except csv.Error as error:
        raise InvalidFile(f"not a valid table ({error})", remedy="save it as CSV again") from None


def _parse(text: str, spellings: Mapping[str, Sequence[str]], required: Iterable[str]) -> list[Row]:
    header = text.lstrip()[:_MAX_LINE].split("\n", 1)[0]
    delimiter = max(",;\t", key=header.count)
    if (num_cells := text.count(delimiter)) > MAX_CELLS:
        raise InvalidFile(
            f"the table has over {num_cells} cells",
            value=num_cells,
            remedy=f"at most {MAX_CELLS} can be read; check that it is the right file",
        )
    reader = csv.reader(_short_lines(text), delimiter=delimiter, strict=True)
    columns: dict[str, int] | None = None
    rows = []
    for cells in reader:
        if not any(cells) or not any(cell.strip() for cell in cells):
            continue
        if columns is None:
            names = _columns([cell.strip() for cell in cells], spellings, required)
            columns = {name: place for place, name in enumerate(names)}
            continue
        width = len(columns)
        if len(cells) > width and any(cell.strip() for cell in cells[width:]):
            raise InvalidFile(
                f"{len(cells)} cells, but the header has {width} columns",
                place=f"line {reader.line_num}",
                value=len(cells),
                remedy=f"quote strings and numbers that contain {delimiter!r}",
            )
        stripped = "\0".join([cell.strip() for cell in cells[:width]])
        rows.append(Row(reader.line_num, columns, stripped, decimal_comma=delimiter != ","))
    return rows


def _short_lines(text: str) -> Iterator[str]:
    """Return the lines; refuse very long ones, which would split into millions of cells."""
    for number, line in enumerate(lines_of(text), start=1):
        if len(line) > _MAX_LINE:
            raise InvalidFile(
                f"the line has {len(line)} characters",
                place=f"line {number}",
                value=len(line),
                remedy=f"at most {_MAX_LINE} can be read; check that it is the right file",
            )
        yield line


def _columns(
    header: list[str], spellings: Mapping[str, Sequence[str]], required: Iterable[str]
) -> list[str]:
    known = {_plain(name): column for column, names in spellings.items() for name in names}
    known |= {_plain(column): column for column in spellings}
    columns: list[str] = []
    while header and not header[-1]:  # spreadsheets often end lines with empty cells
        header.pop()
    for cell in header:
        column = known.get(_plain(cell))
        if column is None:
            raise InvalidFile(
                "unknown column {value}",
                field="header",
                value=cell,
                remedy="remove or rename it: " + nearest(_plain(cell), known, listed=spellings),
            )
        if column in columns:
            raise InvalidFile(
                f"the column {column!r} appears twice ({{value}})",
                field=column,
                value=cell,
                remedy="keep one",
            )
        columns.append(column)
    for column in required:
        if column not in columns:
            raise InvalidFile(
                f"the column {column!r} is missing; the header has {', '.join(columns)}",
                field=column,
                remedy="add it",
            )
    return columns


def _plain(header: str) -> str:
    return re.sub(r"[\s\-]+", "_", header.strip().lower())


def _remedy(text: str) -> str:
    if text.lower().lstrip("+-") in {"nan", "inf", "infinity"}:
        return "give a finite number"
    if "," in text:
        return "write it without thousands separators, and with one decimal sign"
    return "give a number"
