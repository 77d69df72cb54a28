"""Run two builds of the package with the same seeds and iterations, and compare their plans.

    python benchmarks/compare_builds.py OLD NEW [--methods hgs,alns] [--cases li- --seeds 2]
    python benchmarks/compare_builds.py OLD NEW --average --methods alns,tabu,genetic --seeds 5

OLD and NEW are folders that contain an installed or built ``fripn``. Each runs in a process of its
own. Without ``--average`` the plans must be the same to the last bit: exit code 1 on a difference.
With it the random cases are run and the table shows mean costs; there is nothing to fail.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Line:
    """One run."""

    case: str
    customers: int
    method: str
    seed: int
    cost: float
    digest: str


def run_cases(average: bool, methods: list[str], wanted: str, seeds: int) -> None:
    """Solve the cases with the package on the path and write a line per run to stdout."""
    from build_cases import CASES, RANDOM_CASES

    from fripn import Budget, solve

    for case in RANDOM_CASES if average else CASES:
        if wanted not in case.name:
            continue
        instance = case.load()
        for method in methods:
            for seed in range(seeds):
                budget = Budget(iterations=case.iterations)
                result = solve(instance, method, budget=budget, seed=seed, threads=1)
                solution = result.solution
                routes = [] if solution is None else solution.routes
                plan = [(route.vehicle_type, route.customers) for route in routes]
                cost = result.cost if result.solution is not None else float("inf")
                digest = hashlib.sha256(repr((plan, cost)).encode()).hexdigest()[:12]
                line = Line(case.name, instance.num_customers, method, seed, cost, digest)
                print(json.dumps(asdict(line)), flush=True)


def lines_of(build: Path, arguments: list[str]) -> Iterator[Line]:
    """Run this script in a process that sees the package of one build."""
    environment = {**os.environ, "PYTHONPATH": str(build.resolve()), "PYTHONHASHSEED": "0"}
    command = [sys.executable, __file__, "--run", *arguments]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for text in process.stdout:
            yield Line(**json.loads(text))
    if process.returncode != 0:
        sys.exit(f"the run of {build} ended with exit code {process.returncode}")


def compare_plans(old: list[Line], new: list[Line]) -> int:
    """Print a row per run; return the number of differences."""
    differences = 0
    print(f"{'case':28} {'n':>5} {'method':8} {'seed':>4} {'cost':>18} {'old':12} {'new':12} same")
    for a, b in zip(old, new, strict=True):
        is_same = a.digest == b.digest
        differences += not is_same
        note = "yes" if is_same else f"NO, new cost {b.cost!r}"
        print(
            f"{a.case:28} {a.customers:5} {a.method:8} {a.seed:4} {a.cost:18.9f} "
            f"{a.digest} {b.digest} {note}"
        )
    print(f"{len(old)} runs, {differences} differences")
    return differences


def compare_means(old: list[Line], new: list[Line]) -> None:
    """Print a Markdown table of mean costs per case and method."""
    print("| method | case | runs | old | new | change |")
    print("| --- | --- | ---: | ---: | ---: | ---: |")
    for method in dict.fromkeys(line.method for line in old):
        changes = []
        for case in dict.fromkeys(line.case for line in old):
            costs = [
                [line.cost for line in lines if (line.case, line.method) == (case, method)]
                for lines in (old, new)
            ]
            means = [sum(part) / len(part) for part in costs]
            changes.append(100.0 * (means[1] / means[0] - 1.0))
            print(
                f"| {method} | {case} | {len(costs[0])} | {means[0]:.3f} | {means[1]:.3f} "
                f"| {changes[-1]:+z.2f} % |"
            )
        print(f"| {method} | mean | | | | {sum(changes) / len(changes):+z.2f} % |")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("builds", type=Path, nargs="*", metavar="FOLDER", help="old and new")
    parser.add_argument("--methods", default="hgs", help="names, separated by commas")
    parser.add_argument("--cases", default="", help="only cases whose name contains this")
    parser.add_argument("--seeds", type=int, default=1, help="seeds 0, 1, … per case and method")
    parser.add_argument("--average", action="store_true", help="mean costs on the random cases")
    parser.add_argument("--run", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        run_cases(options.average, options.methods.split(","), options.cases, options.seeds)
        return 0
    if len(options.builds) != 2:
        parser.error(f"{len(options.builds)} folders are named; name the old and the new build")
    arguments = ["--methods", options.methods, "--cases", options.cases]
    arguments += ["--seeds", str(options.seeds), *(["--average"] if options.average else [])]
    old, new = (list(lines_of(build, arguments)) for build in options.builds)
    if options.average:
        compare_means(old, new)
        return 0
    return 1 if compare_plans(old, new) else 0


if __name__ == "__main__":
    sys.exit(main())
