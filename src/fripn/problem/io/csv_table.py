"""Tables as spreadsheets save them: comma, semicolon or tab; decimal point or decimal comma."""

from __future__ import annotations

import csv
import math
import re
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat

from fripn.errors import InvalidFile
from fripn.messages import nearest
from fripn.problem.io.table import MAX_CELLS, MAX_ROWS
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

#: Characters of a line, at most.
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
    cells
        Its cells, stripped; a row may end early.
    decimal_comma
        Whether 1,5 means one and a half.
    """

    line: int
    columns: Mapping[str, int]
    cells: Sequence[str]
    decimal_comma: bool

    def __getitem__(self, column: str) -> str:
        """Return the text of a cell; an absent or empty one is ""."""
        place = self.columns.get(column)
        return self.cells[place] if place is not None and place < len(self.cells) else ""

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


class Rows:
    """The rows of a table, kept as bytes and built when they are asked for.

    A row as an object takes several hundred bytes, here it takes twelve beyond its content.

    Parameters
    ----------
    columns
        The place of each column of the table.
    decimal_comma
        Whether 1,5 means one and a half.
    """

    def __init__(self, columns: Mapping[str, int], *, decimal_comma: bool) -> None:
        self.columns = columns
        self._decimal_comma = decimal_comma
        self._content = bytearray()
        self._ends = array("Q")
        self._lines = array("I")

    def append(self, line: int, cells: Iterable[str]) -> None:
        """Add a row.

        Raises
        ------
        InvalidFile
            When there are too many.
        """
        if len(self) == MAX_ROWS:
            raise InvalidFile(
                f"the table has more than {MAX_ROWS} rows",
                place=f"line {line}",
                remedy="check that it is the right file",
            )
        # Texts have no NUL (see `checked_text`), but strings from Python may have surrogates.
        self._content += "\0".join(cells).encode("utf-8", "surrogatepass")
        self._ends.append(len(self._content))
        self._lines.append(line)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self._ends)

    def __getitem__(self, place: int) -> Row:
        """Return a row, counted from 0."""
        return Row(self._lines[place], self.columns, self._cells(place), self._decimal_comma)

    def __iter__(self) -> Iterator[Row]:
        """Return the rows in the order of the file."""
        return map(self.__getitem__, range(len(self)))

    def cell(self, place: int, column: str) -> str:
        """Return the text of a cell, as ``self[place][column]`` but faster."""
        column_place = self.columns.get(column)
        cells = self._cells(place)
        return cells[column_place] if column_place is not None and column_place < len(cells) else ""

    def column(self, column: str) -> Iterator[str]:
        """Return the text of all cells of a column; an absent column has empty ones."""
        if column not in self.columns:
            return repeat("", len(self))
        return (self.cell(place, column) for place in range(len(self)))

    def _cells(self, place: int) -> list[str]:
        content = self._content[self._ends[place - 1] if place else 0 : self._ends[place]]
        return content.decode("utf-8", "surrogatepass").split("\0")


def parse_table(text: str, spellings: Mapping[str, Sequence[str]], required: Iterable[str]) -> Rows:
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


def _parse(text: str, spellings: Mapping[str, Sequence[str]], required: Iterable[str]) -> Rows:
    header = text.lstrip()[:_MAX_LINE].split("\n", 1)[0]
    delimiter = max(",;\t", key=header.count)
    if (num_cells := text.count(delimiter)) > MAX_CELLS:
        raise InvalidFile(
            f"the table has over {num_cells} cells",
            value=num_cells,
            remedy=f"at most {MAX_CELLS} can be read; check that it is the right file",
        )
    reader = csv.reader(_short_lines(text), delimiter=delimiter, strict=True)
    rows: Rows | None = None
    for cells in reader:
        if not any(cells) or not any(cell.strip() for cell in cells):
            continue
        if rows is None:
            names = _columns([cell.strip() for cell in cells], spellings, required)
            columns = {name: place for place, name in enumerate(names)}
            rows = Rows(columns, decimal_comma=delimiter != ",")
            continue
        width = len(rows.columns)
        if len(cells) > width and any(cell.strip() for cell in cells[width:]):
            raise InvalidFile(
                f"{len(cells)} cells, but the header has {width} columns",
                place=f"line {reader.line_num}",
                value=len(cells),
                remedy=f"quote strings and numbers that contain {delimiter!r}",
            )
        rows.append(reader.line_num, [cell.strip() for cell in cells[:width]])
    return Rows({}, decimal_comma=False) if rows is None else rows


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
                f"the column {column!r} is missing (the header has {', '.join(columns)})",
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
