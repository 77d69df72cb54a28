"""Instances as two tables, stops and vehicles; see ``docs/data-format.md``."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fripn.errors import InvalidFile, InvalidInstance, InvalidSetting, Unsupported
from fripn.messages import named
from fripn.problem.instance import Instance, VehicleType
from fripn.problem.io.csv_table import COLUMNS_OF_A_STOP, Row, parse_table
from fripn.problem.io.table_dialect import table_text
from fripn.problem.io.text import located, nearest_stop

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
        start = _depot_row(rows, depot)
        ordered = [start, *(row for row in rows if row is not start)]
        coordinates = np.fromiter(
            (row.number(axis) for row in ordered for axis in axes), float
        ).reshape(-1, 2)
        demands = np.fromiter(
            (
                0.0 if row is start and not row["demand"] else row.number("demand")
                for row in ordered
            ),
            float,
        )
        names, ids = _names_and_ids(ordered)
    with located(places[1]):
        types = _vehicle_types(vehicles)
    with located(places[0]):
        try:
            return Instance(
                name=name,
                coordinates=coordinates,
                demands=demands,
                vehicle_types=types,
                metric="great_circle" if metric else "euclidean",
                stop_names=names,
                stop_ids=ids,
            )
        except InvalidInstance as error:
            if error.stop is not None:
                error.within(f"line {ordered[error.stop].line}")
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


def _axes(rows: list[Row]) -> tuple[tuple[str, str], bool]:
    """Return the two columns with the place of a stop, and whether they are geographic."""
    if not rows:
        raise InvalidFile(
            "the table has a header but no rows", remedy="give the depot and the customers"
        )
    columns = rows[0].columns
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


def _check_ids(rows: list[Row]) -> None:
    seen: set[str] = set()
    for row in rows:
        own_id = row["id"]
        if not own_id:
            raise row.wrong("id", "give each stop its own id", "{field} is empty")
        if own_id in seen:
            first = next(other.line for other in rows if other["id"] == own_id)
            raise row.wrong(
                "id",
                "give each stop its own id",
                f"the {{field}} {{value}} is already used in line {first}",
            )
        seen.add(own_id)


def _depot_row(rows: list[Row], depot: str | None) -> Row:
    if depot is not None:
        wanted = depot.strip()
        chosen = [row for row in rows if row["id"] == wanted]
        chosen = chosen or [row for row in rows if row["name"] == wanted]
        if not chosen:
            raise InvalidSetting(
                "no stop has the id or name {value} given as the depot",
                field="depot",
                value=depot,
                remedy=nearest_stop(depot, [row["id"] for row in rows]),
            )
    else:
        for row in rows:
            if row["depot"].lower() not in _YES | _NO:
                raise row.wrong("depot", "write 1 for the depot and 0 or nothing for a customer")
        chosen = [row for row in rows if row["depot"].lower() in _YES]
        chosen = chosen or [row for row in rows if row["id"].lower() == "depot"]
        if not chosen:
            raise InvalidFile(
                "no row is the depot",
                field="depot",
                remedy="write 1 in a column 'depot' of that row, or name its id with the option "
                "--depot",
            )
    if len(chosen) > 1:
        raise InvalidFile(
            f"lines {chosen[0].line} and {chosen[1].line} are both the depot",
            field="depot",
            remedy="keep one",
        )
    return chosen[0]


def _names_and_ids(rows: list[Row]) -> tuple[tuple[str, ...] | None, tuple[str, ...] | None]:
    """Return names and ids of the stops, depot first.

    A row without a name is called by its id. Ids that just count the customers in file order are
    left out, unless they distinguish equal names.
    """
    ids = tuple(row["id"] for row in rows)
    has_names = any(row["name"] for row in rows)
    names = tuple(row["name"] or row["id"] for row in rows) if has_names else None
    counting = ids[0].lower() in ("depot", "0") and ids[1:] == tuple(map(str, range(1, len(rows))))
    repeated = names is not None and len(set(names)) < len(names)
    return names, ids if repeated or not counting else None


def _vehicle_types(text: str) -> tuple[VehicleType, ...]:
    rows = parse_table(text, VEHICLE_COLUMNS, ("type", "capacity", "fixed_cost", "unit_cost"))
    if not rows:
        raise InvalidFile(
            "the table has a header but no rows", remedy="give at least one vehicle type"
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
