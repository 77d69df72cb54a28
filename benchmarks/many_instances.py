"""Very many small instances: throughput, and the memory of the process that writes the lines.

    python benchmarks/many_instances.py OUTPUT.jsonl [--instances 100000] [--customers 20]
        [--method savings] [--jobs 2] [--cluster local] [--folder FOLDER] [--record FILE.jsonl]
    python benchmarks/many_instances.py --report docs/results/many_instances.jsonl [--update-docs]

With a folder the instances are files, which are written there first and found as ``fripn
solve-many FOLDER`` finds them; else they are drawn one by one. Kill it at any moment and start it
again: it goes on where it stopped. --record appends a JSON line at every twentieth of the way, so
that a call that was killed has some too. --update-docs writes the table into docs/scale.md.
"""

from __future__ import annotations

import json
import os
import resource
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fripn.batch import RayCluster, local_executor, solve_many
from fripn.batch.sources import find_sources
from fripn.bench.markdown import markdown_table
from fripn.bench.page import Block, write_blocks
from fripn.bench.run import current_commit
from fripn.bench.script import ScriptParser, integer, run
from fripn.problem import Instance
from fripn.problem.generate import paper_instance
from fripn.problem.io import write_instance

ROOT = Path(__file__).resolve().parents[1]


def memory() -> float:
    """Return the MiB that this process holds at the moment."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def processor_seconds(who: int) -> float:
    """Return the processor time of this process, or of its children that have ended."""
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def drawn_instance(num_customers: int, seed: int) -> Instance:
    return paper_instance(num_customers, seed).replace(name=f"{seed:07}")


def write_missing(folder: Path, num_instances: int, num_customers: int) -> None:
    """Write every instance that the folder does not hold."""
    folder.mkdir(exist_ok=True)
    for seed in range(num_instances):
        path = folder / f"{seed:07}.json"
        if not path.exists():
            write_instance(drawn_instance(num_customers, seed), path)


def count_lines(path: Path) -> int:
    if not path.exists():
        return 0
    with path.open("rb") as file:
        return sum(raw.endswith(b"\n") for raw in file)


def observed(
    lines: Iterable[dict[str, Any]], common: dict[str, Any], step: int
) -> Iterator[dict[str, Any]]:
    """Take all lines; yield what is observed after every `step` of them, and at the end."""
    began, used = time.perf_counter(), processor_seconds(resource.RUSAGE_SELF)
    number = num_failed = 0

    def record() -> dict[str, Any]:
        driver = processor_seconds(resource.RUSAGE_SELF) - used
        return {
            **common,
            "lines": number,
            "failed": num_failed,
            "seconds": round(time.perf_counter() - began, 2),
            "driver_seconds": round(driver, 3),
            "driver_mib": round(memory(), 1),
            "load": round(os.getloadavg()[0], 1),
        }

    for line in lines:
        number += 1
        num_failed += line["error"] is not None
        if number % step == 0:
            yield record()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
    # The workers of Ray are not our children.
    workers = None
    if not common["cluster"]:
        workers = round(processor_seconds(resource.RUSAGE_CHILDREN), 2)
    yield {**record(), "is_end": True, "peak_mib": round(peak, 1), "worker_seconds": workers}


def table(records: list[dict[str, Any]]) -> str:
    """Return a row for each call, with what it did until its end or until it was killed."""
    calls: dict[str, list[dict[str, Any]]] = {}
    for one in records:
        calls.setdefault(one["call"], []).append(one)
    rows = []
    for call in calls.values():
        first, last = call[0], call[-1]
        num_new = max(1, last["lines"] - last["before"])
        workers = last.get("worker_seconds")
        total = None if workers is None else last["driver_seconds"] + workers
        held = [one["driver_mib"] for one in call]
        rows.append(
            [
                f"{'files' if first['folder'] else 'drawn'}, "
                + (f"Ray ({first['cluster']})" if first["cluster"] else "processes"),
                "finished" if last.get("is_end") else "killed",
                str(first["jobs"]),
                f"{first['before']:,}",
                f"{last['lines']:,}",
                str(last["failed"]),
                f"{num_new / last['seconds']:.0f}",
                f"{1000 * last['driver_seconds'] / num_new:.2f}",
                "" if total is None else f"{1000 * total / num_new:.1f}",
                f"{held[0]:.0f} to {max(held):.0f}",
            ]
        )
    titles = ["instances", "call", "jobs", "lines before", "lines", "failed", "new per second"]
    titles += ["driver, CPU ms per line", "all, CPU ms per line", "driver, MiB"]
    return markdown_table(titles, rows, num_left=2)


def conditions(records: list[dict[str, Any]]) -> str:
    """Return what the calls have in common."""

    def values(name: str) -> str:
        return ", ".join(sorted({str(one[name]) for one in records}))

    loads = [one["load"] for one in records]
    return (
        f"Customers: {values('customers')}. Method: {values('method')}. Load of the machine: "
        f"{min(loads):g} to {max(loads):g}. Commits: {values('commit')}. The time of a call "
        "includes the check of the lines before; a killed one is shown up to its last record."
    )


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("output", type=Path, nargs="?", help="the lines, appended as they come")
    parser.add_argument("--instances", type=integer(1), default=100_000)
    parser.add_argument("--customers", type=integer(1), default=20)
    parser.add_argument("--method", default="savings")
    parser.add_argument("--jobs", type=integer(1), default=2)
    parser.add_argument("--cluster", default="")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--record", type=Path, metavar="FILE", help="append what is observed")
    parser.add_argument("--report", type=Path, metavar="FILE", help="print the table of a record")
    parser.add_argument("--update-docs", action="store_true", help="write it into docs/scale.md")
    options = parser.parse_args()
    if options.report is not None:
        records = [json.loads(line) for line in options.report.read_text().splitlines()]
        text = f"{table(records)}\n\n{conditions(records)}"
        print(text)
        if options.update_docs:
            write_blocks([Block(ROOT / "docs" / "scale.md", "many_instances", text)])
        return
    if options.update_docs:
        parser.error("--update-docs needs --report FILE, with the record to publish")
    if options.output is None:
        parser.error("name the file for the lines, such as lines.jsonl")
    solve_all(options)


def solve_all(options: Any) -> None:
    executor = (
        RayCluster(options.cluster, jobs=options.jobs if options.cluster == "local" else None)
        if options.cluster
        else local_executor(options.jobs)
    )
    if options.folder is not None:
        write_missing(options.folder, options.instances, options.customers)
    common = {
        "call": datetime.now(UTC).isoformat(timespec="seconds"),
        **{name: getattr(options, name) for name in ("customers", "method", "jobs", "cluster")},
        "folder": options.folder is not None,
        "before": count_lines(options.output),
        "commit": current_commit(),
    }
    step = max(1, options.instances // 20)
    print(f"{'lines':>9}{'seconds':>10}{'driver CPU':>12}{'driver MiB':>12}{'failed':>8}")
    with ExitStack() as stack:
        sources: Iterable[Instance | str]
        if options.folder is None:
            sources = (drawn_instance(options.customers, n) for n in range(options.instances))
        else:
            sources = stack.enter_context(find_sources([options.folder], with_tables=False))
        lines = solve_many(sources, options.method, executor=executor, output=options.output)
        for one in observed(lines, common, step):
            print(
                f"{one['lines']:9}{one['seconds']:10.1f}{one['driver_seconds']:12.2f}"
                f"{one['driver_mib']:12.1f}{one['failed']:8}",
                flush=True,
            )
            if options.record is not None:
                with options.record.open("a", encoding="utf-8") as record:
                    record.write(json.dumps(one) + "\n")
    print(f"driver: peak {one['peak_mib']:.1f} MiB")


if __name__ == "__main__":
    run(main)
