"""Changes to vehicle types on the command line: ``van.fixed_cost=+10%``."""

from __future__ import annotations

import re
from collections.abc import Iterable

from fripn.cli.repeated import check_keys
from fripn.errors import InvalidSetting
from fripn.messages import nearest
from fripn.problem import Instance, VehicleType

_FIELDS = (
    "fixed_cost",
    "unit_cost",
    "cost_per_hour",
    "capacity",
    "available",
    "max_duration",
    "max_distance",
)
_EXAMPLE = "write TYPE.FIELD=VALUE, such as van.fixed_cost=+10% or van.fixed_cost=80"

#: Stands for every type.
_EVERY = "*"

_NUMBER = re.compile(r"\d+(\.\d+)?", re.ASCII)
_PERCENT = re.compile(r"[+-]\d+(\.\d+)?\s*%", re.ASCII)


def changed_instance(instance: Instance, changes: Iterable[str]) -> Instance:
    """Return the instance with its vehicle types changed, one change after the other.

    Raises
    ------
    InvalidSetting
        When a change is not of the form, names a type or field that does not exist, or replaces
        another one.
    InvalidInstance
        When a changed type is not valid, or the fleet cannot serve all customers any more.
    """
    types = list(instance.vehicle_types)
    fields: list[str] = []
    for change in changes:
        left, equals, value = change.rpartition("=")
        name, dot, field = left.rpartition(".")
        if not equals or not dot or not name.strip():
            raise InvalidSetting("{field} is {value}", field="--set", value=change, remedy=_EXAMPLE)
        field = field.strip()
        if field not in _FIELDS:
            raise InvalidSetting(
                f"--set {change!r} names the field {{value}}",
                field="--set",
                value=field,
                remedy=nearest(field, _FIELDS),
            )
        # A change in percent starts from the one before; a number would replace it.
        place = f"{name.strip()}.{field}"
        fields = [one for one in fields if one != place or "%" not in value] + [place]
        check_keys("--set", fields)
        for index in _chosen(types, name.strip(), change):
            types[index] = _changed(types[index], field, value.strip(), change)
    return instance.replace(vehicle_types=tuple(types)) if changes else instance


def _chosen(types: list[VehicleType], name: str, change: str) -> list[int]:
    if name == _EVERY:
        return list(range(len(types)))
    exact = [index for index, vehicle in enumerate(types) if vehicle.name == name]
    folded = [
        index for index, vehicle in enumerate(types) if vehicle.name.casefold() == name.casefold()
    ]
    found = exact or folded
    if len(found) != 1:
        raise InvalidSetting(
            f"--set {change!r} names the vehicle type {{value}}",
            field="--set",
            value=name,
            remedy=nearest(name, [vehicle.name for vehicle in types]),
        )
    return found


def _changed(vehicle: VehicleType, field: str, value: str, change: str) -> VehicleType:
    before = getattr(vehicle, field)
    if field == "available":
        if not value.isascii() or not value.isdigit() or len(value) > 9:
            raise _wrong_value(change, value, "give an integer")
        return vehicle.replace(available=int(value))
    if _NUMBER.fullmatch(value):
        return vehicle.replace(**{field: float(value)})
    if not _PERCENT.fullmatch(value):
        raise _wrong_value(change, value, "give the new value, or a change in percent: +10%, -5%")
    if before is None:
        raise _wrong_value(
            change, value, f"{vehicle.name} has no {field} so far; give the new value"
        )
    factor = 1 + float(value.rstrip("% \t")) / 100
    if isinstance(before, tuple):
        return vehicle.replace(**{field: tuple(part * factor for part in before)})
    return vehicle.replace(**{field: before * factor})


def _wrong_value(change: str, value: str, remedy: str) -> InvalidSetting:
    return InvalidSetting(
        f"--set {change!r} has the value {{value}}", field="--set", value=value, remedy=remedy
    )
