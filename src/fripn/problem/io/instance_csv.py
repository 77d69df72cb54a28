"""Instances as two tables, stops and vehicles, in CSV or in a workbook."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fripn.errors import InvalidCell, InvalidFile, InvalidInstance, InvalidSetting
from fripn.messages import named, nearest, shown
from fripn.problem.instance import Instance, VehicleType
from fripn.problem.io.headers import KEEP, match_header, plain_word, unused_words
from fripn.problem.io.mistakes import MAX_MISTAKES, Mistakes
from fripn.problem.io.stop_table import StopTable, read_stops
from fripn.problem.io.table import Table, read_csv_table
from fripn.problem.io.table_dialect import TableDialect
from fripn.problem.io.table_words import STOPS, VEHICLES, load_names, stop_words
from fripn.problem.io.text import checked_table, located
from fripn.problem.io.vehicle_table import VehicleTable, read_vehicles
from fripn.problem.io.workbook import Workbook, is_workbook
from fripn.problem.io.working_day import add_empty_speeds, unknown_depot, working_day

#: What the sheets of a workbook may be called.
STOP_SHEETS = (
    "stops", "stop", "stopps", "kunden", "customers", "orders", "auftraege", "lieferungen",
    "deliveries", "adressen",
)  # fmt: skip
VEHICLE_SHEETS = (
    "vehicles", "vehicle", "vehicle_types", "fahrzeuge", "fahrzeugtypen", "fleet", "flotte",
    "fuhrpark", "types",
)  # fmt: skip

_BOTH = (STOPS, VEHICLES)

#: What the depot of a file is called where its stops are numbered.
_ONLY_DEPOT = ("depot", "0")


@dataclass(frozen=True, slots=True)
class TableOptions:
    """How tables are to be read.

    Parameters
    ----------
    depot
        Id or name of the depot's row, when no column flags it.
    columns
        The user's words for columns, each with our name for it, or ``keep``.
    decimal
        The decimal mark, ``.`` or ``,``; None to find it out.
    has_durations
        Whether travel times come from another table, so that speeds are not used.

    Raises
    ------
    InvalidSetting
        When a column or a mark is not one.
    """

    depot: str | None = None
    columns: Mapping[str, str] | None = None
    decimal: str | None = None
    has_durations: bool = False

    def __post_init__(self) -> None:
        """Check the settings."""
        if self.decimal not in (None, ".", ","):
            raise InvalidSetting(
                "the decimal mark is {value}", field="decimal", value=self.decimal,
                remedy="give . or ,",
            )  # fmt: skip
        valid = [*STOPS.columns, *(c for c in VEHICLES.columns if c not in STOPS.columns), KEEP]
        for word, column in (self.columns or {}).items():
            if column not in valid:
                raise InvalidSetting(
                    f"the column {shown(word)} is mapped to {{value}}, which is not a column",
                    field="map",
                    value=column,
                    remedy=nearest(column, valid),
                )

    def is_empty(self) -> bool:
        """Return whether nothing is stated."""
        return self.depot is None and not self.columns and self.decimal is None


@dataclass(frozen=True, slots=True)
class TableInput:
    """An instance read from tables.

    Parameters
    ----------
    instance
        The problem.
    dialect
        How the table of stops is written.
    order
        The place of each stop among the rows of the table, counted from 0.
    notes
        What the user should know about the tables, one sentence each.
    """

    instance: Instance
    dialect: TableDialect
    order: Sequence[int]
    notes: tuple[str, ...]


def read_tables(
    contents: Sequence[str | bytes],
    places: Sequence[str],
    name: str | Sequence[str],
    options: TableOptions | None = None,
    max_bytes: int | None = None,
) -> TableInput:
    """Build an instance from a table of stops and a table of vehicles, or from one workbook.

    Tables in the wrong order are recognised by their columns.

    Parameters
    ----------
    contents
        The content of both tables, each CSV or a workbook; or that of one workbook with two sheets.
    places
        Names of the contents in messages.
    name
        Name of the instance; one per content, where it should be that of the stops.
    options
        How to read them.
    max_bytes
        Size up to which content is read; None for the default.

    Raises
    ------
    InvalidInput
        With all mistakes of both tables: row, column and value that are wrong.
    """
    opened = open_tables(contents, places, max_bytes)
    names = [name] * 2 if isinstance(name, str) else list(name)
    stops_name = names[-1] if opened.is_swapped else names[0]
    notes = []
    if opened.is_swapped:
        first, second = opened.places
        notes.append(f"{first} holds the stops and {second} the vehicles.")
    return instance_of_tables(
        opened.stops, opened.vehicles, opened.places, stops_name, options, notes
    )


@dataclass(frozen=True, slots=True)
class OpenTables:
    """A table of stops and a table of vehicles, opened.

    Parameters
    ----------
    stops, vehicles
        The tables.
    places
        What they are called in messages.
    is_swapped
        Whether they came in the other order.
    """

    stops: Table
    vehicles: Table
    places: tuple[str, str]
    is_swapped: bool


def open_tables(
    contents: Sequence[str | bytes], places: Sequence[str], max_bytes: int | None = None
) -> OpenTables:
    """Find the header and the rows of two tables; see `read_tables`."""
    if len(contents) == 1:
        with located(places[0]):
            stops, vehicles, sheets = _both_sheets(contents[0], max_bytes)
        places = [f"{places[0]}: sheet {named(sheet)}" for sheet in sheets]
    else:
        stops, vehicles = (
            _one_table(content, place, words, max_bytes)
            for content, place, words in zip(
                contents, places, (STOP_SHEETS, VEHICLE_SHEETS), strict=True
            )
        )
    first, second = places
    if holds_vehicles(stops.titles) and not holds_vehicles(vehicles.titles):
        return OpenTables(vehicles, stops, (second, first), is_swapped=True)
    return OpenTables(stops, vehicles, (first, second), is_swapped=False)


def read_vehicle_types(
    content: str | bytes,
    place: str,
    options: TableOptions | None = None,
    max_bytes: int | None = None,
) -> tuple[tuple[VehicleType, ...], tuple[str, ...]]:
    """Return the vehicle types of a table that stands alone, and notes; see `read_tables`.

    They belong to a file of stops with one depot, which has no name, and with times.
    """
    options = options or TableOptions()
    mistakes = Mistakes()
    table = _one_table(content, place, VEHICLE_SHEETS, max_bytes)
    with located(place):
        fleet = read_vehicles(
            table, mistakes, mapping=options.columns or {}, decimal=options.decimal
        )
    for vehicle, text, row in zip(fleet.types, fleet.depots, fleet.rows, strict=True):
        if text and text.casefold() not in _ONLY_DEPOT:
            mistakes.add(unknown_depot(fleet, vehicle.name, text, row, _ONLY_DEPOT), row)
    add_empty_speeds(fleet, mistakes, "give a speed")
    mistakes.within(place)
    mistakes.raise_any()
    return fleet.types, _unused(fleet, place)


def instance_from_tables(
    stops: str, vehicles: str, depot: str | None, name: str, places: tuple[str, str]
) -> Instance:
    """Build an instance from the text of two tables; see `read_tables`."""
    return read_tables((stops, vehicles), places, name, TableOptions(depot)).instance


def instance_of_tables(
    stops: Table,
    vehicles: Table,
    places: Sequence[str],
    name: str,
    options: TableOptions | None = None,
    notes: Sequence[str] = (),
) -> TableInput:
    """Build an instance from a table of stops and a table of vehicles; see `read_tables`."""
    options = options or TableOptions()
    notes = [*notes]
    columns, decimal = options.columns or {}, options.decimal
    if unused := unused_words(columns, [stops.titles, vehicles.titles]):
        raise InvalidSetting(
            "no column is called {value}",
            field="map",
            value=unused[0],
            remedy=nearest(unused[0], [*stops.titles, *vehicles.titles]),
        )
    mistakes, others = Mistakes(), Mistakes()
    with located(places[0]):
        found = read_stops(
            stops,
            mistakes,
            depot=options.depot,
            mapping=columns,
            decimal=decimal,
            may_have_depots="depot" in match_header(vehicles.titles, VEHICLES, columns).places,
        )
    with located(places[1]):
        fleet = read_vehicles(
            vehicles, others, loads=load_names(stops.titles), mapping=columns, decimal=decimal
        )
    types, day = fleet.types, None
    if found is not None and types:
        _check_loads(found, types, stops, mistakes)
        day = working_day(found, fleet, mistakes, others, has_durations=options.has_durations)
    mistakes.within(places[0])
    others.within(places[1])
    mistakes.extend(others)
    mistakes.raise_any()
    assert found is not None
    assert day is not None
    notes += _unused(fleet, places[1])
    if options.has_durations and fleet.has_speeds:
        speeds = named(fleet.header.title("speed_kmh"))
        notes.append(f"{places[1]}: not used: {speeds}, as the travel times are given.")
    notes += _doubled(found, load_names(stops.titles), columns, places[0])
    dialect = replace(
        stops.dialect,
        decimal=found.decimal,
        titles={
            column: found.header.title(column)
            for column in found.header.places
            if found.header.title(column) != column
        },
    )
    with located(places[0]):
        try:
            instance = Instance(
                name=name,
                coordinates=found.coordinates,
                demands=found.demands,
                vehicle_types=day.vehicle_types,
                metric="great_circle" if found.is_geographic else "euclidean",
                stop_names=found.names,
                stop_ids=found.ids,
                extra_columns=found.extra_columns,
                **day.fields,
            )
        except InvalidInstance as error:
            if error.stop is not None:
                error.within(f"{stops.unit} {found.rows[error.stop]}")
            raise
    return TableInput(instance, dialect, found.order, tuple(notes))


def _unused(fleet: VehicleTable, place: str) -> tuple[str, ...]:
    """Return a note about the columns of the vehicles that are not known."""
    if not fleet.header.extra:
        return ()
    return (f"{place}: not used: {', '.join(map(named, fleet.header.extra))}.",)


def _doubled(
    found: StopTable, loads: Sequence[str], mapping: Mapping[str, str], place: str
) -> list[str]:
    """Return a note for each column that is passed over because another one means the same.

    Names and ids are shown beside each other, and what the user has stated needs no note.
    """
    words, header = stop_words(loads).words(), found.header
    stated = {plain_word(word) for word in mapping}
    notes = []
    for title in header.extra:
        word = plain_word(title)
        column = words.get(word)
        if column is None or column in ("id", "name"):
            continue
        used = header.title(column)
        if not stated & {word, plain_word(used)}:
            notes.append(f"{place}: {column} is taken from {named(used)}, not from {named(title)}.")
    return notes


def _check_loads(
    found: StopTable, types: Sequence[VehicleType], table: Table, mistakes: Mistakes
) -> None:
    """Add a mistake for every stop that no vehicle can carry."""
    usable = [vehicle for vehicle in types if vehicle.available != 0]
    if not usable:
        return
    if found.loads:
        return  # the instance names the stop that no vehicle can carry
    largest = max(usable, key=lambda vehicle: vehicle.main_capacity)
    heavy = np.flatnonzero(found.demands.ravel() > largest.load_limit)
    for stop in heavy[:MAX_MISTAKES].tolist():
        row = found.rows[stop]
        mistakes.add(
            InvalidCell(
                f"{{field}} is {{value}}, but the largest vehicle ({named(largest.name)}) carries "
                f"{shown(largest.main_capacity)}",
                field=found.header.title("demand"),
                value=float(found.demands.ravel()[stop]),
                remedy="split the customer or add a larger type",
                place=f"{table.unit} {row}",
                row=row,
            ),
            row,
        )
    mistakes.skip(max(0, len(heavy) - MAX_MISTAKES))


def _one_table(
    content: str | bytes, place: str, sheet_words: Sequence[str], max_bytes: int | None
) -> Table:
    with located(place):
        if isinstance(content, bytes) and is_workbook(content):
            book = Workbook(content, max_bytes)
            sheet = book.find(sheet_words) or next(
                (one for one in book.sheets if not book.is_empty(one)), None
            )
            if sheet is None:
                raise InvalidFile("the workbook is empty", remedy="check that it was saved")
            return book.table(sheet, _BOTH)
        text, encoding = checked_table(content, max_bytes)
        return read_csv_table(text, _BOTH, encoding)


def _both_sheets(
    content: str | bytes, max_bytes: int | None
) -> tuple[Table, Table, tuple[str, str]]:
    """Return the sheets of stops and vehicles: by name, else by columns, else the first two."""
    if not isinstance(content, bytes):
        raise InvalidFile("the file is not a workbook", remedy="save it as .xlsx")
    book = Workbook(content, max_bytes)
    stops, vehicles = book.find(STOP_SHEETS), book.find(VEHICLE_SHEETS)
    rest = [
        sheet
        for sheet in book.sheets
        if sheet not in (stops, vehicles) and not book.is_empty(sheet)
    ]
    tables = {sheet: book.table(sheet, _BOTH) for sheet in rest[:20]}
    if vehicles is None:
        vehicles = next((sheet for sheet in tables if holds_vehicles(tables[sheet].titles)), None)
        if vehicles is None and stops is None and len(rest) > 1:
            vehicles = rest[1]
    if stops is None:
        stops = next((sheet for sheet in rest if sheet != vehicles), None)
    if stops is None or vehicles is None:
        raise InvalidFile(
            "the workbook has the sheets " + ", ".join(map(named, book.sheets[:20])),
            field="sheets",
            value=book.sheets,
            remedy="it needs two, 'stops' and 'vehicles'; or name the file of vehicles too",
        )
    return (
        tables.get(stops) or book.table(stops, _BOTH),
        tables.get(vehicles) or book.table(vehicles, _BOTH),
        (stops, vehicles),
    )


def holds_vehicles(titles: Sequence[str]) -> bool:
    """Return whether a table has the columns of vehicles, and no places of stops."""
    vehicles = match_header(titles, VEHICLES).places
    stops = match_header(titles, STOPS).places
    has_places = ("x" in stops and "y" in stops) or ("lat" in stops and "lon" in stops)
    return not has_places and "capacity" in vehicles
