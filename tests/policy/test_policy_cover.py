"""The covering knapsack behind the cover features."""

import itertools

import numpy as np
import pytest

from fripn import _core


def lookup(step, costs, demand):
    cell = int(np.ceil(demand / step - 1e-6))
    return 0.0 if cell <= 0 else costs[min(cell, len(costs) - 1)]


def brute_force(capacities, fixed_costs, demand):
    best = np.inf
    limits = [int(np.ceil(demand / capacity)) for capacity in capacities]
    for counts in itertools.product(*(range(limit + 1) for limit in limits)):
        if np.dot(counts, capacities) >= demand - 1e-9:
            best = min(best, float(np.dot(counts, fixed_costs)))
    return best


def test_table_equals_brute_force_where_the_grid_is_exact():
    """Capacities on the grid: every cell is the least cost of a covering multiset."""
    capacities, fixed = np.array([[1.0, 1.5, 2.25]]), np.array([[3.0, 4.0, 6.5]])
    steps, costs = _core.cover_table(capacities, fixed, np.array([6.0]))
    assert steps[0] == 1.0 / 64
    for demand in np.arange(0.25, 6.01, 0.25):
        expected = brute_force(capacities[0], fixed[0], demand)
        assert lookup(steps[0], costs[0], demand) == pytest.approx(expected)


def test_demand_at_a_cell_border_does_not_spill():
    """0.1 + 0.2 is covered by a capacity of 0.3."""
    steps, costs = _core.cover_table(np.array([[0.3]]), np.array([[1.0]]), np.array([0.6]))
    assert lookup(steps[0], costs[0], 0.1 + 0.2) == 1.0
    assert lookup(steps[0], costs[0], 0.3001) == 2.0


def test_long_tables_widen_their_step():
    """A tiny vehicle beside a huge demand still gives at most 65,536 cells."""
    steps, costs = _core.cover_table(
        np.array([[0.001, 3.0]]), np.array([[1.0, 5.0]]), np.array([5000.0])
    )
    assert costs.shape[1] <= 65536
    assert steps[0] > 0.001 / 64


def test_rows_of_a_batch_are_independent():
    """Each row equals its own table; the shorter repeats its end."""
    capacities = np.array([[0.5, 2.0], [1.0, 3.0]])
    fixed = np.array([[2.0, 5.0], [1.0, 9.0]])
    demands = np.array([4.0, 2.0])
    steps, costs = _core.cover_table(capacities, fixed, demands)
    for b in range(2):
        step, cost = _core.cover_table(capacities[b : b + 1], fixed[b : b + 1], demands[b : b + 1])
        assert steps[b] == step[0]
        assert np.array_equal(costs[b, : cost.shape[1]], cost[0])
        assert (costs[b, cost.shape[1] :] == cost[0, -1]).all()


def test_no_demand_costs_nothing():
    """The grid of an empty day is one cell."""
    _, costs = _core.cover_table(np.array([[1.0]]), np.array([[2.0]]), np.array([0.0]))
    assert costs.tolist() == [[0.0]]
