"""Put the working day of two tables together: depots, access, speeds and units."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from fripn.errors import InvalidCell, InvalidFile
from fripn.messages import nearest
from fripn.problem.io.day_cells import MINUTES_PER_HOUR
from fripn.problem.io.mistakes import Mistakes
from fripn.problem.io.stop_table import StopTable
from fripn.problem.io.vehicle_table import VehicleTable
from fripn.problem.vehicle_type import VehicleType


@dataclass(frozen=True, slots=True)
class WorkingDay:
    """What a working day adds to an instance.

    Parameters
    ----------
    vehicle_types
        The types with their depots and speeds.
    fields
        Further fields of the instance; none when the tables limit nothing but loads.
    """

    vehicle_types: tuple[VehicleType, ...]
    fields: dict[str, Any]


def working_day(
    stops: StopTable,
    fleet: VehicleTable,
    mistakes: Mistakes,
    others: Mistakes,
    *,
    has_durations: bool,
) -> WorkingDay:
    """Return the working day of two tables.

    Parameters
    ----------
    stops, fleet
        The tables, without mistakes of their own.
    mistakes, others
        What is wrong with the stops and with the vehicles is added here.
    has_durations
        Whether travel times come from another table.
    """
    types = _with_depots(stops, fleet, others)
    fields: dict[str, Any] = {}
    if stops.num_depots > 1:
        fields["num_depots"] = stops.num_depots
    if stops.loads:
        fields["load_names"] = tuple(stops.loads)
    if stops.requires is not None:
        fields["requires"] = stops.requires
    if stops.vehicle_types is not None:
        fields["allowed_types"] = _allowed_types(stops, types, fleet.names, mistakes)
    if stops.windows is not None:
        fields["time_windows"] = stops.windows
    if stops.service_times is not None:
        fields["service_times"] = stops.service_times
    uses_time = (
        stops.windows is not None
        or stops.service_times is not None
        or any(vehicle.limits_time for vehicle in types)
    )
    if uses_time:
        fields |= {"hour": MINUTES_PER_HOUR, "time_unit": "min"}
        if stops.is_geographic:
            fields["distance_unit"] = "km"
        if not has_durations:
            _check_speeds(fleet, others)
    if not uses_time or has_durations:
        types = tuple(vehicle.replace(speed=1.0) for vehicle in types)
    return WorkingDay(types, fields)


def _check_speeds(fleet: VehicleTable, others: Mistakes) -> None:
    """Add mistakes about speeds that are not given."""
    if not fleet.has_speeds:
        others.add(
            InvalidFile(
                "the tables have times, but the vehicles no speed",
                field="speed_kmh",
                remedy="add a column speed_kmh, or travel times with --durations FILE",
            )
        )
    add_empty_speeds(fleet, others, "give a speed, or travel times with --durations FILE")


def add_empty_speeds(fleet: VehicleTable, mistakes: Mistakes, remedy: str) -> None:
    """Add a mistake for every row whose speed is empty: no speed is invented."""
    for row in fleet.without_speed:
        mistakes.add(
            InvalidCell(
                "{field} is empty, but there are times",
                field=fleet.header.title("speed_kmh"),
                value="",
                remedy=remedy,
                place=f"{fleet.unit} {row}",
                row=row,
            ),
            row,
        )


def _with_depots(
    stops: StopTable, fleet: VehicleTable, others: Mistakes
) -> tuple[VehicleType, ...]:
    nodes = [0, *range(stops.num_customers + 1, len(stops.rows))]
    called: dict[str, int] = {}
    if stops.ids is None:  # the stops are counted
        called = {"depot": 0} | {str(node): depot for depot, node in enumerate(nodes)}
    for strings in (stops.names, stops.ids):
        if strings is not None:
            called |= {strings[node].casefold(): depot for depot, node in enumerate(nodes)}
    types = []
    for vehicle, text, row in zip(fleet.types, fleet.depots, fleet.rows, strict=True):
        depot = called.get(text.casefold())
        if depot is None and not text and stops.num_depots == 1:
            depot = 0
        if depot is None:
            others.add(unknown_depot(fleet, vehicle.name, text, row, called), row)
        types.append(vehicle.replace(depot=depot or 0))
    return tuple(types)


def unknown_depot(
    fleet: VehicleTable, name: str, text: str, row: int, called: Iterable[str]
) -> InvalidCell:
    """Return the mistake of a vehicle type whose depot is none of those with the given names."""
    return InvalidCell(
        f"vehicle type {name!r} starts at {{value}}, which is not a depot"
        if text
        else "{field} is empty, but there are several depots",
        field=fleet.header.title("depot"),
        value=text,
        remedy=nearest(text, called),
        place=f"{fleet.unit} {row}",
        row=row,
    )


def _allowed_types(
    stops: StopTable, types: Sequence[VehicleType], names: Sequence[str], mistakes: Mistakes
) -> list[tuple[int, ...] | None]:
    index: dict[str, set[int]] = {}
    for place, (vehicle, name) in enumerate(zip(types, names, strict=True)):
        for word in {vehicle.name.casefold(), name.casefold()}:
            index.setdefault(word, set()).add(place)
    allowed: list[tuple[int, ...] | None] = []
    for words, row in zip(stops.vehicle_types or (), stops.rows, strict=False):
        for word in words:
            if word.casefold() not in index:
                mistakes.add(
                    InvalidCell(
                        "{field} has {value}, which is not a vehicle type",
                        field=stops.header.title("vehicle_types"),
                        value=word,
                        remedy=nearest(word, list(dict.fromkeys(names))),
                        place=f"{stops.unit} {row}",
                        row=row,
                    ),
                    row,
                )
        known = set().union(*(index.get(word.casefold(), ()) for word in words))
        allowed.append(tuple(sorted(known)) or None)
    return allowed
