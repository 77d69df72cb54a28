"""OR-Tools routing: guided local search."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from typing import Any, ClassVar

from fripn.baselines.peers.day_integers import LONGEST_TRAVEL
from fripn.baselines.peers.day_job import day_job
from fripn.baselines.peers.integer_problem import IntegerProblem, integer_problem
from fripn.baselines.peers.process import Job, solve_in_worker
from fripn.features import ROUTING, WORKING_DAY, Feature, features_of
from fripn.incumbent import Incumbent
from fripn.problem import Instance, Solution
from fripn.result import Result
from fripn.run import Run
from fripn.settings import check_fields

if importlib.util.find_spec("ortools") is None:
    raise ModuleNotFoundError("No module named 'ortools'", name="ortools")

#: Seconds that stand for no time limit.
_A_LONG_TIME = 1e7

#: Units of time of the longest travel time where stops have several windows: OR-Tools removes the
#: times between them one by one.
_COARSE = 1e3

#: Strategies that often find a first plan where limits of time leave little room.
_FALLBACKS = ("PARALLEL_CHEAPEST_INSERTION", "LOCAL_CHEAPEST_INSERTION", "SAVINGS")


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
    supports: ClassVar[frozenset[Feature]] = ROUTING | WORKING_DAY
    ends_by_itself: ClassVar[bool] = False

    first_solution: str = "PATH_CHEAPEST_ARC"

    def __post_init__(self) -> None:
        """Check every setting."""
        check_fields(self)

    def __call__(self, instance: Instance, run: Run) -> Result:
        """Solve the instance; see `fripn.Method`."""

        def make_job(best: Incumbent) -> Job:
            if features_of(instance) & WORKING_DAY:
                return self._day_job(instance, best)
            problem = integer_problem(
                instance,
                total=1e9,
                largest=2**40,
                start=run.start,
                start_cost=best.cost,
                stop=run.flag,
            )
            return Job(self._plain_job(problem, best), problem.vehicle_types())

        return solve_in_worker("ortools_worker.py", self.name, instance, run, make_job)

    def _plain_job(self, problem: IntegerProblem, best: Incumbent) -> dict[str, Any]:
        return {
            "demands": problem.demands.tolist(),
            "profiles": problem.profiles,
            "vehicles": problem.vehicles(),
            **self._search(best, problem.vehicle_types()),
        }

    def _day_job(self, instance: Instance, best: Incumbent) -> Job:
        # Costs per unit of time are rounded to integers too: the larger the total, the finer.
        job = day_job(
            instance,
            total=1e13,
            largest=2.0**45,
            units=_COARSE if Feature.SEVERAL_WINDOWS in features_of(instance) else LONGEST_TRAVEL,
            start=best.run.start,
            stop=best.run.flag,
        )
        description = {
            **{name: getattr(job, name) for name in job.__slots__},
            "limits_time": instance.limits_time,
            "fallbacks": _FALLBACKS,
            **self._search(best, job.vehicle_types()),
        }
        return Job(description, job.vehicle_types())

    def _search(self, best: Incumbent, vehicle_types: list[int]) -> dict[str, Any]:
        budget = best.run.budget
        # It has no limit on iterations without improvement; a limit on all is the nearest.
        limits = [limit for limit in (budget.iterations, budget.stall) if limit is not None]
        return {
            "initial": _by_vehicle(best.solution, vehicle_types),
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
