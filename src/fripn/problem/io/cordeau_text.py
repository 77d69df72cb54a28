"""Cordeau's text format for several depots; see ``docs/data-format.md``.

First line: type, vehicles per depot, customers, depots. Then, per depot, the largest duration and
load of its vehicles (0: no limit of duration). Then a row per stop, customers first: number, x, y,
service time, demand, and further numbers, of which only those of type 6 matter: its rows end with
the time window. Travel times are distances, not rounded.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fripn.errors import InvalidFile
from fripn.messages import shown
from fripn.problem.instance import Instance, VehicleType, type_name
from fripn.problem.io.text import lines_of, located, to_numbers

#: Types of problems: several depots, and several depots with time windows.
DEPOTS, DEPOTS_WITH_WINDOWS = 2, 6

#: A line is not longer than this.
_MAX_LINE = 5000


def instance_from_cordeau(text: str, name: str) -> Instance:
    """Build an instance from the text of a file.

    Raises
    ------
    InvalidFile, InvalidInstance
        With the line that is wrong.
    """
    lines = _numbered_lines(text)
    problem, vehicles, num_customers, num_depots = _head(lines)
    limits = []
    for depot in range(num_depots):
        number, row = _next(lines, f"the limits of depot {depot + 1}")
        if len(row) != 2:
            raise _wrong(number, row, "write the largest duration and the largest load")
        limits.append(row)
    rows, windows = [], []
    for index in range(num_customers + num_depots):
        number, row = _next(lines, f"stop {index + 1}")
        least = 7 if problem == DEPOTS_WITH_WINDOWS else 5
        if len(row) < least:
            raise _wrong(number, row, "write number, x, y, service time, demand, …")
        rows.append(row[1:5])
        windows.append(row[-2:])
    table = np.array(rows)
    # The file has the customers first; an instance has the first depot before them.
    order = [num_customers, *range(num_customers), *range(num_customers + 1, len(rows))]
    return Instance(
        name=name,
        coordinates=table[order, :2],
        demands=table[order[: num_customers + 1], 3],
        vehicle_types=tuple(
            VehicleType(
                type_name(depot),
                load,
                available=vehicles,
                depot=depot,
                max_duration=duration or None,
            )
            for depot, (duration, load) in enumerate(limits)
        ),
        num_depots=num_depots,
        service_times=table[order, 2],
        time_windows=[[windows[index]] for index in order]  # type: ignore[arg-type]
        if problem == DEPOTS_WITH_WINDOWS
        else None,
    )


def _head(lines: Iterator[tuple[int, list[float]]]) -> tuple[int, int, int, int]:
    number, row = _next(lines, "the first line")
    if len(row) != 4 or any(value != int(value) or value < 1 for value in row):
        raise _wrong(number, row, "write type, vehicles per depot, customers, depots")
    problem, vehicles, customers, depots = map(int, row)
    if problem not in (DEPOTS, DEPOTS_WITH_WINDOWS):
        raise InvalidFile(
            f"line {number}: the type of the problem is {{value}}",
            field="type",
            value=problem,
            remedy="only 2 (several depots) and 6 (with time windows) can be read",
        )
    return problem, vehicles, customers, depots


def _numbered_lines(text: str) -> Iterator[tuple[int, list[float]]]:
    for number, raw in enumerate(lines_of(text), start=1):
        line = raw.strip()
        if line:
            with located(f"line {number}"):
                if len(line) > _MAX_LINE:
                    raise InvalidFile(
                        f"the line has {len(line)} characters",
                        remedy="check that it is the right file",
                    )
                yield number, to_numbers(line.split(), "the line")


def _next(lines: Iterator[tuple[int, list[float]]], what: str) -> tuple[int, list[float]]:
    found = next(lines, None)
    if found is None:
        raise InvalidFile(f"the file ends before {what}", remedy="check that it is complete")
    return found


def _wrong(number: int, row: list[float], remedy: str) -> InvalidFile:
    return InvalidFile(
        f"the line has {shown(row)}", value=row, remedy=remedy, place=f"line {number}"
    )
