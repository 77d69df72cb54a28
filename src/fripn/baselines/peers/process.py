"""Outside solvers in processes of their own, which can be ended when the time is over.

A worker is a script that imports nothing of fripn. Once its library is loaded, and again after
every job, it writes ``{"ready": true}`` and reads a pickled job from its input. It writes
``{"routes": [...]}`` (customers per vehicle) for every better plan, perhaps with ``"iterations"``
so far, and at last ``{"solutions": n}``, the number of solutions it saw or of its iterations. A
worker that finished its job is kept for the next: loading its library takes longer than many a job.
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
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fripn.baselines.watch import finish_or_cancel
from fripn.errors import FripnError
from fripn.incumbent import Incumbent
from fripn.problem import Instance, Solution
from fripn.result import Result
from fripn.run import Cancelled, Run, Stop, check_cancelled

#: Seconds between looks at the clock and the stop.
_PATIENCE = 0.02

#: Seconds after the time limit that a worker has to end by itself.
_GRACE = 0.1


@dataclass(frozen=True, slots=True)
class Job:
    """What a worker's script reads, and the vehicle type of each vehicle in it."""

    description: dict[str, Any]
    vehicle_types: list[int]


def solve_in_worker(
    script: str, method: str, instance: Instance, run: Run, make_job: Callable[[Incumbent], Job]
) -> Result:
    """Solve an instance in a worker; the clock of the run starts when its library is loaded.

    Parameters
    ----------
    script
        A script of this folder.
    method
        Name for the result.
    instance, run
        As for `fripn.Method`.
    make_job
        Describes the instance to the worker.
    """
    best: Incumbent | None = None
    num_solutions = 0
    with contextlib.suppress(Cancelled), worker(script, run.stop) as process:
        best = Incumbent(instance, run, method)
        num_solutions = process.run(make_job, best)
    best = best or Incumbent(instance, run, method)
    return best.result(iterations=num_solutions)


class Worker:
    """A worker that has loaded its library and waits for its job."""

    def __init__(self, process: subprocess.Popen[bytes], script: str) -> None:
        self._process = process
        self._script = script
        self._messages: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._collect, daemon=True)
        self._reader.start()
        self.is_idle = False

    def await_ready(self, stop: Stop | None) -> None:
        """Wait until the worker can take a job."""
        while True:
            check_cancelled(stop)
            with contextlib.suppress(queue.Empty):
                self._expect(self._messages.get(timeout=_PATIENCE), "ready")
                self.is_idle = True
                return

    def run(self, make_job: Callable[[Incumbent], Job], best: Incumbent) -> int:
        """Pass on the job and offer the plans that come, until the worker ends or has to.

        Parameters
        ----------
        make_job
            Describes the instance to the worker.
        best
            Where plans are offered, and the limits of the run.

        Returns
        -------
        int
            The number of solutions the worker saw.
        """
        self.is_idle = False

        def send() -> Job:
            assert self._process.stdin is not None
            job = make_job(best)
            pickle.dump(job.description, self._process.stdin)
            self._process.stdin.flush()
            return job

        # Matrices of a thousand customers take a while to write, and the worker to read.
        job = finish_or_cancel(send, best.run.stop)
        num_solutions, seconds = 0, best.run.budget.seconds
        end = float("inf") if seconds is None else seconds + _GRACE
        while not (best.reached_target or best.is_interrupted) and best.seconds < end:
            with contextlib.suppress(queue.Empty):
                message = self._messages.get(timeout=_PATIENCE)
                if "solutions" in message:
                    self.is_idle = True
                    return int(message["solutions"])
                routes = self._expect(message, "routes")
                best.offer(Solution.of(zip(job.vehicle_types, routes, strict=True)))
                num_solutions = message.get("iterations", num_solutions + 1)
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
            raise FripnError(
                "an outside solver ended without an answer",
                field="solver",
                value=self._script,
                remedy="its message is above",
            )
        return message[key]


@contextlib.contextmanager
def worker(script: str, stop: Stop | None) -> Iterator[Worker]:
    """Yield a worker that solves by a script of this folder; on leaving it is ended unless idle."""
    key = (script, os.getpid())
    mine = _IDLE.pop(key, None)
    if mine is None:
        # -P: the folder holds files named like the packages they adapt.
        loop = Path(__file__).with_name("worker_loop.py")
        command = [sys.executable, "-P", str(loop), script]
        mine = Worker(
            subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,  # Ctrl-C reaches this process, which then ends the worker
            ),
            script,
        )
    try:
        mine.await_ready(stop)
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
