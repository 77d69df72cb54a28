"""The engine without shortcuts, as a timed measure runs it, against the engine with them."""

import numpy as np
import pytest

from fripn import Instance, Solution, VehicleType, _core, evaluate
from fripn.core import to_core
from fripn.problem.generate import paper_instance
from helpers import tiny_instance


def shapes() -> list[Instance]:
    """Return instances of every shape: unlimited, limited, directed, great circle."""
    rng = np.random.default_rng(3)
    types = (VehicleType("s", 30, 10, 1.0, 6), VehicleType("l", 60, 15, 1.2, 4))
    demands = [0.0, *rng.integers(1, 10, 40)]
    limited = Instance("limited", rng.random((41, 2)) * 10, demands, types)
    directed = Instance(
        "directed", None, demands, types, metric="matrix", matrix=rng.uniform(1, 2, (41, 41))
    )
    return [paper_instance(40, 6), limited, directed, *(tiny_instance(s, 9) for s in range(7))]


@pytest.mark.parametrize("instance", shapes(), ids=lambda instance: instance.name)
def test_split_is_the_same(instance):
    """Cuts and types of a tour do not depend on how its routes are measured."""
    core = to_core(instance)
    tour = list(range(1, instance.num_customers + 1))
    assert _core.split(core, tour, "joined") == _core.split(core, tour)


@pytest.mark.parametrize("instance", shapes(), ids=lambda instance: instance.name)
def test_local_search_and_ruin_and_recreate_improve(instance):
    """By joining alone both give feasible plans, no worse than the first and near the fast ones."""
    core = to_core(instance)
    first = _core.savings(core)
    before = evaluate(instance, Solution.of(first)).cost
    for search in (
        lambda measure: _core.local_search(core, first, 1, measure=measure)[0],
        lambda measure: _core.testing.ruin_and_recreate(core, first, 400, 1, measure),
    ):
        fast, plain = (
            evaluate(instance, Solution.of(search(measure))) for measure in ("capacity", "joined")
        )
        assert plain.is_feasible
        assert plain.cost <= before * (1 + 1e-12)
        assert plain.cost <= fast.cost * 1.05


@pytest.mark.parametrize("instance", shapes()[:3], ids=lambda instance: instance.name)
def test_route_crossover_makes_complete_children(instance):
    """Children by joining visit every customer once and cost what the fast ones cost."""
    core = to_core(instance)
    first = _core.savings(core)
    second = _core.testing.ruin_and_recreate(core, first, 300, 5)
    costs = {"capacity": 0.0, "joined": 0.0}
    for seed in range(10):
        for measure in costs:
            child = Solution.of(
                _core.testing.route_crossover(core, first, second, 1e6, seed, measure)
            )
            visits = sorted(c for route in child.routes for c in route.customers)
            assert visits == list(range(1, instance.num_customers + 1))
            costs[measure] += evaluate(instance, child).cost
    assert costs["joined"] == pytest.approx(costs["capacity"], rel=1e-3)


def test_unknown_measures_are_refused():
    """A misspelt name is named."""
    with pytest.raises(ValueError, match="unknown measure: time"):
        _core.split(to_core(paper_instance(3, 1)), [1, 2, 3], "time")
