"""VROOM: fast constructions and local search."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from typing import ClassVar

from fripn.baselines.peers.integer_problem import integer_problem
from fripn.baselines.peers.process import Job, solve_in_worker
from fripn.features import ROUTING, Feature
from fripn.incumbent import Incumbent
from fripn.problem import Instance
from fripn.result import Result
from fripn.run import Run

if importlib.util.find_spec("vroom") is None:
    raise ModuleNotFoundError("No module named 'vroom'", name="vroom")


@dataclass(frozen=True, slots=True)
class Vroom:
    """VROOM through pyvroom.

    VROOM ends by itself, is deterministic, and looks at its time limit too rarely to keep ours.
    So it runs in a process of its own (see `vroom_worker`), at exploration level 0 first and then
    once more at the highest level (5 at most, its default) that should fit the time left; what is
    not finished in time is lost. Iterations are such runs. A start is not passed on; it is
    returned when it is better.

    References
    ----------
    J. Coupey, J.-M. Nicod, C. Varnier, VROOM, https://github.com/VROOM-Project/vroom
    """

    name: ClassVar[str] = "vroom"
    supports: ClassVar[frozenset[Feature]] = ROUTING
    ends_by_itself: ClassVar[bool] = False

    def __call__(self, instance: Instance, run: Run) -> Result:
        """Solve the instance; see `fripn.Method`."""

        def make_job(best: Incumbent) -> Job:
            # Costs are 32 bits wide in its matrices, and multiplied by 360,000 in 64 bits inside.
            problem = integer_problem(instance, total=1e8, largest=2**30, stop=run.flag)
            iterations = run.budget.iterations
            job = {
                "demands": problem.demands.tolist(),
                "profiles": problem.profiles,
                "vehicles": problem.vehicles(),
                "threads": run.threads,
                "seconds": best.seconds_left,
                "max_runs": 2 if iterations is None else max(1, iterations),
            }
            return Job(job, problem.vehicle_types())

        return solve_in_worker("vroom_worker.py", self.name, instance, run, make_job)
