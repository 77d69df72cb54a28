"""The engine on tiny working days: the optimum of an enumeration with exact fractions."""

import pytest

from day_instances import PARTS, day_instance
from day_optimum import day_optimum
from fripn import Budget, Status, VehicleType, solve
from fripn.problem import Instance, evaluate
from problem.slow_evaluate import slow_evaluate


def gap(instance, result, optimum):
    """Return how far a plan that both evaluators accept lies above the optimum, as a fraction."""
    assert evaluate(instance, result.solution).violations == ()
    slow = slow_evaluate(instance, result.solution)
    assert slow.is_feasible
    assert float(slow.cost) == pytest.approx(result.cost, rel=1e-9, abs=1e-9)
    assert slow.cost >= optimum
    return float((slow.cost - optimum) / optimum) if optimum else float(slow.cost)


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("method", ["hybrid", "hgs"])
def test_each_part_alone(method, part):
    """Every part on its own, with vehicles paid by the hour."""
    instance = day_instance(7, 5, {part, "cost_per_hour"})
    optimum, plan = day_optimum(instance)
    assert evaluate(instance, plan).cost == pytest.approx(float(optimum))
    result = solve(instance, method, budget=Budget(iterations=100), seed=1)
    assert gap(instance, result, optimum) < 1e-9


@pytest.mark.timeout(300)
def test_random_combinations_of_up_to_five_customers():
    """No plan is below the optimum, and at most one in 30 misses it (about one in 130 did)."""
    num_missed = 0
    for seed in range(1000, 1060):
        instance = day_instance(seed, 3 + seed % 3)
        optimum = day_optimum(instance)
        result = solve(instance, "hgs", budget=Budget(iterations=100), seed=1)
        if optimum is None:
            assert result.status is Status.NO_PLAN
        else:
            num_missed += gap(instance, result, optimum[0]) > 1e-9
    assert num_missed <= 2


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("num_customers", "parts"),
    [
        (6, {"windows", "services", "shifts", "cost_per_hour"}),
        (6, {"several_windows", "speeds", "open", "access"}),
        (7, {"windows", "depots", "loads", "max_stops", "max_duration"}),
    ],
)
def test_more_customers(num_customers, parts):
    """The largest that can be enumerated in seconds."""
    instance = day_instance(4, num_customers, parts)
    optimum, _ = day_optimum(instance)
    result = solve(instance, budget=Budget(iterations=200), seed=1)
    assert gap(instance, result, optimum) < 1e-9


def test_enumeration_counts_limited_vehicles():
    """One van and one lorry: who serves whom is decided by what there is."""
    instance = Instance(
        "two",
        [[0, 0], [3, 4], [-3, -4]],
        [0.0, 1.0, 1.0],
        (VehicleType("van", 1, 1.0, 1.0, 1), VehicleType("lorry", 1, 5.0, 2.0, 1)),
    )
    cost, plan = day_optimum(instance)
    assert cost == 1 + 10 + 5 + 20
    assert sorted(route.vehicle_type for route in plan.routes) == [0, 1]
    # One vehicle cannot serve both before they close, though each alone.
    van = instance.vehicle_types[0].replace(capacity=2)
    late = instance.replace(vehicle_types=(van,), time_windows=[[], [(0, 9)], [(0, 9)]])
    assert day_optimum(late) is None


@pytest.mark.parametrize("seed", range(2000, 2040))
def test_a_handful_of_customers_is_proven(seed):
    """The default method returns the optimum of the enumeration in exact fractions, at once."""
    instance = day_instance(seed, 1 + seed % 5)
    optimum, result = day_optimum(instance), solve(instance, budget=Budget(iterations=5))
    if optimum is None:
        assert result.status is Status.NO_PLAN
        return
    assert result.status is Status.OPTIMAL
    assert result.lower_bound == result.cost
    assert gap(instance, result, optimum[0]) < 1e-9


def test_few_vehicles_for_a_handful_of_customers():
    """Vehicles of a limited type are counted; the search says it when they are too few."""
    instance = Instance(
        name="two vans",
        coordinates=[[0, 0], [0, 3], [0, -3], [4, 0]],
        demands=[0, 1, 1, 1],
        vehicle_types=[VehicleType("van", 9, 1, available=2), VehicleType("lorry", 9, 100)],
        time_windows=[(), ((3, 4),), ((3, 4),), ((4, 5),)],
    )
    result = solve(instance)
    assert result.status is Status.OPTIMAL
    assert sorted(route.vehicle_type for route in result.solution.routes) == [0, 0, 1]
    assert result.cost == pytest.approx(102 + 6 + 6 + 8)
    fewer = instance.replace(vehicle_types=[VehicleType("van", 9, 1, available=2)])
    assert solve(fewer, budget=Budget(iterations=5)).status is Status.NO_PLAN
