"""Reading, building and evaluating an instance of 10,000 customers: seconds and memory.

python benchmarks/large_instance.py [--customers 10000]
"""

import resource
import tempfile
import time
from pathlib import Path

from fripn.bench.script import ScriptParser, integer, run
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


def filled_routes(instance):
    """Fill vehicles of the largest type, customer by customer."""
    vehicle_type = int(instance.capacities.argmax())
    routes, load = [[]], 0.0
    for customer, demand in enumerate(instance.demands.tolist()[1:], start=1):
        if load + demand > instance.capacities[vehicle_type]:
            routes.append([])
            load = 0.0
        routes[-1].append(customer)
        load += demand
    return Solution.of((vehicle_type, route) for route in routes)


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("--customers", type=integer(1), default=10_000)
    options = parser.parse_args()
    instance = timed("draw", lambda: paper_instance(options.customers, 0))
    solution = filled_routes(instance)
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
    run(main)
