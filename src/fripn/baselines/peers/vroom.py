"""VROOM: fast constructions and local search."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from typing import Any, ClassVar

from fripn.baselines.peers.day_job import day_job
from fripn.baselines.peers.integer_problem import integer_problem
from fripn.baselines.peers.process import Job, solve_in_worker
from fripn.errors import Unsupported
from fripn.features import ROUTING, WORKING_DAY, Feature, features_of
from fripn.incumbent import Incumbent
from fripn.messages import listed
from fripn.problem import Instance
from fripn.result import Result
from fripn.run import Run

if importlib.util.find_spec("vroom") is None:
    raise ModuleNotFoundError("No module named 'vroom'", name="vroom")

#: Costs are 32 bits wide in its matrices, and multiplied by 360,000 in 64 bits inside.
_TOTAL, _LARGEST = 1e8, 2**30

#: The costliest arcs of all customers and vehicles are added in 32 bits.
_LARGEST_SUM = 2.0**31


@dataclass(frozen=True, slots=True)
class Vroom:
    """VROOM through pyvroom.

    VROOM ends by itself, is deterministic, and looks at its time limit too rarely to keep ours.
    So it runs in a process of its own (see `vroom_worker`), at exploration level 0 first and then
    once more at the highest level (5 at most, its default) that should fit the time left; what is
    not finished in time is lost. Iterations are such runs. A start is not passed on; it is
    returned when it is better.

    VROOM neither pays nor limits waiting. So costs per hour and largest durations are refused
    together with time windows of customers; without these nobody waits, and costs per hour are
    part of the travel costs, largest durations are shifts.

    References
    ----------
    J. Coupey, J.-M. Nicod, C. Varnier, VROOM, https://github.com/VROOM-Project/vroom
    """

    name: ClassVar[str] = "vroom"
    supports: ClassVar[frozenset[Feature]] = ROUTING | WORKING_DAY
    ends_by_itself: ClassVar[bool] = False

    def __call__(self, instance: Instance, run: Run) -> Result:
        """Solve the instance; see `fripn.Method`."""
        is_day = bool(features_of(instance) & WORKING_DAY)
        if is_day:
            _refuse_paid_waiting(instance)

        def make_job(best: Incumbent) -> Job:
            describe = _describe_day if is_day else _describe_plain
            description, vehicle_types = describe(instance, run)
            iterations = run.budget.iterations
            description |= {
                "num_vehicles": len(vehicle_types),
                "threads": run.threads,
                "seconds": best.seconds_left,
                "max_runs": 2 if iterations is None else max(1, iterations),
            }
            return Job(description, vehicle_types)

        return solve_in_worker("vroom_worker.py", self.name, instance, run, make_job)


def _describe_plain(instance: Instance, run: Run) -> tuple[dict[str, Any], list[int]]:
    problem = integer_problem(
        instance, total=_TOTAL, largest=_LARGEST, largest_sum=_LARGEST_SUM, stop=run.flag
    )
    description = {
        "demands": problem.demands.tolist(),
        "profiles": problem.profiles,
        "vehicles": problem.vehicles(),
    }
    return description, problem.vehicle_types()


def _describe_day(instance: Instance, run: Run) -> tuple[dict[str, Any], list[int]]:
    job = day_job(
        instance,
        total=_TOTAL,
        largest=_LARGEST,
        largest_sum=_LARGEST_SUM,
        pays_time_by_arc=True,
        stop=run.flag,
    )
    for fleet in job.fleets:
        if fleet["max_duration"] is not None:
            # Nobody waits, so that it does not matter when a route starts.
            end = fleet["earliest"] + fleet["max_duration"]
            fleet["latest"] = end if fleet["latest"] is None else min(end, fleet["latest"])
    description = {name: getattr(job, name) for name in job.__slots__}
    return description, job.vehicle_types()


def _refuse_paid_waiting(instance: Instance) -> None:
    """Refuse what VROOM would get wrong.

    Raises
    ------
    Unsupported
        When vehicles may wait and their durations count.
    """
    features = features_of(instance)
    counted = features & {Feature.COST_PER_HOUR, Feature.MAX_DURATION}
    if counted and any(
        windows and 1 <= node <= instance.num_customers
        for node, windows in enumerate(instance.time_windows or ())
    ):
        names = listed(sorted(feature.value for feature in counted))
        raise Unsupported(
            f"method vroom does not count waiting, so it does not support {names} together with "
            f"time windows, which {instance.name} has",
            field="features",
            value=names,
            remedy="choose hybrid, hgs, pyvrp or ortools",
        )
