"""The engine's table with PyVRP beside it: suites, budgets and mean gaps.

    python runs/engine_table.py [--rows golden-1.5,xh-fsm-10,…] [--every 3] [--print]
    python runs/engine_table.py --scaling [--print]

Every run appends a raw line to docs/results/engine_table.jsonl and is not repeated by the next
call; the table is printed from the lines. The engine has two threads and the machine to itself;
PyVRP, which uses one core, runs two instances side by side. `--every` takes every so-many-th
instance of a suite, `--print` runs nothing. `--scaling` measures instead what an improvement costs
from 100 to 10,000 customers (docs/results/engine_scaling.jsonl).
"""

from __future__ import annotations

import argparse
import resource
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from statistics import fmean

import numpy as np

from fripn import Budget, Instance, VehicleType, solve
from fripn.bench.lines import Line, key_of, read_lines
from fripn.bench.run import Job, run_jobs, unfinished
from fripn.bench.suites import Case, open_suite
from fripn.jsonl import append, mend, read_objects

RESULTS = Path(__file__).parent.parent / "docs" / "results"
TABLE = RESULTS / "engine_table.jsonl"
SCALING = RESULTS / "engine_scaling.jsonl"
SIZES = (100, 300, 1000, 3000, 10_000)


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    suite: str
    seconds: float
    goal: str
    takes: Callable[[str], bool] = lambda name: True
    most: int = 1000
    seeds: int = 1
    methods: tuple[str, ...] = ("hgs", "pyvrp")

    def cases(self, every: int) -> list[Case]:
        """Give the instances of the row."""
        return [case for case in open_suite(self.suite) if self.takes(case.name)][
            : self.most : every
        ]

    def jobs(self, method: str, every: int) -> list[Job]:
        """Give the runs of one method."""
        budget, threads = Budget(seconds=self.seconds), 2 if method == "hgs" else 1
        return [
            Job(case, method, seed, threads, budget)
            for seed in range(self.seeds)
            for case in self.cases(every)
        ]


def is_plain(name: str) -> bool:
    """Tell the suite's main variant from its others, which carry one more dash."""
    return name.count("-") == 1


ROWS = {
    "golden-1.5": Row("golden", 1.5, "0.10", is_plain, seeds=3),
    "golden-10": Row("golden", 10.0, "0.01", is_plain),
    "xh-fsm-10": Row("xh", 10.0, "0.80", lambda name: "FSM" in name),
    "xh-limited-10": Row("xh", 10.0, "1.50", lambda name: "FSM" not in name),
    "brandao-10": Row("brandao", 10.0, "1.50", is_plain),
    "li-10": Row("li", 10.0, "1.50"),
    "paper-20-0.05": Row("paper-20", 0.05, "0.01"),
    "paper-100-1": Row("paper-100", 1.0, "0.3 below PyVRP at 10 s", most=100),
    "paper-100-10": Row("paper-100", 10.0, "", most=100, methods=("pyvrp",)),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", default=",".join(ROWS))
    parser.add_argument("--methods", default="hgs,pyvrp")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--print", action="store_true", dest="only_prints")
    parser.add_argument("--scaling", action="store_true")
    options = parser.parse_args()
    RESULTS.mkdir(parents=True, exist_ok=True)
    if options.scaling:
        if not options.only_prints:
            measure_scaling()
        print_scaling()
        return
    names, methods = options.rows.split(","), options.methods.split(",")
    if not options.only_prints:
        for name in names:
            for method in (m for m in ROWS[name].methods if m in methods):
                jobs = unfinished(ROWS[name].jobs(method, options.every), TABLE)
                run_jobs(jobs, TABLE, 1 if method == "hgs" else 2, tell)
    print_table(names, methods, options.every)


def tell(line: Line) -> None:
    print(
        line["instance"], line["method"], line["time_limit"], line["cost"], line["gap_percent"],
        flush=True,
    )  # fmt: skip


def print_table(names: Iterable[str], methods: Iterable[str], every: int) -> None:
    """Print mean gaps, or mean costs where no best-known values exist."""
    lines = {key_of(line): line for line in read_lines(TABLE)}
    print("| row | method | figure | runs | without a plan | latest end s | goal % |")
    print("| --- | --- | ---: | ---: | ---: | ---: | --- |")
    for name in names:
        row = ROWS[name]
        for method in (m for m in row.methods if m in methods):
            jobs = row.jobs(method, every)
            mine = [lines[job.key] for job in jobs if job.key in lines]
            solved = [line for line in mine if line["cost"] is not None]
            if not solved:
                continue
            if all(line["gap_percent"] is not None for line in solved):
                gaps = [line["gap_percent"] for line in solved]
                figure = f"gap {fmean(gaps):.4f} %, worst {max(gaps):.3f} %"
            else:
                figure = f"mean cost {fmean(line['cost'] for line in solved):.4f}"
            late = max(line["seconds"] for line in solved)
            print(
                f"| {name} | {method} | {figure} | {len(mine)} of {len(jobs)} | "
                f"{len(mine) - len(solved)} | {late:.3f} | {row.goal} |"
            )
    print_paper_100(lines.values())


def print_paper_100(lines: Iterable[Line]) -> None:
    """Compare the engine at 1 s with PyVRP at 10 s on the instances that both have done."""
    costs: dict[str, dict[str, float]] = {"hgs": {}, "pyvrp": {}}
    limits = {"hgs": 1.0, "pyvrp": 10.0}
    for line in lines:
        of_method = line["suite"] == "paper-100" and line["time_limit"] == limits[line["method"]]
        if of_method and line["cost"] is not None:
            costs[line["method"]][line["instance"]] = line["cost"]
    both = sorted(costs["hgs"].keys() & costs["pyvrp"].keys())
    if both:
        less = fmean(100 * (1 - costs["hgs"][name] / costs["pyvrp"][name]) for name in both)
        print(f"paper-100: at 1 s {less:.3f} % below PyVRP at 10 s, mean of {len(both)} instances")


def measure_scaling(seconds: float = 10.0) -> None:
    """Search one instance per size, each in a process of its own for its peak of memory."""
    mend(SCALING)
    done = {line["n"] for _, line in read_objects(SCALING)} if SCALING.exists() else set()
    for n in (n for n in SIZES if n not in done):
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            append(SCALING, pool.submit(scaling_run, n, seconds).result())


def scaling_run(n: int, seconds: float) -> Line:
    """Search one instance; every improvement is kept in the line."""
    result = solve(wide_instance(n), "hgs", time_limit=seconds, threads=2)
    return {
        "n": n,
        "time_limit": seconds,
        "seconds": result.seconds,
        "iterations": result.iterations,
        "cost": result.cost,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "curve": [[point.seconds, point.cost] for point in result.curve],
    }


def print_scaling() -> None:
    """Print, by size: first plan, what a percent of cost takes, and the peak of memory.

    The price of an improvement is the time in which half of the final gain is made, divided by
    that gain in percent, and the same per customer.
    """
    print(
        "| customers | first plan s | iterations/s | gain % | half of it by s | "
        "s per % | ms per % and customer | end s | peak MB |"
    )
    print("| ---: " * 9 + "|")
    for _, line in read_objects(SCALING):
        n, curve = line["n"], line["curve"]
        first, last = curve[0], curve[-1]
        half = next(s for s, cost in curve if cost <= (first[1] + last[1]) / 2)
        gain = 100 * (1 - last[1] / first[1])
        price = (half - first[0]) / max(gain / 2, 1e-9)
        print(
            f"| {n} | {first[0]:.3f} | {line['iterations'] / line['seconds']:.0f} | {gain:.2f} | "
            f"{half:.3f} | {price:.4f} | {1000 * price / n:.4f} | {line['seconds']:.3f} | "
            f"{line['peak_mb']:.0f} |"
        )


def wide_instance(n: int) -> Instance:
    rng = np.random.default_rng(n)
    return Instance(
        name=f"scaling-{n}",
        coordinates=rng.random((n + 1, 2)) * 1000,
        demands=[0.0, *rng.integers(1, 100, n)],
        vehicle_types=(
            VehicleType("small", 300, 200, 1.0),
            VehicleType("medium", 800, 450, 1.3),
            VehicleType("large", 1500, 700, 1.6),
        ),
    )


if __name__ == "__main__":
    main()
