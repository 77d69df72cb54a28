"""The queue of jobs and the processes that run them."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import fripn
from fripn.serve.limits import Limits
from fripn.serve.problems import problem, worker_failed
from fripn.serve.storage import FAILED, FINISHED, INTERRUPTED, STOPPED, Store
from fripn.solve import num_cores

log = logging.getLogger("fripn.serve")

#: Seconds that a worker has to return its best plan after a stop, and to end after its time limit;
#: after them it is killed, and the last plan it has reported counts.
_GRACE_STOP = 5.0
_GRACE_LIMIT = 30.0

#: Jobs after which a worker is replaced by a new one, so that memory does not grow for ever.
_JOBS_PER_WORKER = 100

#: Seconds after which a thread looks for jobs again, if nobody tells it: a disk may have been full.
_LOOK_AGAIN = 10.0

#: Seconds after which something is stored again that a full disk has refused.
_STORE_AGAIN = 1.0

#: Called with the id of a job whenever something about it has changed, from any thread.
OnChange = Callable[[str], None]


class _Worker:
    """A child process that solves one job at a time.

    It is a session of its own, so that Ctrl-C in the terminal reaches the service alone, which then
    lets the worker return its best plan. It ends when its input does, hence with the service.
    """

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            # -P: modules are not looked for in the folder that the service was started in.
            [sys.executable, "-P", "-m", "fripn.serve.worker"],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, _import_path()))},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
        self._lock = threading.Lock()
        self.num_jobs = 0

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """Whether it runs."""
        return self._process.poll() is None

    def send(self, text: str) -> None:
        """Write a line to it; a worker that is gone is noticed when its answer is read."""
        assert self._process.stdin is not None
        try:
            with self._lock:
                self._process.stdin.write(text.encode("ascii") + b"\n")
                self._process.stdin.flush()
        except (OSError, ValueError):
            pass

    def read(self) -> tuple[dict[str, Any], str | None] | None:
        """Return its next message and the plan in it; None when it has ended."""
        assert self._process.stdout is not None
        head = self._process.stdout.readline()
        if not head.endswith(b"\n"):
            return None
        message: dict[str, Any] = json.loads(head)
        if not message["plan"]:
            return message, None
        plan = self._process.stdout.readline()
        return (message, plan[:-1].decode("ascii")) if plan.endswith(b"\n") else None

    def kill(self) -> None:
        """End the process at once."""
        self._process.kill()

    def close(self) -> str:
        """End the process by closing its input; return how it ended."""
        try:
            assert self._process.stdin is not None
            self._process.stdin.close()
        except OSError:
            pass
        try:
            code = self._process.wait(timeout=1.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
        return f"signal {-code}" if code < 0 else f"exit code {code}"


def _import_path() -> list[str]:
    """Return where a worker looks for modules: what this process uses, the package first."""
    return [str(Path(fripn.__file__).parent.parent), os.environ.get("PYTHONPATH", "")]


@dataclass(slots=True)
class _Running:
    """A job that is being solved.

    Parameters
    ----------
    worker
        Who solves it.
    deadline
        When the worker is killed, on the monotonic clock.
    limit
        When it is asked to stop; a search does so by itself, a comparison of many may be late.
    is_stopped
        Whether somebody asked to stop it.
    is_interrupted
        Whether the service is shutting down.
    is_overdue
        Whether the worker was killed, because it did not end in time.
    """

    worker: _Worker
    deadline: float
    limit: float = float("inf")
    is_stopped: bool = False
    is_interrupted: bool = False
    is_overdue: bool = False


@dataclass(slots=True)
class _State:
    running: dict[str, _Running] = field(default_factory=dict)
    is_closing: bool = False
    num_unstored: int = 0


class JobQueue:
    """Runs the jobs of a store, as many at a time as the limits allow.

    Parameters
    ----------
    store
        Where the jobs are.
    limits
        How many run at a time, and how many ended ones are kept.
    on_change
        Called when something about a job has changed.
    """

    def __init__(self, store: Store, limits: Limits, on_change: OnChange) -> None:
        self._store, self._limits, self._on_change = store, limits, on_change
        self._change = threading.Condition()
        self._state = _State()
        self._threads = [
            threading.Thread(target=self._serve, name=f"jobs-{number}", daemon=True)
            for number in range(limits.parallel)
        ]
        self._watcher = threading.Thread(target=self._watch, name="jobs-watch", daemon=True)

    def start(self) -> None:
        """Mark what a kill has interrupted, and run what waits."""
        self._watcher.start()
        try:
            self._recover()
        except sqlite3.OperationalError:
            # The disk is full: plans can be looked at, and jobs run once there is room.
            threading.Thread(target=self._insist, args=(self._recover,), daemon=True).start()

    @property
    def is_stored(self) -> bool:
        """Whether all that is known of the jobs could be stored; false while the disk is full."""
        return not self._state.num_unstored

    def _recover(self) -> None:
        if lost := self._store.recover():
            log.warning("jobs interrupted", extra={"jobs": lost})
        for thread in self._threads:
            thread.start()

    def _insist(self, write: Callable[[], None]) -> None:
        """Store something; where the disk is full, try again until there is room.

        Raises
        ------
        sqlite3.Error
            When the service ends before.
        """
        is_counted = False
        try:
            while True:
                try:
                    write()
                    return
                except sqlite3.OperationalError as error:
                    if self._state.is_closing:
                        raise
                    if not is_counted:
                        log.error("not stored, tried again", extra={"reason": str(error)})
                with self._change:
                    self._state.num_unstored += not is_counted
                    is_counted = True
                    self._change.wait_for(lambda: self._state.is_closing, _STORE_AGAIN)
        finally:
            with self._change:
                self._state.num_unstored -= is_counted

    def wake(self) -> None:
        """Look for waiting jobs."""
        with self._change:
            self._change.notify_all()

    def stop(self, job: str) -> None:
        """End a job and keep its best plan; one that waits ends without running."""
        with self._change:
            running = self._state.running.get(job)
            if running is not None:
                running.is_stopped = True
                running.deadline = min(running.deadline, time.monotonic() + _GRACE_STOP)
                running.worker.send('{"stop": true}')
                return
            if self._store.state(job) == "queued":
                self._store.end(job, STOPPED)
        self._on_change(job)

    def wait_ended(self, job: str, seconds: float) -> None:
        """Wait until a job does not run any more."""
        with self._change:
            self._change.wait_for(lambda: job not in self._state.running, seconds)

    def close(self, seconds: float = _GRACE_STOP) -> None:
        """Stop all jobs, keep their best plans as interrupted, and end the workers."""
        with self._change:
            self._state.is_closing = True
            for running in self._state.running.values():
                running.is_interrupted = True
                running.deadline = min(running.deadline, time.monotonic() + seconds)
                running.worker.send('{"stop": true}')
            self._change.notify_all()
        for thread in self._threads:
            if thread.is_alive():
                thread.join(seconds + 2.0)

    def worker_pids(self) -> list[int]:
        """Return the process ids of the workers that solve a job now."""
        with self._change:
            return [running.worker.pid for running in self._state.running.values()]

    def _serve(self) -> None:
        """Run jobs on one worker, which is kept for the next job: starting it takes time."""
        worker = _Worker()
        while True:
            with self._change:
                job = None
                while not self._state.is_closing:
                    with contextlib.suppress(sqlite3.Error):
                        job = self._store.next_queued()
                        if job is not None and self._store.start(job):
                            break
                    self._change.wait(_LOOK_AGAIN)
                if self._state.is_closing or job is None:
                    break
                if not worker.is_alive:
                    worker.close()
                    worker = _Worker()
                self._state.running[job] = _Running(worker, time.monotonic() + 3600.0)
                threads = max(1, num_cores() // len(self._state.running))
            try:
                self._run(job, worker, threads)
            except Exception:
                # A disk that is full when the service ends, or a bug: the thread goes on.
                log.exception("job failed", extra={"job": job})
                worker.kill()
                with contextlib.suppress(sqlite3.Error):
                    self._store.end(job, FAILED, error=worker_failed("it cannot be stored"))
            worker.num_jobs += 1
            if not worker.is_alive or worker.num_jobs >= _JOBS_PER_WORKER:
                worker.close()
                worker = _Worker()
            with self._change:
                del self._state.running[job]
                self._change.notify_all()
            self._on_change(job)
            with contextlib.suppress(sqlite3.Error):
                self._store.forget_oldest(self._limits.keep)
        worker.close()

    def _run(self, job: str, worker: _Worker, threads: int) -> None:
        request = json.loads(self._store.text(job, "request") or "{}")
        status = self._store.status(job, with_curve=False)
        assert status is not None
        before = float(status["seconds"]) if request["kind"] == "solve" else 0.0
        plan = self._store.text(job, "plan")
        if plan is not None and request["kind"] == "solve":
            # The job goes on: locked routes come first in plans of the worker.
            request["start"] = [
                {key: route[key] for key in ("vehicle_type", "customers")}
                for route in json.loads(plan)["routes"]
            ]
            request["locked"] = [*range(len(set(request.get("locked") or ())))]
        if request["kind"] == "solve":
            request["seconds"] = max(0.01, status["limit_seconds"] - before)
        request["threads"] = min(request.get("threads") or threads, num_cores())
        with self._change:
            running = self._state.running[job]
            end = time.monotonic() + status["limit_seconds"] - before
            if request["kind"] == "fleet":
                running.limit = end
            running.deadline = end + _GRACE_LIMIT
        self._on_change(job)
        text = json.dumps(request)[:-1]
        worker.send(f'{text}, "instance": {self._store.text(job, "instance")}}}')
        with self._change:
            if running.is_stopped or running.is_interrupted:  # before the worker knew of the job
                worker.send('{"stop": true}')
        log.info("job started", extra={"job": job, "worker": worker.pid})
        best = float("inf") if status["cost"] is None else float(status["cost"])
        while (found := worker.read()) is not None:
            message, plan = found
            event = message["event"]
            if event in ("better", "done") and plan is not None:
                if message["cost"] < best:
                    best = message["cost"]
                    self._insist(partial(self._better, job, before, message, plan))
                elif message["bound"] is not None:
                    self._insist(partial(self._bound, job, before, message))
            elif event == "bound":
                self._insist(partial(self._bound, job, before, message))
            elif event == "row":
                self._insist(partial(self._store.row, job, message["row"]))
            if event in ("done", "crash"):
                self._insist(partial(self._end, job, running, message, before))
                return
            self._on_change(job)
        how = worker.close()
        if running.is_interrupted:
            end = partial(self._store.end, job, INTERRUPTED)
        elif running.is_stopped or running.is_overdue:
            notes = ["The solver did not stop in time; its last plan is kept."]
            end = partial(self._store.end, job, STOPPED, notes=notes)
        else:
            log.error("worker ended", extra={"job": job, "how": how})
            end = partial(self._store.end, job, INTERRUPTED, error=worker_failed(how))
        self._insist(end)

    def _better(self, job: str, before: float, message: dict[str, Any], plan: str) -> None:
        seconds = before + message["seconds"]
        self._store.better(job, seconds, message["cost"], message["bound"], plan)

    def _bound(self, job: str, before: float, message: dict[str, Any]) -> None:
        self._store.bound(job, before + message["seconds"], message["bound"])

    def _end(self, job: str, running: _Running, message: dict[str, Any], before: float) -> None:
        if message["event"] == "crash":
            log.error("job crashed", extra={"job": job, "traceback": message.get("traceback")})
            self._store.end(job, FAILED, error=worker_failed(message["reason"]))
            return
        if "rows" in message:
            self._store.keep_rows(job, message["rows"])
        state = FINISHED
        error = message["error"]
        if error is None and self._store.text(job, "plan") is None:
            error = problem(422, "no plan was found in the time; allow more of it")
        if error is not None:
            state = FAILED
        if running.is_interrupted:
            state = INTERRUPTED
        elif running.is_stopped:
            state = STOPPED
        seconds = message.get("seconds")
        self._store.end(
            job,
            state,
            seconds=None if seconds is None else before + seconds,
            proven=bool(message.get("proven")),
            notes=message.get("notes") or (),
            error=error if state == FAILED else None,
        )
        log.info("job ended", extra={"job": job, "state": state})

    def _watch(self) -> None:
        """Kill workers that do not keep their time."""
        with self._change:
            while not (self._state.is_closing and not self._state.running):
                now = time.monotonic()
                for job, running in self._state.running.items():
                    if now >= running.limit:
                        running.limit = float("inf")
                        running.worker.send('{"stop": true}')
                    if now >= running.deadline:
                        log.error("worker killed", extra={"job": job, "worker": running.worker.pid})
                        running.is_overdue = True
                        running.worker.kill()
                        running.deadline = now + _GRACE_LIMIT
                self._change.wait(0.25)
