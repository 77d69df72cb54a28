"""The proven optimum of small instances."""

from __future__ import annotations

import pytest

from fripn import Run, _core
from fripn.budget import Budget
from fripn.core import to_core
from fripn.problem import evaluate
from fripn.problem.generate import paper_instance, wide_instance
from fripn.result import Status
from fripn.search import search, solve_exactly
from fripn.search.exact import MAX_CUSTOMERS
from fripn.solve import solve
from helpers import brute_force_cost, tiny_instance


@pytest.mark.parametrize("seed", range(21))
def test_agrees_with_brute_force(seed):
    """Every shape of instance; a limited fleet may leave it to the search."""
    instance = tiny_instance(seed)
    optimum = solve_exactly(instance)
    if optimum is None:
        assert any(vehicle_type.available is not None for vehicle_type in instance.vehicle_types)
        return
    plan, evaluation = optimum
    assert evaluation == evaluate(instance, plan)
    assert evaluation.is_feasible
    assert evaluation.cost == pytest.approx(brute_force_cost(instance), rel=1e-12)


def test_limited_fleets_are_solved_where_the_limits_do_not_bind():
    """Not every limited fleet is refused."""
    instance = tiny_instance(0)
    types = tuple(vehicle_type.replace(available=5) for vehicle_type in instance.vehicle_types)
    assert solve_exactly(instance.replace(vehicle_types=types)) == solve_exactly(instance)


@pytest.mark.parametrize("seed", range(4))
def test_search_never_beats_it_at_the_largest_size(seed):
    """And the search finds it, too."""
    instance = wide_instance(MAX_CUSTOMERS, seed)
    optimum = solve_exactly(instance)
    assert optimum is not None
    found = search(instance, Run(Budget(iterations=1000), seed=seed))
    assert found.cost == pytest.approx(optimum[1].cost, rel=1e-9)


def test_larger_instances_are_left_to_the_search():
    """The core itself refuses them: it would take all memory."""
    instance = paper_instance(MAX_CUSTOMERS + 1, 0)
    assert solve_exactly(instance) is None
    with pytest.raises(ValueError, match="at most"):
        _core.cheapest_plan(to_core(instance))


@pytest.mark.timeout(300)
def test_default_method_stops_with_the_proof():
    """A generous time limit is not used up."""
    result = solve(paper_instance(8, 1), time_limit=10_000)
    assert result.status is Status.OPTIMAL
    assert result.lower_bound == result.cost
    assert result.gap == 0.0
    assert result.proved_by == "dynamic program over sets of customers"
