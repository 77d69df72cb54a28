"""Instances as JSON: the versioned format, read and written, and plain benchmark files, read only.

The format is described in ``docs/data-format.md`` and by ``data/schema/instance.schema.json``.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import Any

from fripn.errors import InvalidFile
from fripn.messages import nearest
from fripn.problem.instance import METRICS, Instance, VehicleType
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
    for index, demand in enumerate(instance.demands.tolist()):
        stop: dict[str, Any] = {}
        if instance.stop_ids is not None:
            stop["id"] = instance.stop_ids[index]
        if instance.stop_names is not None:
            stop["name"] = instance.stop_names[index]
        if instance.coordinates is not None:
            stop.update(zip(axes, instance.coordinates[index].tolist(), strict=True))
        if index:
            stop["demand"] = demand
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
        "version": VERSION,
        "name": instance.name,
        "metric": instance.metric,
        "depot": stops[0],
        "customers": stops[1:],
        "vehicle_types": [_type_to_dict(vehicle) for vehicle in instance.vehicle_types],
    }
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
    check_version(value, FORMAT, VERSION)
    check_keys(
        value,
        "the instance",
        required=("format", "version", "depot", "customers", "vehicle_types"),
        optional=("name", "comment", "metric", "matrix"),
    )
    metric = value.get("metric", "matrix" if "matrix" in value else "euclidean")
    if metric not in METRICS:
        hint = nearest(metric, METRICS) if isinstance(metric, str) else f"use {METRICS[0]!r}"
        raise InvalidFile(field='"metric"', value=metric, remedy=hint)
    check_text(value.get("comment", ""), '"comment"')
    rows = [value["depot"], *check_list(value["customers"], '"customers"')]
    depot_keys = rows[0].keys() if isinstance(rows[0], dict) else ()
    has_map = metric == "matrix" and any(axis in depot_keys for axis in _GLOBE)
    axes = _GLOBE if metric == "great_circle" or has_map else _PLANE
    needs_place = metric != "matrix" or has_map or any(axis in depot_keys for axis in axes)
    places = axes if needs_place else ()
    coordinates: list[list[float]] = []
    demands: list[float] = []
    names: list[str | None] = []
    ids: list[str | None] = []
    extra: dict[str, list[str]] = {}
    for index, row in enumerate(rows):
        where = f"customer {index}" if index else "the depot"
        if index:
            check_keys(row, where, required=(*places, "demand"), optional=_STOP_KEYS)
        else:
            check_keys(row, where, required=places, optional=(*_STOP_KEYS, "demand"))
        coordinates.append([finite(row[axis], f"{axis!r} of {where}") for axis in places])
        demands.append(finite(row.get("demand", 0), f"'demand' of {where}"))
        name = row.get("name")
        names.append(None if name is None else check_text(name, f"'name' of {where}"))
        own_id = row.get("id")
        ids.append(None if own_id is None else check_id(own_id, f"'id' of {where}"))
        _add_extra(extra, row.get("extra", {}), index, len(rows), where)
    return Instance(
        name=check_text(value.get("name", default_name), '"name"'),
        coordinates=coordinates if needs_place else None,  # type: ignore[arg-type]
        demands=demands,  # type: ignore[arg-type]
        vehicle_types=tuple(
            _type_from_dict(row, f"vehicle type {place}")
            for place, row in enumerate(check_list(value["vehicle_types"], '"vehicle_types"'), 1)
        ),
        metric=metric,
        matrix=_matrix(value["matrix"]) if "matrix" in value else None,  # type: ignore[arg-type]
        stop_names=_without_gaps(names, ids),
        stop_ids=_without_gaps(ids, []),
        extra_columns=extra,  # type: ignore[arg-type]
        has_map=has_map or None,
    )


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


def _without_gaps(strings: list[str | None], ids: list[str | None]) -> tuple[str, ...] | None:
    """Fill gaps with ids, else with numbers; None when no stop has a string."""
    if all(text is None for text in strings):
        return None
    numbers = ("depot", *map(str, range(1, len(strings))))
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
        "capacity": vehicle.capacity,
        "fixed_cost": vehicle.fixed_cost,
        "unit_cost": vehicle.unit_cost,
    }
    if vehicle.available is not None:
        value["available"] = vehicle.available
    return value


def _type_from_dict(row: Any, where: str) -> VehicleType:
    check_keys(row, where, **_TYPE_KEYS)
    available = row.get("available")
    return VehicleType(
        name=check_text(row["name"], f"'name' of {where}"),
        capacity=finite(row["capacity"], f"'capacity' of {where}"),
        fixed_cost=finite(row.get("fixed_cost", 0), f"'fixed_cost' of {where}"),
        unit_cost=finite(row.get("unit_cost", 1), f"'unit_cost' of {where}"),
        available=None if available is None else check_whole(available, f"'available' of {where}"),
    )


def _matrix(value: Any) -> list[list[float]]:
    rows = check_list(value, '"matrix"')
    for place, row in enumerate(rows):
        check_list(row, f"row {place} of the matrix")
        if len(row) != len(rows):
            raise InvalidFile(
                f"row {place} of the matrix has {{value}} entries, but the matrix has "
                f"{len(rows)} rows",
                field="matrix",
                value=len(row),
                remedy="give a square matrix, depot first",
            )
    return [
        [finite(entry, f"entry ({i}, {j}) of the matrix") for j, entry in enumerate(row)]
        for i, row in enumerate(rows)
    ]


def _numbers(row: Any, where: str, form: str, length: int) -> list[float]:
    if not isinstance(row, list) or len(row) != length:
        raise InvalidFile(field=where, value=row, remedy=f"give {form}")
    return [finite(entry, f"{where}: entry {place}") for place, entry in enumerate(row, start=1)]
