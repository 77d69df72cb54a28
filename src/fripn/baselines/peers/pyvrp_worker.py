"""PyVRP in a process of its own, run by `worker_loop`.

It looks at its limits between local searches only: the end of its process keeps a time limit and
a cancel.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pyvrp
from pyvrp.exceptions import PenaltyBoundWarning
from pyvrp.IteratedLocalSearch import IteratedLocalSearchCallbacks


def solve(job: dict[str, Any], write: Callable[[dict[str, Any]], None]) -> None:
    """Search until a limit of the job is reached."""
    end = time.perf_counter() + job["seconds"]
    data = _problem_data(job)
    events = _Events(job, write)
    initial = None
    if job["initial"] is not None:
        routes = [
            pyvrp.Route(data, clients, vehicle_type) for vehicle_type, clients in job["initial"]
        ]
        initial = pyvrp.Solution(data, routes)
    with warnings.catch_warnings():
        # PyVRP reports penalties at their bound; plans are evaluated by fripn in any case.
        warnings.simplefilter("ignore", PenaltyBoundWarning)
        result = pyvrp.solve(
            data,
            stop=lambda _: time.perf_counter() >= end or events.is_done,
            seed=job["seed"],
            collect_stats=False,
            params=pyvrp.SolveParams(ils=pyvrp.IteratedLocalSearchParams(callbacks=events)),
            initial_solution=initial,
        )
    events.on_best(result.best)
    write({"solutions": events.iterations})


class _Events(IteratedLocalSearchCallbacks):
    """Passes better plans on and counts iterations."""

    def __init__(self, job: dict[str, Any], write: Callable[[dict[str, Any]], None]) -> None:
        self._job, self._write = job, write
        self._last_improvement = 0
        self.iterations = 0

    @property
    def is_done(self) -> bool:
        """Whether the job allows no more iterations."""
        most, stall = self._job["iterations"], self._job["stall"]
        stalled = self.iterations - self._last_improvement
        return (most is not None and self.iterations >= most) or (
            stall is not None and stalled >= stall
        )

    def on_iteration(self, *_: object) -> None:
        self.iterations += 1

    def on_best(self, best: pyvrp.Solution) -> None:
        if not best.is_feasible():
            return
        self._last_improvement = self.iterations
        # One list for every vehicle on offer, type by type.
        vehicles: list[list[list[int]]] = [
            [[] for _ in range(vehicle_type["num_available"])]
            for vehicle_type in self._job["vehicle_types"]
        ]
        used = [0] * len(vehicles)
        for route in best.routes():
            vehicle_type = route.vehicle_type()
            vehicles[vehicle_type][used[vehicle_type]] = [
                activity.idx + 1 for activity in route if activity.is_client()
            ]
            used[vehicle_type] += 1
        routes = [clients for vehicle_type in vehicles for clients in vehicle_type]
        self._write({"routes": routes, "iterations": self.iterations})


def _problem_data(job: dict[str, Any]) -> pyvrp.ProblemData:
    distances = job["distance_matrices"]
    durations = job["duration_matrices"]
    if durations is None:
        durations = [np.zeros(distances[0].shape, dtype=np.int64)] * len(distances)
    return pyvrp.ProblemData(
        locations=[pyvrp.Location(x, y) for x, y in job["locations"].tolist()],
        clients=[pyvrp.Client(**client) for client in job["clients"]],
        depots=[pyvrp.Depot(node) for node in job["depots"]],
        vehicle_types=[pyvrp.VehicleType(**vehicle_type) for vehicle_type in job["vehicle_types"]],
        distance_matrices=distances,
        duration_matrices=durations,
    )
