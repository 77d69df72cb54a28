"""Instances as two tables, stops and vehicles; see ``docs/data-format.md``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

import numpy as np

from fripn.errors import InvalidFile, InvalidInstance, InvalidSetting, Unsupported
from fripn.messages import named
from fripn.problem.instance import Instance, VehicleType
from fripn.problem.io.csv_table import COLUMNS_OF_A_STOP, Rows, parse_table
from fripn.problem.io.table_dialect import table_text
from fripn.problem.io.text import located, nearest_stop
from fripn.problem.repeats import first_repeat

STOP_COLUMNS: dict[str, Sequence[str]] = {
    **COLUMNS_OF_A_STOP,
    "depot": ("is_depot",),
}

VEHICLE_COLUMNS = {
    "type": ("vehicle_type", "name"),
    "capacity": (),
    "fixed_cost": (),
    "unit_cost": ("cost_per_distance", "cost_per_distance_unit", "cost_per_km", "distance_cost"),
    "available": ("max_count",),
}

#: More vehicle types than anybody has; it bounds the memory of tables with very short rows.
MAX_TYPES = 10_000

#: Ids that are compared with a wrong one.
_MAX_COMPARED = 10_000

_YES = {"1", "true", "yes", "y", "x", "depot"}
_NO = {"", "0", "false", "no", "n", "customer"}


def instance_from_tables(
    stops: str, vehicles: str, depot: str | None, name: str, places: tuple[str, str]
) -> Instance:
    """Build an instance from a table of stops and a table of vehicles.

    Parameters
    ----------
    stops
        Columns id, x and y (or lat and lon), demand, and optionally name and depot.
    vehicles
        Columns type, capacity, fixed_cost, unit_cost, and optionally available.
    depot
        Id or name of the depot's row, when no column flags it.
    name
        Name of the instance.
    places
        Names of the two tables in messages.

    Raises
    ------
    InvalidFile, InvalidInstance, InvalidSetting
        With the line and the value that are wrong.
    """
    with located(places[0]):
        rows = parse_table(stops, STOP_COLUMNS, required=("id", "demand"))
        axes, metric = _axes(rows)
        _check_ids(rows)
        start = _depot_place(rows, depot)
        numbers = np.fromiter(_numbers(rows, start, axes), float, 3 * len(rows)).reshape(-1, 3)
        names, ids = _names_and_ids(rows, start)
    with located(places[1]):
        types = _vehicle_types(vehicles)
    with located(places[0]):
        try:
            return Instance(
                name=name,
                coordinates=numbers[:, :2],
                demands=numbers[:, 2],
                vehicle_types=types,
                metric="great_circle" if metric else "euclidean",
                stop_names=names,
                stop_ids=ids,
            )
        except InvalidInstance as error:
            if error.stop is not None:
                place = next(islice(_from_depot(rows, start), error.stop, None))
                error.within(f"line {rows[place].line}")
            raise


def instance_tables(instance: Instance) -> tuple[str, str]:
    """Return the two tables as CSV text: stops, vehicles.

    Raises
    ------
    Unsupported
        When the distances are a matrix, which tables of stops cannot hold.
    """
    if instance.metric == "matrix" or instance.coordinates is None:
        raise Unsupported(
            f"{named(instance.name)} has a distance matrix, which CSV cannot hold",
            field="metric",
            value=instance.metric,
            remedy="write .json or .vrp",
        )
    is_geographic = instance.metric == "great_circle"
    axes = ["lon", "lat"] if is_geographic else ["x", "y"]
    has_names = instance.stop_names is not None
    stops = table_text(
        ["id", *(["name"] if has_names else []), *axes, "demand", "depot"],
        (
            [
                instance.stop_id(index),
                *([instance.stop_name(index)] if has_names else []),
                *place,
                demand,
                int(index == 0),
            ]
            for index, (place, demand) in enumerate(
                zip(instance.coordinates.tolist(), instance.demands.tolist(), strict=True)
            )
        ),
    )
    vehicles = table_text(
        ["type", "capacity", "fixed_cost", "unit_cost", "available"],
        (
            [
                vehicle.name,
                vehicle.capacity,
                vehicle.fixed_cost,
                vehicle.unit_cost,
                "" if vehicle.available is None else vehicle.available,
            ]
            for vehicle in instance.vehicle_types
        ),
    )
    return stops, vehicles


def _from_depot(rows: Rows, depot: int) -> Iterator[int]:
    """Return the places of the rows in the order of the stops: first the depot."""
    return chain([depot], range(depot), range(depot + 1, len(rows)))


def _numbers(rows: Rows, depot: int, axes: tuple[str, str]) -> Iterator[float]:
    """Return the coordinates and the demand of each stop; the depot needs no demand."""
    for place in _from_depot(rows, depot):
        row = rows[place]
        yield row.number(axes[0])
        yield row.number(axes[1])
        yield 0.0 if place == depot and not row["demand"] else row.number("demand")


def _axes(rows: Rows) -> tuple[tuple[str, str], bool]:
    """Return the two columns with the place of a stop, and whether they are geographic."""
    if not rows:
        raise InvalidFile(
            "the table has a header but no rows", remedy="give the depot and the customers"
        )
    columns = rows.columns
    has_plane = "x" in columns or "y" in columns
    has_globe = "lat" in columns or "lon" in columns
    if has_plane and has_globe:
        raise InvalidFile(
            "both x/y and lat/lon columns are given", field="header", remedy="keep one pair"
        )
    axes = ("lon", "lat") if has_globe else ("x", "y")
    for axis in axes:
        if axis not in columns:
            raise InvalidFile(
                f"the column {axis!r} is missing", field=axis, remedy="give x and y, or lat and lon"
            )
    return axes, has_globe


def _check_ids(rows: Rows) -> None:
    empty = next((place for place, text in enumerate(rows.column("id")) if not text), None)
    if empty is not None:
        raise rows[empty].wrong("id", "give each stop its own id", "{field} is empty")
    if repeat := first_repeat(len(rows), lambda place: rows.cell(place, "id")):
        first, second = (rows[place] for place in repeat)
        raise second.wrong(
            "id",
            "give each stop its own id",
            f"the {{field}} {{value}} is already used in line {first.line}",
        )


def _depot_place(rows: Rows, depot: str | None) -> int:
    """Return the place of the depot's row."""
    if depot is not None:
        wanted = depot.strip()
        chosen = _first_two(text == wanted for text in rows.column("id"))
        chosen = chosen or _first_two(text == wanted for text in rows.column("name"))
        if not chosen:
            raise InvalidSetting(
                "no stop has the id or name {value} given as the depot",
                field="depot",
                value=depot,
                remedy=nearest_stop(depot, list(islice(rows.column("id"), _MAX_COMPARED))),
            )
    else:
        for place, text in enumerate(rows.column("depot")):
            if text.lower() not in _YES | _NO:
                raise rows[place].wrong(
                    "depot", "write 1 for the depot and 0 or nothing for a customer"
                )
        chosen = _first_two(text.lower() in _YES for text in rows.column("depot"))
        chosen = chosen or _first_two(text.lower() == "depot" for text in rows.column("id"))
        if not chosen:
            raise InvalidFile(
                "no row is the depot",
                field="depot",
                remedy="write 1 in a column 'depot' of that row, or name its id with the option "
                "--depot",
            )
    if len(chosen) > 1:
        raise InvalidFile(
            f"lines {rows[chosen[0]].line} and {rows[chosen[1]].line} are both the depot",
            field="depot",
            remedy="keep one",
        )
    return chosen[0]


def _first_two(is_depot: Iterable[bool]) -> list[int]:
    return list(islice((place for place, found in enumerate(is_depot) if found), 2))


def _names_and_ids(rows: Rows, depot: int) -> tuple[tuple[str, ...] | None, tuple[str, ...] | None]:
    """Return names and ids of the stops, depot first.

    A row without a name is called by its id. Ids that just count the customers in file order are
    left out, unless they distinguish equal names.
    """
    ids = tuple(rows.cell(place, "id") for place in _from_depot(rows, depot))
    names = None
    if any(rows.column("name")):
        names = tuple(
            rows.cell(place, "name") or own_id
            for place, own_id in zip(_from_depot(rows, depot), ids, strict=True)
        )
    is_counting = ids[0].lower() in ("depot", "0") and all(
        own_id == str(stop) for stop, own_id in enumerate(ids[1:], start=1)
    )
    if is_counting and (names is None or first_repeat(len(names), names.__getitem__) is None):
        return names, None
    return names, ids


def _vehicle_types(text: str) -> tuple[VehicleType, ...]:
    rows = parse_table(text, VEHICLE_COLUMNS, ("type", "capacity", "fixed_cost", "unit_cost"))
    if not rows:
        raise InvalidFile(
            "the table has a header but no rows", remedy="give at least one vehicle type"
        )
    if len(rows) > MAX_TYPES:
        raise InvalidFile(
            f"the table has {len(rows)} vehicle types",
            value=len(rows),
            remedy=f"at most {MAX_TYPES} can be read; check that it is the right file",
        )
    lines: dict[str, int] = {}
    types = []
    for row in rows:
        if row["type"] in lines:
            raise row.wrong(
                "type",
                "give each type its own name",
                f"the {{field}} {{value}} is already given in line {lines[row['type']]}",
            )
        lines[row["type"]] = row.line
        # A cell that is not a number names its line itself.
        capacity, fixed_cost = row.number("capacity"), row.number("fixed_cost")
        unit_cost = row.number("unit_cost")
        limit = row.whole("available") if row["available"] else None
        with located(f"line {row.line}"):
            types.append(VehicleType(row["type"], capacity, fixed_cost, unit_cost, limit))
    return tuple(types)
