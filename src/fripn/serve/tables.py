"""Tables of stops and vehicles as the page edits them: cells as text, problems by row and column.

``{"stops": {"columns": […], "rows": [[…], …]}, "vehicles": {…}, "decimal": "." | "," | null}``
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from fripn.errors import InvalidFile, InvalidInput, InvalidInstance, InvalidTable, MissingExtra
from fripn.problem import Instance
from fripn.problem.io import TableOptions, form_of, instance_to_dict, parse_instance
from fripn.problem.io.cell_numbers import Cell
from fripn.problem.io.day_cells import MINUTES_PER_HOUR, clock_text
from fripn.problem.io.headers import match_header
from fripn.problem.io.instance_csv import holds_vehicles, instance_of_tables, open_tables
from fripn.problem.io.instance_json import instance_from_dict
from fripn.problem.io.json_text import parse_json
from fripn.problem.io.table import Table, number_text, table_of
from fripn.problem.io.table_dialect import TableDialect
from fripn.problem.io.table_words import load_names, stop_words, vehicle_words
from fripn.problem.io.text import checked_text
from fripn.problem.io.workbook import is_workbook
from fripn.problem.suspicious import suspicious
from fripn.problem.vehicle_type import VehicleType
from fripn.serve.problems import Refusal

#: The two tables, in the order of files and messages.
NAMES = ("stops", "vehicles")

_ROW = re.compile(r"(?:row|line) (\d+)")

Tables = dict[str, Any]


@dataclass(slots=True)
class Validation:
    """What is wrong with the data of a problem, and the problem if nothing is.

    Parameters
    ----------
    instance
        The problem; None when something is wrong.
    tables
        The data as tables; None for instances that tables cannot hold.
    problems, warnings
        What is wrong, and what is probably wrong, as the page shows it.
    num_problems
        How many problems there are; the list may end earlier.
    """

    instance: Instance | None = None
    tables: Tables | None = None
    problems: list[dict[str, Any]] = field(default_factory=list)
    warnings: list[dict[str, Any]] = field(default_factory=list)
    num_problems: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return the answer to a request for validation."""
        return {
            "ok": self.instance is not None,
            "problems": self.problems,
            "num_problems": self.num_problems,
            "warnings": self.warnings,
            "tables": self.tables,
            "instance": None if self.instance is None else instance_to_dict(self.instance),
        }


def validate_instance(document: dict[str, Any], name: str = "instance") -> Validation:
    """Check an instance document, and return it as tables too."""
    try:
        instance = instance_from_dict(document, name)
    except InvalidInput as error:
        return _failed(error, None)
    return _checked(instance, tables_of(instance), None)


def validate_tables(
    tables: Tables, base: dict[str, Any] | None = None, name: str = "stops"
) -> Validation:
    """Check two tables.

    Parameters
    ----------
    tables
        As the page has them.
    base
        An instance document with what tables cannot hold: matrices, the name and units.
    name
        Name of the instance, where there is no base.
    """
    tables = {**tables, **{one: _with_fields(tables[one], one) for one in NAMES}}
    try:
        below = None if base is None else instance_from_dict(base)
        instance, order, notes = _build(tables, below, name)
    except InvalidInput as error:
        return _failed(error, tables)
    return _checked(instance, tables, order, notes)


def validate_files(files: Sequence[tuple[str, bytes]]) -> Validation:
    """Check one or two files: JSON, a workbook, or a table of stops and one of vehicles.

    Parameters
    ----------
    files
        The name of each, which appears in messages only, and its content.
    """
    try:
        return _read_files(files)
    except InvalidInput as error:
        return _failed(error, None)


def _read_files(files: Sequence[tuple[str, bytes]]) -> Validation:
    form = form_of(files[0][1])
    name = _stem(files[0][0])
    if len(files) == 1 and form == "json":
        document = parse_json(checked_text(files[0][1]))
        check_encodable(document)
        return validate_instance(document, name)
    if len(files) == 1 and form == "vrp":
        instance = parse_instance(files[0][1], "vrp", name=name)
        return _checked(instance, tables_of(instance), None)
    if len(files) == 1 and not is_workbook(files[0][1]):
        return _one_table(files[0], name)
    opened = open_tables([content for _, content in files], [named for named, _ in files])
    decimal = _decimal(opened.stops)
    tables: Tables = {
        "stops": _shown(opened.stops, decimal),
        "vehicles": _shown(opened.vehicles, decimal),
        "decimal": decimal,
    }
    if opened.is_swapped and len(files) > 1:
        name = _stem(files[1][0])
    return validate_tables(tables, None, name)


def _one_table(file: tuple[str, bytes], name: str) -> Validation:
    """Return a table of stops or of vehicles, whose other half is missing."""
    empty = b"type,capacity,fixed_cost,unit_cost\n"
    opened = open_tables([file[1], empty], [file[0], "vehicles"])
    decimal = _decimal(opened.stops)
    shown = _shown(opened.stops, decimal)
    missing = "vehicles"
    if holds_vehicles(opened.stops.titles):
        missing = "stops"
        shown, other = (
            {"columns": ["id", "name", "lat", "lon", "demand", "depot"], "rows": []},
            shown,
        )
    else:
        other = {
            "columns": ["type", "capacity", "fixed_cost", "unit_cost", "available"],
            "rows": [],
        }
    tables: Tables = {"stops": shown, "vehicles": other, "decimal": decimal}
    return validate_tables(tables, None, name if missing == "vehicles" else "stops")


def check_encodable(value: object) -> None:
    """Refuse strings that are not text: half a character, which no file could hold.

    Raises
    ------
    InvalidFile
        When there is one.
    """
    pending = [value]
    while pending:
        one = pending.pop()
        if isinstance(one, str):
            try:
                one.encode()
            except UnicodeEncodeError:
                raise InvalidFile(
                    "a string holds half a character ({value})",
                    value=one[:60],
                    remedy="write it with complete surrogate pairs",
                ) from None
        elif isinstance(one, list):
            pending += one
        elif isinstance(one, dict):
            pending += [*one, *one.values()]


def _decimal(table: Table) -> str | None:
    """Return the decimal mark of a table where it is certain: beside commas, and in workbooks."""
    return "." if table.dialect.is_workbook or table.dialect.separator == "," else None


def _shown(table: Table, decimal: str | None) -> dict[str, Any]:
    """Return a table with all its cells, those beyond the header too."""
    rows = [[_text(cell, decimal) for cell in cells] for _, cells in table.all_rows]
    width = max((_width(row) for row in rows), default=0)
    columns = [*table.titles, *[""] * (width - len(table.titles))]
    return {
        "columns": columns,
        "rows": [[*row[: len(columns)], *[""] * (len(columns) - len(row))] for row in rows],
    }


def _width(row: Sequence[str]) -> int:
    return max((place for place, cell in enumerate(row, start=1) if cell), default=0)


def _text(cell: Cell, decimal: str | None) -> str:
    if isinstance(cell, str):
        return cell
    text = number_text(cell)
    return text.replace(".", ",") if decimal == "," else text


def _with_fields(table: dict[str, Any], which: str) -> dict[str, Any]:
    """Return a table with our names of its columns, None for those that are only kept."""
    columns = [str(title) for title in table["columns"]]
    loads = load_names(columns)
    words = stop_words(loads) if which == "stops" else vehicle_words(loads)
    header = match_header(columns, words)
    fields: list[str | None] = [None] * len(columns)
    for name, place in header.places.items():
        fields[place] = name
    return {"columns": columns, "rows": table["rows"], "fields": fields}


def _build(
    tables: Tables, base: Instance | None, name: str
) -> tuple[Instance, list[int], tuple[str, ...]]:
    """Return the instance, the row of each stop, and notes about the tables."""
    numbers: list[int] = []
    opened = [_open(tables[which], numbers if which == "stops" else []) for which in NAMES]
    options = TableOptions(
        decimal=tables.get("decimal"),
        has_durations=base is not None and base.durations is not None,
    )
    found = instance_of_tables(opened[0], opened[1], NAMES, name, options)
    instance = found.instance if base is None else _upon(base, found.instance)
    return instance, [numbers[place] for place in found.order], found.notes


def _upon(base: Instance, edited: Instance) -> Instance:
    """Return an edited instance with what tables cannot hold taken from another one."""
    changes: dict[str, Any] = {"name": base.name}
    for unit in ("time_unit", "distance_unit"):
        if getattr(base, unit) is not None:
            changes[unit] = getattr(base, unit)
    if base.matrix is not None or base.durations is not None:
        if edited.num_nodes != base.num_nodes:
            raise InvalidInstance(
                f"the table has {{value}} stops, but the distances are a matrix for "
                f"{base.num_nodes}",
                field="stops",
                value=edited.num_nodes,
                remedy="keep the stops, or leave the matrix out",
            )
        changes |= {"durations": base.durations}
        if base.matrix is not None:
            changes |= {"matrix": base.matrix, "metric": "matrix", "has_map": base.has_map}
    return edited.replace(**changes)


def _open(table: dict[str, Any], numbers: list[int]) -> Table:
    titles = [str(title).strip() for title in table["columns"]]
    while titles and not titles[-1]:
        titles.pop()
    if not titles:
        raise InvalidFile("the table is empty", field="columns", remedy="give a header and rows")
    return table_of(
        titles,
        _numbered(table["rows"], numbers),
        unit="row",
        dialect=TableDialect(is_workbook=True),
    )


def _numbered(
    rows: Sequence[Sequence[str]], numbers: list[int]
) -> Iterator[tuple[int, list[Cell]]]:
    """Return the rows that are not empty, counted from 1; `numbers` gets their indices."""
    for index, row in enumerate(rows):
        cells: list[Cell] = [cell.strip() for cell in row]
        if any(cells):
            numbers.append(index)
            yield index + 1, cells


def _checked(
    instance: Instance,
    tables: Tables | None,
    order: Sequence[int] | None,
    notes: Sequence[str] = (),
) -> Validation:
    found = Validation(instance, tables)
    rows = range(instance.num_nodes) if order is None and tables is not None else order
    for one in suspicious(instance):
        found.warnings.append(
            {
                "message": one.message,
                "table": "stops",
                "row": None if rows is None else rows[one.stop],
                "column": None,
            }
        )
    for note in notes:
        table = next((which for which in NAMES if note.startswith(f"{which}: ")), None)
        found.warnings.append({"message": note, "table": table, "row": None, "column": None})
    return found


def _failed(error: InvalidInput, tables: Tables | None) -> Validation:
    if isinstance(error, (MissingExtra, Refusal)):
        raise error
    mistakes = error.mistakes if isinstance(error, InvalidTable) else (error,)
    count = error.num_mistakes if isinstance(error, InvalidTable) else 1
    problems = [_problem(mistake, tables) for mistake in mistakes]
    problems.sort(
        key=lambda one: (
            2 if one["table"] is None else NAMES.index(one["table"]),
            -1 if one["row"] is None else one["row"],
            -1 if one["column"] is None else one["column"],
        )
    )
    return Validation(None, tables, problems, num_problems=count)


def _problem(error: InvalidInput, tables: Tables | None) -> dict[str, Any]:
    place = error.place
    table = place[0] if tables is not None and place and place[0] in NAMES else None
    row = next((int(found[1]) - 1 for one in place if (found := _ROW.fullmatch(one))), None)
    column = None
    if table is not None and tables is not None:
        columns, fields = tables[table]["columns"], tables[table]["fields"]
        for words in (columns, fields):
            if error.field and error.field in words:
                column = words.index(error.field)
                break
        error.place = tuple(one for one in place[1:] if not _ROW.fullmatch(one))
    remedy, error.remedy = error.remedy, ""
    content = error.to_dict()
    if isinstance(error, InvalidTable):
        content["message"] = InvalidInput.__str__(error)
    return {
        "table": table,
        "row": row if table is not None else None,
        "column": column,
        "field": content["field"],
        "value": content["value"],
        "message": content["message"],
        "remedy": remedy or None,
    }


def tables_of(instance: Instance) -> Tables | None:
    """Return an instance as tables; None where they would not say the same."""
    if instance.coordinates is None:
        return None
    if instance.has_schedule and instance.hour != MINUTES_PER_HOUR:
        return None
    tables: Tables = {
        "stops": _with_fields(_stop_table(instance), "stops"),
        "vehicles": _with_fields(_vehicle_table(instance), "vehicles"),
        "decimal": ".",
    }
    try:
        again, _, _ = _build(tables, instance, instance.name)
    except InvalidInput:
        return None
    return tables if _is_alike(instance_to_dict(again), instance_to_dict(instance)) else None


def _stop_table(instance: Instance) -> dict[str, Any]:
    """Return the stops in the order depot, customers, further depots."""
    assert instance.coordinates is not None
    nodes = range(instance.num_nodes)
    columns: dict[str, list[str]] = {}
    if instance.stop_ids is not None:
        columns["id"] = list(instance.stop_ids)
    if instance.stop_names is not None:
        columns["name"] = list(instance.stop_names)
    axes = ("lon", "lat") if instance.is_geographic else ("x", "y")
    for axis, values in zip(axes, instance.coordinates.T.tolist(), strict=True):
        columns[axis] = [_number(value) for value in values]
    loads = instance.load_names or tuple(str(number) for number in range(1, instance.num_loads + 1))
    for load, values in enumerate(instance.load_matrix.T.tolist()):
        name = "demand" if instance.num_loads == 1 else f"demand_{loads[load]}"
        columns[name] = ["" if instance.is_depot(node) else _number(values[node]) for node in nodes]
    columns["depot"] = ["1" if instance.is_depot(node) else "" for node in nodes]
    columns |= _day_of_stops(instance)
    columns |= {title: list(texts) for title, texts in (instance.extra_columns or {}).items()}
    return {
        "columns": list(columns),
        "rows": [list(row) for row in zip(*columns.values(), strict=True)],
    }


def _day_of_stops(instance: Instance) -> dict[str, list[str]]:
    columns: dict[str, list[str]] = {}
    nodes = range(instance.num_nodes)
    windows = instance.time_windows
    if windows is not None:
        if all(len(pairs) <= 1 for pairs in windows):
            for end, title in enumerate(("open", "close")):
                columns[title] = [
                    _clock(windows[node][0][end]) if windows[node] else "" for node in nodes
                ]
        else:
            columns["time_window"] = [
                ", ".join(f"{_clock(first)}-{_clock(last)}" for first, last in windows[node])
                for node in nodes
            ]
    if instance.service_times is not None:
        columns["service_min"] = [_number(value) for value in instance.service_times.tolist()]
    rest = [""] * (instance.num_depots - 1)
    if instance.allowed_types is not None:
        columns["vehicle_types"] = [
            ", ".join(instance.vehicle_types[one].name for one in types or ())
            for types in instance.allowed_types
        ] + rest
    if instance.requires is not None:
        columns["requires"] = [", ".join(tags) for tags in instance.requires] + rest
    return columns


def _vehicle_table(instance: Instance) -> dict[str, Any]:
    types = instance.vehicle_types
    columns: dict[str, list[str]] = {"type": [vehicle.name for vehicle in types]}
    loads = instance.load_names or tuple(str(number) for number in range(1, instance.num_loads + 1))
    for load in range(instance.num_loads):
        name = "capacity" if instance.num_loads == 1 else f"capacity_{loads[load]}"
        columns[name] = [_number(vehicle.capacities[load]) for vehicle in types]
    columns["fixed_cost"] = [_number(vehicle.fixed_cost) for vehicle in types]
    columns["unit_cost"] = [_number(vehicle.unit_cost) for vehicle in types]
    columns["available"] = [_optional(vehicle.available) for vehicle in types]
    if not instance.uses_working_day:
        return _as_rows(columns)
    if instance.num_depots > 1:
        columns["depot"] = [instance.stop_id(instance.depot_node(one.depot)) for one in types]
        if instance.stop_ids is None and instance.stop_names is not None:
            columns["depot"] = [instance.stop_name(instance.depot_node(one.depot)) for one in types]
    if instance.has_schedule and instance.durations is None:
        columns["speed_kmh"] = [_number(round(60 * one.speed, 9)) for one in types]
    day: dict[str, list[str]] = {
        "shift_start": [_clock_or_none(one.shift_start) for one in types],
        "shift_end": [_clock_or_none(one.shift_end) for one in types],
        "max_hours": [_hours(one) for one in types],
        "max_km": [_optional(one.max_distance) for one in types],
        "max_stops": [_optional(one.max_stops) for one in types],
        "cost_per_hour": [_number(one.cost_per_hour) if one.cost_per_hour else "" for one in types],
        "offers": [", ".join(one.offers) for one in types],
        "returns": ["" if one.returns else "no" for one in types],
    }
    return _as_rows(columns | {title: cells for title, cells in day.items() if any(cells)})


def _as_rows(columns: dict[str, list[str]]) -> dict[str, Any]:
    return {
        "columns": list(columns),
        "rows": [list(row) for row in zip(*columns.values(), strict=True)],
    }


def _hours(vehicle: VehicleType) -> str:
    if vehicle.max_duration is None:
        return ""
    return _number(round(vehicle.max_duration / MINUTES_PER_HOUR, 9))


def _number(value: float) -> str:
    return repr(float(value)).removesuffix(".0")


def _optional(value: float | None) -> str:
    return "" if value is None else _number(value)


def _clock_or_none(minutes: float | None) -> str:
    return "" if minutes is None else _clock(minutes)


def _clock(minutes: float) -> str:
    """Return a time of the day as 08:30, or as minutes where it lies between two of them."""
    if not math.isfinite(minutes):
        return ""
    is_clock = minutes.is_integer() and 0 <= minutes < 60_000
    return clock_text(minutes) if is_clock else _number(minutes)


def _is_alike(first: object, second: object) -> bool:
    """Return whether two documents say the same but for rounding."""
    if isinstance(first, dict) and isinstance(second, dict):
        return first.keys() == second.keys() and all(
            _is_alike(first[key], second[key]) for key in first
        )
    if isinstance(first, list) and isinstance(second, list):
        return len(first) == len(second) and all(map(_is_alike, first, second))
    if isinstance(first, float) and isinstance(second, float):
        return math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-9)
    return first == second


def _stem(name: str) -> str:
    return name.rpartition(".")[0] or name
