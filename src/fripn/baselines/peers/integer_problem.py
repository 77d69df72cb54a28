"""The instance in integers and with a number of vehicles per type, for other solvers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fripn import _core
from fripn.baselines.integers import integer_loads
from fripn.baselines.milp.bound import radial_bound
from fripn.core import to_core
from fripn.errors import Unsupported
from fripn.problem import Instance, Solution, evaluate

IntMatrix = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class IntegerFleet:
    """Vehicles of one type: how many to offer, and their capacity and costs in integers."""

    vehicle_type: int
    count: int
    capacity: int
    fixed_cost: int
    profile: int


@dataclass(frozen=True, slots=True)
class IntegerProblem:
    """An instance in integers.

    Parameters
    ----------
    demands
        Per stop.
    fleets
        One per vehicle type that can be of use.
    profiles
        Travel costs (distance × unit cost) per different unit cost; `IntegerFleet.profile` points
        here.
    cost_scale
        Factor by which costs were multiplied.
    """

    demands: npt.NDArray[np.int64]
    fleets: tuple[IntegerFleet, ...]
    profiles: tuple[IntMatrix, ...]
    cost_scale: float

    def vehicle_types(self) -> list[int]:
        """Return the vehicle type of every single vehicle."""
        return [fleet.vehicle_type for fleet in self.fleets for _ in range(fleet.count)]

    def vehicles(self) -> list[dict[str, int]]:
        """Describe every single vehicle, in the order of `vehicle_types`."""
        return [
            {
                "profile": fleet.profile,
                "capacity": fleet.capacity,
                "fixed_cost": fleet.fixed_cost,
            }
            for fleet in self.fleets
            for _ in range(fleet.count)
        ]


def integer_problem(
    instance: Instance,
    *,
    total: float,
    largest: int,
    largest_sum: float = math.inf,
    start: Solution | None = None,
    start_cost: float = math.inf,
    stop: _core.StopFlag | None = None,
) -> IntegerProblem:
    """Scale an instance to integers.

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
    largest_sum
        The largest sum of the costliest arcs of all customers and vehicles that it can take.
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
    np.fill_diagonal(distances, 0.0)  # never driven, but solvers require it
    highest = max(
        float(instance.fixed_costs.max()), float(instance.unit_costs.max() * distances.max())
    )
    counts = vehicles_needed(instance, bound)
    for k, used in Counter(route.vehicle_type for route in (start or Solution(())).routes).items():
        counts[k] = max(counts[k], used)
    sum_of_arcs = float(instance.unit_costs.max()) * sum_of_costliest(
        distances, instance.num_customers, [0] * instance.num_types, counts
    )
    while highest * scale > largest or sum_of_arcs * scale > largest_sum:
        scale /= 10.0
    if likely * scale < 1e3 and likely > 0.0:
        raise Unsupported(
            f"the costs of {instance.name} differ so much (a plan costs {likely:g}, one arc or "
            f"vehicle up to {highest:g}) that this solver's integers cannot hold them",
            field="costs",
            value=highest,
            remedy="choose another method",
        )
    loads = integer_loads(instance)
    unit_costs = sorted(set(instance.unit_costs.tolist()))
    fleets = tuple(
        IntegerFleet(
            vehicle_type=k,
            count=counts[k],
            capacity=int(loads.capacities[k]),
            fixed_cost=round(vehicle_type.fixed_cost * scale),
            profile=unit_costs.index(vehicle_type.unit_cost),
        )
        for k, vehicle_type in enumerate(instance.vehicle_types)
        if counts[k] > 0
    )
    profiles = tuple(np.rint(distances * (cost * scale)).astype(np.int64) for cost in unit_costs)
    return IntegerProblem(loads.demands, fleets, profiles, scale)


def sum_of_costliest(
    arcs: npt.NDArray[np.float64],
    num_customers: int,
    depots: Sequence[int],
    counts: Sequence[int],
) -> float:
    """Return the costliest arcs of all customers, and from and to the depots of all vehicles.

    Parameters
    ----------
    arcs
        Costs between all nodes.
    num_customers
        Nodes 1 to this number are customers.
    depots, counts
        Per vehicle type, the node it starts from and how many are on offer.
    """
    leaving, entering = arcs.max(axis=1), arcs.max(axis=0)
    last = num_customers + 1
    customers = max(leaving[1:last].sum(), entering[1:last].sum())
    return float(customers + np.array(counts) @ (leaving + entering)[list(depots)])


def vehicles_needed(instance: Instance, plan_cost: float) -> list[int]:
    """Return for each type a number of vehicles that suffices for an optimal plan.

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
    for vehicle_type in instance.vehicle_types:
        count = int(np.count_nonzero(instance.demands[1:] <= vehicle_type.load_limit))
        if vehicle_type.fixed_cost > 0.0 and plan_cost < math.inf:
            count = min(count, math.floor(plan_cost / vehicle_type.fixed_cost + 1e-9))
        if is_metric and total > 0.0:
            count = min(count, max(1, math.ceil(2.0 * total / vehicle_type.main_capacity)))
        if vehicle_type.available is not None:
            count = min(count, vehicle_type.available)
        counts.append(count)
    return counts


def _savings_cost(instance: Instance, stop: _core.StopFlag | None) -> float:
    """Return the cost of a savings plan; infinity when there is none."""
    # With a limited fleet savings take too long, and the numbers of vehicles are mostly given.
    if instance.has_limited_fleet:
        return math.inf
    routes = _core.savings(to_core(instance), stop)
    return evaluate(instance, Solution.of(routes)).cost if routes else math.inf
