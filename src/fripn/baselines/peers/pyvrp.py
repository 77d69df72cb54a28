"""PyVRP: iterated local search with late acceptance."""

from __future__ import annotations

import contextlib
import math
import queue
import threading
import warnings
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pyvrp
from pyvrp.constants import MAX_VALUE
from pyvrp.exceptions import PenaltyBoundWarning
from pyvrp.IteratedLocalSearch import IteratedLocalSearchCallbacks

from fripn.baselines.integers import integer_loads
from fripn.baselines.peers.integer_problem import IntegerProblem, integer_problem
from fripn.baselines.peers.pyvrp_day import SUPPORTED, day_problem
from fripn.baselines.watch import OverdueError, finish_or_cancel, run_watched
from fripn.features import WORKING_DAY, Feature, features_of
from fripn.incumbent import Incumbent
from fripn.problem import Instance, Solution
from fripn.result import Result
from fripn.run import Cancelled, Run
from fripn.settings import Positive, check_fields

#: A good plan costs at least this much after scaling, so that rounding does not matter.
_LEAST_TOTAL = 1e6

#: Seconds for which a cancelled run waits for PyVRP, which checks between local searches only.
_CANCEL_GRACE = 0.04


@dataclass(frozen=True, slots=True)
class PyVrp:
    """PyVRP with its default settings, on one thread (it has no more).

    Iterations are PyVRP's own. A start becomes its initial solution.

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
        best = Incumbent(instance, run, self.name)
        events = _Events()
        with contextlib.suppress(Cancelled, OverdueError):
            problem, data = finish_or_cancel(lambda: self._problem(best), run.stop)
            _search(best, problem, data, events)
        return best.result(iterations=events.iterations)

    def _problem(self, best: Incumbent) -> tuple[IntegerProblem, pyvrp.ProblemData]:
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


def _search(
    best: Incumbent, problem: IntegerProblem, data: pyvrp.ProblemData, events: _Events
) -> None:
    run, is_aborted = best.run, threading.Event()

    def search() -> None:
        result = pyvrp.solve(
            data,
            stop=_Stop(best, events, is_aborted),
            seed=run.seed % 2**32,
            collect_stats=False,
            params=pyvrp.SolveParams(ils=pyvrp.IteratedLocalSearchParams(callbacks=events)),
            initial_solution=None if run.start is None else _initial(run.start, problem, data),
        )
        events.on_best(result.best)

    with warnings.catch_warnings():
        # PyVRP reports penalties at their bound; plans are evaluated by us in any case.
        warnings.simplefilter("ignore", PenaltyBoundWarning)
        # Its first local search alone takes seconds on a thousand customers.
        run_watched(
            search,
            is_aborted.set,
            events.found,
            lambda plan: best.consider(_solution(plan, problem)),
            seconds=math.inf,
            stop=run.stop,
            cancel_grace=_CANCEL_GRACE,
        )


class _Events(IteratedLocalSearchCallbacks):
    """Passes better plans on and counts iterations."""

    def __init__(self) -> None:
        self.found: queue.SimpleQueue[pyvrp.Solution] = queue.SimpleQueue()
        self.iterations = 0
        self.last_improvement = 0

    def on_iteration(self, *_: object) -> None:
        self.iterations += 1

    def on_best(self, best: pyvrp.Solution) -> None:
        if best.is_feasible():
            self.found.put(best)
            self.last_improvement = self.iterations


class _Stop:
    """Our budget as PyVRP's stopping criterion."""

    def __init__(self, best: Incumbent, events: _Events, is_aborted: threading.Event) -> None:
        self._best, self._events, self._is_aborted = best, events, is_aborted

    def __call__(self, best_cost: int) -> bool:
        budget, done = self._best.run.budget, self._events.iterations
        stalled = done - self._events.last_improvement
        return (
            self._is_aborted.is_set()
            or self._best.is_over
            or (budget.iterations is not None and done >= budget.iterations)
            or (budget.stall is not None and stalled >= budget.stall)
        )


def _problem_data(instance: Instance, problem: IntegerProblem) -> pyvrp.ProblemData:
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


def _initial(
    solution: Solution, problem: IntegerProblem, data: pyvrp.ProblemData
) -> pyvrp.Solution:
    position = {fleet.vehicle_type: place for place, fleet in enumerate(problem.fleets)}
    return pyvrp.Solution(
        data,
        [
            pyvrp.Route(data, [c - 1 for c in route.customers], position[route.vehicle_type])
            for route in solution.routes
            if route.customers
        ],
    )


def _solution(solution: pyvrp.Solution, problem: IntegerProblem) -> Solution:
    return Solution.of(
        (
            problem.fleets[route.vehicle_type()].vehicle_type,
            [activity.idx + 1 for activity in route if activity.is_client()],
        )
        for route in solution.routes()
    )
