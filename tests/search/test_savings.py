"""The method that answers at once."""

import numpy as np
import pytest

from fripn import Budget, Instance, Solution, Status, VehicleType, _core, evaluate, solve
from fripn.core import to_core
from fripn.problem import library
from fripn.problem.generate import paper_instance


@pytest.mark.parametrize("num_customers", [1, 2, 7, 40, 500])
def test_savings_plans_are_valid(num_customers):
    """Every size has a valid plan."""
    instance = paper_instance(num_customers, num_customers)
    result = solve(instance, "savings")
    assert result.evaluation is not None
    assert result.evaluation.is_feasible
    assert len(result.curve) == 1


def test_savings_join_what_belongs_together():
    """Two distant pairs end up in two routes."""
    instance = Instance(
        name="pairs",
        coordinates=[(0, 0), (10, 0), (10, 1), (-10, 0), (-10, 1)],
        demands=[0, 1, 1, 1, 1],
        vehicle_types=(VehicleType("van", 2, 1, 1),),
    )
    result = solve(instance, "savings")
    assert result.solution is not None
    assert {frozenset(route.customers) for route in result.solution.routes} == {
        frozenset({1, 2}),
        frozenset({3, 4}),
    }


@pytest.mark.parametrize("seed", range(8))
def test_savings_keep_limits_and_asymmetric_matrices(seed):
    """A tight limited fleet on a directed matrix is kept."""
    rng = np.random.default_rng(seed)
    n = 30
    instance = Instance(
        name="directed",
        coordinates=None,
        matrix=rng.random((n + 1, n + 1)),
        metric="matrix",
        demands=[0.0, *rng.integers(1, 4, n)],
        vehicle_types=(VehicleType("s", 10, 3, 1, 3), VehicleType("l", 25, 5, 1, 3)),
    )
    result = solve(instance, "savings")
    assert result.evaluation is not None
    assert result.evaluation.is_feasible


def test_savings_fill_a_fleet_that_no_tour_can_be_cut_for():
    """Where neither tours nor best fit keep the limits, customers are inserted until all fit."""
    instance = library.load("X115-HVRP")
    assert not _core.savings(to_core(instance))
    result = solve(instance, "savings")
    assert result.status is Status.FEASIBLE
    assert result.evaluation.is_feasible


def test_savings_are_never_worse_than_the_start():
    """A better start comes back unchanged."""
    instance = Instance(
        name="line",
        coordinates=[(0, 0), (1, 0), (2, 0), (3, 0)],
        demands=[0, 1, 1, 1],
        vehicle_types=(VehicleType("van", 3, 1, 1),),
    )
    start = Solution.of([(0, (1, 2, 3))])
    result = solve(instance, "savings", budget=Budget(iterations=1), start=start)
    assert result.cost <= evaluate(instance, start).cost
