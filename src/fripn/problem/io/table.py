"""A table as it is read: a header, and rows with their numbers."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice

from fripn.errors import InvalidCell, InvalidFile
from fripn.problem.io.cell_numbers import Cell
from fripn.problem.io.formula_cells import unguarded
from fripn.problem.io.headers import Vocabulary
from fripn.problem.io.mistakes import Mistakes
from fripn.problem.io.table_dialect import TableDialect
from fripn.problem.io.text import lines_of

#: Cells and rows of a table, and characters of a line of it, at most. They bound the time, and the
#: rows bound the memory: stops with names and ids may take more than ten times the size of a file
#: whose rows have a dozen characters.
MAX_CELLS = 10_000_000
MAX_ROWS = 100_000
_MAX_LINE = 100_000

#: The header is looked for in the first rows that are not empty: tables may have a title.
_MAX_TITLE_ROWS = 20

#: Headers that are looked up to recognise a table, at most.
_MAX_COMPARED = 200

#: Excel writes this as the first line where the separator is not that of the country.
_STATED_SEPARATOR = re.compile(r"sep=([;,\t])\r?\n", re.IGNORECASE)
_SEPARATORS = ";,\t"


@dataclass(slots=True)
class Table:
    """A table that is read row by row, once.

    Parameters
    ----------
    titles
        The cells of the header, without empty ones at the end.
    rows
        Number of each further row that is not empty, counted from 1, and its cells, at most as
        many as the header has.
    unit
        What a row is called in messages: ``line`` or ``row``.
    dialect
        How the table is written.
    mistakes
        What is wrong with the rows read so far.
    all_rows
        The rows as they are, those that do not fit the header too: for showing a table rather than
        reading it. It and `rows` read from one place, so only one of them can be used.
    """

    titles: list[str]
    rows: Iterator[tuple[int, list[Cell]]]
    unit: str
    dialect: TableDialect
    mistakes: Mistakes = field(default_factory=Mistakes)
    all_rows: Iterator[tuple[int, list[Cell]]] = field(default_factory=lambda: iter(()))

    def cell(self, cells: Sequence[Cell], place: int | None) -> Cell:
        """Return a cell of a row; one that is absent is ""."""
        return "" if place is None or place >= len(cells) else cells[place]

    def text(self, cells: Sequence[Cell], place: int | None) -> str:
        """Return a cell of a row as a string; see `cell`."""
        cell = self.cell(cells, place)
        if not isinstance(cell, str):
            return number_text(cell)
        return cell if self.dialect.is_workbook else unguarded(cell)


def number_text(value: float) -> str:
    """Return a number of a workbook as a person reads it: 105, not 105.0."""
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


def read_csv_table(text: str, vocabularies: Sequence[Vocabulary], encoding: str = "utf-8") -> Table:
    """Return a table in CSV.

    Parameters
    ----------
    text
        The content, without a byte-order mark.
    vocabularies
        The tables it may be; their words tell the header from titles above it, and the separator.
    encoding
        That of the file, for the dialect.

    Raises
    ------
    InvalidFile
        When the text is not a table; for later rows, when they are read.
    """
    separator, start = separator_of(text, vocabularies)
    if (num_cells := text.count(separator)) > MAX_CELLS:
        raise InvalidFile(
            f"the table has over {num_cells} cells",
            value=num_cells,
            remedy=f"at most {MAX_CELLS} can be read; check that it is the right file",
        )
    rows = csv_rows(text, separator, start)
    return make_table(
        rows,
        vocabularies,
        unit="line",
        dialect=TableDialect(
            separator=separator,
            decimal="." if separator == "," else ",",
            encoding=encoding,
            newline="\r\n" if "\r\n" in text[:_MAX_LINE] else "\n",
        ),
    )


def make_table(
    rows: Iterator[tuple[int, list[Cell]]],
    vocabularies: Sequence[Vocabulary],
    *,
    unit: str,
    dialect: TableDialect,
) -> Table:
    """Return a table from rows that are not empty, of which one of the first is the header.

    Raises
    ------
    InvalidFile
        When there is no row.
    """
    first = list(islice(rows, _MAX_TITLE_ROWS))
    if not first:
        raise InvalidFile("the table is empty", remedy="give a header and rows")
    place = next(
        (
            number
            for number, (_, cells) in enumerate(first)
            if num_known([cell for cell in cells if isinstance(cell, str)], vocabularies) > 1
        ),
        0,
    )
    titles = [cell if isinstance(cell, str) else number_text(cell) for cell in first[place][1]]
    while titles and not titles[-1]:  # spreadsheets often end lines with empty cells
        titles.pop()
    if not dialect.is_workbook:
        titles = list(map(unguarded, titles))
    return table_of(titles, chain(first[place + 1 :], rows), unit=unit, dialect=dialect)


def table_of(
    titles: list[str],
    rows: Iterator[tuple[int, list[Cell]]],
    *,
    unit: str,
    dialect: TableDialect,
) -> Table:
    """Return a table from its header and its numbered rows that are not empty."""
    table = Table(titles, iter(()), unit, dialect, all_rows=rows)
    table.rows = _checked_rows(rows, table)
    return table


def num_known(titles: Sequence[str], vocabularies: Sequence[Vocabulary]) -> int:
    """Return how many headers are words for columns, in the table that knows most of them."""
    return max(
        (sum(map(vocabulary.knows, titles[:_MAX_COMPARED])) for vocabulary in vocabularies),
        default=0,
    )


def _checked_rows(
    rows: Iterable[tuple[int, list[Cell]]], table: Table
) -> Iterator[tuple[int, list[Cell]]]:
    """Return the rows cut to the width of the header; what does not fit is a mistake."""
    width, dialect = len(table.titles), table.dialect
    for count, (number, cells) in enumerate(rows):
        if count == MAX_ROWS:
            raise InvalidFile(
                f"the table has more than {MAX_ROWS} rows",
                place=f"{table.unit} {number}",
                remedy="check that it is the right file",
            )
        if len(cells) > width:
            if any(cell != "" for cell in cells[width:]):
                mistake = InvalidCell(
                    f"{len(cells)} cells, but the header has {width} columns",
                    place=f"{table.unit} {number}",
                    value=len(cells),
                    remedy="give every column a header"
                    if dialect.is_workbook
                    else f"quote strings and numbers that contain {dialect.separator!r}",
                    row=number,
                )
                table.mistakes.add(mistake, number)
                continue
            cells = cells[:width]
        yield number, cells


def csv_rows(text: str, separator: str, start: int = 0) -> Iterator[tuple[int, list[Cell]]]:
    """Return the rows of CSV text that are not empty, with their lines, from line `start` + 1 on.

    Raises
    ------
    InvalidFile
        When a cell does not end, or a line is very long.
    """
    lines = islice(_short_lines(text), start, None)
    reader = csv.reader(lines, delimiter=separator, strict=True)
    try:
        for cells in reader:
            if not any(cells):
                continue
            stripped: list[Cell] = [cell.strip() for cell in cells]
            if any(stripped):
                yield start + reader.line_num, stripped
    except csv.Error as error:
        raise InvalidFile(f"not a valid table ({error})", remedy="save it as CSV again") from None


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


def separator_of(text: str, vocabularies: Sequence[Vocabulary]) -> tuple[str, int]:
    """Return the separator of a table, and how many lines before the table state it."""
    head = text.lstrip()[:_MAX_LINE].replace("\r\n", "\n").replace("\r", "\n")
    lines = [line for line in head.split("\n", _MAX_TITLE_ROWS)[:_MAX_TITLE_ROWS] if line.strip()]
    if found := _STATED_SEPARATOR.match(text):
        return found[1], 1
    best, most = max(_SEPARATORS, key=lines[0].count), 0
    for line in lines:
        for separator in _SEPARATORS:
            titles = [cell.strip(' "') for cell in line.split(separator, _MAX_COMPARED)]
            if (known := num_known(titles, vocabularies)) > max(most, 1):
                best, most = separator, known
    return best, 0
