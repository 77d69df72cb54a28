"""Other solvers with a working day: valid plans, optimal where they can be enumerated."""

import numpy as np
import pytest

from day_instances import PARTS, day_instance
from day_optimum import day_optimum
from fripn import Budget, Instance, VehicleType, solve
from fripn.errors import Unsupported
from fripn.features import ROUTING, WORKING_DAY, Feature, features_of
from fripn.problem import evaluate, library
from fripn.solve import get_method
from problem.slow_evaluate import slow_evaluate

PEERS = ("pyvrp", "ortools", "vroom")

#: What PyVRP's adapter does not pass on.
UNSUPPORTED = {"pyvrp": {"several_windows"}, "ortools": set(), "vroom": set()}

#: Iterations as each solver counts them; the seconds are there for solvers that do not end.
BUDGET = {
    "pyvrp": Budget(iterations=300, seconds=30),
    "ortools": Budget(iterations=30, seconds=30),
    "vroom": Budget(seconds=30),
}


def check(instance, result):
    """Assert that both evaluators accept a plan at the cost that the result has."""
    assert evaluate(instance, result.solution).violations == ()
    slow = slow_evaluate(instance, result.solution)
    assert slow.is_feasible
    assert float(slow.cost) == pytest.approx(result.cost, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("name", PEERS)
def test_each_part_alone(name, part):
    """Whatever the part limits, the plan is the optimum of the enumeration."""
    pytest.importorskip(name)
    if part in UNSUPPORTED[name]:
        return
    instance = day_instance(5, 4, {part, "cost_per_hour"} if name != "vroom" else {part})
    optimum, _ = day_optimum(instance)
    result = solve(instance, name, budget=BUDGET[name], seed=1)
    check(instance, result)
    assert result.cost == pytest.approx(float(optimum), rel=1e-9)


def test_pyvrp_finds_plans_for_many_customers_that_few_types_may_serve():
    """The arcs that keep a type from a customer neither overflow nor keep PyVRP from plans."""
    pytest.importorskip("pyvrp")
    instance = library.load("sdvrptw-PR05")
    result = solve(instance, "pyvrp", budget=Budget(iterations=60, seconds=60), seed=0)
    check(instance, result)


@pytest.mark.parametrize("name", PEERS)
def test_random_combinations(name):
    """No plan breaks a limit or costs less than the optimum, and most are the optimum."""
    pytest.importorskip(name)
    num_solved = num_optimal = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        parts = set(PARTS) - UNSUPPORTED[name]
        instance = day_instance(seed, 4, {part for part in sorted(parts) if rng.random() < 0.4})
        optimum = day_optimum(instance)
        try:
            result = solve(instance, name, budget=BUDGET[name], seed=seed)
        except Unsupported:
            assert name == "vroom"
            continue
        num_solved += 1
        if result.solution is None:
            num_optimal += optimum is None
            continue
        check(instance, result)
        assert result.cost >= float(optimum[0]) * (1 - 1e-9)
        num_optimal += result.cost <= float(optimum[0]) * (1 + 1e-9) + 1e-9
    assert num_solved >= 10
    assert num_optimal >= 0.8 * num_solved


@pytest.mark.parametrize("seed", range(24))
def test_plans_of_pyvrp_keep_every_limit(seed):
    """Rounding to integers never makes a plan break a limit of ours."""
    pytest.importorskip("pyvrp")
    rng = np.random.default_rng(seed)
    parts = set(PARTS) - UNSUPPORTED["pyvrp"]
    instance = day_instance(seed, 8, {part for part in sorted(parts) if rng.random() < 0.5})
    result = solve(instance, "pyvrp", budget=Budget(iterations=60, seconds=20), seed=seed)
    assert result.solution is not None, features_of(instance)
    assert evaluate(instance, result.solution).violations == ()


@pytest.mark.parametrize("name", ["ortools", "vroom"])
def test_starts_are_never_lost(name):
    """A plan to start from is returned or improved, whatever vehicles it uses."""
    pytest.importorskip(name)
    instance = day_instance(11, 8, {"windows", "services", "depots", "access", "loads"})
    start = solve(instance, "savings").solution
    result = solve(instance, name, budget=Budget(iterations=5, seconds=30), start=start)
    check(instance, result)
    assert result.cost <= evaluate(instance, start).cost * (1 + 1e-12)


@pytest.mark.parametrize("name", PEERS)
def test_what_is_supported_is_declared(name):
    """PyVRP's adapter lacks several windows alone; the others declare all."""
    pytest.importorskip(name)
    lacking = {Feature.SEVERAL_WINDOWS} if name == "pyvrp" else set()
    assert get_method(name).supports == ROUTING | WORKING_DAY - lacking


def test_several_windows_are_refused_by_pyvrp():
    """The sentence names what PyVRP does not get."""
    pytest.importorskip("pyvrp")
    for seed in range(50):
        instance = day_instance(seed, 5, {"several_windows"})
        if Feature.SEVERAL_WINDOWS in features_of(instance):
            break
    with pytest.raises(Unsupported, match="several time windows per stop"):
        solve(instance, "pyvrp", budget=Budget(iterations=1))


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ({"cost_per_hour": 2.0}, "costs per hour"),
        ({"max_duration": 50.0}, "largest durations of routes"),
        (
            {"cost_per_hour": 2.0, "max_duration": 50.0},
            "costs per hour and largest durations of routes",
        ),
    ],
)
def test_vroom_refuses_durations_with_waiting(limits, words):
    """It does not count waiting; without windows of customers there is none."""
    pytest.importorskip("vroom")
    instance = Instance(
        "waiting",
        [[0, 0], [3, 4], [6, 8]],
        [0.0, 1.0, 1.0],
        (VehicleType("van", 2, 1.0, **limits),),
        time_windows=[[], [(20, 30)], []],
    )
    message = (
        f"method vroom does not count waiting, so it does not support {words} together with time "
        "windows, which waiting has; choose hybrid, hgs, pyvrp or ortools"
    )
    with pytest.raises(Unsupported, match=message):
        solve(instance, "vroom", budget=Budget(iterations=1))
    free = instance.replace(time_windows=None)
    result = solve(free, "vroom", budget=Budget(iterations=1))
    check(free, result)
    assert result.cost == pytest.approx(float(day_optimum(free)[0]))


def test_vroom_takes_many_vehicles_with_long_arcs():
    """The arcs from and to the depot of all vehicles on offer fit VROOM's integers."""
    pytest.importorskip("vroom")
    matrix = np.array(
        [
            [0, 21, 13, 12, 33, 6],
            [12, 0, 6, 11, 28, 23],
            [18, 6, 0, 32, 9, 2],
            [13, 5, 32, 0, 20, 11],
            [20, 39, 9, 31, 0, 12],
            [38, 35, 3, 34, 34, 0],
        ]
    )
    instance = Instance(
        name="vans",
        coordinates=None,
        demands=[0, 9, 9, 6, 3, 2],
        vehicle_types=[
            VehicleType(f"van {k}", 29, fixed_cost=5, unit_cost=cost, max_duration=212)
            for k, cost in enumerate((4, 1, 3, 2))
        ],
        metric="matrix",
        matrix=matrix,
    )
    for limit in (212, None):
        types = [vehicle.replace(max_duration=limit) for vehicle in instance.vehicle_types]
        changed = instance.replace(vehicle_types=types)
        result = solve(changed, "vroom", budget=Budget(seconds=30))
        check(changed, result)
        assert result.cost == pytest.approx(float(day_optimum(changed)[0]))
    random = np.random.default_rng(0).integers(1, 100, (61, 61))
    types = [VehicleType(f"van {k}", 30, unit_cost=1 + k / 10) for k in range(6)]
    larger = Instance("larger", None, [0, *[1] * 60], types, metric="matrix", matrix=random)
    check(larger, solve(larger, "vroom", budget=Budget(seconds=30, iterations=1)))
