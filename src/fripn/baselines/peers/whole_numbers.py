"""The instance in whole numbers, with vehicles counted: what outside solvers want."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fripn import _core
from fripn.baselines.integers import integer_loads
from fripn.baselines.milp.bound import radial_bound
from fripn.errors import Unsupported
from fripn.problem import Instance, Solution, evaluate
from fripn.search import core_instance

IntMatrix = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class WholeFleet:
    """Vehicles of one type: how many to offer, and what they carry and cost in whole numbers."""

    vehicle_type: int
    count: int
    capacity: int
    fixed_cost: int
    profile: int


@dataclass(frozen=True, slots=True)
class WholeProblem:
    """An instance in whole numbers.

    Parameters
    ----------
    demands
        Per stop.
    fleets
        One per vehicle type that can be of use.
    profiles
        Travel costs (distance × unit cost) per different unit cost; `WholeFleet.profile` points
        here.
    cost_scale
        What a cost of 1 became.
    """

    demands: npt.NDArray[np.int64]
    fleets: tuple[WholeFleet, ...]
    profiles: tuple[IntMatrix, ...]
    cost_scale: float

    def vehicle_kinds(self) -> list[int]:
        """Give the vehicle type of every single vehicle."""
        return [fleet.vehicle_type for fleet in self.fleets for _ in range(fleet.count)]

    def vehicles(self) -> list[dict[str, int]]:
        """Describe every single vehicle, in the order of `vehicle_kinds`."""
        return [
            {
                "profile": fleet.profile,
                "capacity": fleet.capacity,
                "fixed_cost": fleet.fixed_cost,
            }
            for fleet in self.fleets
            for _ in range(fleet.count)
        ]


def whole_problem(
    instance: Instance,
    *,
    total: float,
    largest: int,
    start: Solution | None = None,
    start_cost: float = math.inf,
    stop: _core.StopFlag | None = None,
) -> WholeProblem:
    """Scale an instance to whole numbers.

    Costs are multiplied by the power of ten that brings the cost of a savings plan (with a limited
    fleet: a lower bound) nearest to `total` from below: rounding then moves no plan by more than a
    few parts per million, and no sum comes near the limits of 64 bits.

    Parameters
    ----------
    instance
        The problem.
    total
        How large the cost of a good plan may become, such as 1e9.
    largest
        The largest single cost the solver can take.
    start, start_cost
        A valid plan whose vehicles must be on offer, and its cost.
    stop
        Ends the savings early.

    Raises
    ------
    Unsupported
        When even a scale of 1 part in a thousand of the plan cost overflows the solver.
    """
    bound = min(start_cost, _savings_cost(instance, stop))
    likely = bound if bound < math.inf else radial_bound(instance)
    scale = 10.0 ** math.floor(math.log10(total / likely)) if likely > 0.0 else 1.0
    distances = instance.distance_matrix().copy()
    np.fill_diagonal(distances, 0.0)  # never driven, but solvers insist
    dearest = max(
        float(instance.fixed_costs.max()), float(instance.unit_costs.max() * distances.max())
    )
    while dearest * scale > largest:
        scale /= 10.0
    if likely * scale < 1e3 and likely > 0.0:
        raise Unsupported(
            f"the costs of {instance.name} differ so much (a plan costs {likely:g}, one leg or "
            f"vehicle up to {dearest:g}) that this solver's whole numbers cannot hold them; "
            "choose another method"
        )
    loads = integer_loads(instance)
    counts = vehicles_needed(instance, bound)
    for kind, used in Counter(
        route.vehicle_type for route in (start or Solution(())).routes
    ).items():
        counts[kind] = max(counts[kind], used)
    unit_costs = sorted(set(instance.unit_costs.tolist()))
    fleets = tuple(
        WholeFleet(
            vehicle_type=k,
            count=counts[k],
            capacity=int(loads.capacities[k]),
            fixed_cost=round(kind.fixed_cost * scale),
            profile=unit_costs.index(kind.unit_cost),
        )
        for k, kind in enumerate(instance.vehicle_types)
        if counts[k] > 0
    )
    profiles = tuple(np.rint(distances * (cost * scale)).astype(np.int64) for cost in unit_costs)
    return WholeProblem(loads.demands, fleets, profiles, scale)


def vehicles_needed(instance: Instance, plan_cost: float) -> list[int]:
    """Give for each type a number of vehicles that suffices for an optimal plan.

    Three bounds, each sound: no more vehicles than customers that fit; fixed costs alone must not
    exceed the cost of a known plan; and where detours do not pay (distances keep the triangle
    inequality), no two vehicles of a type carry loads that fit one, so that N vehicles carry more
    than N / 2 times the capacity. A fleet that is limited offers what is available.

    Parameters
    ----------
    instance
        The problem.
    plan_cost
        Cost of a valid plan, or infinity.
    """
    total = math.fsum(instance.demands)
    is_metric = instance.metric != "matrix"
    counts = []
    for kind in instance.vehicle_types:
        count = int(np.count_nonzero(instance.demands[1:] <= kind.load_limit))
        if kind.fixed_cost > 0.0 and plan_cost < math.inf:
            count = min(count, math.floor(plan_cost / kind.fixed_cost + 1e-9))
        if is_metric and total > 0.0:
            count = min(count, max(1, math.ceil(2.0 * total / kind.capacity)))
        if kind.available is not None:
            count = min(count, kind.available)
        counts.append(count)
    return counts


def _savings_cost(instance: Instance, stop: _core.StopFlag | None) -> float:
    """Return the cost of a savings plan; infinity when there is none."""
    # With a limited fleet savings take too long, and the numbers of vehicles are mostly given.
    if instance.has_limited_fleet:
        return math.inf
    routes = _core.savings(core_instance(instance), stop)
    return evaluate(instance, Solution.of(routes)).cost if routes else math.inf
