"""Every move: the predicted change equals the recomputed one."""

import itertools
import math

import numpy as np
import pytest

from fripn import Instance, Solution, VehicleType, _core, evaluate
from fripn.core import to_core
from fripn.errors import InvalidSolution
from fripn.search import local_search

MOVES = (
    "relocate",
    "or-opt",
    "or-opt reversed",
    "swap",
    "swap 2-1",
    "2-opt",
    "2-opt*",
    "2-opt* reversed",
)


def random_case(seed: int, is_limited: bool, is_directed: bool) -> tuple[Instance, Solution]:
    """Return a small instance and a random plan for it, overloads included."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 10))
    available = n if is_limited else None
    types = [VehicleType("big", 50.0, 20.0, 2.0, available)]
    for k in range(3):
        capacity, fixed, unit = (float(rng.uniform(*ends)) for ends in ((2, 9), (0, 5), (0.5, 2)))
        types.append(VehicleType(f"k{k}", capacity, fixed, unit, available))
    demands = [0.0, *rng.uniform(0, 3, n)]
    if is_directed:
        matrix = rng.random((n + 1, n + 1)) * 4
        instance = Instance("case", None, demands, tuple(types), metric="matrix", matrix=matrix)
    else:
        instance = Instance("case", rng.random((n + 1, 2)) * 4, demands, tuple(types))
    customers = [int(c) for c in rng.permutation(n) + 1]
    cuts = sorted({0, n, *(int(c) for c in rng.integers(1, n, 2))})
    pieces = [customers[a:b] for a, b in itertools.pairwise(cuts)]
    return instance, Solution.of((int(rng.integers(4)), piece) for piece in pieces)


@pytest.mark.parametrize("is_directed", [False, True])
@pytest.mark.parametrize("is_limited", [False, True])
@pytest.mark.parametrize("move", MOVES)
def test_predicted_change_is_the_real_one(move, is_limited, is_directed):
    """For many random plans, pairs of customers and starts of routes, full and empty."""
    applied = 0
    for seed in range(40):
        instance, plan = random_case(seed, is_limited, is_directed)
        core = to_core(instance)
        routes = plan.pairs()
        takes_starts = move in ("relocate", "or-opt", "or-opt reversed", "2-opt*")
        starts = [-r - 1 for r in range(len(routes) + 1)] if takes_starts else []
        for u in range(1, instance.num_customers + 1):
            for v in [*range(1, instance.num_customers + 1), *starts]:
                if u == v:
                    continue
                predicted, real = _core.move_change(core, routes, move, u, v, penalty=1.7)
                if not math.isnan(predicted):
                    applied += 1
                    assert predicted == pytest.approx(real, abs=1e-9)
    assert applied > 10


@pytest.mark.parametrize("is_directed", [False, True])
def test_swap_star_predicts_its_change(is_directed):
    """The best exchange between two routes changes the price by what it says."""
    gains = 0
    for seed in range(60):
        instance, plan = random_case(seed, False, is_directed)
        routes = plan.pairs()
        if len(routes) < 2:
            continue
        predicted, real = _core.move_change(to_core(instance), routes, "swap*", 0, 1, 1.7)
        assert predicted == pytest.approx(real, abs=1e-9)
        gains += predicted < 0
    assert gains > 5


@pytest.mark.parametrize("seed", range(6))
def test_local_search_never_gets_worse(seed):
    """The outcome is feasible and costs no more; a second call finds nothing new."""
    instance, plan = random_case(seed, seed % 2 == 0, False)
    start = Solution.of((0, route.customers) for route in plan.routes)
    first = local_search(instance, start, seed)
    assert evaluate(instance, first).is_feasible
    assert evaluate(instance, first).cost <= evaluate(instance, start).cost


def test_local_search_merges_routes_that_fit_one_vehicle():
    """Two short trips in one direction become one."""
    instance = Instance(
        name="line",
        coordinates=[(0, 0), (5, 0), (6, 0)],
        demands=[0, 1, 1],
        vehicle_types=(VehicleType("van", 2, 10, 1),),
    )
    merged = local_search(instance, Solution.of([(0, (1,)), (0, (2,))]))
    assert len(merged.routes) == 1


def test_local_search_refuses_an_infeasible_plan():
    """An overloaded start is named."""
    instance = Instance("two", [(0, 0), (1, 0), (2, 0)], [0, 1, 1], (VehicleType("van", 1),))
    with pytest.raises(InvalidSolution, match="needs a feasible plan"):
        local_search(instance, Solution.of([(0, (1, 2))]))
