"""Tables as spreadsheets save them: comma, semicolon or tab; decimal point or decimal comma."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from fripn.errors import InvalidFile
from fripn.messages import nearest, shown
from fripn.problem.io.text import located, read_text

#: What tables of stops and of plans say of a stop, each with its other names.
COLUMNS_OF_A_STOP: dict[str, Sequence[str]] = {
    "id": ("stop", "stop_id"),
    "name": (),
    "x": (),
    "y": (),
    "lat": ("latitude",),
    "lon": ("lng", "long", "longitude"),
    "demand": (),
}

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table.

    Parameters
    ----------
    line
        Its line number in the file, counted from 1.
    cells
        Its texts by column, stripped; an absent or empty cell is "".
    decimal_comma
        Whether 1,5 means one and a half.
    """

    line: int
    cells: Mapping[str, str]
    decimal_comma: bool

    def __getitem__(self, column: str) -> str:
        return self.cells.get(column, "")

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


def read_table(
    path: Path | str, spellings: Mapping[str, Sequence[str]], required: Iterable[str]
) -> list[Row]:
    """Read a table with a header line.

    Parameters
    ----------
    path
        The file.
    spellings
        The columns that may appear, each with its other names. Case, blanks and hyphens in a
        header do not matter.
    required
        Columns that must appear.

    Raises
    ------
    InvalidFile
        When the file cannot be read, has an unknown or repeated column, or lacks one.
    """
    text = read_text(path)
    with located(path):
        try:
            return _parse(text, spellings, required)
        except csv.Error as error:
            raise InvalidFile(f"not a valid table ({error}); save it as CSV again") from None


def table_text(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Give a table as CSV text with commas and decimal points."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return buffer.getvalue()


def _parse(text: str, spellings: Mapping[str, Sequence[str]], required: Iterable[str]) -> list[Row]:
    header = text.lstrip().split("\n", 1)[0]
    delimiter = max(",;\t", key=header.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    columns: list[str] | None = None
    rows = []
    for cells in reader:
        stripped = [cell.strip() for cell in cells]
        if not any(stripped):
            continue
        if columns is None:
            columns = _columns(stripped, spellings, required)
            continue
        if len(stripped) > len(columns) and any(stripped[len(columns) :]):
            raise InvalidFile(
                f"line {reader.line_num}: {len(stripped)} cells, but the header has "
                f"{len(columns)} columns; quote texts and numbers that contain {delimiter!r}"
            )
        rows.append(
            Row(
                reader.line_num,
                dict(zip_longest(columns, stripped[: len(columns)], fillvalue="")),
                decimal_comma=delimiter != ",",
            )
        )
    return rows


def _columns(
    header: list[str], spellings: Mapping[str, Sequence[str]], required: Iterable[str]
) -> list[str]:
    known = {_plain(name): column for column, names in spellings.items() for name in names}
    known |= {_plain(column): column for column in spellings}
    columns: list[str] = []
    while header and not header[-1]:  # spreadsheets like to end lines with empty cells
        header.pop()
    for cell in header:
        column = known.get(_plain(cell))
        if column is None:
            raise InvalidFile(
                f"unknown column {shown(cell)}; remove or rename it: "
                f"{nearest(_plain(cell), known, listed=spellings)}"
            )
        if column in columns:
            raise InvalidFile(f"the column {column!r} appears twice ({shown(cell)}); keep one")
        columns.append(column)
    for column in required:
        if column not in columns:
            raise InvalidFile(
                f"the column {column!r} is missing; the header has {', '.join(columns)}; add it"
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
