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
    model = _day_input(job) if "fleets" in job else _plain_input(job)
    timeout = None
    if math.isfinite(seconds):
        timeout = datetime.timedelta(seconds=max(0.001, seconds))
    answer = model.solve(exploration_level=level, nb_threads=job["threads"], timeout=timeout)
    if answer.summary.unassigned:
        return None
    routes: list[list[int]] = [[] for _ in range(job["num_vehicles"])]
    for route in answer.to_dict()["routes"]:
        routes[route["vehicle"]] = [step["id"] for step in route["steps"] if step["type"] == "job"]
    return routes


def _plain_input(job: dict[str, Any]) -> vroom.Input:
    """Return an input with loads and travel costs, all vehicles at one depot."""
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
    return model


def _day_input(job: dict[str, Any]) -> vroom.Input:
    """Return an input with a working day; each set of types that may serve a stop is a skill."""
    model = vroom.Input()
    for number, (costs, times) in enumerate(zip(job["costs"], job["times"], strict=True)):
        model.set_durations_matrix(str(number), times.astype(np.uint32))
        model.set_costs_matrix(str(number), costs.astype(np.uint32))
        if job["distances"] is not None:
            model.set_distances_matrix(str(number), job["distances"].astype(np.uint32))
    sets = sorted({tuple(types) for types in job["allowed"] if types is not None})
    vehicles = (fleet for fleet in job["fleets"] for _ in range(fleet["count"]))
    for number, fleet in enumerate(vehicles):
        limits = {name: fleet[name] for name in ("max_distance",) if fleet[name] is not None}
        if fleet["max_stops"] is not None:
            limits["max_tasks"] = fleet["max_stops"]
        latest = fleet["latest"]
        model.add_vehicle(
            vroom.Vehicle(
                number,
                start=fleet["depot"],
                end=fleet["depot"] if fleet["returns"] else None,
                profile=str(fleet["profile"]),
                capacity=fleet["capacities"],
                skills={
                    skill for skill, types in enumerate(sets) if fleet["vehicle_type"] in types
                },
                time_window=vroom.TimeWindow(
                    fleet["earliest"], job["horizon"] if latest is None else latest
                ),
                costs=vroom.VehicleCosts(fixed=fleet["fixed_cost"]),
                **limits,
            )
        )
    for customer in range(1, len(job["allowed"])):
        types = job["allowed"][customer]
        model.add_job(
            vroom.Job(
                customer,
                location=customer,
                default_service=job["services"][customer],
                delivery=job["demands"][customer],
                skills=set() if types is None else {sets.index(tuple(types))},
                time_windows=[vroom.TimeWindow(*window) for window in job["windows"][customer]],
            )
        )
    return model
