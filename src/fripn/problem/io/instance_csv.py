"""Instances as two tables, stops and vehicles; see ``docs/data-format.md``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fripn.errors import InvalidFile, InvalidInstance, InvalidSetting, Unsupported
from fripn.messages import shown
from fripn.problem.instance import Instance, VehicleType
from fripn.problem.io.csv_table import COLUMNS_OF_A_STOP, Row, read_table, table_text
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
    "max_count": ("available",),
}

_YES = {"1", "true", "yes", "y", "x", "depot"}
_NO = {"", "0", "false", "no", "n", "customer"}


def read_instance_csv(stops: Path, vehicles: Path, depot: str | None = None) -> Instance:
    """Read an instance from a table of stops and a table of vehicles.

    Parameters
    ----------
    stops
        Columns id, x and y (or lat and lon), demand, and optionally name and depot.
    vehicles
        Columns type, capacity, fixed_cost, unit_cost, and optionally max_count.
    depot
        Id or name of the depot's row, when no column flags it.

    Raises
    ------
    InvalidFile, InvalidInstance, InvalidSetting
        With the line and the value that are wrong.
    """
    rows = read_table(stops, STOP_COLUMNS, required=("id", "demand"))
    with located(stops):
        axes, metric = _axes(rows)
        _check_ids(rows)
        start = _depot_row(rows, depot)
        ordered = [start, *(row for row in rows if row is not start)]
        coordinates = [[row.number(axis) for axis in axes] for row in ordered]
        demands = [
            0.0 if row is start and not row["demand"] else row.number("demand") for row in ordered
        ]
        names, ids = _names_and_ids(ordered)
    types = _read_vehicles(vehicles)
    with located(stops):
        try:
            return Instance(
                name=stops.stem,
                coordinates=coordinates,  # type: ignore[arg-type]
                demands=demands,  # type: ignore[arg-type]
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
    """Give the texts of the two tables: stops, vehicles.

    Raises
    ------
    Unsupported
        When the distances are a matrix, which tables of stops cannot hold.
    """
    if instance.metric == "matrix" or instance.coordinates is None:
        raise Unsupported(
            f"{instance.name} has a distance matrix, which CSV cannot hold; write .json or .vrp"
        )
    is_geographic = instance.metric == "great_circle"
    axes = ["lon", "lat"] if is_geographic else ["x", "y"]
    named = instance.stop_names is not None
    stops = table_text(
        ["id", *(["name"] if named else []), *axes, "demand", "depot"],
        (
            [
                instance.stop_id(index),
                *([instance.stop_name(index)] if named else []),
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
        ["type", "capacity", "fixed_cost", "unit_cost", "max_count"],
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
    """Which two columns hold the place of a stop, and whether they are geographic."""
    if not rows:
        raise InvalidFile("the table has a header but no rows; give the depot and the customers")
    columns = rows[0].cells
    has_plane = "x" in columns or "y" in columns
    has_globe = "lat" in columns or "lon" in columns
    if has_plane and has_globe:
        raise InvalidFile("both x/y and lat/lon columns are given; keep one pair")
    axes = ("lon", "lat") if has_globe else ("x", "y")
    for axis in axes:
        if axis not in columns:
            raise InvalidFile(f"the column {axis!r} is missing; give x and y, or lat and lon")
    return axes, has_globe


def _check_ids(rows: list[Row]) -> None:
    lines: dict[str, int] = {}
    for row in rows:
        if not row["id"]:
            raise InvalidFile(f"line {row.line}: id is empty; give each stop its own id")
        if row["id"] in lines:
            raise InvalidFile(
                f"line {row.line}: the id {shown(row['id'])} is already used in line "
                f"{lines[row['id']]}; give each stop its own id"
            )
        lines[row["id"]] = row.line


def _depot_row(rows: list[Row], depot: str | None) -> Row:
    if depot is not None:
        wanted = depot.strip()
        chosen = [row for row in rows if row["id"] == wanted]
        chosen = chosen or [row for row in rows if row["name"] == wanted]
        if not chosen:
            raise InvalidSetting(
                f"no stop has the id or name {shown(depot)} given as the depot; "
                f"{nearest_stop(depot, [row['id'] for row in rows])}"
            )
    else:
        for row in rows:
            if row["depot"].lower() not in _YES | _NO:
                raise InvalidFile(
                    f"line {row.line}: depot is {shown(row['depot'])}; write 1 for the depot "
                    "and 0 or nothing for a customer"
                )
        chosen = [row for row in rows if row["depot"].lower() in _YES]
        chosen = chosen or [row for row in rows if row["id"].lower() == "depot"]
        if not chosen:
            raise InvalidFile(
                "no row is the depot; write 1 in a column 'depot' of that row, "
                "or name its id with the option --depot"
            )
    if len(chosen) > 1:
        raise InvalidFile(
            f"lines {chosen[0].line} and {chosen[1].line} are both the depot; keep one"
        )
    return chosen[0]


def _names_and_ids(rows: list[Row]) -> tuple[tuple[str, ...] | None, tuple[str, ...] | None]:
    """Give what the rows call the stops, depot first.

    A row without a name is called by its id. Ids that just count the customers in file order are
    left out, unless it takes them to tell equal names apart.
    """
    ids = tuple(row["id"] for row in rows)
    named = any(row["name"] for row in rows)
    names = tuple(row["name"] or row["id"] for row in rows) if named else None
    counting = ids[0].lower() in ("depot", "0") and ids[1:] == tuple(map(str, range(1, len(rows))))
    repeated = names is not None and len(set(names)) < len(names)
    return names, ids if repeated or not counting else None


def _read_vehicles(path: Path) -> tuple[VehicleType, ...]:
    rows = read_table(path, VEHICLE_COLUMNS, ("type", "capacity", "fixed_cost", "unit_cost"))
    with located(path):
        if not rows:
            raise InvalidFile("the table has a header but no rows; give at least one vehicle type")
        lines: dict[str, int] = {}
        types = []
        for row in rows:
            if row["type"] in lines:
                raise InvalidFile(
                    f"line {row.line}: the type {shown(row['type'])} is already given in line "
                    f"{lines[row['type']]}; give each type its own name"
                )
            lines[row["type"]] = row.line
            # A cell that is no number names its line itself.
            capacity, fixed_cost = row.number("capacity"), row.number("fixed_cost")
            unit_cost = row.number("unit_cost")
            limit = row.whole("max_count") if row["max_count"] else None
            with located(f"line {row.line}"):
                types.append(VehicleType(row["type"], capacity, fixed_cost, unit_cost, limit))
        return tuple(types)
