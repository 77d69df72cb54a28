"""Outside solvers in processes of their own, which can be ended when the time is over.

A worker is a script that imports nothing of fripn. Once its library is loaded, and again after
every job, it writes ``{"ready": true}`` and reads a pickled job from its input. It writes
``{"routes": [...]}`` (customers per vehicle) for every better plan, and at last
``{"solutions": n}``, the number of solutions it saw. A worker that finished its job is kept for the
next: loading its library takes longer than many a job.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import pickle
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fripn.budget import Budget
from fripn.errors import FripnError
from fripn.incumbent import Incumbent
from fripn.problem import Solution

#: Seconds between looks at the clock.
_PATIENCE = 0.02

#: Seconds after the time limit that a worker has to end by itself.
_GRACE = 0.1


class Worker:
    """A worker that has loaded its library and waits for its job."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._messages: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._collect, daemon=True)
        self._reader.start()
        self.is_idle = False

    def await_ready(self) -> None:
        """Wait until the worker can take a job."""
        self._expect(self._messages.get(), "ready")
        self.is_idle = True

    def run(self, job: dict[str, Any], kinds: list[int], best: Incumbent, budget: Budget) -> int:
        """Hand over the job and offer the plans that come, until the worker ends or has to.

        Parameters
        ----------
        job
            What the worker's script reads.
        kinds
            Vehicle type of each vehicle of the job.
        best
            Where plans are offered.
        budget
            When to stop listening.

        Returns
        -------
        int
            The number of solutions the worker saw.
        """
        assert self._process.stdin is not None
        self.is_idle = False
        pickle.dump(job, self._process.stdin)
        self._process.stdin.flush()
        num_solutions = 0
        end = float("inf") if budget.seconds is None else budget.seconds + _GRACE
        while not best.reached_target and best.seconds < end:
            with contextlib.suppress(queue.Empty):
                message = self._messages.get(timeout=_PATIENCE)
                if "solutions" in message:
                    self.is_idle = True
                    return int(message["solutions"])
                routes = self._expect(message, "routes")
                best.offer(Solution.of(zip(kinds, routes, strict=True)))
                num_solutions += 1
        return num_solutions

    def end(self) -> None:
        """End the process, whatever it is doing."""
        self._process.kill()
        self._process.wait()
        self._reader.join()
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            stream.close()

    def _collect(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._messages.put(json.loads(line))
        self._messages.put({"ended": True})

    def _expect(self, message: dict[str, Any], key: str) -> Any:
        if key not in message:
            raise FripnError("an outside solver ended without an answer; its message is above")
        return message[key]


@contextlib.contextmanager
def worker(script: str) -> Iterator[Worker]:
    """Give a worker that runs a script of this folder; it is ended on leaving unless it is idle."""
    key = (script, os.getpid())
    mine = _IDLE.pop(key, None)
    if mine is None:
        # -P: the folder holds files named like the packages they adapt.
        command = [sys.executable, "-P", str(Path(__file__).with_name(script))]
        mine = Worker(
            subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,  # Ctrl-C is for us, who then end the worker
            )
        )
    try:
        mine.await_ready()
        yield mine
    finally:
        if mine.is_idle:
            _IDLE[key] = mine
        else:
            mine.end()


#: Workers that wait for a next job, by script and by the process they belong to.
_IDLE: dict[tuple[str, int], Worker] = {}


@atexit.register
def _end_idle_workers() -> None:
    for key in [key for key in _IDLE if key[1] == os.getpid()]:
        _IDLE.pop(key).end()
