"""VROOM in a process of its own, run by `worker_loop`.

It cannot be stopped while it constructs, and holds Python's lock meanwhile: only the end of its
process keeps a time limit.
"""

from __future__ import annotations

import datetime
import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import vroom

#: Exploration levels and how much work each is against level 0, as measured.
LEVELS = {0: 1.0, 1: 3.0, 2: 8.0, 3: 15.0, 4: 30.0, 5: 50.0}


def solve(job: dict[str, Any], write: Callable[[dict[str, Any]], None]) -> None:
    """Run at level 0, then at the highest level that should fit the time left."""
    began = time.perf_counter()
    num_runs, level = 0, 0
    while num_runs < min(2, job["max_runs"]):
        before = time.perf_counter()
        routes = _solve(job, level, job["seconds"] - (before - began))
        took = time.perf_counter() - before
        num_runs += 1
        if routes is not None:
            write({"routes": routes})
        left = job["seconds"] - (time.perf_counter() - began)
        fitting = [higher for higher, work in LEVELS.items() if higher and work * took < left]
        if not fitting:
            break
        level = max(fitting)
    write({"solutions": num_runs})


def _solve(job: dict[str, Any], level: int, seconds: float) -> list[list[int]] | None:
    model = vroom.Input()
    demands = job["demands"]
    for number, costs in enumerate(job["profiles"]):
        model.set_durations_matrix(str(number), np.zeros(costs.shape, dtype=np.uint32))
        model.set_costs_matrix(str(number), costs.astype(np.uint32))
    for number, vehicle in enumerate(job["vehicles"]):
        model.add_vehicle(
            vroom.Vehicle(
                number,
                start=0,
                end=0,
                profile=str(vehicle["profile"]),
                capacity=[vehicle["capacity"]],
                costs=vroom.VehicleCosts(fixed=vehicle["fixed_cost"]),
            )
        )
    for customer in range(1, len(demands)):
        model.add_job(vroom.Job(customer, location=customer, delivery=[demands[customer]]))
    timeout = None
    if math.isfinite(seconds):
        timeout = datetime.timedelta(seconds=max(0.001, seconds))
    answer = model.solve(exploration_level=level, nb_threads=job["threads"], timeout=timeout)
    if answer.summary.unassigned:
        return None
    routes: list[list[int]] = [[] for _ in job["vehicles"]]
    for route in answer.to_dict()["routes"]:
        routes[route["vehicle"]] = [step["id"] for step in route["steps"] if step["type"] == "job"]
    return routes
