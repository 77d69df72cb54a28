"""Every move of timed routes: the predicted change equals the recomputed one."""

import itertools
import math

import numpy as np
import pytest

from day_instances import PARTS, day_instance
from fripn import Budget, Solution, _core, solve
from fripn.core import to_core
from fripn.problem import evaluate
from fripn.search import Hgs

MOVES = (
    *(f"exchange {own} {other}" for own in (1, 2, 3) for other in (0, 1, 2)),
    *("exchange reversed 2 0", "exchange reversed 3 1"),
    *("2-opt", "2-opt*", "2-opt* reversed", "swap*"),
)


def random_plan(instance, seed):
    """Return a random plan, whatever it breaks but the number of vehicles."""
    rng = np.random.default_rng(seed)
    n = instance.num_customers
    customers = [int(c) for c in rng.permutation(n) + 1]
    cuts = sorted({0, n, *(int(c) for c in rng.integers(1, n, 2))})
    types = list(instance.vehicle_types)
    left = [3 if k.available is None else k.available for k in types]
    routes = []
    for first, last in itertools.pairwise(cuts):
        free = [k for k, count in enumerate(left) if count > 0]
        chosen = int(rng.choice(free))
        left[chosen] -= 1
        routes.append((chosen, customers[first:last]))
    return routes


@pytest.mark.parametrize("move", MOVES)
def test_predicted_change_is_the_recomputed_one(move):
    """With any combination of what a working day has, and with each part alone."""
    applied = 0
    for seed in range(40):
        part = {PARTS[seed]} if seed < len(PARTS) else None
        instance = day_instance(seed, 9, part)
        if part is None and sum(k.available or 3 for k in instance.vehicle_types) < 3:
            continue
        core, routes = to_core(instance), random_plan(instance, seed)
        if not core.has_day:
            continue
        for u in range(1, 10):
            for v in [*(c for c in range(1, 10) if c != u), -1, -2, -len(routes) - 1]:
                predicted, real = _core.testing.timed_move_change(core, routes, move, u, v, 1.7)
                if math.isnan(predicted):
                    continue
                applied += 1
                assert predicted == pytest.approx(real, rel=1e-9, abs=1e-7), (seed, u, v)
    assert applied > 100


@pytest.mark.parametrize("part", [None, "limited", "depots"])
def test_genetic_phase_finds_what_annealing_does(part):
    """Both phases alone reach plans of about the same cost, which are feasible."""
    parts = {"windows", "services"} | ({part} if part else set())
    instance = day_instance(11, 30, parts)
    costs = []
    for share, iterations in ((0.0, 400), (1.0, 400)):
        method = Hgs(genetic_share=share)
        result = solve(instance, method, budget=Budget(iterations=iterations), seed=1, threads=1)
        assert evaluate(instance, Solution(result.solution.routes)).is_feasible
        costs.append(result.cost)
    assert costs[1] <= 1.01 * costs[0]


@pytest.mark.parametrize("parts", [{"windows", "services"}, {"depots", "limited", "access"}])
def test_decomposition_keeps_plans_feasible(parts):
    """Parts searched on their own are put back into a plan that keeps every limit."""
    instance = day_instance(3, 60, parts)
    method = Hgs(genetic_share=0.0, decomposition_share=0.8, decomposition_customers=20)
    result = solve(instance, method, budget=Budget(iterations=900), seed=2, threads=1)
    evaluation = evaluate(instance, result.solution)
    assert evaluation.is_feasible
    assert evaluation.cost == pytest.approx(result.cost, rel=1e-9)
