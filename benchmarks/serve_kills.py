"""Kill the service and its workers at random moments; no finished plan may be lost (Linux).

    python benchmarks/serve_kills.py [--kills 30] [--seed 1]

Jobs run all the time. After each ``kill -9`` of the service it is started again; then every job
that had finished must be as it was, and every interrupted one must have a plan that costs no more
than the last one seen. No worker may outlive its service.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx
from served import Served, is_alive, job_of, small_instance, until

from fripn.problem import evaluate
from fripn.problem.io import instance_from_dict, solution_from_dict

ENDED = ("finished", "stopped", "interrupted", "failed")


class Watch:
    """What a client has seen of every job, and what it misses later."""

    def __init__(self) -> None:
        self.done: dict[str, dict[str, Any]] = {}
        self.open: dict[str, dict[str, Any]] = {}
        self.faults: list[str] = []
        self.interrupted = 0

    def submit(self, client: httpx.Client, rng: random.Random) -> None:
        """Submit a small job, or one that is sure to be interrupted."""
        size, seconds = rng.choice([(10, 0.1), (20, 0.3), (60, 1.0), (100, 30.0)])
        document = small_instance(size, rng.randrange(1000))
        answer = client.post("/v1/jobs", json={"instance": document, "seconds": seconds})
        answer.raise_for_status()
        self.open[answer.json()["id"]] = answer.json()

    def look(self, client: httpx.Client) -> None:
        """Read every job that had not ended, and compare it with what was seen before."""
        for job in list(self.open):
            before, now = self.open[job], job_of(client, job)
            if before["cost"] is not None and (now["cost"] is None or now["cost"] > before["cost"]):
                self.faults.append(f"{job}: cost was {before['cost']}, now {now['cost']}")
            self.open[job] = now
            if now["state"] in ENDED:
                self.done[job] = self.open.pop(job)
                self.interrupted += now["state"] == "interrupted"
                self._check_plan(client, now)

    def compare(self, client: httpx.Client) -> None:
        """Compare all ended jobs with what they were when they ended."""
        for job, before in self.done.items():
            if job_of(client, job) != before:
                self.faults.append(f"{job}: a finished job has changed")

    def _check_plan(self, client: httpx.Client, status: dict[str, Any]) -> None:
        if status["plan"] is None:
            if status["state"] == "finished":
                self.faults.append(f"{status['id']}: finished without a plan")
            return
        instance = instance_from_dict(client.get(f"/v1/jobs/{status['id']}/instance").json())
        routes = [
            {"vehicle_type": route["vehicle_type"], "customers": route["customers"]}
            for route in status["plan"]["routes"]
        ]
        plan = {"format": "fripn-solution", "version": 1, "routes": routes}
        found = evaluate(instance, solution_from_dict(plan, instance))
        if not found.is_feasible or found.cost != status["cost"]:
            self.faults.append(f"{status['id']}: the plan is not the one of the cost")


def main() -> int:
    """Print the figures; exit code 1 if something was lost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    rng = random.Random(asked.seed)
    watch = Watch()
    killed = {"service": 0, "worker": 0}
    with tempfile.TemporaryDirectory() as folder:
        service = Served(Path(folder) / "data")
        try:
            for _ in range(asked.kills):
                with service.client() as client:
                    while len(watch.open) < 4:
                        watch.submit(client, rng)
                    end = time.monotonic() + rng.uniform(0.0, 1.5)
                    while time.monotonic() < end:
                        watch.look(client)
                        time.sleep(rng.uniform(0.0, 0.1))
                    workers = service.workers()
                    if rng.random() < 0.5 and workers:
                        os.kill(rng.choice(workers), signal.SIGKILL)
                        killed["worker"] += 1
                        watch.look(client)
                        continue
                service.kill()
                killed["service"] += 1
                try:
                    until(lambda left=workers: not any(map(is_alive, left)), 10.0)
                except TimeoutError:
                    watch.faults.append("a worker has outlived its service")
                service.start()
                with service.client() as client:
                    watch.look(client)
                    watch.compare(client)
            with service.client() as client:
                for job in list(watch.open):
                    client.post(f"/v1/jobs/{job}/stop")
                watch.look(client)
                watch.compare(client)
        finally:
            service.stop()
    print(
        f"{killed['service']} kills of the service, {killed['worker']} of a worker: "
        f"{len(watch.done)} jobs ended ({watch.interrupted} interrupted), "
        f"{len(watch.open)} open, {len(watch.faults)} faults"
    )
    for fault in watch.faults:
        print(f"fault: {fault}", file=sys.stderr)
    return 1 if watch.faults else 0


if __name__ == "__main__":
    sys.exit(main())
