"""Fleets of two hundred vehicle types: time limits hold, and dominated types cost nothing."""

import time

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


def test_split_repair_ends_inside_a_split():
    """The split of one trajectory takes longer than the limit here; nothing ended it before."""
    core = to_core(many_types(True, 60))
    step = core.num_customers + 1
    actions = np.array([[199 * step + k for k in range(1, step)]], dtype=np.int32)
    began = time.thread_time()
    whole, _ = _core.repair_trajectories(core, actions)
    took = time.thread_time() - began
    began = time.thread_time()
    cut, tours = _core.repair_trajectories(core, actions, seconds=took / 20)
    assert time.thread_time() - began < took / 3
    assert np.isfinite(whole).all()
    assert np.isinf(cut).all()
    assert (tours == 0).all()


def test_tabu_recuts_within_its_time():
    """Each shake recuts the plan, which takes long with many limited types."""
    instance = many_types(True, 60)
    core = to_core(instance)
    first = _core.savings(core)
    settings = _core.TabuSettings()
    settings.shake_after = 1
    took = []
    for left in (np.inf, 0.0):
        search = _core.TabuSearch(core, settings, first, 1)
        search.set_clock(0.0, left)
        began = time.thread_time()
        search.run(20)
        took.append(time.thread_time() - began)
        assert evaluate(instance, Solution.of(search.best())).is_feasible
    assert took[1] < took[0] / 3


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
