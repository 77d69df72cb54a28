"""The reader of docs/howto/own-format.md; name it as examples.own_format:read_orders@FILE."""

from __future__ import annotations

from pathlib import Path

from fripn import Instance, VehicleType
from fripn.errors import InvalidFile


def read_orders(path: Path) -> Instance:
    """Return the instance in an export of the order system."""
    names: list[str] = []
    places: list[tuple[float, float]] = []
    demands: list[float] = []
    types: list[VehicleType] = []
    for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), start=1):
        mark, *fields = line.split()
        try:
            if mark == "VEH":
                name, capacity, fixed_cost, unit_cost = fields
                types.append(
                    VehicleType(name, float(capacity), float(fixed_cost), float(unit_cost))
                )
            elif mark in ("HUB", "ORD"):
                name, x, y, *demand = fields
                names.append(name)
                places.append((float(x), float(y)))
                demands.append(float(demand[0]) if demand else 0.0)
            else:
                raise ValueError(f"unknown mark {mark!r}")
        except ValueError as error:
            raise InvalidFile(
                f"line {number}: {error}", remedy="check the export", place=str(path)
            ) from None
    return Instance(
        name=Path(path).stem,
        coordinates=places,
        demands=demands,
        vehicle_types=types,
        stop_ids=names,
    )
