"""Decomposition: neighbouring routes searched as problems of their own."""

from dataclasses import replace

import numpy as np
import pytest

from fripn import Budget, Instance, Status, VehicleType, evaluate, solve
from fripn.errors import InvalidSetting
from fripn.problem.generate import paper_instance
from fripn.search import Hgs, local_search

#: Nothing but decomposition after one local search.
ONLY = Hgs(
    genetic_share=0.0,
    decomposition_share=1.0,
    decomposition_customers=40,
    decomposition_children=60,
)


def tight_fleet(num_customers: int, seed: int, matrix: bool) -> Instance:
    """Return an instance whose vehicles hold little more than the demand."""
    rng = np.random.default_rng(seed)
    demands = np.array([0.0, *rng.integers(1, 10, num_customers)])
    large = int(demands.sum() // 90)
    places = rng.random((num_customers + 1, 2))
    types = (VehicleType("s", 30, 10, 1.0, 3), VehicleType("l", 90, 20, 1.5, large + 1))
    if not matrix:
        return Instance("tight", places, demands, types)
    ways = np.abs(places[:, None] - places[None]).sum(-1) * rng.uniform(1, 1.2, (len(places),) * 2)
    return Instance("tight", None, demands, types, metric="matrix", matrix=ways)


def test_parts_improve_the_whole():
    """What local search leaves is improved part by part."""
    instance = paper_instance(200, 1)
    first = solve(instance, "savings").solution
    assert first is not None
    plain = evaluate(instance, local_search(instance, first)).cost
    assert solve(instance, ONLY, budget=Budget(iterations=900)).cost < 0.995 * plain


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("matrix", [False, True])
def test_limited_fleet_is_kept(threads, matrix):
    """Parts take only vehicles that are theirs or free, also when two workers change one plan."""
    instance = tight_fleet(120, 3, matrix)
    result = solve(instance, ONLY, budget=Budget(iterations=600), threads=threads)
    assert result.evaluation is not None
    assert result.evaluation.is_feasible
    assert result.cost <= solve(instance, ONLY, budget=Budget(iterations=0)).cost


def test_same_seed_gives_the_same_plan():
    """One thread and an iteration budget make runs repeatable, and the budget is kept."""
    instance = paper_instance(120, 2)
    first, second = (solve(instance, ONLY, budget=Budget(iterations=250), seed=5) for _ in "ab")
    assert first.solution == second.solution
    assert first.iterations == 250


@pytest.mark.timeout(120)
def test_time_limit_ends_a_running_part():
    """A part that is running when time is up ends with it; alone it would go on for hours."""
    endless = replace(ONLY, decomposition_children=10**9)
    result = solve(paper_instance(400, 1), endless, time_limit=0.3, threads=2)
    assert result.status is Status.FEASIBLE
    assert result.seconds >= 0.28


def test_sizes_must_be_positive():
    """A search without children would never end."""
    with pytest.raises(InvalidSetting, match="decomposition_children is 0; give an integer"):
        Hgs(decomposition_children=0)
