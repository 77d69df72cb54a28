"""A plan as the rows of a table: a row per stop, from depot to depot, so that distances add up."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fripn.problem.clock import known_hour
from fripn.problem.evaluate import RouteCost, evaluate
from fripn.problem.instance import Instance
from fripn.problem.io.csv_table import COLUMNS_OF_A_STOP
from fripn.problem.schedule import RouteSchedule
from fripn.problem.solution import Route, Solution

#: Columns of a plan, each with its other names.
PLAN_COLUMNS: dict[str, Sequence[str]] = {
    "route": ("vehicle",),
    "vehicle_type": ("type",),
    "position": (),
    "customer": (),
    **COLUMNS_OF_A_STOP,
    "load_so_far": (),
    "distance": (),
    "distance_so_far": (),
    "arrival": (),
    "start": (),
    "departure": (),
}

#: A cell of a table; None is an empty one.
PlanCell = str | int | float | None


def plan_header(instance: Instance) -> list[str]:
    """Return the columns of a plan for an instance."""
    axes = ["lon", "lat"] if instance.is_geographic else ["x", "y"]
    return [
        "route",
        "vehicle_type",
        "position",
        "customer",
        *([] if instance.stop_ids is None else ["id"]),
        "name",
        *([] if instance.coordinates is None else axes),
        *extra_titles(instance),
        *load_titles(instance),
        "distance",
        "distance_so_far",
        *(["arrival", "start", "departure"] if instance.has_schedule else []),
    ]


def load_titles(instance: Instance) -> list[str]:
    """Return the columns of demands and of the sums on the way, two per load dimension."""
    if instance.num_loads == 1:
        return ["demand", "load_so_far"]
    names = instance.load_names or [str(load) for load in range(1, instance.num_loads + 1)]
    return [title for name in names for title in (f"demand {name}", f"load_so_far {name}")]


def extra_titles(instance: Instance) -> list[str]:
    """Return the user's further columns; one that is called like one of ours gets another name."""
    taken = {name for column, names in PLAN_COLUMNS.items() for name in (column, *names)}
    return [
        f"stop {title}" if title.strip().lower().replace(" ", "_") in taken else title
        for title in instance.extra_columns or {}
    ]


def clock_rows(instance: Instance, solution: Solution) -> list[list[PlanCell]]:
    """Return the rows of a plan with times of day, as tables of stops have them.

    Where the unit of time is not known, times stay numbers.
    """
    rows = plan_rows(instance, solution)
    hour = known_hour(instance)
    if hour is None or not instance.has_schedule:
        return rows
    return [[*row[:-3], *(_clock(cell, hour) for cell in row[-3:])] for row in rows]


def _clock(time: PlanCell, hour: float) -> PlanCell:
    """Return ``08:30``, or with seconds where they are not 0."""
    if not isinstance(time, float | int):
        return time
    seconds = round(3600 * time / hour)
    sign, seconds = ("-" if seconds < 0 else ""), abs(seconds)
    text = f"{sign}{seconds // 3600:02d}:{seconds // 60 % 60:02d}"
    return text if seconds % 60 == 0 else f"{text}:{seconds % 60:02d}"


def plan_rows(instance: Instance, solution: Solution) -> list[list[PlanCell]]:
    """Return a row per visit; the depot stands before and after the customers of every route.

    A route of a type that does not return has no depot at its end. ``position`` counts the visits
    of a route from 0, ``distance`` is that from the stop before, rounded to what a planner can
    use; so are the times, which are in the unit of the instance.
    """
    decimals = _decimals(instance, solution)
    costs = evaluate(instance, solution).routes
    return [
        row
        for number, (route, cost) in enumerate(zip(solution.routes, costs, strict=True), start=1)
        if route.customers
        for row in _route_rows(instance, number, route, cost, decimals)
    ]


def _route_rows(
    instance: Instance, number: int, route: Route, cost: RouteCost, decimals: int
) -> list[list[PlanCell]]:
    stops = instance.tour(route.vehicle_type, route.customers)
    nodes = np.array(stops, dtype=np.int64)
    distances = [0.0, *instance.distances(nodes[:-1], nodes[1:]).tolist()]
    driven = np.cumsum(distances).tolist()
    loads = np.zeros(instance.num_loads)
    rows = []
    for position, stop in enumerate(stops):
        is_depot = instance.is_depot(stop)
        demands = [None] * len(loads) if is_depot else instance.load_matrix[stop].tolist()
        loads = loads + np.array([demand or 0.0 for demand in demands])
        # Sums of decimals such as 0.1 + 0.2 are not exact.
        so_far = [float(f"{load:.9g}") for load in loads]
        rows.append(
            [
                number,
                instance.vehicle_types[route.vehicle_type].name,
                position,
                stop,
                *([] if instance.stop_ids is None else [instance.stop_id(stop)]),
                instance.stop_name(stop),
                *([] if instance.coordinates is None else instance.coordinates[stop].tolist()),
                *(texts[stop] or None for texts in (instance.extra_columns or {}).values()),
                *(cell for pair in zip(demands, so_far, strict=True) for cell in pair),
                round(distances[position], decimals),
                round(driven[position], decimals),
                *(_times(cost.schedule, position) if instance.has_schedule else []),
            ]
        )
    return rows


def _times(schedule: RouteSchedule | None, position: int) -> list[PlanCell]:
    """Return arrival, start of service and departure; the depot has one of them at each end."""
    if schedule is None:
        return [None, None, None]
    if position == 0:
        return [None, None, round(schedule.departure, 3)]
    if position > len(schedule.visits):
        return [round(schedule.end, 3), None, None]
    visit = schedule.visits[position - 1]
    return [round(visit.arrival, 3), round(visit.start, 3), round(visit.departure, 3)]


def _decimals(instance: Instance, solution: Solution) -> int:
    """Return the decimals of distances: metres of a kilometre, more where all are small."""
    longest = 0.0
    for route in solution.routes:
        nodes = np.array(instance.tour(route.vehicle_type, route.customers), dtype=np.int64)
        longest = max([longest, *instance.distances(nodes[:-1], nodes[1:]).tolist()])
    return 3 if longest >= 1 or longest == 0 else min(3 - int(np.floor(np.log10(longest))), 40)
