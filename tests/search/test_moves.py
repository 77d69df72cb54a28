"""Every move: the predicted change equals the recomputed one, with every shortcut and without."""

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


#: Measures of cpp/measure.h: the engine's, the same without bounds, and plain joining of segments.
MEASURES = ("capacity", "unpruned", "joined")


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


def pairs_of(instance: Instance, plan: Solution, move: str) -> list[tuple[int, int]]:
    """Return pairs of customers, and of customers and starts of routes where the move takes them.

    One start is that of an empty route.
    """
    takes_starts = move in ("relocate", "or-opt", "or-opt reversed", "2-opt*")
    starts = [-r - 1 for r in range(len(plan.routes) + 1)] if takes_starts else []
    customers = range(1, instance.num_customers + 1)
    return [(u, v) for u in customers for v in [*customers, *starts] if u != v]


@pytest.mark.parametrize("is_directed", [False, True])
@pytest.mark.parametrize("is_limited", [False, True])
@pytest.mark.parametrize("move", MOVES)
def test_predicted_change_is_the_recomputed_one(move, is_limited, is_directed):
    """For every measure, on many random plans; without bounds all moves that exist are priced."""
    applied = dict.fromkeys(MEASURES, 0)
    for seed in range(25):
        instance, plan = random_case(seed, is_limited, is_directed)
        core, routes = to_core(instance), plan.pairs()
        for u, v in pairs_of(instance, plan, move):
            exact = {}
            for measure in MEASURES:
                predicted, real = _core.testing.move_change(core, routes, move, u, v, 1.7, measure)
                if not math.isnan(predicted):
                    applied[measure] += 1
                    exact[measure] = predicted
                    assert predicted == pytest.approx(real, abs=1e-9)
            assert ("unpruned" in exact) == ("joined" in exact)
            if exact:
                assert exact["unpruned"] == pytest.approx(exact["joined"], abs=1e-9)
    assert 10 < applied["capacity"] < applied["unpruned"] == applied["joined"]


@pytest.mark.parametrize("is_directed", [False, True])
@pytest.mark.parametrize("is_limited", [False, True])
@pytest.mark.parametrize("move", MOVES)
def test_dropped_moves_would_not_pay(move, is_limited, is_directed):
    """What the bounds drop unseen would not have lowered the price.

    Exchanges between two routes of an unlimited fleet are dropped by their present types; with
    others they may pay now and then, so these are only counted.
    """
    is_exact = is_limited or move in ("relocate", "or-opt", "or-opt reversed", "2-opt")
    dropped = 0
    for seed in range(25):
        instance, plan = random_case(seed, is_limited, is_directed)
        core, routes = to_core(instance), plan.pairs()
        for u, v in pairs_of(instance, plan, move):
            bounded, _ = _core.testing.move_change(core, routes, move, u, v, 1.7, "capacity")
            exact, _ = _core.testing.move_change(core, routes, move, u, v, 1.7, "unpruned")
            if math.isnan(bounded) and not math.isnan(exact):
                dropped += 1
                assert not is_exact or exact >= -1e-9
    assert dropped > 10


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("is_limited", [False, True])
@pytest.mark.parametrize("is_directed", [False, True])
def test_swap_star_predicts_its_change(is_directed, is_limited, measure):
    """The best exchange between two routes changes the price by what it says."""
    gains = 0
    for seed in range(60):
        instance, plan = random_case(seed, is_limited, is_directed)
        if len(plan.routes) < 2:
            continue
        core, routes = to_core(instance), plan.pairs()
        predicted, real = _core.testing.move_change(core, routes, "swap*", 0, 1, 1.7, measure)
        assert predicted == pytest.approx(real, abs=1e-9)
        gains += predicted < 0
    assert gains > 5


def test_swap_star_by_joining_finds_what_detours_find():
    """Where the triangle inequality holds both find a best exchange of the same change."""
    for seed in range(60):
        instance, plan = random_case(seed, True, False)
        if len(plan.routes) < 2:
            continue
        core, routes = to_core(instance), plan.pairs()
        fast, _ = _core.testing.move_change(core, routes, "swap*", 0, 1, 1.7, "capacity")
        plain, _ = _core.testing.move_change(core, routes, "swap*", 0, 1, 1.7, "joined")
        assert fast == pytest.approx(plain, abs=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_local_search_ends_in_a_local_optimum(seed):
    """The outcome is feasible and costs no more; a second call finds nothing better."""
    instance, plan = random_case(seed, seed % 2 == 0, False)
    start = Solution.of((0, route.customers) for route in plan.routes)
    first = local_search(instance, start, seed)
    assert evaluate(instance, first).is_feasible
    assert evaluate(instance, first).cost <= evaluate(instance, start).cost
    again = evaluate(instance, local_search(instance, first, seed)).cost
    assert again == pytest.approx(evaluate(instance, first).cost, rel=1e-10)


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
