"""Time until the first plan is there, after start-up: 0.1 s at 100 customers, 1 s at 1,000.

    python benchmarks/first_plan.py [--method hybrid] [--repeats 5]

Start-up is importing the method and loading its weights; a first call on a small instance does it.
"""

from __future__ import annotations

import time

import numpy as np

from fripn.bench.script import ScriptParser, integer, run
from fripn.problem.generate import paper_instance, wide_instance
from fripn.solve import solve

#: Customers and the seconds allowed.
ALLOWED = {20: 0.1, 100: 0.1, 300: 1.0, 1000: 1.0, 3000: 3.0, 10_000: 3.0}


def main() -> int:
    parser = ScriptParser(__doc__)
    parser.add_argument("--method", default="hybrid")
    parser.add_argument("--repeats", type=integer(1), default=5)
    parser.add_argument("--largest", type=integer(20), default=10_000)
    options = parser.parse_args()
    solve(paper_instance(10, 0), options.method, time_limit=1.0)
    is_late = False
    for size, allowed in ALLOWED.items():
        if size > options.largest:
            continue
        waits = []
        for seed in range(options.repeats):
            for draw in (paper_instance, wide_instance):
                waits.append(seconds_to_first_plan(draw(size, seed), options.method, allowed))
        is_late |= max(waits) > allowed
        middle = np.median(waits)
        print(
            f"{size:6} customers: median {middle:.4f} s, worst {max(waits):.4f} s of {allowed:g} s"
        )
    return 1 if is_late else 0


def seconds_to_first_plan(instance, method, allowed):
    reported = []
    began = time.perf_counter()
    solve(
        instance,
        method,
        time_limit=allowed,
        on_progress=lambda news: reported.append(time.perf_counter() - began),
    )
    return reported[0] if reported else float("inf")


if __name__ == "__main__":
    run(main)
