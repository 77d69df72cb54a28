"""Load on the service: many clients that submit jobs and listen to them at the same time.

    python benchmarks/serve_load.py [--clients 50] [--jobs 200]

Every client submits jobs one after the other and follows the events of each to its end. No job may
be lost, and the memory of the service must not grow with their number.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import httpx
from served import TOKEN, Served, small_instance


@dataclass
class Figures:
    """What the clients have seen."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    first_plan: list[float] = field(default_factory=list)
    submit: list[float] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    finished: int = 0


def follow(service: Served, request: dict[str, object], figures: Figures) -> None:
    """Submit one job, listen to it, and note what came."""
    with service.client() as client:
        began = time.perf_counter()
        answer = client.post("/v1/jobs", json=request)
        submitted = time.perf_counter() - began
        answer.raise_for_status()
        job = answer.json()["id"]
        first, last = None, ""
        with client.stream("GET", f"/v1/jobs/{job}/events", timeout=600.0) as stream:
            for line in stream.iter_lines():
                if line == "event: better" and first is None:
                    first = time.perf_counter() - began
                elif line == "event: end":
                    last = "end"
                elif last == "end" and line.startswith("data: "):
                    last = json.loads(line[6:])["state"]
        with figures.lock:
            figures.submit.append(submitted)
            if last == "finished" and first is not None:
                figures.finished += 1
                figures.first_plan.append(first)
            else:
                figures.lost.append(f"{job}: {last or 'no end'}")


def first_bytes(service: Served, count: int = 100) -> list[float]:
    """Return how long the first byte of the page takes, in milliseconds."""
    with httpx.Client(base_url=service.url) as browser:
        browser.get("/", params={"token": TOKEN})
        found = []
        for _ in range(count):
            began = time.perf_counter()
            with browser.stream("GET", "/") as answer:
                next(answer.iter_raw(1))
                found.append(1000 * (time.perf_counter() - began))
        return found


def main() -> int:
    """Print the figures; exit code 1 if a job was lost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--jobs", type=int, default=200)
    parser.add_argument("--customers", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=0.2)
    parser.add_argument("--parallel", type=int, default=2)
    asked = parser.parse_args()
    figures = Figures()
    with tempfile.TemporaryDirectory() as folder:
        service = Served(Path(folder) / "data", "--parallel", asked.parallel)
        try:
            idle = first_bytes(service)
            document = small_instance(asked.customers)
            request = {"instance": document, "seconds": asked.seconds}
            follow(service, request, Figures())  # everything is loaded once
            before = service.resident_bytes()
            waiting = iter(range(asked.jobs))
            lock = threading.Lock()

            def work() -> None:
                while True:
                    with lock:
                        number = next(waiting, None)
                    if number is None:
                        return
                    follow(service, {**request, "seed": number}, figures)

            began = time.perf_counter()
            threads = [threading.Thread(target=work) for _ in range(asked.clients)]
            for thread in threads:
                thread.start()
            time.sleep(1.0)
            busy = first_bytes(service, 30)
            for thread in threads:
                thread.join()
            spent = time.perf_counter() - began
            after = service.resident_bytes()
            with service.client() as client:
                stored = len(client.get("/v1/jobs").json()["jobs"])
        finally:
            service.stop()
    print(
        f"{asked.clients} clients, {asked.jobs} jobs of {asked.customers} customers and "
        f"{asked.seconds:g} s, {asked.parallel} at a time: {figures.finished} finished, "
        f"{len(figures.lost)} lost, {stored - 1} stored, {spent:.1f} s"
    )
    print(f"memory of the service: {before / 1e6:.0f} MB before, {after / 1e6:.0f} MB after")
    print(f"first byte of the page, idle: {_spread(idle)} ms")
    print(f"first byte of the page, under load: {_spread(busy)} ms")
    print(f"answer to a submission: {_spread([1000 * one for one in figures.submit])} ms")
    for one in figures.lost:
        print(f"lost: {one}", file=sys.stderr)
    return 0 if figures.finished == asked.jobs == stored - 1 else 1


def _spread(values: list[float]) -> str:
    ordered = sorted(values)
    high = ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
    return f"median {statistics.median(ordered):.1f}, 95 % {high:.1f}, most {ordered[-1]:.1f}"


if __name__ == "__main__":
    sys.exit(main())
