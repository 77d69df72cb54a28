"""Fleets of two hundred vehicle types: time limits hold, and dominated types cost nothing."""

import numpy as np
import pytest

from fripn import Budget, Instance, Stop, VehicleType, _core, evaluate, solve
from fripn.core import to_core
from fripn.problem import Solution

NUM_TYPES = 200


def many_types(limited: bool, num_customers: int = 40) -> Instance:
    """Draw an instance with two hundred types, of a limited fleet up to three vehicles each."""
    rng = np.random.default_rng(0)
    capacities = rng.uniform(0.5, 3.0, NUM_TYPES)
    types = tuple(
        VehicleType(
            f"t{k}",
            capacity=float(capacity),
            fixed_cost=float(capacity * rng.uniform(9.0, 11.0)),
            unit_cost=float(rng.uniform(1.0, 3.0)),
            available=int(rng.integers(1, 4)) if limited else None,
        )
        for k, capacity in enumerate(capacities)
    )
    demands = np.concatenate([[0.0], rng.integers(1, 51, num_customers) / 100.0])
    return Instance("many types", rng.random((num_customers + 1, 2)), demands, types)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("limited", [False, True])
@pytest.mark.parametrize(
    "method", ["savings", "sweep", "alns", "tabu", "genetic", "hgs", "hybrid", "policy"]
)
def test_a_short_time_limit_holds(method, limited):
    """Such a run took minutes: every capacity had a split of its own, which nothing ended."""
    instance = many_types(limited)
    result = solve(instance, method, time_limit=0.01, seed=1)
    assert evaluate(instance, result.solution).is_feasible


@pytest.mark.timeout(60)
def test_a_cancel_ends_savings_with_a_plan():
    """The vehicles are filled best-fit where no split is finished, and that at once."""
    instance = many_types(True)
    stop = Stop()
    stop.set()
    cancelled = Solution.of(_core.savings(to_core(instance), stop.flag))
    late = Solution.of(_core.savings(to_core(instance), None, 0.0))
    assert cancelled == late
    whole = solve(instance, "savings")
    assert evaluate(instance, late).is_feasible
    assert whole.cost < evaluate(instance, late).cost


@pytest.mark.parametrize("method", ["savings", "sweep", "genetic"])
def test_dominated_types_change_nothing(method):
    """Types that carry less and cost more than another one of an unlimited fleet."""
    rng = np.random.default_rng(2)
    instance = many_types(False, 30)
    instance = instance.replace(vehicle_types=instance.vehicle_types[:4])
    dominated = tuple(
        VehicleType(
            f"dominated {k}",
            capacity=one.capacity * float(rng.uniform(0.2, 1.0)),
            fixed_cost=one.fixed_cost * float(rng.uniform(1.0, 2.0)),
            unit_cost=one.unit_cost * float(rng.uniform(1.0, 2.0)),
        )
        for k, one in enumerate(instance.vehicle_types * 50)
    )
    larger = instance.replace(vehicle_types=(*instance.vehicle_types, *dominated))
    results = [
        solve(one, method, budget=Budget(iterations=5), seed=1) for one in (instance, larger)
    ]
    assert results[0].solution == results[1].solution
