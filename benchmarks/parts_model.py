"""The parts of the capacity model: what cutting, evaluating, sending and searching parts takes.

    python benchmarks/parts_model.py [--customers 10000,50000,100000,200000]
        [--part-customers 1000,1500] [--places uniform,clustered] [--seconds 5] [--output FILE]

For every size and distribution of places a process of its own builds the plan of savings, cuts it
into parts, pickles them, evaluates the plan and puts the routes back, and measures the processor
time and its peak memory. Then the largest part of the smallest instance is annealed in a process
of its own, whose peak memory is that of a worker. A JSON line each.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import pickle
import resource
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from fripn import Budget, solve
from fripn.bench.run import current_commit
from fripn.bench.script import ScriptParser, integer, list_of, one_of, positive, run
from fripn.parts.part import ANNEALING, Cut, Part, cut_out, improve_part
from fripn.parts.partition import group_routes
from fripn.parts.schedule import Schedule
from fripn.problem import Instance, Solution, evaluate
from fripn.problem.generate import PAPER, random_instance

PLACES = ("uniform", "clustered")


def peak_mib() -> float:
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10, 1)


def draw(num_customers: int, places: str) -> Instance:
    return random_instance(replace(PAPER, places=(places,)), num_customers, 1)


def first_plan(instance: Instance) -> Solution:
    plan = solve(instance, "savings").solution
    assert plan is not None
    return plan


def cuts_of(instance: Instance, plan: Solution, part_customers: int) -> list[Cut]:
    rng = np.random.default_rng(1)
    num_parts = max(2, round(instance.num_customers / part_customers))
    return cut_out(instance, plan, group_routes(instance, plan, num_parts, rng), rng)


def driver(num_customers: int, places: str, part_customers: int) -> dict[str, Any]:
    """Do what the driver does in a round, and describe it."""
    seconds: dict[str, float] = {}

    def timed(name: str, work: Callable[[], Any]) -> Any:
        began = time.process_time()
        outcome = work()
        seconds[f"{name}_seconds"] = round(time.process_time() - began, 4)
        return outcome

    instance = draw(num_customers, places)
    plan = timed("savings", lambda: first_plan(instance))
    cuts = timed("cut", lambda: cuts_of(instance, plan, part_customers))
    sent = timed("pickle", lambda: [pickle.dumps((cut.instance, cut.plan)) for cut in cuts])
    timed("evaluate", lambda: evaluate(instance, plan))
    timed("put_back", lambda: [cut.original_routes(cut.plan) for cut in cuts])
    return {
        "what": "driver",
        "parts": len(cuts),
        "largest_part": max(cut.instance.num_customers for cut in cuts),
        "mean_kb": round(sum(map(len, sent)) / len(sent) / 1000, 1),
        **seconds,
        "peak_mib": peak_mib(),
    }


def largest_part(num_customers: int, places: str, part_customers: int, seconds: float) -> bytes:
    """Return the largest part of an instance, pickled as it travels to a worker."""
    instance = draw(num_customers, places)
    plan = first_plan(instance)
    cut = max(cuts_of(instance, plan, part_customers), key=lambda cut: cut.instance.num_customers)
    schedule = Schedule.of(
        instance,
        evaluate(instance, plan),
        start=ANNEALING.start_temperature,
        end=ANNEALING.end_temperature,
    )
    temperatures = schedule.temperature(0.0, 100.0), schedule.temperature(1.0, 100.0)
    part = Part(0, cut.instance, cut.plan, Budget(seconds=seconds), 1, temperatures)
    return pickle.dumps(part)


def worker(data: bytes) -> dict[str, Any]:
    """Anneal a part in this process, which does nothing else, and describe it."""
    before = peak_mib()
    part: Part = pickle.loads(data)
    began = time.process_time()
    improved = improve_part(part)
    used = time.process_time() - began
    return {
        "what": "worker",
        "largest_part": part.instance.num_customers,
        "iterations": improved.iterations,
        "seconds": round(used, 2),
        "mib_before": before,
        "peak_mib": peak_mib(),
    }


def alone(work: Callable[..., Any], *arguments: object) -> Any:
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(work, *arguments).result()


def main() -> None:
    parser = ScriptParser(__doc__)
    sizes = [10_000, 50_000, 100_000, 200_000]
    parser.add_argument("--customers", type=list_of(integer(2)), default=sizes)
    parser.add_argument("--part-customers", type=list_of(integer(50)), default=[1000, 1500])
    parser.add_argument("--places", type=list_of(one_of(PLACES)), default=list(PLACES))
    parser.add_argument("--seconds", type=positive, default=5.0, help="of a worker")
    parser.add_argument("--output", type=Path, metavar="FILE", help="append the JSON lines")
    options = parser.parse_args()

    def note(found: dict[str, Any], **settings: object) -> None:
        common = {"load": round(os.getloadavg()[0], 1), "commit": current_commit()}
        line = json.dumps({**settings, **found, **common})
        print(line, file=sys.stderr, flush=True)
        if options.output is not None:
            with options.output.open("a", encoding="utf-8") as output:
                output.write(line + "\n")

    for places in options.places:
        for customers in options.customers:
            size = options.part_customers[0]
            found = alone(driver, customers, places, size)
            note(found, customers=customers, places=places, part_customers=size)
        for size in options.part_customers:
            customers = min(options.customers)
            data = alone(largest_part, customers, places, size, options.seconds)
            found = alone(worker, data)
            note(found, customers=customers, places=places, part_customers=size)


if __name__ == "__main__":
    run(main)
