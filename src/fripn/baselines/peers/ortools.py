"""OR-Tools routing: guided local search."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from typing import Any

from fripn.baselines.peers.process import worker
from fripn.baselines.peers.whole_numbers import WholeProblem, whole_problem
from fripn.budget import Budget
from fripn.incumbent import Incumbent
from fripn.problem import Instance, Solution
from fripn.result import OnImprovement, Result, Status
from fripn.settings import check_fields

if importlib.util.find_spec("ortools") is None:
    raise ModuleNotFoundError("No module named 'ortools'", name="ortools")

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

    def __post_init__(self) -> None:
        """Check every setting."""
        check_fields(self)

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
        with worker("ortools_worker.py") as process:
            best = Incumbent(instance, budget, start, on_improvement)
            problem = whole_problem(instance, start=best.solution, total=1e9, largest=2**40)
            kinds = problem.vehicle_kinds()
            job = self._job(problem, budget, best.seconds_left, _by_vehicle(best.solution, kinds))
            try:
                num_solutions = process.run(job, kinds, best, budget)
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
            "vehicles": problem.vehicles(),
            "initial": initial,
            "first_solution": self.first_solution,
            "milliseconds": int(1000 * min(seconds, _A_LONG_TIME)) + 1,
            "solution_limit": max(1, min(limits)) if limits else None,
        }


def _by_vehicle(solution: Solution | None, kinds: list[int]) -> list[list[int]] | None:
    """Assign the routes of a plan to vehicles of the same types."""
    if solution is None:
        return None
    waiting: dict[int, list[list[int]]] = {}
    for route in solution.routes:
        waiting.setdefault(route.vehicle_type, []).append(list(route.customers))
    return [waiting[kind].pop() if waiting.get(kind) else [] for kind in kinds]
