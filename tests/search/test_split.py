"""Split against brute force, and its limits."""

import itertools

import numpy as np
import pytest

from fripn import Instance, Solution, VehicleType, evaluate
from fripn.errors import InvalidSolution, NoPlanFound
from fripn.problem.generate import paper_instance
from fripn.search import split


def brute_force(instance: Instance, tour: list[int]) -> float:
    """Least cost over all cuts and all assignments of types to the pieces."""
    best = np.inf
    for cuts in itertools.product([False, True], repeat=len(tour) - 1):
        pieces, piece = [], [tour[0]]
        for customer, is_cut in zip(tour[1:], cuts, strict=True):
            if is_cut:
                pieces.append(piece)
                piece = []
            piece.append(customer)
        pieces.append(piece)
        for types in itertools.product(range(instance.num_types), repeat=len(pieces)):
            evaluation = evaluate(instance, Solution.of(zip(types, pieces, strict=True)))
            if evaluation.is_feasible:
                best = min(best, evaluation.cost)
    return best


@pytest.mark.parametrize("seed", range(12))
def test_split_equals_brute_force(seed):
    """No cut and no choice of types is cheaper, with and without limits on the fleet."""
    rng = np.random.default_rng(seed)
    instance = paper_instance(int(rng.integers(1, 6)), rng, num_types=3)
    tour = [int(c) + 1 for c in rng.permutation(instance.num_customers)]
    solution = split(instance, tour)
    evaluation = evaluate(instance, solution)
    assert evaluation.is_feasible
    assert evaluation.cost == pytest.approx(brute_force(instance, tour))
    assert [c for route in solution.routes for c in route.customers] == tour

    limited = instance.replace(
        vehicle_types=tuple(
            VehicleType(k.name, k.capacity, k.fixed_cost, k.unit_cost, available)
            for k, available in zip(instance.vehicle_types, (1, 2, None), strict=True)
        )
    )
    best = brute_force(limited, tour)
    if np.isfinite(best):
        evaluation = evaluate(limited, split(limited, tour))
        assert evaluation.is_feasible
        assert evaluation.cost == pytest.approx(best)
    else:
        with pytest.raises(NoPlanFound):
            split(limited, tour)


@pytest.mark.parametrize("tour", [[1, 2], [1, 2, 2], [0, 1, 2, 3], [1, 2, 4]])
def test_split_refuses_what_is_no_tour(tour):
    """A missing, repeated or unknown stop is named before the core sees it."""
    with pytest.raises(InvalidSolution, match="each customer from 1 to 3"):
        split(paper_instance(3, 1), tour)


def test_split_keeps_fleet_limits_on_longer_tours():
    """The bounded number of labels still keeps every limit."""
    rng = np.random.default_rng(5)
    instance = Instance(
        name="limited",
        coordinates=rng.random((61, 2)),
        demands=[0.0, *rng.integers(1, 10, 60)],
        vehicle_types=(
            VehicleType("s", 30, 10, 1.0, 4),
            VehicleType("m", 60, 15, 1.2, 3),
            VehicleType("l", 90, 20, 1.5, 2),
        ),
    )
    assert evaluate(instance, split(instance, list(range(1, 61)))).is_feasible
