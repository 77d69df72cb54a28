"""What an executor costs: items of 50 ms through processes and through Ray, one and two at a time.

python benchmarks/cluster_overhead.py [--milliseconds 50] [--items 400] [--jobs 1 2]

An item sleeps, so that other programs on the machine matter little; the bare loop in this process
is what the others are compared with, in the same run. Needs the extra 'cluster'.
"""

import resource
import time

from fripn.bench.script import ScriptParser, integer, positive, run
from fripn.executors import Executor, InProcess, Processes, RayCluster


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


def measure(executor: Executor, seconds: float, num_items: int) -> tuple[float, float]:
    """Return wall-clock seconds and processor seconds of this process per item, once warm."""
    num_warm = max(20, num_items // 4)
    num_running, began, used = 0, 0.0, 0.0
    with executor.open(work, lose) as workers:
        numbers = iter(range(10 * (num_warm + num_items) + 1000))
        for num_done in range(num_warm + num_items):
            if num_done == num_warm:
                began, used = time.perf_counter(), driver_seconds()
            while num_running < workers.capacity:
                workers.submit((next(numbers), seconds, b"x" * 2000))
                num_running += 1
            workers.wait()
            num_running -= 1
        per_item = (time.perf_counter() - began) / num_items
        driver = (driver_seconds() - used) / num_items
        for _ in range(num_running):
            workers.wait()
    return per_item, driver


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("--milliseconds", type=positive, default=50.0)
    parser.add_argument("--items", type=integer(1), default=400)
    parser.add_argument("--jobs", type=integer(1), nargs="*", default=[1, 2])
    options = parser.parse_args()
    seconds = options.milliseconds / 1000
    print(f"{'executor':14}{'jobs':>5}{'items/s':>10}{'overhead':>10}{'driver ms':>11}")
    bare, driver = measure(InProcess(), seconds, options.items // 4 or 1)
    print(f"{'bare loop':14}{1:5}{1 / bare:10.1f}{'':10}{1000 * driver:11.2f}", flush=True)
    for name, make in (("processes", Processes), ("ray", lambda j: RayCluster("local", jobs=j))):
        for jobs in options.jobs:
            per_item, driver = measure(make(jobs), seconds, options.items * jobs)
            overhead = per_item * jobs / bare - 1
            print(
                f"{name:14}{jobs:5}{1 / per_item:10.1f}{overhead:10.1%}{1000 * driver:11.2f}",
                flush=True,
            )


if __name__ == "__main__":
    run(main)
