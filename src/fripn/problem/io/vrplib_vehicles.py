"""The vehicles of a VRPLIB file as vehicle types: equal rows make one type."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from fripn.errors import InvalidFile
from fripn.messages import shown
from fripn.problem.instance import VehicleType, type_name
from fripn.problem.io.vrplib_sections import VrplibFile

#: The numbers of a vehicle, and what holds without them; None: they must be given.
_COLUMNS: dict[str, float | None] = {
    "CAPACITY": None,
    "VEHICLES_FIXED_COST": 0.0,
    "VEHICLES_UNIT_DISTANCE_COST": 1.0,
}
_LIMITS = ("VEHICLES_MAX_DURATION", "VEHICLES_MAX_DISTANCE")

#: More allowed clients than this, over all vehicles, are not read.
_MAX_ALLOWED = 20_000_000


@dataclass(frozen=True, slots=True)
class Vehicles:
    """The vehicle types of a file, and which types may serve each stop (None: all)."""

    types: tuple[VehicleType, ...]
    allowed_types: tuple[tuple[int, ...] | None, ...] | None


def vehicles_of(file: VrplibFile, num_customers: int, num_depots: int) -> Vehicles:
    """Return the vehicle types of a file.

    Raises
    ------
    InvalidFile
        With the section that is wrong.
    """
    if not file.has("CAPACITY") and "CAPACITY" not in file.specifications:
        raise InvalidFile(
            "neither CAPACITY nor CAPACITY_SECTION is given", field="CAPACITY", remedy="add one"
        )
    columns: dict[str, list[Any]] = {}
    common: dict[str, Any] = {}
    for name, default in _COLUMNS.items():
        if file.has(name):
            rows = file.rows(name).tolist()
            columns[name] = [tuple(row) if len(row) > 1 else row[0] for row in rows]
        else:
            common[name] = file.number(name, default)
    for name in _LIMITS:
        if file.has(name):
            columns[name] = file.column(name).tolist()
        else:
            common[name] = file.number(name) if name in file.specifications else None
    common["VEHICLES_DEPOT"], common["VEHICLES_ALLOWED_CLIENTS"] = 0, None
    if file.has("VEHICLES_DEPOT"):
        columns["VEHICLES_DEPOT"] = _depots(file, num_depots)
    if file.has("VEHICLES_ALLOWED_CLIENTS"):
        columns["VEHICLES_ALLOWED_CLIENTS"] = _allowed(file, num_customers, num_depots)
    names = [*_COLUMNS, *_LIMITS, "VEHICLES_DEPOT", "VEHICLES_ALLOWED_CLIENTS"]
    lengths = {len(column) for column in columns.values()}
    stated = file.integer("VEHICLES", min(lengths, default=num_customers))
    if lengths - {stated}:
        raise InvalidFile(
            f"a section of the vehicles has {(lengths - {stated}).pop()} rows, but there are "
            "{value} vehicles",
            field="VEHICLES",
            value=stated,
            remedy="give one row for each",
        )
    if columns:
        filled = [columns[name] if name in columns else [common[name]] * stated for name in names]
        counts = Counter(zip(*filled, strict=True))
    else:
        counts = Counter({tuple(common[name] for name in names): stated})
    types = tuple(
        VehicleType(
            type_name(index),
            capacity,
            fixed_cost,
            unit_cost,
            None if count == num_customers else count,
            max_duration=max_duration,
            max_distance=max_distance,
            depot=depot,
        )
        for index, (
            (capacity, fixed_cost, unit_cost, max_duration, max_distance, depot, _),
            count,
        ) in enumerate(counts.items())
    )
    return Vehicles(types, _access([row[-1] for row in counts], num_customers))


def _access(
    allowed: list[frozenset[int] | None], num_customers: int
) -> tuple[tuple[int, ...] | None, ...] | None:
    """Return the types that may serve each stop, from the customers that each type may serve."""
    everyone = range(1, num_customers + 1)
    if all(customers is None or len(customers) == num_customers for customers in allowed):
        return None
    lists = [
        tuple(k for k, customers in enumerate(allowed) if customers is None or stop in customers)
        for stop in everyone
    ]
    return (None, *(None if len(types) == len(allowed) else types for types in lists))


def _depots(file: VrplibFile, num_depots: int) -> list[int]:
    depots = []
    for node in file.column("VEHICLES_DEPOT").tolist():
        if node not in range(1, num_depots + 1):
            raise InvalidFile(
                f"VEHICLES_DEPOT_SECTION has depot {{value}}, but the depots are 1 to {num_depots}",
                field="VEHICLES_DEPOT_SECTION",
                value=node,
                remedy="give the node of a depot",
            )
        depots.append(int(node) - 1)
    return depots


def _allowed(file: VrplibFile, num_customers: int, num_depots: int) -> list[frozenset[int]]:
    """Return the customers that each vehicle may serve; equal lists are one object."""
    section = "VEHICLES_ALLOWED_CLIENTS_SECTION"
    known: dict[bytes, frozenset[int]] = {}
    found = []
    rows = file.ragged.get(section, [])
    if sum(map(len, rows)) > _MAX_ALLOWED:
        raise InvalidFile(
            f"{section} has {{value}} entries",
            field=section,
            value=sum(map(len, rows)),
            remedy=f"at most {_MAX_ALLOWED} can be read",
        )
    for row in rows:
        content = row[1:].tobytes()
        if content not in known:
            customers = []
            for node in row[1:]:
                if node not in range(num_depots + 1, num_depots + num_customers + 1):
                    raise InvalidFile(
                        f"{section} has the client {shown(node)}, but the clients are "
                        f"{num_depots + 1} to {num_depots + num_customers}",
                        field=section,
                        value=node,
                        remedy="give the nodes of clients",
                    )
                customers.append(int(node) - num_depots)
            known[content] = frozenset(customers)
        found.append(known[content])
    return found
