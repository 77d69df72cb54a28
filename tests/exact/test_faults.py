"""A solver for linear programs that fails, lies or runs out of memory: the last bound stands."""

from __future__ import annotations

import math

import numpy as np
import pytest

from fripn import Budget, Run, Status, _core, evaluate
from fripn.exact import Exact
from fripn.exact.highs import HighsInterface, LinearProgram
from fripn.problem.generate import paper_instance
from fripn.search import solve_exactly
from helpers import brute_force_cost, tiny_instance

#: Solves that go well before the fault; the proof of the instances below takes more than these.
GOOD_SOLVES = (0, 1, 2, 3, 5, 8, 13)


class Faulty(HighsInterface):
    """HiGHS with a fault from some linear program on."""

    def __init__(self, fault, good_solves):
        self.fault, self.left = fault, good_solves
        self.num_faults = 0
        self.rng = np.random.default_rng(1)

    def linear_program(self):
        """Return a program that shares the count of solves."""
        return FaultyProgram(self)

    def is_due(self):
        """Count one solve, and say whether it meets the fault."""
        self.left -= 1
        self.num_faults += self.left < 0
        return self.left < 0

    def solve_integer(self, *program):
        """Fail as the linear programs do."""
        if self.fault in ("noise", "nan") or not self.is_due():
            return super().solve_integer(*program)
        if self.fault == "memory":
            raise MemoryError
        return False, []


class FaultyProgram(LinearProgram):
    """One of its programs."""

    def __init__(self, owner):
        super().__init__()
        self.owner = owner

    def solve(self, rows_changed):
        """Solve it, or not."""
        if self.owner.fault in ("noise", "nan") or not self.owner.is_due():
            return super().solve(rows_changed)
        if self.owner.fault == "memory":
            raise MemoryError
        return self.owner.fault

    def solution(self):
        """Return the solution, with other dual values and another objective."""
        objective, values, duals = super().solution()
        if self.owner.fault not in ("noise", "nan") or not self.owner.is_due():
            return objective, values, duals
        if self.owner.fault == "nan":
            return math.nan, values, [math.nan] * len(duals)
        size = 0.3 * max(map(abs, duals), default=1.0)
        noise = self.owner.rng.normal(0.0, size, len(duals)) * (self.owner.rng.random() < 0.5)
        return 1e9 * abs(objective), values, (np.array(duals) + noise).tolist()


def solve_with(monkeypatch, instance, fault, good_solves, **settings):
    """Run the exact method; return its result and whether it met the fault."""
    solver = Faulty(fault, good_solves)
    monkeypatch.setattr("fripn.exact.method.lp_solver", lambda: _core.LpInterface(solver))
    result = Exact(**settings)(instance, Run(Budget(iterations=50, seconds=60)))
    return result, solver.num_faults > 0


@pytest.mark.parametrize("good_solves", GOOD_SOLVES)
@pytest.mark.parametrize("fault", ["failed", "infeasible", "memory", "unheard of"])
def test_the_last_bound_stands(monkeypatch, fault, good_solves):
    """The plan of the engine and a valid bound are returned, whenever the solver fails."""
    instance = paper_instance(12, 3)
    _, evaluation = solve_exactly(instance)
    result, has_failed = solve_with(monkeypatch, instance, fault, good_solves)
    assert evaluate(instance, result.solution).is_feasible
    assert 0 < result.lower_bound <= evaluation.cost * (1 + 1e-9)
    if result.status is Status.OPTIMAL:
        assert result.cost == pytest.approx(evaluation.cost, rel=1e-6)
    elif has_failed:
        assert any("linear programs" in note or "memory" in note for note in result.notes)


@pytest.mark.parametrize("fault", ["failed", "memory"])
def test_a_later_failure_leaves_a_better_bound(monkeypatch, fault):
    """What column generation has proven before is kept."""
    instance = paper_instance(12, 3)
    bounds = [
        solve_with(monkeypatch, instance, fault, good, enumeration=False, fleet_cuts=False)[0]
        for good in (0, 40)
    ]
    assert bounds[0].lower_bound < bounds[1].lower_bound


@pytest.mark.parametrize("enumeration", [False, True])
@pytest.mark.parametrize("fault", ["noise", "nan"])
@pytest.mark.parametrize("seed", range(7))
def test_no_number_of_the_solver_is_trusted(monkeypatch, seed, fault, enumeration):
    """Wrong dual values and objectives make a bound weaker, never wrong."""
    instance = tiny_instance(seed, 6)
    optimum = brute_force_cost(instance)
    result, _ = solve_with(monkeypatch, instance, fault, 1, enumeration=enumeration)
    for point in result.bound_curve:
        assert point.lower_bound <= optimum * (1 + 1e-7)
    if result.status is Status.OPTIMAL:
        assert result.cost == pytest.approx(optimum, rel=1e-6)
