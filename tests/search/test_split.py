"""Split against brute force, and its limits."""

import itertools

import numpy as np
import pytest

from fripn import Instance, Solution, VehicleType, _core, evaluate
from fripn.core import to_core
from fripn.errors import InvalidSolution, NoPlanFound
from fripn.problem.generate import paper_instance
from fripn.problem.instance import MAX_AVAILABLE
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


@pytest.mark.parametrize("available", [65_535, 65_536, MAX_AVAILABLE])
def test_very_large_fleets_are_no_limit(available):
    """Counts beyond 16 bits, and the largest allowed, give the plan of an unlimited fleet."""
    instance = paper_instance(12, 4)
    types = tuple(vehicle.replace(available=available) for vehicle in instance.vehicle_types)
    tour = list(range(1, 13))
    assert split(instance.replace(vehicle_types=types), tour) == split(instance, tour)


def test_more_vehicles_of_a_limited_type_than_16_bits_count():
    """A tour that needs 66,000 vehicles of one type finds that there is one too few, or enough."""
    count = 66_000
    place = np.zeros((count + 1, 2))
    demands = np.array([0.0, *([1.0] * count)])
    van, spare = VehicleType("van", 1, 1, 1, count), VehicleType("spare", 1, 5, 1, 1)
    enough = Instance("enough", place, demands, (van, spare))
    core = to_core(enough)
    tour = list(range(1, count + 1))
    kinds = [kind for kind, _ in _core.split(core, tour)]
    assert kinds.count(0) == count
    short = Instance("short", place, demands, (van.replace(available=count - 1), spare))
    kinds = [kind for kind, _ in _core.split(to_core(short), tour)]
    assert (kinds.count(0), kinds.count(1)) == (count - 1, 1)
