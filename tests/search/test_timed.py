"""The search of a working day: plans that keep every rule, at the cost they claim."""

from itertools import permutations

import numpy as np
import pytest

from day_instances import PARTS, day_instance
from fripn import Budget, Instance, Progress, Run, Status, VehicleType, _core, evaluate, solve
from fripn.core import to_core
from fripn.errors import Unsupported
from fripn.features import features_of
from fripn.problem import Solution
from fripn.problem.violations import ViolationCode
from fripn.search import local_search, search, search_many, solve_exactly, split
from problem.slow_evaluate import slow_evaluate


def own_violations(instance, vehicle_type, customers):
    """Return what is wrong with a route, whoever else is not visited."""
    evaluation = evaluate(instance, Solution.of([(vehicle_type, list(customers))]))
    return {violation.code for violation in evaluation.violations} - {ViolationCode.MISSING}


def servable(seed, num_customers, parts=None):
    """Return a random instance in which some type can serve each customer alone.

    Validation cannot promise that: with odd travel times a customer may be in reach only by way of
    another one.
    """
    for attempt in range(1000):
        instance = day_instance(1000 * seed + attempt, num_customers, parts)
        if all(
            any(not own_violations(instance, k, [c]) for k in range(instance.num_types))
            for c in range(1, num_customers + 1)
        ):
            return instance
    raise AssertionError("no such instance")


def check(instance, result):
    """Assert that both evaluators find the plan feasible, at the cost that the engine says."""
    evaluation = evaluate(instance, result.solution)
    assert evaluation.violations == ()
    slow = slow_evaluate(instance, result.solution)
    assert slow.is_feasible
    assert float(slow.cost) == pytest.approx(result.cost, rel=1e-9)
    return evaluation.cost


@pytest.mark.parametrize("seed", range(60))
def test_random_combinations(seed):
    """Whatever an instance combines, plans are feasible and priced as both evaluators do."""
    instance = servable(seed, 14)
    result = solve(instance, "hgs", budget=Budget(iterations=20), seed=seed)
    check(instance, result)


@pytest.mark.parametrize("seed", range(30))
def test_savings_keep_every_rule(seed):
    """The first plan, of whatever the instance combines."""
    instance = servable(100 + seed, 25)
    first, second = (solve(instance, "savings", seed=seed) for seed in (1, 2))
    check(instance, first)
    assert first.solution == second.solution


@pytest.mark.parametrize("part", PARTS)
def test_each_part_alone(part):
    """Every part of the day on its own, with a first plan at once and a better one later."""
    instance = servable(5, 30, {part})
    first = check(instance, solve(instance, "hgs", budget=Budget(iterations=1), seed=1))
    later = check(instance, solve(instance, "hgs", budget=Budget(iterations=60), seed=1))
    assert later <= first


@pytest.mark.parametrize("seed", range(8))
def test_small_instances_are_solved_to_the_optimum(seed):
    """A plain search over all partitions and orders finds nothing cheaper."""
    instance = servable(seed, 5, {"windows", "services", "speeds", "depots", "open", "access"})
    result = solve(instance, "hgs", budget=Budget(iterations=50), seed=1)
    assert check(instance, result) == pytest.approx(_optimum(instance), rel=1e-9)


def _optimum(instance):
    n = instance.num_customers
    best_of = {}
    for size in range(1, n + 1):
        for order in permutations(range(1, n + 1), size):
            key = frozenset(order)
            for k in range(instance.num_types):
                cost = evaluate(instance, Solution.of([(k, list(order))])).cost
                if cost < best_of.get(key, float("inf")) and not own_violations(instance, k, order):
                    best_of[key] = cost

    def cheapest(left):
        if not left:
            return 0.0
        first = min(left)
        return min(
            cost + cheapest(left - group)
            for group, cost in best_of.items()
            if first in group and group <= left
        )

    return cheapest(frozenset(range(1, n + 1)))


def test_same_seed_gives_the_same_plan():
    """One thread and an iteration budget make runs repeatable."""
    instance = servable(3, 40, {"windows", "services", "loads", "limited"})
    first, second = (solve(instance, "hgs", budget=Budget(iterations=50), seed=7) for _ in "ab")
    assert first.solution == second.solution
    assert first.iterations == 50


def test_starts_are_kept():
    """The result is never worse than a feasible start; an infeasible one is no obstacle."""
    instance = servable(4, 40, {"windows", "services"})
    good = solve(instance, "hgs", budget=Budget(iterations=100), seed=1)
    again = solve(instance, "hgs", budget=Budget(iterations=1), seed=2, start=good.solution)
    assert again.cost <= good.cost * (1 + 1e-12)
    late = Solution.of([(0, list(range(1, 41)))])
    assert evaluate(instance, late).violations
    check(instance, search(instance, Run(budget=Budget(iterations=5), seed=2), initial=[late]))


def test_hybrid_says_that_the_engine_starts_alone():
    """The policy has not learned the day; the note names what is missing."""
    instance = servable(4, 20, {"windows", "depots"})
    result = solve(instance, budget=Budget(iterations=5), seed=1)
    check(instance, result)
    assert result.notes == (
        "The engine started without the policy, which has not learned several depots and "
        "time windows.",
    )


def test_tight_fleets_are_filled():
    """Customers that find no vehicle at first get in later: two vehicles, windows in two halves."""
    n = 20
    coordinates = np.zeros((n + 1, 2))
    coordinates[1:, 0] = np.arange(1, n + 1)
    windows = [[(0, 1000)], *([(0, 40)] if i % 2 else [(30, 80)] for i in range(n))]
    instance = Instance(
        "tight",
        coordinates,
        [0.0, *[1.0] * n],
        (VehicleType("v", 10, 5, 1, 2),),
        time_windows=windows,
    )
    result = solve(instance, "hgs", budget=Budget(iterations=200), seed=1)
    check(instance, result)
    assert len(result.solution.routes) == 2


def test_thousand_customers_have_a_plan_after_one_block():
    """A first plan does not wait for the search."""
    rng = np.random.default_rng(1)
    n = 1000
    opens = rng.uniform(0, 500, n)
    instance = Instance(
        "large",
        rng.random((n + 1, 2)) * 100,
        [0.0, *rng.integers(1, 30, n)],
        (VehicleType("s", 100, 60), VehicleType("l", 200, 100)),
        time_windows=[[(0, 1000)], *([(o, o + 100)] for o in opens)],
        service_times=[0.0, *[10.0] * n],
    )
    check(instance, solve(instance, "hgs", budget=Budget(iterations=1), seed=1))


def test_time_limits_targets_and_cancelling_end_the_search():
    """Limits hold as for other instances."""
    instance = servable(6, 60, {"windows", "services"})
    result = solve(instance, "hgs", budget=Budget(seconds=0.3), seed=1)
    check(instance, result)
    target = result.cost * 1.5
    assert solve(instance, "hgs", budget=Budget(seconds=60, target=target), seed=1).cost <= target
    stalled = solve(instance, "hgs", budget=Budget(stall=20), seed=1)
    check(instance, stalled)

    def interrupt(progress: Progress) -> None:
        raise KeyboardInterrupt

    stopped = solve(instance, "hgs", budget=Budget(seconds=60), on_progress=interrupt, seed=1)
    assert stopped.status == Status.INTERRUPTED
    check(instance, stopped)


def test_several_threads_and_many_instances():
    """Threads share the best plan; many instances are searched side by side."""
    instance = servable(8, 40, {"windows", "cost_per_hour", "services"})
    check(instance, solve(instance, "hgs", budget=Budget(seconds=0.3), threads=2, seed=1))
    instances = [servable(seed, 12) for seed in range(6)]
    for one, plan in zip(instances, search_many(instances, iterations=10), strict=True):
        assert plan is not None
        assert evaluate(one, plan).is_feasible


def test_functions_for_loads_alone_refuse():
    """Split and local search know loads and distances only; the proof of small instances too."""
    instance = servable(2, 6, {"windows"})
    plan = solve(instance, "hgs", budget=Budget(iterations=2), seed=1).solution
    assert solve_exactly(instance) is None
    with pytest.raises(Unsupported, match=r"which .local search. does not support; call"):
        local_search(instance, plan)
    with pytest.raises(Unsupported, match=r"which .split. does not support; call"):
        split(instance, range(1, 7))


def test_too_many_loads_are_refused():
    """The message names the number and the remedy."""
    instance = Instance(
        "five", np.eye(3, 2), np.eye(3, 5, k=-1), (VehicleType("v", (9, 9, 9, 9, 9)),)
    )
    with pytest.raises(Unsupported, match=f"5 load dimensions.*; leave out .*{_core.MAX_LOADS}"):
        to_core(instance)


def test_too_many_sets_of_access_are_refused():
    """So are more rights of access than fit."""
    count = _core.MAX_ACCESS_GROUPS + 1
    types = tuple(VehicleType(f"v{k}", 9) for k in range(count))
    instance = Instance(
        "many",
        np.random.default_rng(0).random((count + 1, 2)),
        [0.0, *[1.0] * count],
        types,
        allowed_types=[None, *([k] for k in range(count))],
    )
    assert features_of(instance)
    with pytest.raises(Unsupported, match=f"{count} different sets of customers"):
        to_core(instance)
