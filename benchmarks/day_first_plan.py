"""Processor time until the first plan of a working day is there: 1 s at 1,000 customers.

    python benchmarks/day_first_plan.py [--customers 1000] [--method hybrid] [--repeats 3]

The days have windows and service times; one kind each has a fleet that is barely large enough,
hours that are paid, several windows per stop, several depots, and customers that only some types
may serve. One thread, so that the time of the processor does not depend on what else it does.
Where no plan is found, the reason is printed.
"""

from __future__ import annotations

import time
from collections import Counter

import numpy as np

from fripn import Instance, Stop, VehicleType, solve
from fripn.bench.script import ScriptParser, integer, run

#: Seconds of processor time allowed.
ALLOWED = 1.0

#: Seconds after which a run without a plan is ended.
PATIENCE = 60.0

SHAPES = ("windows", "limited", "hours", "several windows", "depots", "access")


def main() -> int:
    parser = ScriptParser(__doc__)
    parser.add_argument("--customers", type=integer(2), default=1000)
    parser.add_argument("--method", default="hybrid")
    parser.add_argument("--repeats", type=integer(1), default=3)
    options = parser.parse_args()
    solve(draw("windows", 10, 0), options.method, time_limit=0.1)  # loads what is needed
    is_late = False
    for shape in SHAPES:
        waits = []
        for seed in range(options.repeats):
            instance = draw(shape, options.customers, seed)
            wait, notes = seconds_to_first_plan(instance, options.method)
            waits.append(wait)
            if wait == float("inf"):
                print(f"{instance.name}: no plan in {PATIENCE:g} s; {' '.join(notes)}")
        is_late |= max(waits) > ALLOWED
        print(f"{shape:16} median {np.median(waits):.3f} s, worst {max(waits):.3f} s")
    return 1 if is_late else 0


def seconds_to_first_plan(instance: Instance, method: str) -> tuple[float, tuple[str, ...]]:
    """Return the processor time until the first plan, and what the result remarks."""
    reported: list[float] = []
    stop = Stop()

    def first(_: object) -> None:
        reported.append(time.process_time() - began)
        stop.set()

    began = time.process_time()
    result = solve(instance, method, time_limit=PATIENCE, threads=1, on_progress=first, stop=stop)
    return reported[0] if reported else float("inf"), result.notes


def draw(shape: str, num_customers: int, seed: int) -> Instance:
    """Return a random day of a shape."""
    rng = np.random.default_rng([seed, num_customers])
    num_depots = 3 if shape == "depots" else 1
    nodes = num_customers + num_depots
    # From 100 on, so that every customer can be reached before it closes.
    opens = rng.uniform(100, 450, num_customers)
    windows = [[(o, o + 60.0)] for o in opens]
    if shape == "several windows":
        windows = [[(o, o + 30.0), (o + 150.0, o + 180.0)] for o in opens]
    depots = [[(0.0, 900.0)]] * (num_depots - 1)
    types = [
        VehicleType(
            f"{name}{depot or ''}",
            capacity,
            fixed_cost,
            unit_cost,
            depot=depot,
            cost_per_hour=20.0 if shape == "hours" else 0.0,
            offers=["lift"] if name == "large" else [],
        )
        for depot in range(num_depots)
        for name, capacity, fixed_cost, unit_cost in (
            ("small", 100, 60.0, 1.0),
            ("medium", 200, 100.0, 1.2),
            ("large", 400, 170.0, 1.5),
        )
    ]
    instance = Instance(
        f"{shape}-{num_customers}-{seed}",
        rng.random((nodes, 2)) * 100,
        [0.0, *rng.integers(1, 30, num_customers).astype(float)],
        tuple(types),
        num_depots=num_depots,
        service_times=[0.0, *[5.0] * num_customers, *[0.0] * (num_depots - 1)],
        time_windows=[[(0.0, 900.0)], *windows, *depots],
        requires=[
            (),
            *(("lift",) if shape == "access" and rng.random() < 0.2 else () for _ in opens),
        ],
        hour=60.0,
    )
    return barely_enough(instance) if shape == "limited" else instance


def barely_enough(instance: Instance) -> Instance:
    """Return the instance with the vehicles that savings hire, and a twentieth more."""
    plan = solve(instance, "savings", threads=1).solution
    assert plan is not None
    hired = Counter(route.vehicle_type for route in plan.routes)
    return instance.replace(
        vehicle_types=tuple(
            vehicle.replace(available=hired[k] + -(-hired[k] // 20))
            for k, vehicle in enumerate(instance.vehicle_types)
        )
    )


if __name__ == "__main__":
    run(main)
