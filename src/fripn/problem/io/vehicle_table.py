"""A table of vehicle types; mistakes are collected."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fripn.errors import InvalidCell, InvalidFile, InvalidInstance
from fripn.messages import shown
from fripn.problem.io.cell_numbers import NumberColumn, all_marks
from fripn.problem.io.day_cells import (
    MINUTES_PER_HOUR,
    HoursColumn,
    TimeColumn,
    clock_text,
    read_words,
)
from fripn.problem.io.headers import Header, match_header
from fripn.problem.io.mistakes import Mistakes
from fripn.problem.io.table import Table
from fripn.problem.io.table_words import vehicle_words
from fripn.problem.vehicle_type import VehicleType

#: Cells of the column `available` that mean the same as an empty one.
_UNLIMITED = {"", "-", "unlimited", "unbegrenzt", "beliebig", "any", "∞"}

#: Cells that are empty, by column: nobody owns any number of vehicles.
_EMPTY = {"available": _UNLIMITED, "max_stops": _UNLIMITED, "owned": {"", "-"}}

#: More vehicle types than anybody has; it bounds the memory of tables with very short rows.
MAX_TYPES = 10_000

_MONEY = ("fixed_cost", "unit_cost", "cost_per_hour")
_REQUIRED = ("fixed_cost", "unit_cost")
_INTEGERS = ("available", "owned", "max_stops")
_HOURS = ("max_hours",)
_TIMES = ("shift_start", "shift_end")
_POSITIVE = (*_HOURS, "max_km", "speed_kmh")
_OPTIONAL = (*_INTEGERS, *_HOURS, *_TIMES, "max_km", "cost_per_hour", "speed_kmh")
_TEXTS = ("type", "depot", "offers", "returns")

_NO = {"0", "no", "nein", "false", "falsch", "n"}
_YES = {"", "1", "yes", "ja", "true", "wahr", "y", "j"}


@dataclass(frozen=True, slots=True)
class VehicleTable:
    """The vehicle types of a table.

    Parameters
    ----------
    header
        Its columns.
    types
        The types, whose depot is still open; none when there are mistakes.
    names
        What the table calls each type; two types have one name where some vehicles are owned.
    depots
        What each type says about its depot; "" when it says nothing.
    rows
        The row of each type in the file.
    has_speeds
        Whether the table has a column of speeds.
    without_speed
        The rows whose speed is empty.
    unit
        What a row is called in messages.
    """

    header: Header
    types: tuple[VehicleType, ...]
    names: tuple[str, ...]
    depots: tuple[str, ...]
    rows: tuple[int, ...]
    has_speeds: bool
    without_speed: tuple[int, ...]
    unit: str


def read_vehicles(
    table: Table,
    mistakes: Mistakes,
    *,
    loads: Sequence[str] = (),
    mapping: Mapping[str, str] | None = None,
    decimal: str | None = None,
) -> VehicleTable:
    """Return the vehicle types, with times in minutes and speeds in distance per minute.

    Parameters
    ----------
    table
        Columns as in `VEHICLES`.
    mistakes
        What is wrong is added here.
    loads
        The load dimensions of the stops; none when there is just one.
    mapping
        The user's words for columns.
    decimal
        The decimal mark, where the user states it.

    Raises
    ------
    InvalidFile
        When the table cannot be read to its end.
    """
    header = match_header(table.titles, vehicle_words(loads), mapping)
    for mistake in header.mistakes:
        mistakes.add(mistake)
    capacities = [f"capacity_{load}" for load in loads] or ["capacity"]
    numbers = _number_columns(table, header, capacities, decimal)
    texts: dict[str, list[str]] = {column: [] for column in _TEXTS}
    rows: list[int] = []
    for row, cells in table.rows:
        if len(rows) == MAX_TYPES:
            raise InvalidFile(
                f"the table has more than {MAX_TYPES} vehicle types",
                place=f"{table.unit} {row}",
                remedy="check that it is the right file",
            )
        rows.append(row)
        for column, found in texts.items():
            found.append(table.text(cells, header.places.get(column)))
        for column, values in numbers.items():
            cell = table.cell(cells, header.places[column])
            if column in _INTEGERS and str(cell).lower() in _EMPTY[column]:
                cell = ""
            values.add(row, cell, default=math.nan if column in _OPTIONAL else None)
            if column in _INTEGERS and values.values[-1] % 1 > 0:
                values.refuse(row, cell, "give an integer")
            if column == "owned" and values.values[-1] < 0:
                values.refuse(row, cell, "give the number of own vehicles, 0 or more")
            if column in _POSITIVE and values.values[-1] <= 0:
                values.refuse(row, cell, "it must be more than 0")
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
    _check_names(texts["type"], rows, header, table, mistakes)
    returns = _read_returns(texts["returns"], rows, header, table, mistakes)
    types: list[VehicleType] = []
    places: list[int] = []
    for place, row in enumerate([] if len(mistakes) else rows):
        value = {column: values.values[place] for column, values in numbers.items()}
        try:
            hired = _vehicle_type(texts["type"][place], value, capacities).replace(
                offers=read_words(texts["offers"][place]), returns=returns[place]
            )
            both = _own_and_hired(hired, value.get("owned", math.nan))
        except InvalidInstance as error:
            error.within(f"{table.unit} {row}")
            mistakes.add(error, row)
            continue
        types += both
        places += [place] * len(both)
    return VehicleTable(
        header,
        () if len(mistakes) else tuple(types),
        tuple(texts["type"][place] for place in places),
        tuple(texts["depot"][place] for place in places),
        tuple(rows[place] for place in places),
        "speed_kmh" in header.places,
        tuple(
            row
            for row, speed in zip(rows, _values(numbers, "speed_kmh"), strict=False)
            if math.isnan(speed)
        ),
        table.unit,
    )


def _number_columns(
    table: Table, header: Header, capacities: Sequence[str], decimal: str | None
) -> dict[str, NumberColumn]:
    separator = "" if table.dialect.is_workbook else table.dialect.separator
    columns: dict[str, NumberColumn] = {}
    for column in (*capacities, *_REQUIRED, *_OPTIONAL):
        if column in header.places:
            build = TimeColumn if column in _TIMES else NumberColumn
            build = HoursColumn if column in _HOURS else build
            columns[column] = build(
                header.title(column), table.unit, separator, decimal, is_money=column in _MONEY
            )
    return columns


def _values(numbers: Mapping[str, NumberColumn], column: str) -> Sequence[float]:
    """Return the numbers of a column; none where the table does not have it."""
    return numbers[column].values if column in numbers else ()


def _vehicle_type(name: str, value: Mapping[str, float], capacities: Sequence[str]) -> VehicleType:
    """Build a type from the numbers of a row; NaN stands for an empty cell."""

    def optional(column: str, factor: float = 1.0) -> float | None:
        number = value.get(column, math.nan)
        return None if math.isnan(number) else factor * number

    available, max_stops = optional("available"), optional("max_stops")
    speed = optional("speed_kmh", 1 / MINUTES_PER_HOUR)
    loads = tuple(value[column] for column in capacities)
    start, end = optional("shift_start"), optional("shift_end")
    if start is not None and end is not None and -math.inf < end < start < math.inf:
        # The type itself would say the same in minutes.
        raise InvalidInstance(
            f"the shift of vehicle type {shown(name)} starts at {clock_text(start)} and ends at "
            f"{clock_text(end)}, before it starts",
            field="shift_end",
            value=end,
            remedy="give a later end (after midnight, times go on: 24:00, 25:00, …)",
        )
    return VehicleType(
        name,
        loads if len(loads) > 1 else loads[0],
        value["fixed_cost"],
        value["unit_cost"],
        None if available is None else int(available),
        speed=1.0 if speed is None else speed,
        shift_start=start,
        shift_end=end,
        max_duration=optional("max_hours", MINUTES_PER_HOUR),
        max_distance=optional("max_km"),
        max_stops=None if max_stops is None else int(max_stops),
        cost_per_hour=optional("cost_per_hour") or 0.0,
    )


def _own_and_hired(hired: VehicleType, owned: float) -> list[VehicleType]:
    """Return a type twice where some of its vehicles are owned: those have no fixed cost.

    What is available is available beside them; NaN and 0 own vehicles leave the type as it is.
    """
    if not owned >= 1:
        return [hired]
    own = hired.replace(name=f"{hired.name} (own)", fixed_cost=0.0, available=int(owned))
    return [own] if hired.available == 0 else [own, hired]


def _read_returns(
    texts: list[str], rows: list[int], header: Header, table: Table, mistakes: Mistakes
) -> list[bool]:
    for text, row in zip(texts, rows, strict=True):
        if text.lower() not in _YES | _NO:
            mistakes.add(
                InvalidCell(
                    field=header.title("returns"),
                    value=text,
                    remedy="write 1 where the vehicle returns to its depot, else 0",
                    place=f"{table.unit} {row}",
                    row=row,
                ),
                row,
            )
    return [text.lower() not in _NO for text in texts]


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
