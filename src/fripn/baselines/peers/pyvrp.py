"""PyVRP: iterated local search with late acceptance."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyvrp
from pyvrp.constants import MAX_VALUE
from pyvrp.exceptions import PenaltyBoundWarning
from pyvrp.IteratedLocalSearch import IteratedLocalSearchCallbacks

from fripn.baselines.integers import integer_loads
from fripn.baselines.peers.whole_numbers import WholeProblem, whole_problem
from fripn.budget import Budget
from fripn.incumbent import Incumbent
from fripn.problem import Instance, Solution
from fripn.result import OnImprovement, Result, Status
from fripn.settings import Positive, check_fields

#: A good plan costs at least this much after scaling, so that rounding does not matter.
_LEAST_TOTAL = 1e6


@dataclass(frozen=True, slots=True)
class PyVrp:
    """PyVRP with its default settings, on one thread (it has no more).

    Iterations are PyVRP's own. A start becomes its initial solution.

    Parameters
    ----------
    cost_per_load
        What a good plan costs per unit of load after scaling to whole numbers. PyVRP's penalties
        per unit of overload lie between 0.1 and 100,000, so this must lie well between.

    References
    ----------
    N. A. Wouda, L. Lan, W. Kool (2024), doi 10.1287/ijoc.2023.0055.
    """

    cost_per_load: Positive = 1000.0

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
        best = Incumbent(instance, budget, start, on_improvement)
        demand = float(integer_loads(instance).demands.sum())
        problem = whole_problem(
            instance,
            start=best.solution,
            total=max(_LEAST_TOTAL, self.cost_per_load * demand),
            largest=MAX_VALUE,
        )
        data = _problem_data(instance, problem)
        events = _Events(best, problem)
        params = pyvrp.SolveParams(ils=pyvrp.IteratedLocalSearchParams(callbacks=events))
        initial = None if best.solution is None else _initial(best.solution, problem, data)
        status = Status.FEASIBLE
        try:
            with warnings.catch_warnings():
                # PyVRP reports penalties at their bound; the plan is judged by us in any case.
                warnings.simplefilter("ignore", PenaltyBoundWarning)
                result = pyvrp.solve(
                    data,
                    stop=_Stop(best, budget, events),
                    seed=seed % 2**32,
                    collect_stats=False,
                    params=params,
                    initial_solution=initial,
                )
            events.on_best(result.best)
        except KeyboardInterrupt:
            status = Status.INTERRUPTED
        return best.result("pyvrp", status=status, seed=seed, iterations=events.iterations)


class _Events(IteratedLocalSearchCallbacks):
    """Passes better plans on and counts iterations."""

    def __init__(self, best: Incumbent, problem: WholeProblem) -> None:
        self._best = best
        self._problem = problem
        self.iterations = 0
        self.last_improvement = 0

    def on_iteration(self, *_: object) -> None:
        self.iterations += 1

    def on_best(self, best: pyvrp.Solution) -> None:
        if best.is_feasible() and self._best.offer(_solution(best, self._problem)):
            self.last_improvement = self.iterations


class _Stop:
    """Our budget as PyVRP's stopping criterion."""

    def __init__(self, best: Incumbent, budget: Budget, events: _Events) -> None:
        self._best, self._budget, self._events = best, budget, events

    def __call__(self, best_cost: int) -> bool:
        done = self._events.iterations
        stalled = done - self._events.last_improvement
        return (
            self._best.is_over
            or (self._budget.iterations is not None and done >= self._budget.iterations)
            or (self._budget.stall is not None and stalled >= self._budget.stall)
        )


def _problem_data(instance: Instance, problem: WholeProblem) -> pyvrp.ProblemData:
    size = instance.num_customers + 1
    distances: list[Any] = list(problem.profiles)
    durations: list[Any] = [np.zeros((size, size), dtype=np.int64)] * len(distances)
    places = np.zeros((size, 2)) if instance.coordinates is None else instance.coordinates
    return pyvrp.ProblemData(
        locations=[pyvrp.Location(x, y) for x, y in places.tolist()],
        clients=[pyvrp.Client(j, delivery=[int(problem.demands[j])]) for j in range(1, size)],
        depots=[pyvrp.Depot(0)],
        vehicle_types=[
            pyvrp.VehicleType(
                num_available=fleet.count,
                capacity=[fleet.capacity],
                fixed_cost=fleet.fixed_cost,
                unit_distance_cost=1,
                profile=fleet.profile,
            )
            for fleet in problem.fleets
        ],
        distance_matrices=distances,
        duration_matrices=durations,
    )


def _initial(solution: Solution, problem: WholeProblem, data: pyvrp.ProblemData) -> pyvrp.Solution:
    position = {fleet.vehicle_type: place for place, fleet in enumerate(problem.fleets)}
    return pyvrp.Solution(
        data,
        [
            pyvrp.Route(data, [c - 1 for c in route.customers], position[route.vehicle_type])
            for route in solution.routes
            if route.customers
        ],
    )


def _solution(solution: pyvrp.Solution, problem: WholeProblem) -> Solution:
    return Solution.of(
        (
            problem.fleets[route.vehicle_type()].vehicle_type,
            [activity.idx + 1 for activity in route if activity.is_client()],
        )
        for route in solution.routes()
    )
