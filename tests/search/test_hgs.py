"""The search engine as a method: budgets, starts, signals, determinism."""

import os
import signal
import threading

import numpy as np
import pytest

from fripn import (
    Budget,
    Instance,
    Progress,
    Run,
    Solution,
    Status,
    Stop,
    VehicleType,
    evaluate,
    solve,
)
from fripn.errors import InvalidSetting, InvalidSolution
from fripn.problem.generate import paper_instance
from fripn.search import Hgs, search, search_many


def test_same_seed_and_iterations_give_the_same_plan():
    """One thread and an iteration budget make runs repeatable."""
    instance = paper_instance(40, 3)
    first, second = (solve(instance, "hgs", budget=Budget(iterations=500), seed=7) for _ in "ab")
    assert first.solution == second.solution
    assert first.iterations == 500


def test_different_seeds_search_differently():
    """The seed matters (short runs end at different plans)."""
    instance = paper_instance(80, 3)
    costs = {solve(instance, "hgs", budget=Budget(iterations=50), seed=s).cost for s in range(4)}
    assert len(costs) > 1


@pytest.mark.timeout(120)
def test_two_threads_keep_the_time_limit():
    """The run uses its time and ends then, though nothing else would end it."""
    result = solve(paper_instance(100, 1), "hgs", time_limit=0.3, threads=2)
    assert result.seconds > 0.28
    assert result.status is Status.FEASIBLE


def test_result_is_never_worse_than_the_start():
    """With no iterations a start that is better than savings comes back."""
    instance = paper_instance(30, 5)
    start = solve(instance, "hgs", budget=Budget(iterations=3000), seed=1)
    assert start.cost < solve(instance, "savings").cost
    again = solve(instance, "hgs", budget=Budget(iterations=0), start=start.solution)
    assert again.cost == start.cost


def test_target_ends_the_search():
    """A target halfway between savings and a long run ends an otherwise endless run early."""
    instance = paper_instance(30, 5)
    savings = solve(instance, "savings").cost
    best = solve(instance, "hgs", budget=Budget(iterations=3000), seed=1).cost
    target = (savings + best) / 2
    assert best < target < savings
    reached = solve(instance, "hgs", budget=Budget(target=target), seed=1)
    assert reached.cost <= target
    assert reached.iterations < 3000


@pytest.mark.parametrize("with_savings", [True, False])
def test_savings_join_the_initial_plans_unless_told_not_to(with_savings):
    """A poor plan is all there is without them; without any plan they are made in any case."""
    instance = paper_instance(20, 3)
    largest = int(np.argmax(instance.capacities))
    poor = Solution.of((largest, [customer]) for customer in range(1, 21))
    at_once = Budget(iterations=1, target=1e9)
    found = search(instance, Run(at_once), initial=[poor], with_savings=with_savings)
    savings = solve(instance, "savings").cost
    assert found.cost == pytest.approx(savings if with_savings else evaluate(instance, poor).cost)
    assert search(instance, Run(at_once), with_savings=with_savings).cost == pytest.approx(savings)


def test_stall_ends_the_search():
    """A tiny instance stalls soon."""
    result = solve(paper_instance(4, 5), "hgs", budget=Budget(stall=200))
    assert result.iterations < 2_000


def test_improvements_are_reported_in_order():
    """Each report is cheaper than the last, and the last is the result."""
    seen: list[tuple[float, Solution]] = []
    instance = paper_instance(60, 2)
    result = solve(
        instance,
        "hgs",
        time_limit=0.3,
        on_progress=lambda news: seen.append((news.cost, news.plan)),
    )
    costs = [cost for cost, _ in seen]
    assert costs == sorted(costs, reverse=True)
    assert evaluate(instance, seen[-1][1]).cost == pytest.approx(result.cost)
    curve = [point.cost for point in result.curve]
    assert curve == sorted(curve, reverse=True)


def test_an_error_in_the_callback_reaches_the_caller():
    """The search ends and the exception is the caller's own."""

    def fail(news: Progress) -> None:
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        solve(paper_instance(30, 5), "hgs", time_limit=5, on_progress=fail)


@pytest.mark.timeout(120)
def test_interrupt_keeps_the_best_plan():
    """Ctrl-C ends the run early with what was found."""
    timer = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    result = solve(paper_instance(50, 1), "hgs", time_limit=1000)
    timer.join()
    assert result.status is Status.INTERRUPTED
    assert result.evaluation is not None
    assert result.evaluation.is_feasible


def test_initial_plans_must_visit_everyone():
    """An incomplete start is refused with the numbers."""
    instance = paper_instance(3, 1)
    with pytest.raises(InvalidSolution, match="each customer from 1 to 3"):
        search(instance, Run(Budget(iterations=1)), initial=[Solution.of([(0, (1, 2))])])


def test_threads_must_be_positive():
    """Zero threads is a mistake, not a default."""
    with pytest.raises(InvalidSetting, match="threads is 0"):
        solve(paper_instance(3, 1), "hgs", budget=Budget(iterations=1), threads=0)


def test_many_instances_do_not_depend_on_threads():
    """Plans of a batch with an iteration budget are the same on one thread and on two."""
    instances = [paper_instance(12, seed) for seed in range(6)]
    one = search_many(instances, iterations=200, seed=3)
    two = search_many(instances, iterations=200, seed=3, threads=2)
    assert one == two
    for instance, plan in zip(instances, one, strict=True):
        assert plan is not None
        assert evaluate(instance, plan).is_feasible


def test_many_instances_can_be_cancelled():
    """From another thread; what was being searched keeps its plan, the rest has none."""
    instances = [paper_instance(100, seed) for seed in range(200)]
    stop = Stop()
    timer = threading.Timer(0.2, stop.set)
    timer.start()
    plans = search_many(instances, iterations=10**9, threads=2, stop=stop)
    timer.join()
    found = [plan is not None for plan in plans]
    assert 1 <= sum(found) < 200
    assert found == sorted(found, reverse=True)
    assert all(evaluate(instances[i], plans[i]).is_feasible for i in range(sum(found)))
    assert search_many(instances[:2], iterations=10**9, stop=stop) == [None, None]


def test_limited_fleet_is_kept():
    """A tight limited fleet never lends a vehicle it does not have."""
    rng = np.random.default_rng(2)
    instance = Instance(
        name="limited",
        coordinates=rng.random((41, 2)),
        demands=[0.0, *rng.integers(1, 10, 40)],
        vehicle_types=(
            VehicleType("s", 30, 10, 1.0, 4),
            VehicleType("m", 60, 15, 1.2, 2),
            VehicleType("l", 90, 20, 1.5, 1),
        ),
    )
    result = solve(instance, "hgs", budget=Budget(iterations=2000))
    assert result.evaluation is not None
    assert result.evaluation.is_feasible


def test_fresh_populations_do_not_lose_the_best_plan():
    """Populations live for two idle children; a longer run is never worse than its beginning."""
    settings = Hgs(restart_after=2, num_initial=4)
    instance = paper_instance(40, 6)
    costs = [
        search(instance, Run(Budget(iterations=count), seed=2), settings=settings).cost
        for count in (20, 60, 180, 540)
    ]
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] < costs[0]
