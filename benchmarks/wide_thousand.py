"""Solve random instances of the wide distribution for 0.1 s each: all plans valid, all in time.

    python benchmarks/wide_thousand.py [--method hybrid] [--count 1000] [--time-limit 0.1]

A run is late when the solver took longer than the limit plus 2 % plus 50 ms. The first run, which
loads code and weights, is not counted. Exits with 1 when a plan is missing or invalid, or late.
"""

from __future__ import annotations

import time

import numpy as np

from fripn.bench.script import ScriptParser, integer, positive, run
from fripn.problem import evaluate
from fripn.problem.generate import wide_instance
from fripn.solve import solve


def main() -> int:
    parser = ScriptParser(__doc__)
    parser.add_argument("--method", default="hybrid")
    parser.add_argument("--count", type=integer(1), default=1000)
    parser.add_argument("--time-limit", type=positive, default=0.1)
    parser.add_argument("--largest", type=integer(1), default=1000, help="customers at most")
    parser.add_argument("--threads", type=integer(1), default=1)
    options = parser.parse_args()
    allowed = options.time_limit * 1.02 + 0.05
    solve(wide_instance(10, 0), options.method, time_limit=0.1)

    sizes = np.exp(np.random.default_rng(7).uniform(0, np.log(options.largest), options.count))
    reported, solver, bad = [], [], 0
    for seed, size in enumerate(np.rint(sizes).astype(int)):
        instance = wide_instance(int(size), seed)
        began = time.perf_counter()
        result = solve(
            instance,
            options.method,
            time_limit=options.time_limit,
            seed=seed,
            threads=options.threads,
        )
        seconds = time.perf_counter() - began
        reported.append(result.seconds)
        solver.append(seconds)
        faults = []
        if result.solution is None:
            faults.append("no plan")
        elif violations := evaluate(instance, result.solution).violations:
            faults.append(violations[0].message)
        if result.seconds > allowed:
            faults.append(f"{result.seconds:.3f} s by its own clock")
        elif seconds > allowed:
            faults.append(f"{seconds:.3f} s around the call")
        if faults:
            bad += 1
            print(f"seed {seed}, {size} customers, {instance.num_types} types: {', '.join(faults)}")
    for name, values in (("reported", reported), ("around the call", solver)):
        middle, late, worst = np.quantile(values, [0.5, 0.99, 1.0])
        print(f"{name}: median {middle:.3f} s, 99 % {late:.3f} s, worst {worst:.3f} s")
    print(f"{options.count} instances, {bad} with faults (allowed: {allowed:.3f} s)")
    return 1 if bad else 0


if __name__ == "__main__":
    run(main)
