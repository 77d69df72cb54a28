"""VROOM: fast constructions and local search."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass

from fripn.baselines.peers.process import worker
from fripn.baselines.peers.whole_numbers import whole_problem
from fripn.budget import Budget
from fripn.incumbent import Incumbent
from fripn.problem import Instance, Solution
from fripn.result import OnImprovement, Result, Status

if importlib.util.find_spec("vroom") is None:
    raise ModuleNotFoundError("No module named 'vroom'", name="vroom")


@dataclass(frozen=True, slots=True)
class Vroom:
    """VROOM through pyvroom.

    VROOM ends by itself, involves no chance, and looks at its time limit too rarely to keep ours.
    So it runs in a process of its own (see `vroom_worker`), at exploration level 0 first and then
    once more at the highest level (5 at most, its default) that should fit the time left; what is
    not finished in time is lost. Iterations are such runs. A start is not passed on; it is
    returned when it is better.

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
        status, num_runs = Status.FEASIBLE, 0
        with worker("vroom_worker.py") as process:
            best = Incumbent(instance, budget, start, on_improvement)
            # Costs are 32 bits wide in its matrices, and multiplied by 360,000 in 64 bits inside.
            problem = whole_problem(instance, start=None, total=1e8, largest=2**30)
            job = {
                "demands": problem.demands.tolist(),
                "profiles": problem.profiles,
                "vehicles": problem.vehicles(),
                "threads": threads,
                "seconds": best.seconds_left,
                "max_runs": 2 if budget.iterations is None else max(1, budget.iterations),
            }
            try:
                num_runs = process.run(job, problem.vehicle_kinds(), best, budget)
            except KeyboardInterrupt:
                status = Status.INTERRUPTED
        return best.result("vroom", status=status, seed=seed, iterations=num_runs)
