"""`fripn serve` as a child process, for tests and measurements of the service."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import httpx

TOKEN = "0123456789abcdef-test-token"


class Served:
    """A running service, on a port of its own.

    Parameters
    ----------
    data
        Folder of its jobs.
    options
        Further options of ``fripn serve``.
    """

    def __init__(self, data: Path, *options: object) -> None:
        self.data, self._options = data, options
        self.process: subprocess.Popen[str] | None = None
        self.url = ""
        self.start()

    def start(self) -> None:
        """Start it, and wait until it answers."""
        self.process = subprocess.Popen(
            [
                sys.executable, "-m", "fripn", "serve", "--port", "0", "--no-browser",
                "--data", str(self.data), *map(str, self._options),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "FRIPN_SERVE_TOKEN": TOKEN},
        )  # fmt: skip
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert "http://" in line, f"the service did not start: {line!r}"
        self.url = line.split()[-1].partition("/?token=")[0]

    def client(self, **settings: Any) -> httpx.Client:
        """Return a client that knows the token."""
        headers = {"Authorization": f"Bearer {TOKEN}"}
        return httpx.Client(base_url=self.url, headers=headers, timeout=60.0, **settings)

    def kill(self) -> None:
        """End it as ``kill -9`` does."""
        assert self.process is not None
        self.process.kill()
        self.process.communicate()

    def stop(self) -> int:
        """End it as a system that shuts down does; return its exit code."""
        assert self.process is not None
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=60)
        return self.process.returncode

    def workers(self) -> list[int]:
        """Return the process ids of its workers (Linux)."""
        assert self.process is not None
        return children(self.process.pid)

    def resident_bytes(self) -> int:
        """Return the memory of the service itself, without workers (Linux)."""
        assert self.process is not None
        fields = Path(f"/proc/{self.process.pid}/statm").read_text().split()
        return int(fields[1]) * os.sysconf("SC_PAGE_SIZE")


def children(pid: int) -> list[int]:
    """Return the child processes of a process (Linux)."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*"):
        found += [int(one) for one in (task / "children").read_text().split()]
    return found


def is_alive(pid: int) -> bool:
    """Return whether a process runs; one that has ended and waits to be noticed does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


def until(holds: Callable[[], Any], seconds: float = 60.0) -> Any:
    """Wait until something holds, and return it.

    Raises
    ------
    TimeoutError
        When it does not hold in time.
    """
    end = time.monotonic() + seconds
    while not (value := holds()):
        if time.monotonic() > end:
            raise TimeoutError("it does not hold in time")
        time.sleep(0.02)
    return value


def job_of(client: httpx.Client, job: str) -> dict[str, Any]:
    """Return the status of a job."""
    answer = client.get(f"/v1/jobs/{job}")
    answer.raise_for_status()
    content: dict[str, Any] = answer.json()
    return content


def ended(client: httpx.Client, job: str, seconds: float = 60.0) -> dict[str, Any]:
    """Wait for the end of a job, and return its status."""
    states = ("finished", "stopped", "interrupted", "failed")

    def look() -> dict[str, Any] | None:
        status = job_of(client, job)
        return status if status["state"] in states else None

    status: dict[str, Any] = until(look, seconds)
    return status


def small_instance(customers: int = 15, seed: int = 1) -> dict[str, Any]:
    """Return an instance document with stops at random."""
    from fripn.problem.generate import paper_instance
    from fripn.problem.io import instance_to_dict

    return instance_to_dict(paper_instance(customers, seed=seed))


def events_of(lines: Sequence[str]) -> list[tuple[int, str, str]]:
    """Return server-sent events as number, event and data."""
    found = []
    fields: dict[str, str] = {}
    for line in lines:
        if not line:
            if "event" in fields:
                found.append((int(fields["id"]), fields["event"], fields["data"]))
            fields = {}
        elif not line.startswith(":"):
            name, _, value = line.partition(": ")
            fields[name] = value
    return found
