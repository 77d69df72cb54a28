"""OR-Tools routing: guided local search."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from typing import Any, ClassVar

from fripn.baselines.peers.integer_problem import IntegerProblem, integer_problem
from fripn.baselines.peers.process import Job, solve_in_worker
from fripn.features import ROUTING, Feature
from fripn.incumbent import Incumbent
from fripn.problem import Instance, Solution
from fripn.result import Result
from fripn.run import Run
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

    name: ClassVar[str] = "ortools"
    supports: ClassVar[frozenset[Feature]] = ROUTING
    ends_by_itself: ClassVar[bool] = False

    first_solution: str = "PATH_CHEAPEST_ARC"

    def __post_init__(self) -> None:
        """Check every setting."""
        check_fields(self)

    def __call__(self, instance: Instance, run: Run) -> Result:
        """Solve the instance; see `fripn.Method`."""

        def make_job(best: Incumbent) -> Job:
            problem = integer_problem(
                instance,
                total=1e9,
                largest=2**40,
                start=run.start,
                start_cost=best.cost,
                stop=run.flag,
            )
            return Job(self._job(problem, best), problem.vehicle_types())

        return solve_in_worker("ortools_worker.py", self.name, instance, run, make_job)

    def _job(self, problem: IntegerProblem, best: Incumbent) -> dict[str, Any]:
        budget = best.run.budget
        # It has no limit on iterations without improvement; a limit on all is the nearest.
        limits = [limit for limit in (budget.iterations, budget.stall) if limit is not None]
        return {
            "demands": problem.demands.tolist(),
            "profiles": problem.profiles,
            "vehicles": problem.vehicles(),
            "initial": _by_vehicle(best.solution, problem.vehicle_types()),
            "first_solution": self.first_solution,
            "milliseconds": int(1000 * min(best.seconds_left, _A_LONG_TIME)) + 1,
            "solution_limit": max(1, min(limits)) if limits else None,
        }


def _by_vehicle(solution: Solution | None, vehicle_types: list[int]) -> list[list[int]] | None:
    """Assign the routes of a plan to vehicles of the same types."""
    if solution is None:
        return None
    waiting: dict[int, list[list[int]]] = {}
    for route in solution.routes:
        waiting.setdefault(route.vehicle_type, []).append(list(route.customers))
    return [waiting[k].pop() if waiting.get(k) else [] for k in vehicle_types]
