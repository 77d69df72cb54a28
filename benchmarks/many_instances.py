"""Very many small instances: throughput, and the memory of the process that writes the lines.

python benchmarks/many_instances.py OUTPUT.jsonl [--instances 100000] [--customers 20]
    [--method savings] [--jobs 2] [--cluster local]

Kill it at any moment and start it again: it goes on where it stopped.
"""

import itertools
import resource
import time
from pathlib import Path

from fripn.batch import RayCluster, local_executor, solve_many
from fripn.bench.script import ScriptParser, integer, run
from fripn.problem.generate import paper_instance


def memory() -> float:
    """Return the MiB that this process holds at the moment."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def processor_seconds() -> float:
    """Return the processor time of this process and of its children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("output", type=Path)
    parser.add_argument("--instances", type=integer(1), default=100_000)
    parser.add_argument("--customers", type=integer(1), default=20)
    parser.add_argument("--method", default="savings")
    parser.add_argument("--jobs", type=integer(1), default=2)
    parser.add_argument("--cluster")
    options = parser.parse_args()
    executor = (
        local_executor(options.jobs)
        if options.cluster is None
        else RayCluster(options.cluster, jobs=options.jobs if options.cluster == "local" else None)
    )
    instances = (
        paper_instance(options.customers, seed).replace(name=f"{seed:07}")
        for seed in itertools.count()
    )
    drawn = itertools.islice(instances, options.instances)
    lines = solve_many(drawn, options.method, executor=executor, output=options.output)
    began, step = time.perf_counter(), max(1, options.instances // 20)
    num_failed = 0
    print(f"{'lines':>9}{'seconds':>10}{'per second':>12}{'driver MiB':>12}{'failed':>8}")
    for number, line in enumerate(lines, start=1):
        num_failed += line["error"] is not None
        if number % step == 0 or number == options.instances:
            seconds = time.perf_counter() - began
            rate = number / seconds
            print(
                f"{number:9}{seconds:10.1f}{rate:12.1f}{memory():12.1f}{num_failed:8}", flush=True
            )
    print(f"processor seconds of all processes: {processor_seconds():.1f}")


if __name__ == "__main__":
    run(main)
