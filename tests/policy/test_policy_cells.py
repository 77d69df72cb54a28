"""Loads in whole cells."""

import numpy as np
import pytest

from fripn.policy import scale
from fripn.policy.cells import MAX_CELLS, count_cells
from fripn.problem import Instance, VehicleType
from fripn.problem.generate import paper_instance


@pytest.mark.parametrize(
    ("demands", "capacity", "unit", "cells"),
    [
        ([0, 0.07, 0.14, 0.3], 2.5, 0.01, [0, 7, 14, 30]),
        ([0, 10, 25, 40], 100, 5, [0, 2, 5, 8]),
        ([0, 0.1, 0.2, 0.3], 0.6, 0.1, [0, 1, 2, 3]),
        ([0, 0.0002, 0.0003], 0.1, 0.0001, [0, 2, 3]),
        ([0, 1, 2], 1023, 1, [0, 1, 2]),
    ],
)
def test_a_common_unit_is_found(demands, capacity, unit, cells):
    """Decimal demands are counted exactly."""
    found, counted = count_cells(np.array(demands, dtype=float), np.array([capacity / 2, capacity]))
    assert found == pytest.approx(unit, rel=1e-12)
    assert counted.tolist() == cells
    assert counted.dtype == np.int32


@pytest.mark.parametrize("demands", [[0, 1 / 3, 0.5, 1e-5], [0, 0.3011, 0.0002, 2.0], [0, 0, 0, 0]])
def test_other_demands_are_rounded(demands):
    """Within half a cell, and never to 0 where there is a demand."""
    demands = np.array(demands, dtype=float)
    unit, cells = count_cells(demands, np.array([1.0, 3.0]))
    assert unit == 3.0 / MAX_CELLS
    assert ((cells > 0) == (demands > 0)).all()
    assert (np.abs(cells * unit - demands) <= np.where(cells == 1, unit, unit / 2 + 1e-12)).all()


def test_a_unit_too_fine_for_the_largest_vehicle_is_not_used():
    """1024 steps of 1 do not fit."""
    unit, _ = count_cells(np.array([0.0, 1.0, 2.0]), np.array([1024.0]))
    assert unit == 1024 / MAX_CELLS


def test_scaling_keeps_the_cells():
    """The unit is scaled with the loads; the counts are those of the instance."""
    assert scale(paper_instance(20, 1, 3)).load_unit == 0.01
    instance = Instance(
        "boxes",
        np.array([[0, 0], [40, 3], [7, 9]]),
        np.array([0, 14, 21]),
        (VehicleType("v", 140, 5, 1),),
    )
    scaled = scale(instance)
    assert scaled.load_cells.tolist() == [0, 2, 3]
    assert scaled.load_unit * scaled.load_cells == pytest.approx(scaled.demands)
