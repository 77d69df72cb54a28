"""One huge instance: the engine alone and in parts, with the same time limit on the same cores.

    python benchmarks/huge_instance.py [--customers 10000,50000] [--seconds 120,300]
        [--places uniform,clustered] [--seeds 1,2] [--threads 2] [--output lines.jsonl]
    python benchmarks/huge_instance.py --report docs/results/huge_instance.jsonl

Every size has a time limit of its own, in the same order. The distribution is that of the paper,
with its customers scattered or clustered. Every run is a process of its own, with all threads;
processor time and peak memory are those of the process, in the table first the engine's. Seeds
below 100 are for published figures; settings are chosen with others.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import resource
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from fripn import Budget, solve
from fripn.bench.run import current_commit
from fripn.bench.script import ScriptParser, integer, list_of, one_of, positive, run
from fripn.problem import Instance
from fripn.problem.generate import PAPER, random_instance

METHODS = ("hgs", "parts")
PLACES = ("uniform", "clustered")


def drawn_instance(num_customers: int, places: str, seed: int) -> Instance:
    distribution = replace(PAPER, places=(places,))
    return random_instance(distribution, num_customers, seed)


def processor_seconds() -> float:
    """Return the processor time of this process and of its children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def measured(method: str, job: dict[str, Any]) -> dict[str, Any]:
    """Solve an instance in this process, which does nothing else, and describe the run."""
    instance = drawn_instance(job["customers"], job["places"], job["seed"])
    before = processor_seconds()
    result = solve(
        instance,
        method,
        budget=Budget(seconds=job["seconds"]),
        seed=job["seed"],
        threads=job["threads"],
    )
    return {
        **job,
        "method": method,
        "cost": result.cost,
        "iterations": result.iterations,
        "wall_seconds": round(result.seconds, 2),
        "processor_seconds": round(processor_seconds() - before, 2),
        "peak_mib": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
        "load": round(os.getloadavg()[0], 1),
        "commit": current_commit(),
    }


def run_alone(method: str, job: dict[str, Any]) -> dict[str, Any]:
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(measured, method, job).result()


def report(lines: list[dict[str, Any]]) -> None:
    """Print a row for each pair of runs that have everything in common but the method."""
    print(
        f"{'customers':>9}  {'places':9}{'seed':>5}{'limit s':>9}{'engine':>12}{'CPU s':>8}"
        f"{'parts':>12}{'CPU s':>8}{'cheaper by':>12}{'MiB':>10}"
    )
    pairs: dict[tuple[Any, ...], dict[str, dict[str, Any]]] = {}
    for line in lines:
        key = tuple(line[name] for name in ("customers", "places", "seed", "seconds", "threads"))
        pairs.setdefault(key, {})[line["method"]] = line
    for (customers, places, seed, seconds, _), pair in sorted(pairs.items()):
        if set(pair) != set(METHODS):
            continue
        engine, parts = pair["hgs"], pair["parts"]
        print(
            f"{customers:9}  {places:9}{seed:5}{seconds:9g}"
            f"{engine['cost']:12.1f}{engine['processor_seconds']:8.0f}"
            f"{parts['cost']:12.1f}{parts['processor_seconds']:8.0f}"
            f"{1 - parts['cost'] / engine['cost']:12.2%}"
            f"{engine['peak_mib']:5.0f}{parts['peak_mib']:5.0f}"
        )


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("--customers", type=list_of(integer(1)), default=[10_000, 50_000])
    parser.add_argument("--seconds", type=list_of(positive), default=[120.0, 300.0])
    parser.add_argument("--places", type=list_of(one_of(PLACES)), default=list(PLACES))
    parser.add_argument("--seeds", type=list_of(integer(0)), default=[1, 2])
    parser.add_argument("--methods", type=list_of(one_of(METHODS)), default=list(METHODS))
    parser.add_argument("--threads", type=integer(1), default=2)
    parser.add_argument("--output", type=Path, metavar="FILE", help="append a JSON line per run")
    parser.add_argument("--report", type=Path, metavar="FILE", help="print the table of a file")
    options = parser.parse_args()
    if options.report is not None:
        report([json.loads(line) for line in options.report.read_text().splitlines()])
        return
    if len(options.customers) != len(options.seconds):
        parser.error("--seconds: give as many time limits as numbers of customers")
    lines = []
    for customers, seconds in zip(options.customers, options.seconds, strict=True):
        for seed in options.seeds:
            for places in options.places:
                job = {
                    "customers": customers,
                    "places": places,
                    "seed": seed,
                    "seconds": seconds,
                    "threads": options.threads,
                }
                for method in options.methods:
                    lines.append(run_alone(method, job))
                    print(json.dumps(lines[-1]), file=sys.stderr, flush=True)
                    if options.output is not None:
                        with options.output.open("a", encoding="utf-8") as output:
                            output.write(json.dumps(lines[-1]) + "\n")
    report(lines)


if __name__ == "__main__":
    run(main)
