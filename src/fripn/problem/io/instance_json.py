"""Instances as JSON: the versioned format, read and written, and plain benchmark files, read only.

The format is described in ``docs/data-format.md`` and by ``data/schema/instance.schema.json``;
instances with a working day are version 2 (``instance-2.schema.json``, `day_json`).
"""

from __future__ import annotations

from itertools import zip_longest
from typing import Any

from fripn.errors import InvalidFile
from fripn.messages import nearest
from fripn.problem.instance import METRICS, Instance, VehicleType
from fripn.problem.io import day_json
from fripn.problem.io.json_text import (
    check_id,
    check_keys,
    check_list,
    check_text,
    check_version,
    check_whole,
)
from fripn.problem.io.text import finite
from fripn.problem.limits import MAX_EXTRA_CELLS, MAX_EXTRA_COLUMNS

FORMAT = "fripn-instance"
VERSION = 1

#: Keys of the two coordinates, in the order of `Instance.coordinates`.
_PLANE, _GLOBE = ("x", "y"), ("lon", "lat")
_STOP_KEYS = ("id", "name", "extra")

_TYPE_KEYS = {
    "required": ("name", "capacity"),
    "optional": ("fixed_cost", "unit_cost", "available"),
}


def instance_to_dict(instance: Instance) -> dict[str, Any]:
    """Return the instance as an object of the JSON format."""
    axes = _GLOBE if instance.is_geographic else _PLANE
    stops: list[dict[str, Any]] = []
    demands = instance.demands.tolist()
    for index in range(instance.num_nodes):
        stop: dict[str, Any] = {}
        if instance.stop_ids is not None:
            stop["id"] = instance.stop_ids[index]
        if instance.stop_names is not None:
            stop["name"] = instance.stop_names[index]
        if instance.coordinates is not None:
            stop.update(zip(axes, instance.coordinates[index].tolist(), strict=True))
        if not instance.is_depot(index):
            stop["demand"] = demands[index]
        stop |= day_json.stop_to_dict(instance, index)
        if instance.extra_columns is not None:
            # The depot has every column, so that their order is kept.
            stop["extra"] = {
                column: texts[index]
                for column, texts in instance.extra_columns.items()
                if texts[index] or not index
            }
        stops.append(stop)
    value: dict[str, Any] = {
        "format": FORMAT,
        "version": day_json.VERSION if instance.uses_working_day else VERSION,
        "name": instance.name,
        "metric": instance.metric,
        **day_json.top_to_dict(instance),
        "depot": stops[0],
        "customers": stops[1 : instance.num_customers + 1],
        "vehicle_types": [_type_to_dict(vehicle) for vehicle in instance.vehicle_types],
    }
    if instance.num_depots > 1:
        value["other_depots"] = stops[instance.num_customers + 1 :]
    if instance.matrix is not None:
        value["matrix"] = instance.matrix.tolist()
    return value


def instance_from_dict(value: dict[str, Any], default_name: str = "instance") -> Instance:
    """Build an instance from a parsed JSON object, ours or a plain benchmark file's.

    Parameters
    ----------
    value
        The object; a plain one has no ``format`` and its depot is a list [x, y].
    default_name
        Name of the instance when the object has none.

    Raises
    ------
    InvalidFile, InvalidInstance
        With the key and the value that are wrong.
    """
    if "format" not in value and isinstance(value.get("depot"), list):
        return _from_plain(value, default_name)
    return _from_own(value, default_name)


def plain_vehicle_types(value: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the vehicle types of a plain file with the extra columns of its variants, checked."""
    rows = check_list(value.get("vehicle_types"), '"vehicle_types"')
    for place, row in enumerate(rows, start=1):
        check_keys(
            row,
            f"vehicle type {place}",
            required=_TYPE_KEYS["required"],
            optional=(*_TYPE_KEYS["optional"], "variable_unit_cost", "hvrp_available"),
        )
    return rows


def _from_own(value: dict[str, Any], default_name: str) -> Instance:
    has_day = check_version(value, FORMAT, (VERSION, day_json.VERSION)) == day_json.VERSION
    check_keys(
        value,
        "the instance",
        required=("format", "version", "depot", "customers", "vehicle_types"),
        optional=("name", "comment", "metric", "matrix", *(day_json.TOP_KEYS if has_day else ())),
    )
    metric = value.get("metric", "matrix" if "matrix" in value else "euclidean")
    if metric not in METRICS:
        hint = nearest(metric, METRICS) if isinstance(metric, str) else f"use {METRICS[0]!r}"
        raise InvalidFile(field='"metric"', value=metric, remedy=hint)
    check_text(value.get("comment", ""), '"comment"')
    rows = [value["depot"], *check_list(value["customers"], '"customers"')]
    num_customers = len(rows) - 1
    rows += check_list(value.get("other_depots", []), '"other_depots"')
    depot_keys = rows[0].keys() if isinstance(rows[0], dict) else ()
    has_map = metric == "matrix" and any(axis in depot_keys for axis in _GLOBE)
    axes = _GLOBE if metric == "great_circle" or has_map else _PLANE
    needs_place = metric != "matrix" or has_map or any(axis in depot_keys for axis in axes)
    places = axes if needs_place else ()
    coordinates: list[list[float]] = []
    demands: list[float | list[float]] = []
    places_in_file: list[str] = []
    names: list[str | None] = []
    ids: list[str | None] = []
    extra: dict[str, list[str]] = {}
    for index, row in enumerate(rows):
        where = f"customer {index}" if index else "the depot"
        if 1 <= index <= num_customers:
            keys = (*_STOP_KEYS, *(day_json.CUSTOMER_KEYS if has_day else ()))
            check_keys(row, where, required=(*places, "demand"), optional=keys)
        else:
            if index:
                where = f"other depot {index - num_customers}"
            keys = (*_STOP_KEYS, *(day_json.DEPOT_KEYS if has_day else ()), "demand")
            check_keys(row, where, required=places, optional=keys)
        places_in_file.append(where)
        coordinates.append([finite(row[axis], f"{axis!r} of {where}") for axis in places])
        demand = _demand(row.get("demand", 0), f"'demand' of {where}", has_day)
        if index <= num_customers:
            demands.append(demand)
        name = row.get("name")
        names.append(None if name is None else check_text(name, f"'name' of {where}"))
        own_id = row.get("id")
        ids.append(None if own_id is None else check_id(own_id, f"'id' of {where}"))
        _add_extra(extra, row.get("extra", {}), index, len(rows), where)
    if has_day and demands and not rows[0].get("demand"):
        demands[0] = _nothing_like(demands)
    stop_ids = _without_gaps(ids, [], num_customers)
    type_rows = check_list(value["vehicle_types"], '"vehicle_types"')
    depots = [
        (stop_ids or _numbers_of(len(rows), num_customers))[node]
        for node in (0, *range(num_customers + 1, len(rows)))
    ]
    types = tuple(
        _type_from_dict(row, f"vehicle type {place}", depots if has_day else None)
        for place, row in enumerate(type_rows, 1)
    )
    day = {}
    if has_day:
        numbered = list(zip(places_in_file, rows, strict=True))
        day = day_json.day_from_dict(value, numbered, [vehicle.name for vehicle in types])
        if "durations" in value:
            day["durations"] = _matrix(value["durations"], "durations")
    return Instance(
        name=check_text(value.get("name", default_name), '"name"'),
        coordinates=coordinates if needs_place else None,  # type: ignore[arg-type]
        demands=demands,  # type: ignore[arg-type]
        vehicle_types=types,
        metric=metric,
        matrix=_matrix(value["matrix"]) if "matrix" in value else None,  # type: ignore[arg-type]
        stop_names=_without_gaps(names, ids, num_customers),
        stop_ids=stop_ids,
        extra_columns=extra,  # type: ignore[arg-type]
        has_map=has_map or None,
        **day,
    )


def _demand(value: Any, where: str, has_day: bool) -> float | list[float]:
    return day_json.demand_from(value, where) if has_day else finite(value, where)


def _nothing_like(demands: list[float | list[float]]) -> float | list[float]:
    """Return the demand of the depot: zero in every load dimension of the customers."""
    sizes = {len(demand) if isinstance(demand, list) else 0 for demand in demands[1:]}
    if len(sizes) > 1:
        raise InvalidFile(
            "customers have demands with different numbers of loads",
            field="demand",
            value=sorted(sizes),
            remedy="give every customer one number per load",
        )
    size = sizes.pop() if sizes else 0
    return [0.0] * size if size else 0.0


def _add_extra(
    extra: dict[str, list[str]], given: Any, index: int, num_stops: int, where: str
) -> None:
    """Add what a stop has in columns that the problem does not need."""
    if not isinstance(given, dict):
        raise InvalidFile(
            field=f"'extra' of {where}", value=given, remedy="give an object of strings"
        )
    for column, value in given.items():
        texts = extra.get(column.strip())
        if texts is None:
            if len(extra) == min(MAX_EXTRA_COLUMNS, MAX_EXTRA_CELLS // num_stops):
                raise InvalidFile(
                    f"'extra' of {where} has the key {{value}}, the stops have {len(extra)} others",
                    field="extra",
                    value=column,
                    remedy="remove some",
                )
            texts = extra.setdefault(column.strip(), [""] * num_stops)
        texts[index] = check_text(value, f"{column!r} in 'extra' of {where}")


def _numbers_of(num_nodes: int, num_customers: int) -> tuple[str, ...]:
    """Return what stops without an id are called, as `InstanceFields.stop_id` does."""
    others = (f"depot-{number}" for number in range(2, num_nodes - num_customers + 1))
    return ("depot", *map(str, range(1, num_customers + 1)), *others)


def _without_gaps(
    strings: list[str | None], ids: list[str | None], num_customers: int
) -> tuple[str, ...] | None:
    """Fill gaps with ids, else with numbers; None when no stop has a string."""
    if all(text is None for text in strings):
        return None
    numbers = _numbers_of(len(strings), num_customers)
    return tuple(
        next(choice for choice in choices if choice is not None)
        for choices in zip_longest(strings, ids, numbers)
    )


def _from_plain(value: dict[str, Any], default_name: str) -> Instance:
    check_keys(
        value,
        "the instance",
        required=("depot", "customers", "vehicle_types"),
        optional=("name", "comment"),
    )
    depot = _numbers(value["depot"], "the depot", "[x, y]", 2)
    customers = [
        _numbers(row, f"customer {index}", "[x, y, demand]", 3)
        for index, row in enumerate(check_list(value["customers"], '"customers"'), start=1)
    ]
    return Instance(
        name=check_text(value.get("name", default_name), '"name"'),
        coordinates=[depot, *(row[:2] for row in customers)],  # type: ignore[arg-type]
        demands=[0.0, *(row[2] for row in customers)],  # type: ignore[arg-type]
        vehicle_types=tuple(
            _type_from_dict(
                {key: row[key] for key in row if not key.startswith(("variable_", "hvrp_"))},
                f"vehicle type {place}",
            )
            for place, row in enumerate(plain_vehicle_types(value), start=1)
        ),
    )


def _type_to_dict(vehicle: VehicleType) -> dict[str, Any]:
    value: dict[str, Any] = {
        "name": vehicle.name,
        "capacity": list(vehicle.capacities) if len(vehicle.capacities) > 1 else vehicle.capacity,
        "fixed_cost": vehicle.fixed_cost,
        "unit_cost": vehicle.unit_cost,
    }
    if vehicle.available is not None:
        value["available"] = vehicle.available
    return value | day_json.type_to_dict(vehicle)


def _type_from_dict(row: Any, where: str, depots: list[str] | None = None) -> VehicleType:
    """Return a vehicle type; `depots` are their ids in version 2, None in version 1."""
    more = () if depots is None else day_json.TYPE_KEYS
    optional = (*_TYPE_KEYS["optional"], *more)
    check_keys(row, where, required=_TYPE_KEYS["required"], optional=optional)
    available = row.get("available")
    day = {} if depots is None else day_json.type_from_dict(row, where, depots)
    return VehicleType(
        name=check_text(row["name"], f"'name' of {where}"),
        capacity=_demand(row["capacity"], f"'capacity' of {where}", depots is not None),  # type: ignore[arg-type]
        fixed_cost=finite(row.get("fixed_cost", 0), f"'fixed_cost' of {where}"),
        unit_cost=finite(row.get("unit_cost", 1), f"'unit_cost' of {where}"),
        available=None if available is None else check_whole(available, f"'available' of {where}"),
        **day,
    )


def _matrix(value: Any, key: str = "matrix") -> list[list[float]]:
    rows = check_list(value, f'"{key}"')
    for place, row in enumerate(rows):
        check_list(row, f"row {place} of the {key}")
        if len(row) != len(rows):
            raise InvalidFile(
                f"row {place} of the {key} has {{value}} entries, but the {key} has "
                f"{len(rows)} rows",
                field=key,
                value=len(row),
                remedy="give a square matrix, depot first",
            )
    return [
        [finite(entry, f"entry ({i}, {j}) of the {key}") for j, entry in enumerate(row)]
        for i, row in enumerate(rows)
    ]


def _numbers(row: Any, where: str, form: str, length: int) -> list[float]:
    if not isinstance(row, list) or len(row) != length:
        raise InvalidFile(field=where, value=row, remedy=f"give {form}")
    return [finite(entry, f"{where}: entry {place}") for place, entry in enumerate(row, start=1)]
