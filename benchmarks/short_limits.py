"""Processor time beyond very short time limits, with two hundred vehicle types, per method.

    python benchmarks/short_limits.py [--methods hgs,policy] [--output lines.jsonl]

A run with a limit of 1, 10 or 50 ms ends with a plan soon after it. What it does beyond the limit
is measured as processor time of this process minus the limit: on a machine that does other work
too, it is the better measure of what a method does. A run before, of another instance, loads
libraries, weights and solvers. The last column has the same with the types alone that no other one
dominates: types that carry less and cost more than another must cost nothing.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

import numpy as np

from fripn import METHODS, Budget, Instance, Run, VehicleType
from fripn.bench.script import ScriptParser, integer, list_of, one_of, run
from fripn.problem.generate import paper_instance
from fripn.solve import get_method

#: Seconds.
LIMITS = (0.001, 0.01, 0.05)

#: Processor seconds beyond the limit that are allowed.
ALLOWED = 0.5


def main() -> int:
    parser = ScriptParser(__doc__)
    parser.add_argument("--methods", type=list_of(one_of(METHODS)), default=list(METHODS))
    parser.add_argument("--customers", type=integer(1), default=40)
    parser.add_argument("--types", type=integer(1), default=200)
    parser.add_argument("--output", type=Path, metavar="FILE", help="append a JSON line per run")
    options = parser.parse_args()
    shapes = {
        "unlimited": many_types(options.customers, options.types, limited=False),
        "limited": many_types(options.customers, options.types, limited=True),
        "dominated": with_dominated_types(options.customers, options.types),
    }
    is_late = False
    heads = "".join(f"{f'{1000 * limit:g} ms':>9}" for limit in LIMITS)
    print(f"processor seconds beyond the limit\nmethod   types     {heads}")
    for name in options.methods:
        method = get_method(name)
        method(paper_instance(8, 1), Run(Budget(seconds=0.1, iterations=5)))
        for shape, instance in shapes.items():
            lines = []
            for limit in LIMITS:
                began = time.process_time()
                result = method(instance, Run(Budget(seconds=limit), seed=1))
                beyond = time.process_time() - began - limit
                lines.append(
                    {
                        "method": name,
                        "types": shape,
                        "customers": instance.num_customers,
                        "num_types": len(instance.vehicle_types),
                        "limit": limit,
                        "beyond": beyond,
                        "has_plan": result.solution is not None,
                    }
                )
            if options.output:
                with options.output.open("a", encoding="utf-8") as output:
                    output.writelines(json.dumps(line) + "\n" for line in lines)
            late = [line["beyond"] for line in lines]
            is_late |= max(late) > ALLOWED
            shown = "".join(f"{max(0.0, seconds):9.3f}" for seconds in late)
            print(f"{name:<9}{shape:<10}{shown}", flush=True)
    return 1 if is_late else 0


def many_types(customers: int, num_types: int, *, limited: bool) -> Instance:
    """Draw an instance with many types, of a limited fleet up to three vehicles each."""
    rng = np.random.default_rng(0)
    types = tuple(
        VehicleType(
            f"t{k}",
            capacity=float(capacity),
            fixed_cost=float(capacity * rng.uniform(9.0, 11.0)),
            unit_cost=float(rng.uniform(1.0, 3.0)),
            available=int(rng.integers(1, 4)) if limited else None,
        )
        for k, capacity in enumerate(rng.uniform(0.5, 3.0, num_types))
    )
    demands = np.concatenate([[0.0], rng.integers(1, 51, customers) / 100.0])
    return Instance("many types", rng.random((customers + 1, 2)), demands, types)


def with_dominated_types(customers: int, num_types: int) -> Instance:
    """Return an instance with four types, and others that carry less and cost more than these."""
    rng = np.random.default_rng(1)
    base = many_types(customers, 4, limited=False)
    dominated = (
        VehicleType(
            f"dominated {k}",
            capacity=one.capacity * float(rng.uniform(0.2, 1.0)),
            fixed_cost=one.fixed_cost * float(rng.uniform(1.0, 2.0)),
            unit_cost=one.unit_cost * float(rng.uniform(1.0, 2.0)),
        )
        for k, one in enumerate(base.vehicle_types[k % 4] for k in range(num_types - 4))
    )
    return base.replace(vehicle_types=(*base.vehicle_types, *dominated))


if __name__ == "__main__":
    run(main)
