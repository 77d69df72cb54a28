"""Sweep: the order by angle, and plans cut from it."""

from __future__ import annotations

import numpy as np
import pytest

from fripn import Run, Solution, _core, evaluate
from fripn.baselines.sweep import Sweep, by_angle
from fripn.core import to_core
from fripn.problem.generate import paper_instance
from helpers import square_instance


def test_customers_come_by_angle() -> None:
    """Around the square the order is cyclic: each next customer is a quarter turn further."""
    order = by_angle(square_instance()).tolist()
    start = order.index(1)
    assert order[start:] + order[:start] == [1, 2, 3, 4]


def test_order_begins_after_the_widest_gap() -> None:
    """With customers in one half plane the sweep does not begin in their midst."""
    coordinates = np.array([[0, 0], [1, 0.1], [1, 2], [-1, 1], [1, -0.1]], dtype=np.float64)
    instance = square_instance().replace(coordinates=coordinates)
    assert by_angle(instance).tolist() == [4, 1, 2, 3]


def test_more_starts_never_hurt() -> None:
    """The best over many angles is at most the cost from one."""
    instance = paper_instance(40, seed=5)
    few = Sweep(num_starts=1)(instance, Run())
    many = Sweep(num_starts=40)(instance, Run())
    assert many.solution is not None
    assert evaluate(instance, many.solution).is_feasible
    assert many.cost <= few.cost


def test_order_within_routes_is_improved() -> None:
    """A crossing tour is untangled, types and groups stay."""
    instance = square_instance()
    core = to_core(instance)
    ordered = _core.order_routes(core, [(1, [1, 3, 2, 4])])
    assert [vehicle_type for vehicle_type, _ in ordered] == [1]
    assert evaluate(instance, Solution.of(ordered)).distance == pytest.approx(2 + 3 * np.sqrt(2))
