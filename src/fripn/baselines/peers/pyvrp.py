"""PyVRP: iterated local search with late acceptance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from pyvrp.constants import MAX_VALUE

from fripn.baselines.integers import integer_loads
from fripn.baselines.peers.integer_problem import IntegerProblem, integer_problem
from fripn.baselines.peers.process import Job, solve_in_worker
from fripn.baselines.peers.pyvrp_day import SUPPORTED, day_problem
from fripn.features import WORKING_DAY, Feature, features_of
from fripn.incumbent import Incumbent
from fripn.problem import Instance, Solution
from fripn.result import Result
from fripn.run import Run
from fripn.settings import Positive, check_fields

#: A good plan costs at least this much after scaling, so that rounding does not matter.
_LEAST_TOTAL = 1e6


@dataclass(frozen=True, slots=True)
class PyVrp:
    """PyVRP with its default settings, on one thread (it has no more).

    It looks at its limits between local searches only, the first of which takes seconds on a
    thousand customers. So it runs in a process of its own (see `pyvrp_worker`). Iterations are
    PyVRP's own; of a run that is ended, those up to its best plan are known. A start becomes its
    initial solution.

    Parameters
    ----------
    cost_per_load
        What a good plan costs per unit of load after scaling to integers. PyVRP's penalties
        per unit of overload lie between 0.1 and 100,000, so this must lie well between.

    References
    ----------
    N. A. Wouda, L. Lan, W. Kool (2024), doi 10.1287/ijoc.2023.0055.
    """

    name: ClassVar[str] = "pyvrp"
    supports: ClassVar[frozenset[Feature]] = SUPPORTED
    ends_by_itself: ClassVar[bool] = False

    cost_per_load: Positive = 1000.0

    def __post_init__(self) -> None:
        """Check every setting."""
        check_fields(self)

    def __call__(self, instance: Instance, run: Run) -> Result:
        """Solve the instance; see `fripn.Method`."""

        def make_job(best: Incumbent) -> Job:
            problem, data = self._problem(best)
            job = {
                **data,
                "seed": run.seed % 2**32,
                "seconds": best.seconds_left,
                "iterations": run.budget.iterations,
                "stall": run.budget.stall,
                "initial": None if run.start is None else _initial(run.start, problem),
            }
            return Job(job, problem.vehicle_types())

        return solve_in_worker("pyvrp_worker.py", self.name, instance, run, make_job)

    def _problem(self, best: Incumbent) -> tuple[IntegerProblem, dict[str, Any]]:
        if features_of(best.instance) & WORKING_DAY:
            return day_problem(best.instance)
        demand = float(integer_loads(best.instance).demands.sum())
        problem = integer_problem(
            best.instance,
            total=max(_LEAST_TOTAL, self.cost_per_load * demand),
            largest=MAX_VALUE,
            start=best.solution,
            start_cost=best.cost,
            stop=best.run.flag,
        )
        return problem, _problem_data(best.instance, problem)


def _problem_data(instance: Instance, problem: IntegerProblem) -> dict[str, Any]:
    size = instance.num_customers + 1
    places = np.zeros((size, 2)) if instance.coordinates is None else instance.coordinates
    return {
        "locations": places,
        "clients": [{"location": j, "delivery": [int(problem.demands[j])]} for j in range(1, size)],
        "depots": [0],
        "vehicle_types": [
            {
                "num_available": fleet.count,
                "capacity": [fleet.capacity],
                "fixed_cost": fleet.fixed_cost,
                "unit_distance_cost": 1,
                "profile": fleet.profile,
            }
            for fleet in problem.fleets
        ],
        "distance_matrices": list(problem.profiles),
        "duration_matrices": None,
    }


def _initial(solution: Solution, problem: IntegerProblem) -> list[tuple[int, list[int]]]:
    """Return the routes of a plan, each with the place of its type among those offered."""
    position = {fleet.vehicle_type: place for place, fleet in enumerate(problem.fleets)}
    return [
        (position[route.vehicle_type], [customer - 1 for customer in route.customers])
        for route in solution.routes
        if route.customers
    ]
