"""The working day in instances as JSON: what version 2 of the format adds to version 1."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from fripn.errors import InvalidFile
from fripn.messages import nearest
from fripn.problem.clock import HOUR_IN
from fripn.problem.instance import Instance, VehicleType
from fripn.problem.io.json_text import check_list, check_text, check_whole
from fripn.problem.io.text import finite
from fripn.problem.vehicle_type import WORKING_DAY_DEFAULTS

VERSION = 2

#: Keys beside those of version 1.
TOP_KEYS = ("other_depots", "durations", "load_names", "hour", "time_unit", "distance_unit")
DEPOT_KEYS = ("time_windows",)
CUSTOMER_KEYS = ("time_windows", "service_time", "allowed_types", "requires")
TYPE_KEYS = tuple(WORKING_DAY_DEFAULTS)

_NUMBERS = (
    "speed",
    "shift_start",
    "shift_end",
    "max_duration",
    "max_distance",
    "cost_per_hour",
)

#: Numbers that may be null: no limit.
_OPTIONAL = ("shift_start", "shift_end", "max_duration", "max_distance")


def stop_to_dict(instance: Instance, node: int) -> dict[str, Any]:
    """Return what the working day adds to a stop."""
    added: dict[str, Any] = {}
    if instance.time_windows is not None and instance.time_windows[node]:
        added["time_windows"] = [
            [time if math.isfinite(time) else None for time in window]
            for window in instance.time_windows[node]
        ]
    if instance.service_times is not None and instance.service_times[node]:
        added["service_time"] = float(instance.service_times[node])
    if instance.is_depot(node):
        return added
    if instance.allowed_types is not None and instance.allowed_types[node] is not None:
        added["allowed_types"] = [
            instance.vehicle_types[k].name for k in instance.allowed_types[node] or ()
        ]
    if instance.requires is not None and instance.requires[node]:
        added["requires"] = list(instance.requires[node])
    return added


def type_to_dict(vehicle: VehicleType) -> dict[str, Any]:
    """Return what the working day adds to a vehicle type."""
    return {
        key: list(value) if isinstance(value, tuple) else value
        for key, value in vehicle.to_content().items()
        if key in TYPE_KEYS
    }


def top_to_dict(instance: Instance) -> dict[str, Any]:
    """Return what the working day adds to the instance itself, depots apart."""
    added: dict[str, Any] = {}
    if instance.load_names is not None:
        added["load_names"] = list(instance.load_names)
    if instance.hour != 1.0:
        added["hour"] = instance.hour
    for key in ("time_unit", "distance_unit"):
        if getattr(instance, key) is not None:
            added[key] = getattr(instance, key)
    if instance.durations is not None:
        added["durations"] = instance.durations.tolist()
    return added


def demand_from(value: Any, where: str) -> float | list[float]:
    """Return a demand or a capacity: a number, or a list with one per load dimension."""
    if isinstance(value, list):
        return [finite(entry, f"{where}, load {load}") for load, entry in enumerate(value, 1)]
    return finite(value, where)


def type_from_dict(row: dict[str, Any], where: str, depots: Sequence[str]) -> dict[str, Any]:
    """Return the fields of the working day of a vehicle type.

    Parameters
    ----------
    row, where
        The object, and its place in messages.
    depots
        Ids of the depots, by which a type may name its own.
    """
    found: dict[str, Any] = {}
    for key in _NUMBERS:
        if row.get(key) is not None or (key in row and key not in _OPTIONAL):
            found[key] = finite(row[key], f"{key!r} of {where}")
    if row.get("max_stops") is not None:
        found["max_stops"] = check_whole(row["max_stops"], f"'max_stops' of {where}")
    if "returns" in row:
        if not isinstance(row["returns"], bool):
            raise InvalidFile(
                field=f"'returns' of {where}", value=row["returns"], remedy="give true or false"
            )
        found["returns"] = row["returns"]
    if "offers" in row:
        found["offers"] = _strings(row["offers"], f"'offers' of {where}")
    if isinstance(row.get("depot"), str):
        if row["depot"] not in depots:
            raise InvalidFile(
                field=f"'depot' of {where}",
                value=row["depot"],
                remedy=nearest(row["depot"], depots),
            )
        found["depot"] = list(depots).index(row["depot"])
    elif "depot" in row:
        found["depot"] = check_whole(row["depot"], f"'depot' of {where}")
    return found


def day_from_dict(
    value: dict[str, Any], rows: Sequence[tuple[str, dict[str, Any]]], type_names: Sequence[str]
) -> dict[str, Any]:
    """Return the fields of the working day of an instance, by name.

    Parameters
    ----------
    value
        The object of the file.
    rows
        The place in messages and the object of every node, in the order of an instance.
    type_names
        Names of the vehicle types, by which customers list those that may serve them.
    """
    num_others = len(value.get("other_depots", ()))
    customers = rows[: len(rows) - num_others]
    unit = value.get("time_unit")
    hour = HOUR_IN.get(unit.lower(), 1.0) if isinstance(unit, str) else 1.0
    found: dict[str, Any] = {
        "num_depots": 1 + num_others,
        "service_times": [
            finite(row.get("service_time", 0), f"'service_time' of {where}") for where, row in rows
        ],
        "time_windows": [_windows(row.get("time_windows"), where) for where, row in rows],
        "allowed_types": [
            _allowed(row.get("allowed_types"), where, type_names) for where, row in customers
        ],
        "requires": [
            _strings(row.get("requires", []), f"'requires' of {where}") for where, row in customers
        ],
        "hour": finite(value.get("hour", hour), '"hour"'),
    }
    for key in ("time_unit", "distance_unit"):
        if value.get(key) is not None:
            found[key] = check_text(value[key], f'"{key}"')
    if value.get("load_names") is not None:
        found["load_names"] = _strings(value["load_names"], '"load_names"')
    return found


def _windows(value: Any, where: str) -> list[list[float | None]]:
    if value is None:
        return []
    windows = []
    for number, entry in enumerate(check_list(value, f"'time_windows' of {where}"), start=1):
        place = f"time window {number} of {where}"
        if not isinstance(entry, list) or len(entry) != 2:
            raise InvalidFile(
                field=place, value=entry, remedy="give [open, close]; null for no limit"
            )
        windows.append([None if time is None else finite(time, place) for time in entry])
    return windows


def _allowed(value: Any, where: str, type_names: Sequence[str]) -> list[int] | None:
    if value is None:
        return None
    indices = []
    for name in _strings(value, f"'allowed_types' of {where}"):
        if name not in type_names:
            raise InvalidFile(
                f"{where} allows the vehicle type {{value}}, which the file does not have",
                field="allowed_types",
                value=name,
                remedy=nearest(name, type_names),
            )
        indices.append(type_names.index(name))
    return indices


def _strings(value: Any, where: str) -> list[str]:
    return [
        check_text(entry, f"entry {place} of {where}")
        for place, entry in enumerate(check_list(value, where), start=1)
    ]
