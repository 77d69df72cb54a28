"""Sheets of a workbook (.xlsx) as tables."""

from __future__ import annotations

import datetime
import io
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from fripn.errors import InvalidFile, InvalidInput, MissingExtra
from fripn.messages import named
from fripn.problem.io.cell_numbers import Cell
from fripn.problem.io.headers import Vocabulary, plain_word
from fripn.problem.io.table import MAX_CELLS, Table, make_table
from fripn.problem.io.table_dialect import TableDialect
from fripn.problem.io.text import check_size, default_max_bytes, located

if TYPE_CHECKING:
    from python_calamine import CalamineSheet, CalamineWorkbook

#: Endings of workbooks that can be read.
WORKBOOK_SUFFIXES = (".xlsx", ".xlsm")

#: A workbook is a compressed archive; unpacked it may be this many times the limit for files.
_MAX_UNPACKED = 4

#: Sheets of a workbook, at most.
_MAX_SHEETS = 200

#: Cells and rows say where they stand; the reader makes room for everything up to the last one, and
#: ends the process when there is not so much memory. So any attribute of that name counts, wherever
#: it is, and so do rows and cells without it.
_REFERENCE = re.compile(rb"""(?<![\w:.-])r\s*=\s*["']([^"']*)["']""")
_ELEMENT = re.compile(rb"<(?:\w+:)?(row|c)(?=[\s/>])([^<>]*)")
_MAX_REFERENCE = 20

#: A sheet may reach over so many cells however small the file is.
_FEW_CELLS = 500_000


class Workbook:
    """The sheets of a workbook.

    Parameters
    ----------
    content
        The file.
    max_bytes
        Size up to which it is read; None for `default_max_bytes`.

    Raises
    ------
    InvalidFile
        When it is not a workbook, or one with too much in it.
    MissingExtra
        When the package that reads workbooks is not installed.
    """

    def __init__(self, content: bytes, max_bytes: int | None = None) -> None:
        check_size(content, max_bytes)
        limit = default_max_bytes() if max_bytes is None else max_bytes
        self._max_cells = _check_archive(content, limit)
        self._book: CalamineWorkbook = _guarded(lambda: _open(content))
        self.sheets: list[str] = _guarded(lambda: list(self._book.sheet_names))[:_MAX_SHEETS]

    def find(self, words: Sequence[str]) -> str | None:
        """Return the sheet that is called by one of the words, in any spelling of `plain_word`."""
        by_word = {plain_word(sheet): sheet for sheet in reversed(self.sheets)}
        return next((by_word[word] for word in words if word in by_word), None)

    def is_empty(self, sheet: str) -> bool:
        """Return whether a sheet has no cells."""
        return bool(_guarded(lambda: self._sheet(sheet).height == 0))

    def table(self, sheet: str, vocabularies: Sequence[Vocabulary]) -> Table:
        """Return a sheet as a table; see `fripn.problem.io.table.make_table`.

        Raises
        ------
        InvalidFile
            When the sheet is empty or cannot be read.
        """
        with located(f"sheet {named(sheet)}"):
            rows = self.rows(sheet)
            return make_table(
                rows, vocabularies, unit="row", dialect=TableDialect(is_workbook=True)
            )

    def _sheet(self, sheet: str) -> CalamineSheet:
        return self._book.get_sheet_by_name(sheet)

    def rows(self, sheet: str) -> Iterator[tuple[int, list[Cell]]]:
        """Return the rows of a sheet that are not empty, with their numbers."""
        range_of_cells: Any = _guarded(lambda: self._sheet(sheet))
        if range_of_cells.start is None:
            return
        if range_of_cells.height * range_of_cells.width > self._max_cells:
            raise _too_many_cells(self._max_cells)
        # One row at a time: as Python objects, the cells of an empty area would take far more.
        for number, cells in enumerate(range_of_cells.iter_rows(), start=1):
            content = [_cell(value) for value in cells]
            if any(cell != "" for cell in content):
                yield number, content


def is_workbook(content: bytes) -> bool:
    """Return whether content starts as a workbook does."""
    return content.startswith(b"PK\x03\x04")


def _open(content: bytes) -> CalamineWorkbook:
    try:
        from python_calamine import CalamineWorkbook
    except ImportError:
        raise MissingExtra(
            "workbooks need the package python-calamine",
            field="python-calamine",
            remedy="pip install python-calamine, or save the sheets as CSV",
        ) from None
    return CalamineWorkbook.from_filelike(io.BytesIO(content))


def _guarded(call: Any) -> Any:
    """Call the reader of workbooks, and return its errors as ours."""
    try:
        return call()
    except InvalidInput:
        raise
    except MemoryError:
        raise
    except Exception as error:
        raise InvalidFile(
            f"the workbook cannot be read ({_reason(error)})",
            remedy="open it in a spreadsheet program and save it as .xlsx again",
        ) from None
    except BaseException as error:
        # A panic of the reader, which is written in Rust, is not an `Exception`.
        if type(error).__name__ != "PanicException":
            raise
        raise InvalidFile(
            "the workbook cannot be read (it is damaged)",
            remedy="open it in a spreadsheet program and save it as .xlsx again",
        ) from None


def _reason(error: Exception) -> str:
    return str(error).splitlines()[0][:100] if str(error) else type(error).__name__


def _cell(value: Any) -> Cell:
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, (int, float)):
        return float(value)
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, datetime.datetime):
        return value.isoformat(" ", "minutes")
    if isinstance(value, datetime.time):
        return value.isoformat("seconds" if value.second else "minutes")
    if isinstance(value, datetime.timedelta):
        minutes, seconds = divmod(round(value.total_seconds()), 60)
        text = f"{minutes // 60:02}:{minutes % 60:02}"
        return f"{text}:{seconds:02}" if seconds else text
    return "" if value is None else str(value)


def _check_archive(content: bytes, max_bytes: int) -> int:
    """Refuse archives that would unpack into gigabytes, and cells that stand too far away.

    Returns how many cells a sheet may reach over.

    Raises
    ------
    InvalidFile
        When the content is neither small nor an archive.
    """
    import zipfile

    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entries = archive.infolist()
            unpacked = sum(entry.file_size for entry in entries)
            if len(entries) > 10_000 or unpacked > _MAX_UNPACKED * max_bytes:
                raise InvalidFile(
                    f"unpacked, the workbook has more than {_MAX_UNPACKED * max_bytes / 1e6:g} MB",
                    field="size",
                    value=unpacked,
                    remedy="remove what is not needed, or raise the limit: fripn --max-size MB …",
                )
            # No cell takes less than a byte, so more cells are empty ones, which take memory too.
            max_cells = min(MAX_CELLS, max(_FEW_CELLS, unpacked))
            for entry in entries:
                _check_references(archive.read(entry), max_cells)
            return max_cells
    except (InvalidInput, MemoryError):
        raise
    except Exception as error:  # damaged archives raise errors of many classes
        raise InvalidFile(
            f"the file is not a workbook ({_reason(error)})",
            remedy="save it as .xlsx or CSV again, without a password",
        ) from None


def _check_references(content: bytes, max_cells: int) -> None:
    """Refuse a sheet whose last cell is so far away that the cells before it need gigabytes."""
    last_row = last_column = 0
    for found in _REFERENCE.finditer(content):
        reference = found[1][:_MAX_REFERENCE].upper()
        digits = bytes(one for one in reference if 48 <= one <= 57)
        letters = bytes(one for one in reference if 65 <= one <= 90)
        last_row = max(last_row, int(digits or b"0"))
        last_column = max(last_column, _column_number(letters))
    rows = cells = most_cells = 0
    for element in _ELEMENT.finditer(content):
        if element[1] == b"row":
            cells = 0
            rows += _REFERENCE.search(element[2]) is None
        elif _REFERENCE.search(element[2]) is None:
            cells += 1
            most_cells = max(most_cells, cells)
    if (last_row + rows) * max(1, last_column + most_cells) > max_cells:
        raise _too_many_cells(max_cells)


def _column_number(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + letter - ord("A") + 1
    return number


def _too_many_cells(max_cells: int) -> InvalidFile:
    return InvalidFile(
        f"a sheet reaches over more than {max_cells} cells",
        field="size",
        remedy="remove cells far below or beside the table (formats count too), and save it again",
    )
