"""Solomon's text format for time windows; see ``docs/data-format.md``.

A name, a table with the number and the capacity of the vehicles, and a row per stop: number, x, y,
demand, ready time, due date, service time. Travel times are distances, not rounded.
"""

from __future__ import annotations

import numpy as np

from fripn.errors import InvalidFile
from fripn.messages import shown
from fripn.problem.instance import Instance, VehicleType, type_name
from fripn.problem.io.day_cells import MINUTES_PER_HOUR
from fripn.problem.io.text import lines_of, located, to_numbers

#: Numbers in the row of a stop.
_WIDTH = 7

#: A line is not longer than this.
_MAX_LINE = 500


def instance_from_solomon(
    text: str, default_name: str, vehicle_types: tuple[VehicleType, ...] | None = None
) -> Instance:
    """Build an instance from the text of a file.

    Parameters
    ----------
    text
        The content.
    default_name
        Name of the instance when the file has none.
    vehicle_types
        Types of a table that stand in place of the file's one type. Where they have times, the
        times of the file are minutes, as those of tables are.

    Raises
    ------
    InvalidFile, InvalidInstance
        With the line that is wrong.
    """
    name, fleet = "", None
    rows: list[list[float]] = []
    for number, raw in enumerate(lines_of(text), start=1):
        line = raw.strip()
        if not line:
            continue
        with located(f"line {number}"):
            if len(line) > _MAX_LINE:
                raise InvalidFile(
                    f"the line has {len(line)} characters", remedy="check that it is the right file"
                )
            words = line.split()
            if not name:
                name = line
            elif words[0][0].isalpha():
                continue  # headings: VEHICLE, NUMBER CAPACITY, CUSTOMER, CUST NO. …
            elif fleet is None:
                fleet = _fleet(words, line)
            else:
                rows.append(_stop(words, line, len(rows)))
    if fleet is None or not rows:
        raise InvalidFile(
            "the file has no table of vehicles, or no stops",
            remedy="a file of Solomon's has a name, VEHICLE with number and capacity, and CUSTOMER "
            "with seven numbers per row",
        )
    table = np.array(rows)
    is_in_minutes = any(one.limits_time or one.speed != 1.0 for one in vehicle_types or ())
    return Instance(
        name=name or default_name,
        coordinates=table[:, 1:3],
        demands=table[:, 3],
        vehicle_types=vehicle_types or (fleet,),
        service_times=table[:, 6],
        time_windows=tuple(((opens, closes),) for opens, closes in table[:, 4:6].tolist()),
        hour=MINUTES_PER_HOUR if is_in_minutes else 1.0,
        time_unit="min" if is_in_minutes else None,
    )


def _fleet(words: list[str], line: str) -> VehicleType:
    numbers = to_numbers(words, "VEHICLE")
    if len(numbers) != 2 or numbers[0] != int(numbers[0]) or numbers[0] < 1:
        raise InvalidFile(
            f"VEHICLE has {shown(line)}",
            field="VEHICLE",
            value=line,
            remedy="write the number of vehicles, an integer, and their capacity",
        )
    return VehicleType(type_name(0), numbers[1], available=int(numbers[0]))


def _stop(words: list[str], line: str, index: int) -> list[float]:
    numbers = to_numbers(words, "CUSTOMER")
    if len(numbers) != _WIDTH:
        raise InvalidFile(
            f"CUSTOMER has {shown(line)}",
            field="CUSTOMER",
            value=line,
            remedy="write number, x, y, demand, ready time, due date, service time",
        )
    if numbers[0] != index:
        raise InvalidFile(
            f"CUSTOMER has stop {shown(numbers[0])} where stop {index} belongs",
            field="CUSTOMER",
            value=numbers[0],
            remedy="number the stops 0, 1, 2, … in this order; 0 is the depot",
        )
    return numbers
