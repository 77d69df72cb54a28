"""Solutions as a table with one row per stop."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fripn.errors import InvalidFile
from fripn.problem.instance import Instance
from fripn.problem.io.csv_table import Row, read_table, table_text
from fripn.problem.io.solution_json import type_index
from fripn.problem.io.text import located, shown
from fripn.problem.solution import Route, Solution

_REQUIRED = ("route", "vehicle_type", "position", "customer")
_COLUMNS = dict.fromkeys((*_REQUIRED, "name", "x", "y", "lat", "lon", "demand", "distance"), ())


def solution_table(instance: Instance, solution: Solution) -> str:
    """Give the plan as CSV text: a row per customer, with the distance from the stop before it."""
    axes = ["lon", "lat"] if instance.metric == "great_circle" else ["x", "y"]
    places = [] if instance.coordinates is None else instance.coordinates.tolist()
    rows = []
    for number, route in enumerate(solution.routes, start=1):
        stops = np.array([0, *route.customers], dtype=np.int64)
        legs = instance.distances(stops[:-1], stops[1:]).tolist()
        for position, customer in enumerate(route.customers, start=1):
            rows.append(
                [
                    number,
                    instance.vehicle_types[route.vehicle_type].name,
                    position,
                    customer,
                    instance.stop_name(customer),
                    *(places[customer] if places else []),
                    float(instance.demands[customer]),
                    legs[position - 1],
                ]
            )
    header = ["route", "vehicle_type", "position", "customer", "name"]
    return table_text([*header, *(axes if places else []), "demand", "distance"], rows)


def read_solution_csv(path: Path, instance: Instance) -> Solution:
    """Read a plan from a table with the columns route, vehicle_type, position and customer."""
    rows = read_table(path, _COLUMNS, _REQUIRED)
    with located(path):
        routes: dict[int, list[Row]] = {}
        for row in rows:
            routes.setdefault(row.whole("route"), []).append(row)
        return Solution(tuple(_route(instance, routes[number]) for number in sorted(routes)))


def _route(instance: Instance, rows: list[Row]) -> Route:
    kind = rows[0]["vehicle_type"]
    positions: dict[int, int] = {}
    for row in rows:
        if row["vehicle_type"] != kind:
            raise InvalidFile(
                f"line {row.line}: route {row['route']} has the vehicle type "
                f"{shown(row['vehicle_type'])} here and {shown(kind)} in line {rows[0].line}; "
                "give one type per route"
            )
        position = row.whole("position")
        if position in positions:
            raise InvalidFile(
                f"line {row.line}: position {position} of route {row['route']} is already taken "
                f"in line {positions[position]}; number the stops of a route 1, 2, 3, …"
            )
        positions[position] = row.line
    ordered = sorted(rows, key=lambda row: row.whole("position"))
    return Route(
        type_index(instance, kind, f"line {rows[0].line}: route {rows[0]['route']}"),
        tuple(row.whole("customer") for row in ordered),
    )
