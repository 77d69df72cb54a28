"""Reading, building and evaluating an instance of 10,000 customers: seconds and memory.

Usage: python benchmarks/large_instance.py [number of customers]
"""

import resource
import sys
import tempfile
import time
from pathlib import Path

from fripn.problem import Solution, evaluate
from fripn.problem.generate import paper_instance
from fripn.problem.io import (
    read_instance,
    read_solution,
    vehicles_path,
    write_instance,
    write_solution,
)


def timed(label, action):
    start = time.perf_counter()
    value = action()
    print(f"{label:28}{time.perf_counter() - start:8.3f} s")
    return value


def full_routes(instance):
    """Fill vehicles of the largest type, customer by customer."""
    kind = int(instance.capacities.argmax())
    routes, load = [[]], 0.0
    for customer, demand in enumerate(instance.demands.tolist()[1:], start=1):
        if load + demand > instance.capacities[kind]:
            routes.append([])
            load = 0.0
        routes[-1].append(customer)
        load += demand
    return Solution.of((kind, route) for route in routes)


def main(num_customers):
    instance = timed("draw", lambda: paper_instance(num_customers, 0))
    solution = full_routes(instance)
    with tempfile.TemporaryDirectory() as folder:
        for suffix in (".json", ".csv", ".vrp"):
            path = Path(folder, f"large{suffix}")
            timed(f"write {suffix}", lambda path=path: write_instance(instance, path))
            vehicles = vehicles_path(path) if suffix == ".csv" else None
            start = time.perf_counter()
            back = timed(f"read {suffix}", lambda p=path, v=vehicles: read_instance(p, vehicles=v))
            evaluation = timed("  evaluate", lambda back=back: evaluate(back, solution))
            assert evaluation.is_feasible
            total = time.perf_counter() - start
            print(f"  read, build and evaluate  {total:8.3f} s (aim: under 2 s)")
        for suffix in (".json", ".csv", ".sol"):
            path = Path(folder, f"plan{suffix}")
            timed(f"write plan {suffix}", lambda p=path: write_solution(instance, solution, p))
            timed(f"read plan {suffix}", lambda p=path: read_solution(p, instance))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory {peak:.0f} MiB (aim: under 1,024)")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
