"""Solutions as a table with one row per stop."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fripn.errors import InvalidFile, InvalidSolution
from fripn.messages import named, shown
from fripn.problem.instance import Instance
from fripn.problem.io.csv_table import COLUMNS_OF_A_STOP, Row, Rows, parse_table
from fripn.problem.io.solution_json import type_index
from fripn.problem.io.stop_finder import StopFinder
from fripn.problem.io.table_dialect import table_text
from fripn.problem.io.visits import check_num_visits, most_visits
from fripn.problem.solution import Route, Solution

PLAN_COLUMNS: dict[str, Sequence[str]] = {
    "route": ("vehicle",),
    "vehicle_type": ("type",),
    "position": (),
    "customer": (),
    **COLUMNS_OF_A_STOP,
    "distance": (),
}

_STOP_COLUMNS = ("customer", "id", "name")


def solution_table(instance: Instance, solution: Solution) -> str:
    """Return the plan as CSV text: a row per customer, with the distance from the stop before."""
    axes = ["lon", "lat"] if instance.is_geographic else ["x", "y"]
    places = [] if instance.coordinates is None else instance.coordinates.tolist()
    has_ids = instance.stop_ids is not None
    rows = []
    for number, route in enumerate(solution.routes, start=1):
        stops = np.array([0, *route.customers], dtype=np.int64)
        lengths = instance.distances(stops[:-1], stops[1:]).tolist()
        for position, customer in enumerate(route.customers, start=1):
            rows.append(
                [
                    number,
                    instance.vehicle_types[route.vehicle_type].name,
                    position,
                    customer,
                    *([instance.stop_id(customer)] if has_ids else []),
                    instance.stop_name(customer),
                    *(places[customer] if places else []),
                    float(instance.demands[customer]),
                    lengths[position - 1],
                ]
            )
    header = ["route", "vehicle_type", "position", "customer", *(["id"] if has_ids else []), "name"]
    return table_text([*header, *(axes if places else []), "demand", "distance"], rows)


def solution_from_table(text: str, instance: Instance) -> Solution:
    """Build a plan from a table with a row per stop, as `solution_table` or a user writes it.

    Needed are the route, its vehicle type, and for the stop its number (customer), its id or its
    name. Without positions, the rows are in the order of the visits.

    Raises
    ------
    InvalidFile, InvalidSolution
        With the line and the value that are wrong.
    """
    rows = parse_table(text, PLAN_COLUMNS, ("route", "vehicle_type"))
    if not rows:
        raise InvalidFile("the table has a header but no rows", remedy="give one for each stop")
    check_num_visits(len(rows), most_visits(instance))
    if not any(column in rows.columns for column in _STOP_COLUMNS):
        raise InvalidFile(
            "no column names the stop",
            field="header",
            remedy="add 'id', 'name' or 'customer' (its number)",
        )
    finder = StopFinder(instance)
    return Solution(tuple(_route(instance, finder, group) for group in _by_route(rows)))


def _by_route(rows: Rows) -> list[list[Row]]:
    """Collect the rows of each route; numbered routes come in order, others as they appear."""
    routes: dict[str, list[Row]] = {}
    for row in rows:
        if not row["route"]:
            raise row.wrong(
                "route", "name the route or vehicle that visits the stop", "{field} is empty"
            )
        routes.setdefault(row["route"], []).append(row)
    if all(name.isascii() and name.isdigit() for name in routes):
        # By length first, as no number is too long for that; 01 is not 1.
        return [routes[name] for name in sorted(routes, key=lambda name: (len(name), name))]
    return list(routes.values())


def _route(instance: Instance, finder: StopFinder, rows: list[Row]) -> Route:
    type_name = rows[0]["vehicle_type"]
    for row in rows:
        if row["vehicle_type"] != type_name:
            raise row.wrong(
                "vehicle_type",
                "give one type per route",
                f"route {named(row['route'])} has the vehicle type {{value}} here and "
                f"{shown(type_name)} in line {rows[0].line}",
            )
    return Route(
        type_index(instance, type_name, f"line {rows[0].line}: route {named(rows[0]['route'])}"),
        tuple(_customer(finder, row) for row in _in_order(rows)),
    )


def _in_order(rows: list[Row]) -> list[Row]:
    if "position" not in rows[0].columns:
        return rows
    positions: dict[int, Row] = {}
    for row in rows:
        position = row.whole("position")
        if position in positions:
            raise row.wrong(
                "position",
                "number the stops of a route 1, 2, 3, …",
                f"position {shown(position)} of route {named(row['route'])} is already taken "
                f"in line {positions[position].line}",
            )
        positions[position] = row
    return [positions[position] for position in sorted(positions)]


def _customer(finder: StopFinder, row: Row) -> int:
    where = f"line {row.line}"
    number, own_id, name = (row[column] or None for column in _STOP_COLUMNS)
    if number is None and own_id is None and name is None:
        raise InvalidFile(
            "no stop is given", place=where, remedy="write its id, its name or its number"
        )
    if number is None:
        return finder.find(where, None, own_id, name)
    try:
        customer = row.whole("customer")
    except InvalidFile as error:
        error.remedy = f"{error.remedy}, or call the column 'id' or 'name'"
        raise
    other = finder.other_with_id(customer)
    if own_id is None and name is None and other is not None:
        raise InvalidSolution(
            f"{{field}} is {{value}}, which may be a number or the id of {other}",
            field="customer",
            value=customer,
            place=where,
            remedy="call the column 'id' if it holds ids, else add a column 'id' beside it",
        )
    return finder.find(where, customer, own_id, name)
