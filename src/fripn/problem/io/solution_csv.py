"""Solutions as a table with one row per stop."""

from __future__ import annotations

from dataclasses import dataclass, field

from fripn.errors import InvalidFile, InvalidSolution
from fripn.messages import named, shown
from fripn.problem.instance import Instance
from fripn.problem.io.csv_table import Row, parse_table
from fripn.problem.io.formula_cells import guarded, unguarded
from fripn.problem.io.plan_table import (
    PLAN_COLUMNS,
    clock_rows,
    extra_titles,
    load_titles,
    plan_header,
)
from fripn.problem.io.solution_json import type_index
from fripn.problem.io.stop_finder import StopFinder
from fripn.problem.io.table_dialect import TableDialect, table_text
from fripn.problem.io.visits import check_num_visits, most_visits
from fripn.problem.solution import Route, Solution

_STOP_COLUMNS = ("customer", "id", "name")


def solution_table(
    instance: Instance, solution: Solution, dialect: TableDialect | None = None
) -> str:
    """Return the plan as CSV text; see `clock_rows`.

    Text that a spreadsheet program would run as a formula stands behind an apostrophe, which
    `solution_from_table` leaves out again.
    """
    rows = [
        [guarded(cell) if isinstance(cell, str) else cell for cell in row]
        for row in clock_rows(instance, solution)
    ]
    header = [guarded(title) for title in plan_header(instance)]
    return table_text(header, rows, dialect or TableDialect())


def solution_from_table(text: str, instance: Instance) -> Solution:
    """Build a plan from a table with a row per stop, as `solution_table` or a user writes it.

    Needed are the route, its vehicle type, and for the stop its number (customer), its id or its
    name.

    In a table with rows for the depot, the order of the rows is that of the visits, and a row
    belongs to the route that it stands in: rows can be moved within a route and to another one
    without any change to their cells. The row of the depot at the beginning of a route tells its
    number and its vehicle type.

    In a table without them, the cells tell the route. Where the positions of every route are 1, 2,
    3, … they tell the order; else it is that of the rows.

    Raises
    ------
    InvalidFile, InvalidSolution
        With the line and the value that are wrong.
    """
    further = (*extra_titles(instance), *load_titles(instance))
    columns = PLAN_COLUMNS | {
        guarded(title): (title,) for title in further if title not in PLAN_COLUMNS
    }
    rows = parse_table(text, columns, ("route", "vehicle_type"))
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
    visits = []
    for row in rows:
        stop = _stop(finder, row)
        visits.append(_Visit(row, stop, is_depot=instance.is_depot(stop)))
    if any(visit.is_depot for visit in visits):
        routes = _routes_by_place(visits)
    else:
        routes = _routes_by_cell(visits)
    return Solution(
        tuple(
            Route(type_index(instance, route.vehicle_type, route.place), tuple(route.customers))
            for route in _in_order(routes)
            if route.customers
        )
    )


@dataclass(frozen=True, slots=True)
class _Visit:
    """A row and the stop it is about."""

    row: Row
    stop: int
    is_depot: bool


@dataclass(slots=True)
class _RouteRows:
    """A route while its rows are collected."""

    name: str
    vehicle_type: str
    line: int
    customers: list[int] = field(default_factory=list)
    is_closed: bool = False

    @property
    def place(self) -> str:
        return f"line {self.line}: route {named(self.name)}"

    def check_type(self, row: Row) -> None:
        """Refuse another vehicle type than that of the first row."""
        if unguarded(row["vehicle_type"]) != self.vehicle_type:
            raise row.wrong(
                "vehicle_type",
                "give one type per route",
                f"route {named(self.name)} has the vehicle type {{value}} here and "
                f"{shown(self.vehicle_type)} in line {self.line}",
            )


def _routes_by_place(visits: list[_Visit]) -> list[_RouteRows]:
    """Collect routes between rows of the depot: the place of a row counts, not its cells."""
    routes: dict[str, _RouteRows] = {}
    current: _RouteRows | None = None
    for index, visit in enumerate(visits):
        row, name = visit.row, unguarded(visit.row["route"])
        if visit.is_depot and current is not None and name in ("", current.name):
            current.check_type(row)
            current.is_closed = True
            current = None
        elif visit.is_depot:
            _check_named(row)
            if name in routes:
                raise _beyond_the_end(row, routes[name])
            current = routes[name] = _RouteRows(name, unguarded(row["vehicle_type"]), row.line)
        elif current is not None:
            if name == current.name:
                current.check_type(row)
            elif name and _is_unmoved(visits, index):
                raise row.wrong(
                    "route",
                    f"move the row to where route {named(name)} visits the stop",
                    f"{{field}} is {{value}}, but the row stands in route {named(current.name)}",
                )
            current.customers.append(visit.stop)
        else:
            _check_named(row)
            route = routes.setdefault(
                name, _RouteRows(name, unguarded(row["vehicle_type"]), row.line)
            )
            if route.is_closed:
                raise _beyond_the_end(row, route)
            route.check_type(row)
            route.customers.append(visit.stop)
    return list(routes.values())


def _beyond_the_end(row: Row, route: _RouteRows) -> InvalidFile:
    return row.wrong(
        "route",
        "move the row between the two, or give it a route of its own",
        f"route {named(route.name)} visits the depot at its ends only, but this row stands behind "
        "its last one",
    )


def _is_unmoved(visits: list[_Visit], index: int) -> bool:
    """Return whether the positions show that a row stands where it was written."""
    around = visits[index - 1 : index + 2]
    if len(around) < 3 or "position" not in around[0].row.columns:
        return False
    cells = [visit.row["position"] for visit in around]
    if not all(cell.isascii() and cell.isdigit() and len(cell) < 10 for cell in cells):
        return False
    before, here, after = map(int, cells)
    return before + 1 == here == after - 1


def _routes_by_cell(visits: list[_Visit]) -> list[_RouteRows]:
    """Collect routes by their names."""
    routes: dict[str, _RouteRows] = {}
    members: dict[str, list[_Visit]] = {}
    for visit in visits:
        row, name = visit.row, unguarded(visit.row["route"])
        _check_named(row)
        route = routes.setdefault(name, _RouteRows(name, unguarded(row["vehicle_type"]), row.line))
        route.check_type(row)
        members.setdefault(name, []).append(visit)
    positions = {name: _positions(rows) for name, rows in members.items()}
    is_numbered = all(
        sorted(places) == list(range(1, len(places) + 1)) for places in positions.values()
    )
    for name, rows in members.items():
        order = sorted(range(len(rows)), key=positions[name].__getitem__)
        route = routes[name]
        route.customers = [
            rows[place].stop for place in (order if is_numbered else range(len(rows)))
        ]
    return list(routes.values())


def _positions(visits: list[_Visit]) -> list[int]:
    """Return the positions of rows; without that column, none."""
    if "position" not in visits[0].row.columns:
        return [0] * len(visits)
    return [visit.row.whole("position") if visit.row["position"] else 0 for visit in visits]


def _check_named(row: Row) -> None:
    if not row["route"]:
        raise row.wrong(
            "route", "name the route or vehicle that visits the stop", "{field} is empty"
        )


def _in_order(routes: list[_RouteRows]) -> list[_RouteRows]:
    """Return numbered routes in the order of their numbers, others as they appear."""
    if all(route.name.isascii() and route.name.isdigit() for route in routes):
        # By length first, as no number is too long for that; 01 is not 1.
        return sorted(routes, key=lambda route: (len(route.name), route.name))
    return routes


def _stop(finder: StopFinder, row: Row) -> int:
    """Return the stop of a row, a customer or a depot."""
    where = f"line {row.line}"
    number, own_id, name = (unguarded(row[column]) or None for column in _STOP_COLUMNS)
    if number is None and own_id is None and name is None:
        raise InvalidFile(
            "no stop is given", place=where, remedy="write its id, its name or its number"
        )
    if number is None:
        return finder.find_any(where, None, own_id, name)
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
    return finder.find_any(where, customer, own_id, name)
