"""The process that solves: it reads jobs from its standard input and reports on its output.

Each message is a line of JSON. A report whose ``plan`` is true is followed by a line with the
plan. The end of the input means that the service is gone: the process then ends at once, so that a
kill of the service leaves nobody behind.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
import traceback
from collections.abc import Callable
from typing import Any, BinaryIO

from fripn.budget import Budget
from fripn.errors import FripnError, InvalidInput
from fripn.fleet_comparison import FleetComparison, Scenario, compare_fleets
from fripn.problem import Instance, Solution, evaluate
from fripn.problem.io import instance_from_dict
from fripn.result import Result, Status
from fripn.run import Progress, Stop
from fripn.serve.locked_routes import OpenPart, renumbered, without_locked
from fripn.serve.plan_view import plan_view, solution_of
from fripn.serve.problems import problem_of
from fripn.solve import DEFAULT_METHOD, get_method, solve

#: Seconds between two reports of better plans, at least; they are few where plans are large.
_INTERVAL = 0.1
_SHARE_OF_TIME = 0.1

_INCOMPLETE = "The comparison was ended before all fleets were planned."

#: The search gives way to the page and to other programs of the user.
_NICENESS = 5

#: What a job may use of the message that starts it.
Job = dict[str, Any]


class Reports:
    """Writes messages to the service.

    Parameters
    ----------
    stream
        Where to.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._lock = threading.Lock()

    def send(self, message: dict[str, Any], plan: dict[str, Any] | None = None) -> None:
        """Write a message, and the plan that belongs to it."""
        text = json.dumps({**message, "plan": plan is not None}, allow_nan=False) + "\n"
        if plan is not None:
            text += json.dumps(plan, allow_nan=False) + "\n"
        with self._lock:
            self._stream.write(text.encode("ascii"))
            self._stream.flush()


class Latest:
    """Reports the newest plan and bound of a run from a thread of its own.

    The search is not delayed by it, and plans that are replaced within the interval are left out.

    Parameters
    ----------
    instance
        The whole problem.
    reports
        Where to report.
    part
        What was solved, where routes are locked.
    """

    def __init__(self, instance: Instance, reports: Reports, part: OpenPart | None) -> None:
        self._instance, self._reports, self._part = instance, reports, part
        self._change = threading.Condition()
        self._plan: tuple[float, Solution] | None = None
        self._bound: tuple[float, float] | None = None
        self._is_over = False
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def __call__(self, progress: Progress) -> None:
        """Take what a run reports."""
        with self._change:
            if progress.plan is not None:
                self._plan = (progress.seconds, progress.plan)
            if progress.lower_bound is not None:
                self._bound = (progress.seconds, progress.lower_bound)
            self._change.notify()

    def finish(self) -> None:
        """Report what has not been reported, and end."""
        with self._change:
            self._is_over = True
            self._change.notify()
        self._thread.join()

    def whole(self, plan: Solution) -> Solution:
        """Return a plan of the whole problem."""
        return plan if self._part is None else self._part.whole(plan)

    def whole_bound(self, bound: float) -> float:
        """Return a bound on plans of the whole problem with the locked routes."""
        return bound if self._part is None else bound + self._part.locked_cost

    def _run(self) -> None:
        while True:
            with self._change:
                while not (self._plan or self._bound or self._is_over):
                    self._change.wait()
                plan, bound = self._plan, self._bound
                self._plan = self._bound = None
                if plan is None and bound is None:
                    return
            began = time.perf_counter()
            self._report(plan, bound)
            spent = time.perf_counter() - began
            with self._change:
                if not self._is_over:
                    self._change.wait_for(
                        lambda: self._is_over, max(_INTERVAL, spent / _SHARE_OF_TIME)
                    )

    def _report(
        self, plan: tuple[float, Solution] | None, bound: tuple[float, float] | None
    ) -> None:
        lowest = None if bound is None else self.whole_bound(bound[1])
        if plan is not None:
            whole = self.whole(plan[1])
            evaluation = evaluate(self._instance, whole)
            self._reports.send(
                {
                    "event": "better",
                    "seconds": plan[0],
                    "cost": evaluation.cost,
                    "bound": lowest,
                },
                plan_view(self._instance, whole, evaluation),
            )
        elif bound is not None:
            self._reports.send({"event": "bound", "seconds": bound[0], "bound": lowest})


def run_solve(job: Job, reports: Reports, stop: Stop) -> None:
    """Solve an instance, and report every better plan and the end."""
    instance = instance_from_dict(job["instance"])
    part: OpenPart | None = None
    start: Solution | None = None
    notes: list[str] = []
    if job.get("start") is not None:
        start = solution_of(instance, job["start"])
        locked = job.get("locked") or []
        if locked:
            part = without_locked(instance, start, locked)
            start = renumbered(start, locked, part)
    problem = instance if part is None else part.instance
    if start is not None and not evaluate(problem, start).is_feasible:
        start = None
        notes.append("The plan to start from breaks a rule, so the search began without it.")
    latest = Latest(instance, reports, part)
    try:
        result = solve(
            problem,
            job.get("method") or DEFAULT_METHOD,
            budget=Budget(seconds=job["seconds"], gap=job.get("gap")),
            seed=job.get("seed") or 0,
            threads=job.get("threads"),
            start=start,
            on_progress=latest,
            stop=stop,
        )
    finally:
        latest.finish()
    plan = None
    if result.solution is not None:
        whole = latest.whole(result.solution)
        plan = plan_view(instance, whole)
    bound = None if result.lower_bound is None else latest.whole_bound(result.lower_bound)
    reports.send(
        {
            "event": "done",
            "seconds": result.seconds,
            "cost": None if plan is None else plan["cost"],
            "bound": bound,
            "proven": result.status is Status.OPTIMAL,
            "stopped": stop.is_set,
            "notes": [*notes, *result.notes],
            "error": _no_plan(result, job),
        },
        plan,
    )


def _no_plan(result: Result, job: Job) -> dict[str, Any] | None:
    if result.status is not Status.NO_PLAN:
        return None
    try:
        result.require_plan(Budget(seconds=job["seconds"]))
    except FripnError as error:
        return problem_of(error)
    return None


def run_fleet(job: Job, reports: Reports, stop: Stop) -> None:
    """Compare fleets, and report every row of the comparison and the best plan."""
    instance = instance_from_dict(job["instance"])
    began = time.perf_counter()
    rows = _Rows(instance, reports, began)
    comparison = compare_fleets(
        instance,
        job.get("method") or DEFAULT_METHOD,
        time_limit=job["seconds"],
        seed=job.get("seed") or 0,
        threads=job.get("threads"),
        stop=stop,
        on_plan=rows.scenario,
        on_best=rows.best,
    )
    rows.final(comparison)
    best = comparison.best
    assert best.solution is not None
    reports.send(
        {
            "event": "done",
            "seconds": time.perf_counter() - began,
            "cost": best.cost,
            "bound": best.lower_bound,
            "proven": best.status is Status.OPTIMAL,
            "stopped": not comparison.is_complete,
            "notes": [*best.notes, *([] if comparison.is_complete else [_INCOMPLETE])],
            "error": None,
            "rows": rows.ids(comparison),
        },
        plan_view(instance, best.solution, best.evaluation),
    )


class _Rows:
    """Rows of a comparison, sent as they are found and again where they change."""

    def __init__(self, instance: Instance, reports: Reports, began: float) -> None:
        self._instance, self._reports, self._began = instance, reports, began
        self._best: Result | None = None
        self._sent: dict[str, dict[str, Any]] = {}

    def best(self, best: Result) -> None:
        """Send the best mix; what was sent before is compared with it."""
        self._best = best
        assert best.solution is not None
        self._reports.send(
            {
                "event": "better",
                "seconds": time.perf_counter() - self._began,
                "cost": best.cost,
                "bound": best.lower_bound,
            },
            plan_view(self._instance, best.solution, best.evaluation),
        )
        self._send("best", "best mix", None, best.solution, "")

    def scenario(self, scenario: Scenario) -> None:
        """Send an alternative."""
        name = self._instance.vehicle_types[scenario.vehicle_type].name
        self._send(
            f"{scenario.change}:{scenario.vehicle_type}",
            scenario.label,
            name,
            scenario.solution,
            scenario.reason,
        )

    def final(self, comparison: FleetComparison) -> None:
        """Send what the comparison of all plans has changed."""
        self._best = comparison.best
        self._send("best", "best mix", None, comparison.best.solution, "")
        for scenario in comparison.scenarios:
            self.scenario(scenario)

    def ids(self, comparison: FleetComparison) -> list[str]:
        """Return the rows that count: a better mix may make some of the earlier ones void."""
        return ["best", *(f"{one.change}:{one.vehicle_type}" for one in comparison.scenarios)]

    def _send(
        self,
        row_id: str,
        label: str,
        vehicle_type: str | None,
        plan: Solution | None,
        reason: str,
    ) -> None:
        assert self._best is not None
        found = None if plan is None else evaluate(self._instance, plan)
        known = [*self._sent]
        row: dict[str, Any] = {
            "id": row_id,
            "place": known.index(row_id) if row_id in known else len(known),
            "change": label,
            "vehicle_type": vehicle_type,
            "cost": None,
            "difference": None,
            "percent": None,
            "distance": None,
            "duration": None,
            "fleet": None,
            "routes": None,
            "error": None,
            "remark": None,
        }
        row["remark" if plan is not None else "error"] = reason or None
        if found is not None and plan is not None:
            difference = found.cost - self._best.cost
            row |= {
                "cost": found.cost,
                "difference": difference,
                "percent": 100.0 * difference / self._best.cost if self._best.cost else 0.0,
                "distance": found.distance,
                "duration": found.duration if self._instance.has_schedule else None,
                "fleet": {
                    vehicle.name: total.count
                    for vehicle, total in zip(
                        self._instance.vehicle_types, found.types, strict=True
                    )
                },
                "routes": [
                    {
                        "vehicle_type": self._instance.vehicle_types[route.vehicle_type].name,
                        "customers": list(route.customers),
                    }
                    for route in plan.routes
                ],
            }
        if self._sent.get(row_id) != row:
            self._sent[row_id] = row
            self._reports.send({"event": "row", "row": row})


_TASKS: dict[str, Callable[[Job, Reports, Stop], None]] = {"solve": run_solve, "fleet": run_fleet}


class _Inbox:
    """Reads messages on a thread of its own, so that a stop arrives while a job runs."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._change = threading.Condition()
        self._job: Job | None = None
        self._stop = Stop()
        threading.Thread(target=self._read, daemon=True).start()

    def next_job(self) -> tuple[Job, Stop]:
        """Wait for a job; return it with what stops it."""
        with self._change:
            while self._job is None:
                self._change.wait()
            job, self._job = self._job, None
            return job, self._stop

    def _read(self) -> None:
        for line in self._stream:
            message = json.loads(line)
            with self._change:
                if "stop" in message:
                    self._stop.set()
                else:
                    self._stop = Stop()
                    self._job = message
                    self._change.notify()
        # The service is gone, and with it whoever wanted the plan.
        os._exit(0)


def main() -> None:
    """Run jobs until the input ends."""
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    # What a library prints must not get between the messages.
    messages = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    reports = Reports(messages)
    inbox = _Inbox(sys.stdin.buffer)
    get_method(DEFAULT_METHOD)  # imported before the first job needs it
    reports.send({"event": "ready"})
    while True:
        job, stop = inbox.next_job()
        try:
            _TASKS[job["kind"]](job, reports, stop)
        except FripnError as error:
            is_user_error = isinstance(error, InvalidInput)
            reports.send(
                {
                    "event": "done",
                    "error": problem_of(error),
                    "stopped": stop.is_set and not is_user_error,
                }
            )
        except MemoryError:
            reports.send({"event": "crash", "reason": "it ran out of memory"})
        except Exception:
            reports.send({"event": "crash", "reason": "a bug", "traceback": traceback.format_exc()})


if __name__ == "__main__":
    main()
