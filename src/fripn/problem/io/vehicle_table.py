"""A table of vehicle types; mistakes are collected."""

from __future__ import annotations

from collections.abc import Mapping

from fripn.errors import InvalidCell, InvalidFile, InvalidInstance
from fripn.problem.io.cell_numbers import NumberColumn, all_marks
from fripn.problem.io.headers import Header, match_header
from fripn.problem.io.mistakes import Mistakes
from fripn.problem.io.table import Table
from fripn.problem.io.table_words import VEHICLES
from fripn.problem.vehicle_type import VehicleType

#: Cells of the column `available` that mean the same as an empty one.
_UNLIMITED = {"", "-", "unlimited", "unbegrenzt", "beliebig", "any", "∞"}

#: More vehicle types than anybody has; it bounds the memory of tables with very short rows.
MAX_TYPES = 10_000

_MONEY = ("fixed_cost", "unit_cost")
_NUMBERS = ("capacity", *_MONEY, "available")


def read_vehicles(
    table: Table,
    mistakes: Mistakes,
    *,
    mapping: Mapping[str, str] | None = None,
    decimal: str | None = None,
) -> tuple[tuple[VehicleType, ...], Header]:
    """Return the vehicle types and the columns; there are no types when there are mistakes.

    Parameters
    ----------
    table
        Columns as in `VEHICLES`.
    mistakes
        What is wrong is added here.
    mapping
        The user's words for columns.
    decimal
        The decimal mark, where the user states it.

    Raises
    ------
    InvalidFile
        When the table cannot be read to its end.
    """
    header = match_header(table.titles, VEHICLES, mapping)
    for mistake in header.mistakes:
        mistakes.add(mistake)
    separator = "" if table.dialect.is_workbook else table.dialect.separator
    numbers = {
        column: NumberColumn(
            header.title(column), table.unit, separator, decimal, is_money=column in _MONEY
        )
        for column in _NUMBERS
        if column in header.places
    }
    names: list[str] = []
    rows: list[int] = []
    limits: list[bool] = []
    for row, cells in table.rows:
        if len(rows) == MAX_TYPES:
            raise InvalidFile(
                f"the table has more than {MAX_TYPES} vehicle types",
                place=f"{table.unit} {row}",
                remedy="check that it is the right file",
            )
        rows.append(row)
        names.append(table.text(cells, header.places.get("type")))
        text = table.text(cells, header.places.get("available")).lower()
        limits.append(text not in _UNLIMITED)
        for column, values in numbers.items():
            if column != "available":
                values.add(row, table.cell(cells, header.places[column]))
            elif limits[-1]:
                values.add(row, table.cell(cells, header.places[column]))
                if values.values[-1] % 1 > 0:
                    values.refuse(row, text, "give an integer")
            else:
                values.values.append(0.0)
    mistakes.extend(table.mistakes)
    marks = all_marks(numbers.values())
    for values in numbers.values():
        values.finish(marks, mistakes)
    if not rows and not len(mistakes):
        mistakes.add(
            InvalidFile(
                "the table has a header but no rows", remedy="give at least one vehicle type"
            )
        )
    _check_names(names, rows, header, table, mistakes)
    if len(mistakes):
        return (), header
    types = []
    for place, (name, row) in enumerate(zip(names, rows, strict=True)):
        capacity, fixed_cost, unit_cost = (numbers[column].values[place] for column in _NUMBERS[:3])
        available = int(numbers["available"].values[place]) if limits[place] else None
        try:
            types.append(VehicleType(name, capacity, fixed_cost, unit_cost, available))
        except InvalidInstance as error:
            error.within(f"{table.unit} {row}")
            mistakes.add(error, row)
    return (() if len(mistakes) else tuple(types)), header


def _check_names(
    names: list[str], rows: list[int], header: Header, table: Table, mistakes: Mistakes
) -> None:
    first: dict[str, int] = {}
    for name, row in zip(names, rows, strict=True):
        if name and name in first:
            mistakes.add(
                InvalidCell(
                    f"the {{field}} {{value}} is already given in {table.unit} {first[name]}",
                    field=header.title("type"),
                    value=name,
                    remedy="give each type its own name",
                    place=f"{table.unit} {row}",
                    row=row,
                ),
                row,
            )
        first.setdefault(name, row)
