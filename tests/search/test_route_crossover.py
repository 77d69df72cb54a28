"""Crossover between sets of routes."""

import pytest

from fripn import Budget, Instance, VehicleType, _core, solve
from fripn.core import to_core
from fripn.errors import InvalidSetting
from fripn.problem.generate import paper_instance
from fripn.search import Hgs

Routes = list[tuple[int, list[int]]]

#: High enough that no vehicle is overloaded where another can be hired.
PROHIBITIVE = 1e6


def parent(instance: Instance, seed: int) -> Routes:
    """Return a good plan that differs from seed to seed."""
    found = solve(instance, "hgs", budget=Budget(iterations=3), seed=seed).solution
    assert found is not None
    return found.pairs()


def is_within(piece: list[int], whole: list[int]) -> bool:
    """Tell whether all of the piece is in the whole, in the same order."""
    return [c for c in whole if c in set(piece)] == piece


def limited(instance: Instance, available: int) -> Instance:
    """Return the instance with a fixed number of vehicles of each type."""
    types = tuple(
        VehicleType(t.name, t.capacity, t.fixed_cost, t.unit_cost, available)
        for t in instance.vehicle_types
    )
    return Instance("limited", instance.coordinates, instance.demands, types)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("available", [None, 30])
def test_child_serves_all_and_inherits_whole_routes(seed, available):
    """Each customer has one visit; routes of the parents survive in order."""
    plain = paper_instance(60, seed)
    instance = plain if available is None else limited(plain, available)
    first, second = parent(instance, 1), parent(instance, 2)
    child = _core.testing.route_crossover(to_core(instance), first, second, PROHIBITIVE, seed)
    assert sorted(c for _, route in child for c in route) == list(range(1, 61))
    survives = [any(is_within(route, other) for _, other in child) for _, route in first]
    assert any(survives)
    assert any(route in [other for _, other in child] for _, route in first + second)
    for vehicle_type, route in child:
        capacity = instance.vehicle_types[vehicle_type].capacity
        assert sum(instance.demands[c] for c in route) <= capacity * (1 + 1e-9)


def test_equal_parents_make_their_like():
    """Nothing is missing, so nothing changes but the order of the routes."""
    instance = paper_instance(40, 1)
    plan = parent(instance, 1)
    child = _core.testing.route_crossover(to_core(instance), plan, plan, PROHIBITIVE, 3)
    assert sorted(child) == sorted(plan)


def test_missing_customers_fill_the_room_that_is_paid_for():
    """A vehicle with room takes the customer that is left over; no other is hired."""
    instance = Instance(
        name="room",
        coordinates=[(0, 0), (1, 0), (1, 0.1), (0, 1), (0, 1.1), (0.1, 1)],
        demands=[0, 3, 3.5, 3, 3, 3],
        vehicle_types=(VehicleType("v", 10, 5.0, 1.0),),
    )
    first: Routes = [(0, [1, 2]), (0, [3, 4, 5])]
    second: Routes = [(0, [1, 3, 4]), (0, [2, 5])]
    for seed in range(10):
        child = _core.testing.route_crossover(to_core(instance), first, second, PROHIBITIVE, seed)
        assert len(child) == 2
        assert sorted(c for _, route in child for c in route) == [1, 2, 3, 4, 5]


def test_both_crossovers_search():
    """Only giant tours, only routes: other children, as good a plan of a small instance."""
    instance = paper_instance(15, 4)
    costs = [
        solve(instance, Hgs(route_crossover_rate=rate), budget=Budget(iterations=800)).cost
        for rate in (0.0, 1.0)
    ]
    assert costs[0] == pytest.approx(costs[1])


@pytest.mark.parametrize("rate", [-0.1, 1.5])
def test_rates_lie_between_0_and_1(rate):
    """The message has the setting and what to give."""
    with pytest.raises(InvalidSetting, match=f"route_crossover_rate is {rate}; give a number from"):
        Hgs(route_crossover_rate=rate)
