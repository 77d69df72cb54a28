"""Set partitioning over the routes seen."""

import itertools

import numpy as np
import pytest

from fripn import Budget, Instance, Solution, VehicleType, _core, evaluate, solve
from fripn.core import to_core
from fripn.problem.generate import paper_instance
from fripn.search import Hgs

Routes = list[tuple[int, list[int]]]


def small_instance(seed: int) -> Instance:
    """Seven customers, two types, anything up to three customers fits the larger one."""
    rng = np.random.default_rng(seed)
    return Instance(
        name=f"pool-{seed}",
        coordinates=rng.random((8, 2)),
        demands=[0.0, *rng.uniform(0.2, 1.0, 7)],
        vehicle_types=(VehicleType("small", 1.2, 0.4, 1.0), VehicleType("large", 3.0, 0.9, 1.3)),
    )


def random_plans(instance: Instance, seed: int, count: int) -> list[Routes]:
    """Feasible plans: shuffled customers in large vehicles, one to three a route."""
    rng = np.random.default_rng(seed)
    plans = []
    for _ in range(count):
        order = [int(c) for c in rng.permutation(instance.num_customers) + 1]
        plan = []
        while order:
            size = int(rng.integers(1, 4))
            plan.append((1, order[:size]))
            order = order[size:]
        plans.append(plan)
    return plans


def cheapest(instance: Instance, plans: list[Routes]) -> float:
    """Try every choice of routes."""
    routes = {(vehicle_type, tuple(stops)) for plan in plans for vehicle_type, stops in plan}
    best = np.inf
    for count in range(1, instance.num_customers + 1):
        for choice in itertools.combinations(sorted(routes), count):
            visits = sorted(c for _, stops in choice for c in stops)
            if visits == list(range(1, instance.num_customers + 1)):
                best = min(best, evaluate(instance, Solution.of(choice)).cost)
    return best


@pytest.mark.parametrize("seed", range(6))
def test_finds_the_best_choice_of_routes(seed):
    """With few routes the choice is the one that trying all of them finds."""
    instance = small_instance(seed)
    plans = random_plans(instance, seed, 5)
    chosen = Solution.of(_core.testing.set_partition(to_core(instance), plans)[0])
    evaluation = evaluate(instance, chosen)
    assert evaluation.is_feasible
    assert evaluation.cost == pytest.approx(cheapest(instance, plans), rel=1e-9)


def test_is_never_worse_than_the_plan_given():
    """A pool without anything better returns the plan; overloaded routes are not chosen."""
    instance = small_instance(1)
    plan = random_plans(instance, 1, 1)[0]
    overloaded = [(0, list(range(1, 8)))]
    chosen = Solution.of(_core.testing.set_partition(to_core(instance), [plan, overloaded])[0])
    assert chosen == Solution.of(plan)


@pytest.mark.parametrize("seed", range(3))
def test_many_customers_stay_feasible(seed):
    """Pools of real plans, more than one machine word of customers."""
    instance = paper_instance(90, seed)
    plans = [
        [
            (route.vehicle_type, list(route.customers))
            for route in solve(
                instance, Hgs(partition_period=0), budget=Budget(iterations=20), seed=s
            ).solution.routes
        ]
        for s in range(6)
    ]
    evaluation = evaluate(
        instance, Solution.of(_core.testing.set_partition(to_core(instance), plans)[0])
    )
    assert evaluation.is_feasible
    first = evaluate(instance, Solution.of(plans[0]))
    assert evaluation.cost <= first.cost * (1 + 1e-12)
