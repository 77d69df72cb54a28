"""Every combination of settings: no bound above the optimum, no plan lost."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fripn import Budget, Run, Status
from fripn.exact import Exact
from fripn.search import solve_exactly
from helpers import brute_force_cost, tiny_instance

SWITCHES = (
    "fleet_cuts",
    "capacity_cuts",
    "subset_cuts",
    "smoothing",
    "fixing",
    "enumeration",
    "branching",
    "strong_branching",
    "customer_sets",
)
COMBINATIONS = list(itertools.product([False, True], repeat=len(SWITCHES)))


def optimum_of(instance):
    """Return the least cost: by brute force up to nine customers, else by the dynamic program.

    None where its plan needs more vehicles than a limited fleet has.
    """
    if instance.num_customers <= 9:
        return brute_force_cost(instance)
    found = solve_exactly(instance)
    return None if found is None else found[1].cost


def check(seed, size, switches, ng_size):
    """Prove one instance; without branching a gap may stay open, but never a wrong bound."""
    instance = tiny_instance(seed, size)
    optimum = optimum_of(instance)
    if optimum is None:
        return
    chosen = dict(zip(SWITCHES, switches, strict=True))
    result = Exact(**chosen, ng_size=ng_size)(instance, Run(Budget(seconds=60)))
    for point in result.bound_curve:
        assert point.lower_bound <= optimum * (1 + 1e-7)
    assert result.lower_bound <= optimum * (1 + 1e-7)
    assert result.cost >= optimum * (1 - 1e-9)
    if result.status is Status.OPTIMAL:
        assert result.cost == pytest.approx(optimum, rel=1e-6)
    if chosen["branching"] and result.seconds < 60:
        assert result.status is Status.OPTIMAL


@settings(max_examples=20, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    size=st.sampled_from([1, 2, 3, 4, 5, 6, 7, 10]),
    switches=st.sampled_from(COMBINATIONS),
    ng_size=st.integers(0, 12),
)
def test_a_sample_of_all_settings(seed, size, switches, ng_size):
    """All shapes of instances take turns with the seed."""
    check(seed, size, switches, ng_size)


@pytest.mark.long
@pytest.mark.parametrize("switches", COMBINATIONS)
def test_every_combination_against_brute_force_and_dynamic_program(switches):
    """Eight and nine customers against brute force, up to fourteen against dynamic programming."""
    number = COMBINATIONS.index(switches)
    for step, size in enumerate((8, 9, 10, 11, 12, 13, 14)):
        check(number + step, size, switches, ng_size=(number + 5 * step) % 13)
