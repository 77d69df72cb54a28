"""Time from a cancel to the result, per method: 0.1 s at 1,000 customers, whatever it is doing.

    python benchmarks/cancel_latency.py [--methods hgs,policy] [--output lines.jsonl]

Beside the time on the clock, the processor time of this process between cancel and result is
printed: on a machine that does other work too, it is the better measure of what a method does.

Another thread sets the stop at several moments of a run, so that building models, first plans and
the search itself are all met. A small run before loads libraries, weights and worker processes.
`milp` refuses 1,000 customers and gets the largest instance that it takes. A run that ends by
itself before the cancel is counted, not timed.
"""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path

import numpy as np

from fripn import METHODS, Budget, Instance, Run, Stop
from fripn.baselines.milp.model import MAX_ARC_VARIABLES
from fripn.bench.script import ScriptParser, integer, list_of, one_of, run
from fripn.problem.generate import paper_instance
from fripn.result import Status
from fripn.solve import get_method

#: Seconds allowed.
ALLOWED = 0.1

#: Seconds after the call at which the stop is set.
MOMENTS = (0.01, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2)


def main() -> int:
    parser = ScriptParser(__doc__)
    parser.add_argument("--methods", type=list_of(one_of(METHODS)), default=list(METHODS))
    parser.add_argument("--customers", type=integer(15), default=1000)
    parser.add_argument("--threads", type=integer(1), default=1)
    parser.add_argument("--output", type=Path, metavar="FILE", help="append a JSON line per run")
    options = parser.parse_args()
    is_late = False
    print("method   instance     runs  median s  worst s  worst cpu s  ended before")
    for name in options.methods:
        for label, instance in instances(name, options.customers).items():
            lines = [
                cancelled_run(name, label, instance, moment, options.threads) for moment in MOMENTS
            ]
            if options.output:
                with options.output.open("a", encoding="utf-8") as output:
                    output.writelines(json.dumps(line) + "\n" for line in lines)
            waits = [line["latency"] for line in lines if line["status"] == "interrupted"]
            work = [line["cpu"] for line in lines if line["status"] == "interrupted"]
            ended = len(lines) - len(waits)
            shown = f"{'–':>9}{'–':>9}{'–':>13}"
            if waits:
                shown = f"{np.median(waits):9.3f}{max(waits):9.3f}{max(work):13.3f}"
            print(f"{name:<9}{label:<12}{len(lines):5} {shown}{ended:14}", flush=True)
            is_late |= bool(waits) and max(waits) > ALLOWED
    return 1 if is_late else 0


def instances(method: str, customers: int) -> dict[str, Instance]:
    """Return one instance per shape that a method may treat differently."""
    base = paper_instance(customers, 1, num_types=4)
    if method == "milp":
        return {"paper": paper_instance(int((MAX_ARC_VARIABLES / 4) ** 0.5) - 1, 1, num_types=4)}
    total = float(base.demands.sum())
    limited = [
        vehicle.replace(available=int(np.ceil(0.4 * total / vehicle.capacity)))
        for vehicle in base.vehicle_types
    ]
    return {"paper": base, "limited": base.replace(vehicle_types=tuple(limited))}


def cancelled_run(
    method: str, label: str, instance: Instance, moment: float, threads: int
) -> dict[str, object]:
    """Cancel one run, and describe it."""
    chosen = get_method(method)
    chosen(paper_instance(15, 1), Run(Budget(seconds=0.1, iterations=5)))
    stop, set_at = Stop(), []

    def cancel() -> None:
        set_at.extend((time.perf_counter(), time.process_time()))
        stop.set()

    timer = threading.Timer(moment, cancel)
    timer.start()
    result = chosen(instance, Run(Budget(seconds=3600.0), threads=threads, stop=stop))
    ended, worked = time.perf_counter(), time.process_time()
    timer.cancel()
    timer.join()
    is_cancelled = result.status is Status.INTERRUPTED
    return {
        "method": method,
        "instance": label,
        "customers": instance.num_customers,
        "threads": threads,
        "moment": moment,
        "status": result.status.value,
        "has_plan": result.solution is not None,
        "latency": ended - set_at[0] if is_cancelled else None,
        "cpu": worked - set_at[1] if is_cancelled else None,
    }


if __name__ == "__main__":
    run(main)
