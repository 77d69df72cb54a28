"""One schedule: temperatures fall over all rounds, and a stretch goes on from the one before."""

import pytest

from fripn import _core
from fripn.core import to_core
from fripn.parts.part import ANNEALING
from fripn.parts.schedule import Schedule
from fripn.problem import Solution, evaluate
from fripn.problem.generate import paper_instance
from fripn.solve import solve


def test_temperatures_fall_geometrically():
    """From the start to the end, and from a cooler start where there are few steps."""
    schedule = Schedule(mean_arc_cost=2.0, start=0.3, end=0.03)
    assert schedule.temperature(0.0, 200.0) == pytest.approx(0.6)
    assert schedule.temperature(0.5, 1000.0) == pytest.approx(2 * (0.3 * 0.03) ** 0.5)
    assert schedule.temperature(1.0, 200.0) == pytest.approx(0.06)
    assert schedule.temperature(0.0, 100.0) == pytest.approx(0.3)
    assert schedule.temperature(0.0, 1.0) == schedule.temperature(1.0, 1.0) == pytest.approx(0.06)


def test_the_unit_is_the_mean_cost_of_an_arc():
    """Of the plan's own arcs; driving that costs nothing is no division by zero."""
    instance = paper_instance(50, 1)
    evaluation = solve(instance, "savings").evaluation
    arcs = 50 + evaluation.num_vehicles
    schedule = Schedule.of(instance, evaluation, start=0.3, end=0.02)
    assert schedule.mean_arc_cost == pytest.approx(evaluation.travel_cost / arcs)
    free = instance.replace(
        vehicle_types=tuple(vehicle.replace(unit_cost=0.0) for vehicle in instance.vehicle_types)
    )
    evaluation = solve(free, "savings").evaluation
    assert Schedule.of(free, evaluation, start=0.3, end=0.02).mean_arc_cost > 0


def annealed(instance, start, first, last, iterations=40, seed=1, stop=None):
    present, best, done = _core.anneal(
        to_core(instance),
        ANNEALING.for_core(),
        start.pairs(),
        first=first,
        last=last,
        seconds=None,
        iterations=iterations,
        seed=seed,
        stop=stop,
    )
    return Solution.of(present), Solution.of(best), done


@pytest.mark.parametrize("limit", [None, 30])
def test_a_stretch_keeps_the_present_plan_and_the_best(limit):
    """Both are valid; the best is never costlier than the start, the hot present one is."""
    instance = paper_instance(120, 2)
    start = solve(instance, "savings").solution
    if limit is not None:
        types = [vehicle.replace(available=limit) for vehicle in instance.vehicle_types]
        instance = instance.replace(vehicle_types=tuple(types))
        start = solve(instance, "savings").solution
    before = evaluate(instance, start).cost
    present, best, done = annealed(instance, start, 5.0, 5.0)
    assert done == 40
    assert evaluate(instance, present).is_feasible
    assert evaluate(instance, best).is_feasible
    assert evaluate(instance, best).cost <= before < evaluate(instance, present).cost
    cold, cheapest, _ = annealed(instance, present, 0.01, 0.01, iterations=200)
    assert evaluate(instance, cold).cost < evaluate(instance, present).cost
    assert evaluate(instance, cheapest).cost <= evaluate(instance, cold).cost
    assert annealed(instance, start, 5.0, 5.0)[:2] == (present, best)


def test_a_stop_ends_a_stretch():
    """With the plans that it has."""
    instance, flag = paper_instance(60, 3), _core.StopFlag()
    start = solve(instance, "savings").solution
    flag.set()
    present, best, done = annealed(instance, start, 1.0, 0.1, iterations=10**9, stop=flag)
    assert done == 0
    assert evaluate(instance, present).cost == evaluate(instance, best).cost
