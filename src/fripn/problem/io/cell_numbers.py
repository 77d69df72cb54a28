"""Cells as numbers: decimal points and commas, thousands separators, currency signs."""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Iterable
from dataclasses import dataclass

from fripn.errors import InvalidCell
from fripn.problem.io.mistakes import MAX_MISTAKES, Mistakes

#: What a table holds: numbers of a workbook are floats, everything else is a string.
Cell = str | float

#: Characters of a number, at most.
_MAX_DIGITS = 400

#: Each string matches in one way at most: with several, matching would take quadratic time.
_PLAIN = re.compile(r"[+-]?\d+([eE][+-]?\d+)?", re.ASCII)
_ONE_MARK = re.compile(r"[+-]?(\d*)([.,])(\d*)([eE][+-]?\d+)?", re.ASCII)
_GROUPS = re.compile(r"[+-]?\d{1,3}(?:([.,' \u2019])\d{3})(?:\1\d{3})*(?:([.,])\d*)?", re.ASCII)
_CURRENCY = re.compile(
    r"(?:EUR|USD|GBP|CHF|[€$£])?\s*([^€$£A-Z]*?[0-9.,])\s*(?:EUR|USD|GBP|CHF|[€$£])?",
)
_NOT_FINITE = {"nan", "inf", "infinity"}


@dataclass(frozen=True, slots=True)
class Reading:
    """What a cell says as a number.

    Parameters
    ----------
    value
        The number; where it is ambiguous, with its mark as the decimal mark.
    mark
        The decimal mark of the table, as far as this cell tells it: ``.``, ``,`` or nothing.
    is_ambiguous
        Whether the mark may as well separate thousands: 1.050, but not 1.05 or 0.105.
    """

    value: float
    mark: str = ""
    is_ambiguous: bool = False


def read_number(text: str, *, is_money: bool = False) -> Reading | None:
    """Return the number in a cell; None when it holds something else.

    Parameters
    ----------
    text
        The content, without blanks around it.
    is_money
        Whether a currency sign may stand before or after the number.
    """
    if len(text) > _MAX_DIGITS:
        return None
    if is_money and (found := _CURRENCY.fullmatch(text)):
        text = found[1]
    if _PLAIN.fullmatch(text):
        return Reading(float(text))
    text = text.replace("\u2212", "-").replace("\u00a0", " ").replace("\u202f", " ")
    if found := _ONE_MARK.fullmatch(text):
        before, mark, behind, exponent = found.groups()
        if not before and not behind:
            return None
        is_ambiguous = (
            len(behind) == 3 and 1 <= len(before) <= 3 and before[0] != "0" and exponent is None
        )
        return Reading(float(text.replace(",", ".")), mark, is_ambiguous)
    if found := _GROUPS.fullmatch(text):
        group, mark = found.groups()
        if group == mark:
            return None
        digits = text.replace(group, "")
        if mark is None and group in ".,":
            mark = "." if group == "," else ","
        return Reading(float(digits.replace(",", ".")), mark or "")
    return None


class NumberColumn:
    """The numbers of one column, in the order of the rows; mistakes are collected.

    Parameters
    ----------
    title
        Header of the column, as the table has it.
    unit
        What the table calls a row: ``line`` or ``row``.
    separator
        What separates its cells; a point is a decimal mark beside commas. Empty for workbooks.
    decimal
        The decimal mark, where the user has stated it.
    lowest, highest
        Range of the numbers.
    is_money
        Whether a currency sign may stand beside the number.
    """

    def __init__(
        self,
        title: str,
        unit: str,
        separator: str,
        decimal: str | None = None,
        *,
        lowest: float = -math.inf,
        highest: float = math.inf,
        is_money: bool = False,
    ) -> None:
        self.title = title
        self.values = array("d")
        self.marks: set[str] = set()
        self._unit, self._separator, self._decimal = unit, separator, decimal
        self._lowest, self._highest, self._is_money = lowest, highest, is_money
        self._wrong: list[tuple[int, InvalidCell]] = []
        self._num_wrong = 0
        self._ambiguous: dict[str, list[tuple[int, str]]] = {}
        self._num_ambiguous: dict[str, int] = {}

    def add(self, row: int, cell: Cell, default: float | None = None) -> None:
        """Read the cell of the next row; `default` stands for an empty one."""
        self.values.append(self._read(row, cell, default))

    def _read(self, row: int, cell: Cell, default: float | None) -> float:
        if isinstance(cell, float):
            value = cell
        elif not cell:
            if default is not None:
                return default
            self._refuse(row, cell, "give a number", "{field} is empty")
            return math.nan
        else:
            reading = read_number(cell, is_money=self._is_money)
            if reading is None:
                is_word = cell.lower().lstrip("+-") in _NOT_FINITE
                self._refuse(row, cell, "give a finite number" if is_word else "give a number")
                return math.nan
            value = reading.value
            if reading.is_ambiguous:
                if self._decimal is not None and self._decimal != reading.mark:
                    value *= 1000
                elif self._decimal is None:
                    first = self._ambiguous.setdefault(reading.mark, [])
                    if len(first) < MAX_MISTAKES:
                        first.append((row, cell))
                    count = self._num_ambiguous.get(reading.mark, 0)
                    self._num_ambiguous[reading.mark] = count + 1
            elif reading.mark:
                self.marks.add(reading.mark)
        if not math.isfinite(value):
            self._refuse(row, cell, "give a finite number")
        elif value < self._lowest or value > self._highest:
            self._refuse(row, cell, self._range(value))
        return value

    def refuse(self, row: int, cell: Cell, remedy: str, problem: str = "") -> None:
        """Add a mistake about a cell of this column."""
        self._refuse(row, cell, remedy, problem)

    def finish(self, marks: set[str], mistakes: Mistakes) -> None:
        """Add the mistakes of the column, ambiguous numbers included.

        Parameters
        ----------
        marks
            The decimal marks of all columns of the table.
        mistakes
            Where to add them.
        """
        for row, mistake in self._wrong:
            mistakes.add(mistake, row)
        mistakes.skip(self._num_wrong - len(self._wrong))
        for mark, first in self._ambiguous.items():
            if self._is_decimal(mark, marks):
                continue
            for row, text in first:
                mistakes.add(self._thousands(row, text, mark), row)
            mistakes.skip(self._num_ambiguous[mark] - len(first))

    def _is_decimal(self, mark: str, marks: set[str]) -> bool:
        """Return whether a mark that may separate thousands is the decimal mark of the column."""
        if self.marks:
            return self.marks == {mark}
        if self._separator == ",":
            return mark == "."
        # A German table may have a thousand as 1.000 beside coordinates that were pasted with
        # points, but no table with decimal commas has it as 1,000.
        return mark == "," and marks == {","}

    def _thousands(self, row: int, text: str, mark: str) -> InvalidCell:
        thousand, decimal = text.replace(mark, ""), float(text.replace(",", "."))
        return InvalidCell(
            f"{{field}} is {{value}}, which may mean {thousand} or {decimal:g}",
            field=self.title,
            value=text,
            remedy="write it without thousands separators, or state the decimal mark: --decimal , "
            "or --decimal .",
            place=f"{self._unit} {row}",
            row=row,
        )

    def _refuse(self, row: int, cell: Cell, remedy: str, problem: str = "") -> None:
        self._num_wrong += 1
        if len(self._wrong) < MAX_MISTAKES:
            mistake = InvalidCell(
                problem,
                field=self.title,
                value=cell,
                remedy=remedy,
                place=f"{self._unit} {row}",
                row=row,
            )
            self._wrong.append((row, mistake))

    def _range(self, value: float) -> str:
        if self._lowest == 0 and value < 0:
            return "it must be 0 or more"
        swapped = " (are latitude and longitude swapped?)" if self._highest == 90 else ""
        return f"it must be between {self._lowest:g} and {self._highest:g}{swapped}"


def all_marks(columns: Iterable[NumberColumn]) -> set[str]:
    """Return the decimal marks that several columns show."""
    marks: set[str] = set()
    return marks.union(*(column.marks for column in columns))
