"""ALNS, tabu search and the genetic algorithm: their moves, their plans, their use of a budget."""

from __future__ import annotations

import numpy as np
import pytest

from fripn import Budget, Instance, Run, Solution, VehicleType, _core, evaluate
from fripn.baselines.alns import AdaptiveLargeNeighbourhoodSearch
from fripn.baselines.genetic import GeneticAlgorithm
from fripn.baselines.tabu import Tabu
from fripn.core import to_core
from fripn.problem import library
from fripn.problem.generate import paper_instance
from fripn.result import Status
from fripn.run import Method
from helpers import brute_force_cost, tiny_instance

METHODS: dict[str, Method] = {
    "alns": AdaptiveLargeNeighbourhoodSearch(),
    "tabu": Tabu(),
    "genetic": GeneticAlgorithm(),
}
DESTROY = [
    _core.Destroy.RANDOM,
    _core.Destroy.WORST,
    _core.Destroy.RELATED,
    _core.Destroy.ROUTE,
    _core.Destroy.STRING,
]
REPAIR = [_core.Repair.GREEDY, _core.Repair.REGRET2, _core.Repair.REGRET3]


def tight_instance() -> Instance:
    """Twelve customers that fill the limited fleet to the last unit."""
    rng = np.random.default_rng(7)
    return Instance(
        name="tight",
        coordinates=rng.random((13, 2)),
        demands=np.r_[0.0, [7, 6, 5, 5, 4, 4, 3, 3, 2, 2, 2, 1]],
        vehicle_types=(
            VehicleType("large", 14, 10.0, 1.0, available=2),
            VehicleType("small", 8, 5.0, 1.5, available=2),
        ),
    )


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("seed", range(7))
def test_tiny_optimum_is_found(name: str, seed: int) -> None:
    """A few hundred iterations find the optimum of every shape of tiny instance."""
    instance = tiny_instance(seed)
    result = METHODS[name](instance, Run(Budget(iterations=600), seed=1))
    assert result.solution is not None
    assert evaluate(instance, result.solution).is_feasible
    assert result.cost == pytest.approx(brute_force_cost(instance), rel=1e-7)


@pytest.mark.parametrize("name", METHODS)
def test_paper_instances_come_near_their_optima(name: str) -> None:
    """Over three of the paper's instances the mean gap to the proven optima is small."""
    gaps = []
    for index in range(3):
        known = library.best_known(f"paper:20:{index}")
        assert known is not None
        instance = library.load(f"paper:20:{index}")
        result = METHODS[name](instance, Run(Budget(iterations=1000), seed=index))
        gaps.append(result.cost / known.cost - 1.0)
    assert min(gaps) > -1e-6
    assert np.mean(gaps) < 0.01


@pytest.mark.parametrize("name", METHODS)
def test_limited_fleet_filled_to_the_last_unit(name: str) -> None:
    """A fleet without any slack is respected, and used."""
    instance = tight_instance()
    result = METHODS[name](instance, Run(Budget(iterations=300), seed=2))
    assert result.solution is not None
    evaluation = evaluate(instance, result.solution)
    assert evaluation.is_feasible
    assert evaluation.num_vehicles == 4


@pytest.mark.parametrize("name", METHODS)
def test_impossible_packing_is_no_plan(name: str) -> None:
    """Three customers of 2 in two vehicles of 3: enough in total, yet no plan exists."""
    instance = Instance(
        name="impossible",
        coordinates=np.array([[0, 0], [1, 0], [0, 1], [1, 1]], dtype=np.float64),
        demands=np.array([0.0, 2.0, 2.0, 2.0]),
        vehicle_types=(VehicleType("van", 3, 1.0, 1.0, available=2),),
    )
    result = METHODS[name](instance, Run(Budget(iterations=50), seed=1))
    assert result.status is Status.NO_PLAN


@pytest.mark.parametrize("destroy", DESTROY)
@pytest.mark.parametrize("repair", REPAIR)
def test_operators_keep_plans_valid(destroy: _core.Destroy, repair: _core.Repair) -> None:
    """Whatever leaves and returns, every complete plan is valid and costs what it says."""
    shapes = (paper_instance(25, seed=3), tight_instance(), tiny_instance(2), tiny_instance(0))
    for instance in shapes:
        core = to_core(instance)
        neighbourhood = _core.LargeNeighbourhood(core, seed=5)
        plan = neighbourhood.evaluate(core, [])
        for removed in (0, *range(1, 12), 100):
            plan = neighbourhood.rebuild(plan, destroy, repair, removed)
            solution = Solution.of(plan.routes())
            evaluation = evaluate(instance, solution)
            codes = {violation.code.value for violation in evaluation.violations}
            assert codes <= {"missing"}
            if plan.is_complete:
                assert not codes
                assert plan.cost == pytest.approx(evaluation.cost)
            else:
                assert plan.cost > evaluation.cost


@pytest.mark.parametrize("seed", range(7))
@pytest.mark.parametrize("penalty", [0.0, 20.0, 1e6])
def test_moves_change_the_cost_as_promised(seed: int, penalty: float) -> None:
    """For random moves on every shape the predicted change equals the recomputed difference."""
    instance = tiny_instance(seed, num_customers=9)
    core = to_core(instance)
    plan = _core.savings(core)
    assert plan
    assert _core.testing.audit_moves(core, plan, penalty, rounds=300, seed=seed) > 100


def test_genetic_ends_where_vehicles_are_scarce() -> None:
    """Two routes that counted on the same last vehicle once let local search go in circles."""
    result = METHODS["genetic"](library.load("brandao-N1"), Run(Budget(iterations=1500)))
    assert result.iterations == 1500
    assert result.cost < 2300.0


def test_large_removal_can_change_everything() -> None:
    """Removing all customers rebuilds the plan from nothing, again complete."""
    instance = paper_instance(15, seed=8)
    core = to_core(instance)
    neighbourhood = _core.LargeNeighbourhood(core, seed=1)
    plan = neighbourhood.evaluate(core, [])
    assert not plan.is_complete
    plan = neighbourhood.rebuild(plan, _core.Destroy.RANDOM, _core.Repair.REGRET2, 15)
    assert plan.is_complete


@pytest.mark.parametrize("name", METHODS)
def test_single_customer(name: str) -> None:
    """One customer leaves nothing to search and is served all the same."""
    result = METHODS[name](paper_instance(1, seed=1), Run(Budget(iterations=5)))
    assert result.solution is not None


@pytest.mark.parametrize("name", METHODS)
def test_curve_falls_and_ends_at_the_result(name: str) -> None:
    """Reported improvements are improvements, and the last is the plan given back."""
    seen: list[float] = []
    instance = paper_instance(30, seed=12)
    result = METHODS[name](
        instance, Run(Budget(iterations=400), on_progress=lambda news: seen.append(news.cost))
    )
    assert seen == sorted(seen, reverse=True)
    assert len(seen) > 1
    assert seen[-1] == result.cost == result.curve[-1].cost
