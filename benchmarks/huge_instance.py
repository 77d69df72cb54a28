"""One huge instance: the engine alone and in parts, with the same time limit on the same cores.

    python benchmarks/huge_instance.py [--customers 10000,50000] [--seconds 120,300]
        [--places uniform,clustered] [--seeds 1,2] [--threads 2] [--output lines.jsonl]
    python benchmarks/huge_instance.py --report docs/results/huge_instance.jsonl [--update-docs]

Every size has a time limit of its own, in the same order. The distribution is that of the paper,
with its customers scattered or clustered. Every run is a process of its own, with all threads;
processor time and peak memory are those of the process. Each line has a lower bound of the optimal
cost: the table says by how much any plan could be cheaper than that of the engine. Seeds below 100
are for published figures; settings are chosen with others. --update-docs writes the table into
docs/scale.md.
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

import numpy as np

from fripn import Budget, solve
from fripn.bench.markdown import markdown_table
from fripn.bench.page import Block, write_blocks
from fripn.bench.run import current_commit
from fripn.bench.script import ScriptParser, integer, list_of, one_of, positive, run
from fripn.problem import Instance
from fripn.problem.generate import PAPER, random_instance

ROOT = Path(__file__).resolve().parents[1]
METHODS = ("hgs", "parts")
PLACES = ("uniform", "clustered")

#: Demands of the paper's distribution are multiples of one over this.
STEPS_PER_UNIT = 100


def drawn_instance(num_customers: int, places: str, seed: int) -> Instance:
    distribution = replace(PAPER, places=(places,))
    return random_instance(distribution, num_customers, seed)


def radial_bound(instance: Instance) -> float:
    """Return a lower bound of the cost of any plan, with distances on the plane.

    A route drives at least to its farthest customer and back, and its load is at most the capacity
    of its vehicle. So every unit of demand pays a share of the vehicle and of the distance to its
    customer and back, with the type for which both together are cheapest. Demands are multiples of
    0.01, so loads are too, and what a capacity has beyond such a multiple cannot be used.

    References
    ----------
    M. Haimovich, A. H. G. Rinnooy Kan (1985), doi 10.1287/moor.10.4.527.
    """
    assert instance.coordinates is not None
    steps = instance.demands * STEPS_PER_UNIT
    assert np.allclose(steps, np.round(steps), rtol=0.0, atol=1e-6)
    radii = np.hypot(*(instance.coordinates[1:] - instance.coordinates[0]).T)
    shares = [
        (vehicle.fixed_cost + 2.0 * vehicle.unit_cost * radii) / largest_load(vehicle.capacity)
        for vehicle in instance.vehicle_types
    ]
    return float(np.min(shares, axis=0) @ instance.demands[1:])


def largest_load(capacity: float) -> float:
    """Return the largest multiple of the step of the demands that fits, rounding errors too."""
    return float(np.floor(capacity * STEPS_PER_UNIT + 1e-6) / STEPS_PER_UNIT)


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
        "lower_bound": radial_bound(instance),
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


def table(lines: list[dict[str, Any]]) -> str:
    """Return a row for each pair of runs that have everything in common but the method."""
    pairs: dict[tuple[Any, ...], dict[str, dict[str, Any]]] = {}
    for line in lines:
        key = tuple(line[name] for name in ("customers", "places", "seed", "seconds", "threads"))
        pairs.setdefault(key, {})[line["method"]] = line
    rows = []
    for (customers, places, seed, seconds, _), pair in sorted(pairs.items()):
        if set(pair) != set(METHODS):
            continue
        engine, parts = pair["hgs"], pair["parts"]
        row = [f"{customers:,}", places, str(seed), f"{seconds:g}"]
        for line in (engine, parts):
            row += [f"{line['cost']:,.1f}", f"{line['processor_seconds']:.0f}"]
        row.append(f"{1 - parts['cost'] / engine['cost']:.2%}")
        row.append(f"{1 - engine['lower_bound'] / engine['cost']:.2%}")
        row.append(f"{engine['peak_mib']:.0f}, {parts['peak_mib']:.0f}")
        rows.append([cell.replace("%", " %") for cell in row])
    titles = ["customers", "places", "seed", "limit, s"]
    for name in ("engine", "parts"):
        titles += [name, "CPU s"]
    return markdown_table(
        [*titles, "parts cheaper by", "any plan at most", "peak, MiB"], rows, num_left=2
    )


def conditions(lines: list[dict[str, Any]]) -> str:
    """Return what the runs have in common."""
    commits = ", ".join(sorted({line["commit"] or "unknown" for line in lines}))
    threads = ", ".join(sorted({str(line["threads"]) for line in lines}))
    loads = [line["load"] for line in lines]
    return (
        f"Threads: {threads}. Load of the machine at the end of the runs: {min(loads):g} to "
        f"{max(loads):g}. Commits: {commits}."
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
    parser.add_argument("--update-docs", action="store_true", help="write it into docs/scale.md")
    options = parser.parse_args()
    if options.report is not None:
        lines = [json.loads(line) for line in options.report.read_text().splitlines()]
        text = f"{table(lines)}\n\n{conditions(lines)}"
        print(text)
        if options.update_docs:
            write_blocks([Block(ROOT / "docs" / "scale.md", "huge_instance", text)])
        return
    if options.update_docs:
        parser.error("--update-docs needs --report FILE, with the lines to publish")
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
    print(table(lines))


if __name__ == "__main__":
    run(main)
