"""VROOM: fast constructions and local search."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

import numpy as np
import vroom

from fripn.baselines.incumbent import Incumbent
from fripn.baselines.peers.whole_numbers import WholeProblem, whole_problem
from fripn.budget import Budget
from fripn.problem import Instance, Solution
from fripn.result import OnImprovement, Result, Status

#: VROOM's exploration levels and how much work each is against level 0, as measured.
_LEVELS = {0: 1.0, 1: 3.0, 2: 8.0, 3: 15.0, 4: 30.0, 5: 50.0}


@dataclass(frozen=True, slots=True)
class Vroom:
    """VROOM through pyvroom.

    VROOM ends by itself and involves no chance. It looks at its time limit rarely, so it runs at
    exploration level 0 first, and then at the highest level (5 at most, its default) that should
    fit the time left; the first run cannot be cut short, and a note says so when it took longer
    than it had. Iterations are runs. A start is not passed on; it is returned when it is better.

    References
    ----------
    J. Coupey, J.-M. Nicod, C. Varnier, VROOM, https://github.com/VROOM-Project/vroom
    """

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
        # Costs are 32 bits wide in its matrices, and multiplied by 360,000 in 64 bits inside.
        problem = whole_problem(instance, start=None, total=1e8, largest=2**30)
        runs, level, status = 0, 0, Status.FEASIBLE
        max_runs = 2 if budget.iterations is None else min(2, max(1, budget.iterations))
        try:
            while runs < max_runs:
                began = best.seconds
                solution = _run(problem, level, threads, best.seconds_left)
                seconds = best.seconds - began
                runs += 1
                if solution is not None:
                    best.offer(solution)
                fitting = [
                    higher
                    for higher, work in _LEVELS.items()
                    if higher > 0 and work * seconds < best.seconds_left
                ]
                if best.is_over or not fitting:
                    break
                level = max(fitting)
        except KeyboardInterrupt:
            status = Status.INTERRUPTED
        notes: tuple[str, ...] = ()
        if budget.seconds is not None and best.seconds > 1.05 * budget.seconds + 0.2:
            notes = (f"VROOM could not be stopped at {budget.seconds:g} s",)
        return best.result("vroom", status=status, seed=seed, iterations=runs, notes=notes)


def _run(problem: WholeProblem, level: int, threads: int, seconds_left: float) -> Solution | None:
    model = vroom.Input()
    size = len(problem.demands)
    for number, costs in enumerate(problem.profiles):
        model.set_durations_matrix(str(number), np.zeros((size, size), dtype=np.uint32))
        model.set_costs_matrix(str(number), costs.astype(np.uint32))
    kinds: list[int] = []
    for fleet in problem.fleets:
        for _ in range(fleet.count):
            model.add_vehicle(
                vroom.Vehicle(
                    len(kinds),
                    start=0,
                    end=0,
                    profile=str(fleet.profile),
                    capacity=[fleet.capacity],
                    costs=vroom.VehicleCosts(fixed=fleet.fixed_cost),
                )
            )
            kinds.append(fleet.vehicle_type)
    for customer in range(1, size):
        demand = int(problem.demands[customer])
        model.add_job(vroom.Job(customer, location=customer, delivery=[demand]))
    timeout = None
    if np.isfinite(seconds_left):
        timeout = datetime.timedelta(seconds=max(0.001, seconds_left))
    answer = model.solve(exploration_level=level, nb_threads=threads, timeout=timeout)
    if answer.summary.unassigned:
        return None
    return Solution.of(
        (
            kinds[route["vehicle"]],
            [step["id"] for step in route["steps"] if step["type"] == "job"],
        )
        for route in answer.to_dict()["routes"]
    )
