"""Count the instructions of two builds' searches with callgrind.

    python benchmarks/count_instructions.py OLD NEW [--method hgs] [--limit 3]

OLD and NEW are folders that contain an installed or built ``fripn``. Each case is run twice per
build, with its iterations and with none; the difference is the search itself, without the start of
Python. Needs valgrind. Exits with 1 when the new build needs more than ``--limit`` percent more.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

#: Unlimited, limited and directed, with the iterations that take some seconds under callgrind.
CASES = {
    "golden-20": 150,
    "golden-20-HVRP-FV": 40,
    "random:60:directed": 150,
    "li-H1": 25,
}


def run_case(name: str, iterations: int, method: str) -> None:
    """Solve one case with the package on the path."""
    import build_cases

    from fripn import Budget, solve

    (case,) = (case for case in build_cases.CASES if case.name == name)
    solve(case.load(), method, budget=Budget(iterations=iterations), seed=1, threads=1)


def instructions(build: Path, name: str, iterations: int, method: str) -> int:
    """Return the instructions of a process that solves a case."""
    environment = {**os.environ, "PYTHONPATH": str(build.resolve()), "PYTHONHASHSEED": "0"}
    environment |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory() as folder:
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out"]
        command += [sys.executable, __file__, "--run", name, str(iterations), "--method", method]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    found = re.search(r"Collected\s*:\s*(\d+)", done.stderr)
    if done.returncode != 0 or found is None:
        sys.exit(f"callgrind failed for {name} with {build}:\n{done.stderr}")
    return int(found.group(1))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("builds", type=Path, nargs="*", metavar="FOLDER", help="old and new")
    parser.add_argument("--method", default="hgs")
    parser.add_argument("--cases", default="", help="only cases whose name contains this")
    parser.add_argument("--limit", type=float, default=3.0, help="percent more that are allowed")
    parser.add_argument("--run", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        run_case(options.run[0], int(options.run[1]), options.method)
        return 0
    if len(options.builds) != 2:
        parser.error(f"{len(options.builds)} folders are named; name the old and the new build")
    print(f"{'case':24} {'iterations':>10} {'old':>16} {'new':>16} {'change':>8}")
    is_within = True
    for name, iterations in CASES.items():
        if options.cases not in name:
            continue
        old, new = (
            instructions(build, name, iterations, options.method)
            - instructions(build, name, 0, options.method)
            for build in options.builds
        )
        change = 100.0 * (new / old - 1.0)
        is_within &= change <= options.limit
        print(f"{name:24} {iterations:10} {old:16} {new:16} {change:+7.2f} %", flush=True)
    return 0 if is_within else 1


if __name__ == "__main__":
    sys.exit(main())
