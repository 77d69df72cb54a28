"""A plan as the rows of a table: a row per stop, from depot to depot, so that distances add up."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fripn.problem.instance import Instance
from fripn.problem.io.csv_table import COLUMNS_OF_A_STOP
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
}

#: A cell of a table; None is an empty one.
PlanCell = str | int | float | None


def plan_header(instance: Instance) -> list[str]:
    """Return the columns of a plan for an instance."""
    has_ids = instance.stop_ids is not None
    axes = ["lon", "lat"] if instance.is_geographic else ["x", "y"]
    return [
        "route",
        "vehicle_type",
        "position",
        "customer",
        *(["id"] if has_ids else []),
        "name",
        *([] if instance.coordinates is None else axes),
        *extra_titles(instance),
        "demand",
        "load_so_far",
        "distance",
        "distance_so_far",
    ]


def extra_titles(instance: Instance) -> list[str]:
    """Return the user's further columns; one that is called like one of ours gets another name."""
    taken = {name for column, names in PLAN_COLUMNS.items() for name in (column, *names)}
    return [
        f"stop {title}" if title.strip().lower().replace(" ", "_") in taken else title
        for title in instance.extra_columns or {}
    ]


def plan_rows(instance: Instance, solution: Solution) -> list[list[PlanCell]]:
    """Return a row per visit; the depot stands before and after the customers of every route.

    ``position`` counts the visits of a route from 0, ``distance`` is that from the stop before,
    rounded to what a planner can use.
    """
    decimals = _decimals(instance, solution)
    return [
        row
        for number, route in enumerate(solution.routes, start=1)
        for row in _route_rows(instance, number, route, decimals)
    ]


def _route_rows(
    instance: Instance, number: int, route: Route, decimals: int
) -> list[list[PlanCell]]:
    if not route.customers:
        return []
    stops = np.array([0, *route.customers, 0], dtype=np.int64)
    distances = [0.0, *instance.distances(stops[:-1], stops[1:]).tolist()]
    driven = np.cumsum(distances).tolist()
    loads = np.cumsum(instance.demands[stops]).tolist()
    rows = []
    for position, stop in enumerate(stops.tolist()):
        is_depot = stop == 0
        rows.append(
            [
                number,
                instance.vehicle_types[route.vehicle_type].name,
                position,
                stop,
                *([instance.stop_id(stop)] if instance.stop_ids is not None else []),
                instance.stop_name(stop),
                *([] if instance.coordinates is None else instance.coordinates[stop].tolist()),
                *(texts[stop] or None for texts in (instance.extra_columns or {}).values()),
                None if is_depot else float(instance.demands[stop]),
                # Sums of decimals such as 0.1 + 0.2 are not exact.
                float(f"{loads[position]:.9g}"),
                round(distances[position], decimals),
                round(driven[position], decimals),
            ]
        )
    return rows


def _decimals(instance: Instance, solution: Solution) -> int:
    """Return the decimals of distances: metres of a kilometre, more where all are small."""
    longest = 0.0
    for route in solution.routes:
        stops = np.array([0, *route.customers, 0], dtype=np.int64)
        longest = max(longest, float(instance.distances(stops[:-1], stops[1:]).max()))
    return 3 if longest >= 1 or longest == 0 else min(3 - int(np.floor(np.log10(longest))), 40)
