"""OR-Tools routing: guided local search."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import pickle
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fripn.baselines.incumbent import Incumbent
from fripn.baselines.peers.whole_numbers import WholeProblem, whole_problem
from fripn.budget import Budget
from fripn.errors import FripnError
from fripn.problem import Instance, Solution
from fripn.result import OnImprovement, Result, Status

if importlib.util.find_spec("ortools") is None:
    raise ModuleNotFoundError("No module named 'ortools'", name="ortools")

#: Seconds between looks at the clock.
_PATIENCE = 0.02

#: Seconds after its time limit that OR-Tools has to end by itself.
_GRACE = 0.1

#: Seconds that stand for no time limit.
_A_LONG_TIME = 1e7


@dataclass(frozen=True, slots=True)
class OrTools:
    """OR-Tools' routing library with guided local search, on one thread (it has no more).

    It runs in a process of its own (see `ortools_worker`); the clock starts when the library is
    loaded there, as it does for methods that are imported before they are called. Iterations are
    solutions as its solution limit counts them, and it takes no seed: it is deterministic. A start
    is handed over as the first solution; without one `first_solution` builds it.

    Parameters
    ----------
    first_solution
        Name of a first solution strategy of the library.

    References
    ----------
    L. Perron and V. Furnon, OR-Tools, https://developers.google.com/optimization/routing
    """

    first_solution: str = "PATH_CHEAPEST_ARC"

    def __call__(
        self,
        instance: Instance,
        budget: Budget,
        *,
        seed: int = 0,
        threads: int = 1,
        start: Solution | None = None,
        on_improvement: OnImprovement | None = None,
    ) -> Result:
        """Solve the instance within the budget (see `Method`)."""
        status, num_solutions = Status.FEASIBLE, 0
        with _worker() as (process, messages):
            _expect(messages.get(), "ready")
            best = Incumbent(instance, budget, start, on_improvement)
            problem = whole_problem(instance, start=best.solution, total=1e9, largest=2**40)
            kinds = [fleet.vehicle_type for fleet in problem.fleets for _ in range(fleet.count)]
            job = self._job(problem, budget, best.seconds_left, _by_vehicle(best.solution, kinds))
            assert process.stdin is not None
            pickle.dump(job, process.stdin)
            process.stdin.close()
            try:
                num_solutions = _listen(messages, kinds, best, budget)
            except KeyboardInterrupt:
                status = Status.INTERRUPTED
        return best.result("ortools", status=status, seed=seed, iterations=num_solutions)

    def _job(
        self,
        problem: WholeProblem,
        budget: Budget,
        seconds: float,
        initial: list[list[int]] | None,
    ) -> dict[str, Any]:
        # It has no limit on iterations without improvement; a limit on all is the nearest.
        limits = [limit for limit in (budget.iterations, budget.stall) if limit is not None]
        return {
            "demands": problem.demands.tolist(),
            "profiles": [costs.tolist() for costs in problem.profiles],
            "vehicles": [
                {
                    "profile": fleet.profile,
                    "capacity": fleet.capacity,
                    "fixed_cost": fleet.fixed_cost,
                }
                for fleet in problem.fleets
                for _ in range(fleet.count)
            ],
            "initial": initial,
            "first_solution": self.first_solution,
            "milliseconds": int(1000 * min(seconds, _A_LONG_TIME)) + 1,
            "solution_limit": max(1, min(limits)) if limits else None,
        }


def _listen(
    messages: queue.SimpleQueue[dict[str, Any]], kinds: list[int], best: Incumbent, budget: Budget
) -> int:
    """Offer the worker's plans until it ends or has to; give the number of solutions it saw."""
    num_solutions = 0
    while not best.reached_target and best.seconds < _hard_limit(budget):
        with contextlib.suppress(queue.Empty):
            message = messages.get(timeout=_PATIENCE)
            if "solutions" in message:
                return int(message["solutions"])
            routes = _expect(message, "routes")
            best.offer(Solution.of(zip(kinds, routes, strict=True)))
            num_solutions += 1
    return num_solutions


@contextlib.contextmanager
def _worker() -> Iterator[tuple[subprocess.Popen[bytes], queue.SimpleQueue[dict[str, Any]]]]:
    """Start the worker and a thread that collects its messages; end it on leaving."""
    script = Path(__file__).with_name("ortools_worker.py")
    # -P: the script's folder holds files named like the packages they adapt.
    process = subprocess.Popen(
        [sys.executable, "-P", str(script)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,  # Ctrl-C is for us, who then end the worker
    )
    messages: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()

    def collect() -> None:
        assert process.stdout is not None
        for line in process.stdout:
            messages.put(json.loads(line))
        messages.put({"ended": True})

    reader = threading.Thread(target=collect, daemon=True)
    reader.start()
    try:
        yield process, messages
    finally:
        process.kill()
        process.wait()
        reader.join()
        for stream in (process.stdin, process.stdout):
            assert stream is not None
            stream.close()


def _expect(message: dict[str, Any], key: str) -> Any:
    if key not in message:
        raise FripnError("OR-Tools ended without an answer; its own message is above")
    return message[key]


def _hard_limit(budget: Budget) -> float:
    return float("inf") if budget.seconds is None else budget.seconds + _GRACE


def _by_vehicle(solution: Solution | None, kinds: list[int]) -> list[list[int]] | None:
    """Assign the routes of a plan to vehicles of the same types."""
    if solution is None:
        return None
    waiting: dict[int, list[list[int]]] = {}
    for route in solution.routes:
        waiting.setdefault(route.vehicle_type, []).append(list(route.customers))
    return [waiting[kind].pop() if waiting.get(kind) else [] for kind in kinds]
