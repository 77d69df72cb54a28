"""What an executor costs: items of 50 ms through processes and through Ray, one and two at a time.

python benchmarks/cluster_overhead.py [--milliseconds 50] [--items 400] [--jobs 1 2]
    [--repeats 3] [--output lines.jsonl]

An item sleeps, so that other programs on the machine matter little; the bare loop in this process
is what the others are compared with, in the same repetition. The table shows the median over the
repetitions, and the least and the largest overhead. Outcomes of Ray arrive in chunks, so the clock
starts and ends when one arrives. With the defaults it takes about six minutes. Needs the extra
'cluster'.
"""

import json
import os
import resource
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import NamedTuple

from fripn.bench.run import current_commit
from fripn.bench.script import ScriptParser, integer, positive, run
from fripn.executors import Executor, InProcess, Processes, RayCluster

#: Outcomes that arrive within so many seconds of one another arrived together.
TOGETHER = 0.005

EXECUTORS: dict[str, Callable[[int], Executor]] = {
    "processes": Processes,
    "ray": lambda jobs: RayCluster("local", jobs=jobs),
}


class Measured(NamedTuple):
    """Seconds per item, on the clock and of this process's processor."""

    per_item: float
    driver: float


def work(item: tuple[int, float, bytes]) -> int:
    """Take the time of an item, which carries about as much as an instance of 20 customers."""
    number, seconds, _ = item
    time.sleep(seconds)
    return number


def lose(item: tuple[int, float, bytes]) -> int:
    raise RuntimeError(f"the worker of item {item[0]} died")


def driver_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def measure(executor: Executor, seconds: float, num_items: int) -> Measured:
    """Return the seconds per item once the executor is warm."""
    num_warm = max(40, num_items // 4)
    num_running, num_done = 0, 0
    # For each moment at which outcomes arrived: the clock, the processor time, and the outcomes
    # before it.
    arrivals: list[tuple[float, float, int]] = []
    with executor.open(work, lose) as workers:
        while True:
            while num_running < workers.capacity:
                workers.submit((num_done + num_running, seconds, b"x" * 2000))
                num_running += 1
            asked = time.perf_counter()
            workers.wait()
            now = time.perf_counter()
            if now - asked > TOGETHER and num_done >= num_warm:
                arrivals.append((now, driver_seconds(), num_done))
                if num_done - arrivals[0][2] >= num_items:
                    break
            num_done += 1
            num_running -= 1
    (began, used, first), (ended, used_after, last) = arrivals[0], arrivals[-1]
    return Measured((ended - began) / (last - first), (used_after - used) / (last - first))


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("--milliseconds", type=positive, default=50.0)
    parser.add_argument("--items", type=integer(1), default=400)
    parser.add_argument("--jobs", type=integer(1), nargs="*", default=[1, 2])
    parser.add_argument("--repeats", type=integer(1), default=3)
    parser.add_argument("--output", type=Path, metavar="FILE", help="append a JSON line per run")
    options = parser.parse_args()
    seconds = options.milliseconds / 1000
    runs = [(name, jobs) for name in EXECUTORS for jobs in options.jobs]
    found: dict[tuple[str, int], list[Measured]] = {run: [] for run in [("bare loop", 1), *runs]}
    overheads: dict[tuple[str, int], list[float]] = {run: [] for run in runs}

    def note(name: str, jobs: int, repeat: int, executor: Executor, num_items: int) -> Measured:
        one = measure(executor, seconds, num_items)
        found[name, jobs].append(one)
        if options.output is not None:
            line = {
                "executor": name,
                "jobs": jobs,
                "repeat": repeat,
                "milliseconds": options.milliseconds,
                "items": num_items,
                "seconds_per_item": one.per_item,
                "driver_seconds_per_item": one.driver,
                "load": round(os.getloadavg()[0], 1),
                "commit": current_commit(),
            }
            with options.output.open("a", encoding="utf-8") as output:
                output.write(json.dumps(line) + "\n")
        return one

    for repeat in range(options.repeats):
        bare = note("bare loop", 1, repeat, InProcess(), options.items // 4 or 1)
        for name, jobs in runs:
            one = note(name, jobs, repeat, EXECUTORS[name](jobs), options.items * jobs)
            overheads[name, jobs].append(one.per_item * jobs / bare.per_item - 1)
    print(
        f"{'executor':14}{'jobs':>5}{'items/s':>10}{'overhead':>10}{'least':>8}{'most':>8}", end=""
    )
    print(f"{'driver ms':>11}")
    for (name, jobs), measured in found.items():
        rate = 1 / median(one.per_item for one in measured)
        driver = 1000 * median(one.driver for one in measured)
        shown = f"{'':26}"
        if name != "bare loop":
            values = overheads[name, jobs]
            shown = f"{median(values):10.1%}{min(values):8.1%}{max(values):8.1%}"
        print(f"{name:14}{jobs:5}{rate:10.1f}{shown}{driver:11.2f}")


if __name__ == "__main__":
    run(main)
