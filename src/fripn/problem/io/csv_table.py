"""Tables as spreadsheets save them: comma, semicolon or tab; decimal point or decimal comma."""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat

from fripn.errors import InvalidFile
from fripn.problem.io.headers import Vocabulary, match_header, plain_word
from fripn.problem.io.table import MAX_ROWS, read_csv_table

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


def parse_table(text: str, spellings: Mapping[str, Sequence[str]], required: Sequence[str]) -> Rows:
    """Return the rows of a table with a header line.

    Parameters
    ----------
    text
        The content of the file.
    spellings
        The columns that may appear, each with its other names; see `plain_word` for what does not
        matter in a header. Other columns are passed over, unless they look misspelt.
    required
        Columns that must appear.

    Raises
    ------
    InvalidFile
        When the text is not a table, has a misspelt or repeated column, or lacks one.
    """
    words = {column: tuple(map(plain_word, names)) for column, names in spellings.items()}
    vocabulary = Vocabulary(words, required)
    table = read_csv_table(text, (vocabulary,))
    header = match_header(table.titles, vocabulary)
    for mistake in header.mistakes:
        raise mistake
    rows = Rows(header.places, decimal_comma=table.dialect.separator != ",")
    for line, cells in table.rows:
        rows.append(line, (table.text(cells, place) for place in range(len(cells))))
    table.mistakes.raise_any()
    return rows


def _remedy(text: str) -> str:
    if text.lower().lstrip("+-") in {"nan", "inf", "infinity"}:
        return "give a finite number"
    if "," in text:
        return "write it without thousands separators, and with one decimal sign"
    return "give a number"
