"""Random instances of a working day with any combination of its parts, for all tests."""

from __future__ import annotations

import numpy as np

from fripn.errors import InvalidInstance
from fripn.problem import Instance, Solution, VehicleType

#: The parts that `day_instance` can use.
PARTS = (
    "windows",
    "several_windows",
    "services",
    "durations",
    "speeds",
    "shifts",
    "max_duration",
    "max_distance",
    "max_stops",
    "cost_per_hour",
    "access",
    "loads",
    "depots",
    "open",
    "limited",
    "matrix",
)


def day_instance(seed: int, num_customers: int, parts: set[str] | None = None) -> Instance:
    """Return a random instance whose customers can be served one by one.

    Parameters
    ----------
    seed
        Of everything random.
    num_customers
        Number of customers.
    parts
        Which of `PARTS` to use; None for a random choice. All times, matrices, demands and speeds
        are exact in binary, so that tests can compare without tolerance where "matrix" is used.
    """
    rng = np.random.default_rng(seed)
    if parts is None:
        parts = {part for part in PARTS if rng.random() < 0.4}
    while True:
        try:
            return _draw(rng, num_customers, parts, f"day-{seed}")
        except InvalidInstance:
            continue  # a customer that no type can serve: draw again


def _draw(rng, n, parts, name):
    num_depots = 1 + int(rng.integers(1, 3)) if "depots" in parts else 1
    num_loads = int(rng.integers(2, 4)) if "loads" in parts else 1
    num_types = int(rng.integers(max(1, num_depots), 5))
    nodes = n + num_depots
    coordinates = rng.integers(0, 41, (nodes, 2)).astype(float)
    matrix = None
    if "matrix" in parts:
        matrix = rng.integers(0, 41, (nodes, nodes)).astype(float)
        np.fill_diagonal(matrix, 0.0)
    demands = rng.integers(0, 9, (n + 1, num_loads)).astype(float)
    demands[0] = 0.0
    return Instance(
        name=name,
        coordinates=coordinates,
        demands=demands if num_loads > 1 else demands[:, 0],
        vehicle_types=tuple(
            _draw_type(rng, parts, k, num_loads, num_depots, n) for k in range(num_types)
        ),
        metric="euclidean" if matrix is None else "matrix",
        matrix=matrix,
        num_depots=num_depots,
        durations=rng.integers(0, 31, (nodes, nodes)) if "durations" in parts else None,
        service_times=_draw_services(rng, n, nodes) if "services" in parts else None,
        time_windows=_draw_windows(rng, parts, n, nodes),
        allowed_types=_draw_access(rng, n, num_types) if "access" in parts else None,
        requires=_draw_tags(rng, n) if "access" in parts else None,
        hour=float(rng.choice([1.0, 60.0])),
    )


def _draw_type(rng, parts, k, num_loads, num_depots, n):
    def maybe(part, low, high):
        uses = part in parts and rng.random() < 0.6
        return float(rng.integers(low, high)) if uses else None

    capacity = tuple(rng.integers(8, 31, num_loads).astype(float))
    start = maybe("shifts", 0, 60)
    end = maybe("shifts", 200, 400)
    return VehicleType(
        name=f"type{k}",
        capacity=capacity if num_loads > 1 else capacity[0],
        fixed_cost=float(rng.integers(0, 50)),
        unit_cost=float(rng.integers(0, 4)),
        available=int(rng.integers(n, 2 * n + 1)) if "limited" in parts else None,
        depot=k % num_depots,
        returns=not ("open" in parts and rng.random() < 0.5),
        speed=float(rng.choice([0.5, 1.0, 2.0])) if "speeds" in parts else 1.0,
        shift_start=start,
        shift_end=end,
        max_duration=maybe("max_duration", 100, 250),
        max_distance=maybe("max_distance", 100, 250),
        max_stops=None if "max_stops" not in parts else int(rng.integers(1, 6)),
        cost_per_hour=maybe("cost_per_hour", 1, 30) or 0.0,
        offers=[tag for tag in ("fridge", "lift") if "access" in parts and rng.random() < 0.7],
    )


def _draw_services(rng, n, nodes):
    services = rng.integers(0, 15, nodes).astype(float)
    services[0] = services[n + 1 :] = 0.0
    return services


def _draw_windows(rng, parts, n, nodes):
    if not {"windows", "several_windows"} & parts:
        return None
    windows = []
    for node in range(nodes):
        own = []
        most = 3 if "several_windows" in parts and 1 <= node <= n else 1
        for _ in range(int(rng.integers(0, most + 1))):
            opens = float(rng.integers(0, 250))
            own.append((opens, opens + float(rng.integers(0, 80))))
        if node == 0 or node > n:
            own = [(float(rng.integers(0, 30)), float(rng.integers(300, 500)))] if own else []
        elif own and rng.random() < 0.1:
            own[-1] = (own[-1][0], None)
        elif own and rng.random() < 0.1:
            own[0] = (None, own[0][1])
        windows.append(own)
    return windows


def _draw_access(rng, n, num_types):
    rows = [None]
    for _ in range(n):
        allowed = [k for k in range(num_types) if rng.random() < 0.6]
        rows.append(allowed if allowed and rng.random() < 0.5 else None)
    return rows


def _draw_tags(rng, n):
    return [()] + [tuple(t for t in ("fridge", "lift") if rng.random() < 0.15) for _ in range(n)]


def random_plan(instance: Instance, seed: int) -> Solution:
    """Return a plan that serves every customer once, in a random order, feasible or not."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(np.arange(1, instance.num_customers + 1)).tolist()
    routes = []
    while order:
        size = int(rng.integers(1, 7))
        routes.append((int(rng.integers(instance.num_types)), order[:size]))
        order = order[size:]
    return Solution.of(routes)
