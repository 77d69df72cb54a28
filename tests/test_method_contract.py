"""The contract of methods, checked for all of them by name.

A method whose optional package or weights are missing is skipped. Time limits are measured by
runs/baselines_table.py, the time from a cancel to the result by benchmarks/cancel_latency.py: on a
busy machine no test can distinguish a late method from a late scheduler.
"""

from __future__ import annotations

import functools
import signal
import sys
import threading

import numpy as np
import pytest

from fripn import (
    METHODS,
    Budget,
    Evaluation,
    Feature,
    Instance,
    Method,
    Progress,
    Run,
    Solution,
    Status,
    Stop,
    VehicleType,
    evaluate,
    solve,
)
from fripn.baselines.milp import Milp
from fripn.errors import InvalidFile, MissingExtra, Unsupported
from fripn.features import WORKING_DAY, features_of
from fripn.policy.weights import default_weights
from fripn.problem.generate import paper_instance
from fripn.solve import get_method
from helpers import square_instance, tiny_instance

#: Iterations for everybody; the seconds only end methods that do not count any.
BUDGET = Budget(iterations=25, seconds=20.0)

#: Methods that end by themselves before anybody could cancel them.
ENDS_SOON = {"savings", "sweep"}

#: Methods that run code of other packages, which the sanitizer cannot check.
OUTSIDE = {"milp", "pyvrp", "ortools", "vroom"}

#: What a method does not support: all others support everything but the working day, which each
#: declares part by part.
UNSUPPORTED = {"sweep": {Feature.NO_COORDINATES}, "policy": {Feature.NO_COORDINATES}}

#: Methods that support every part of the working day.
WHOLE_DAY = {"hybrid", "hgs", "parts", "savings"}


def shapes() -> dict[str, Instance]:
    """One small instance per feature."""
    return {
        "paper": tiny_instance(0, num_customers=6),
        "limited": tiny_instance(1, num_customers=6),
        "asymmetric": tiny_instance(2, num_customers=6),
        "odd_decimals": tiny_instance(3, num_customers=6),
        "great_circle": tiny_instance(4, num_customers=6),
        "one_type": tiny_instance(5, num_customers=6),
        "dominated": tiny_instance(6, num_customers=6),
        "one_customer": paper_instance(1, seed=1),
        "all_at_the_depot": paper_instance(5, seed=2).replace(coordinates=np.zeros((6, 2))),
        "no_demand": paper_instance(5, seed=3).replace(demands=np.zeros(6)),
        "free_travel": Instance(
            name="free",
            coordinates=np.random.default_rng(1).random((6, 2)),
            demands=np.r_[0.0, np.ones(5)],
            vehicle_types=(VehicleType("a", 2, 3.0, 0.0), VehicleType("b", 5, 8.0, 0.0)),
        ),
        "huge_costs": paper_instance(6, seed=4).replace(
            vehicle_types=(VehicleType("a", 2.0, 1e9, 1e9), VehicleType("b", 1.0, 4e8, 2e9))
        ),
        "tiny_costs": paper_instance(6, seed=4).replace(
            vehicle_types=(VehicleType("a", 2.0, 1e-6, 1e-6), VehicleType("b", 1.0, 4e-7, 2e-6))
        ),
    }


@pytest.fixture(
    params=[
        pytest.param(name, marks=[pytest.mark.pure] if name in OUTSIDE else []) for name in METHODS
    ]
)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def method(name: str) -> Method:
    try:
        if name == "policy":
            default_weights()
        return get_method(name)
    except MissingExtra as missing:
        pytest.skip(str(missing))
    except InvalidFile as no_weights:
        pytest.skip(str(no_weights))


@functools.cache
def optimum(shape: str) -> float:
    result = Milp()(shapes()[shape], Run())
    assert result.status is Status.OPTIMAL
    return result.cost


@pytest.mark.parametrize("shape", list(shapes()))
def test_plan_is_valid_and_never_below_the_optimum(method: Method, name: str, shape: str) -> None:
    """Every customer once, no overload, no vehicle too many, and no cheaper than possible."""
    instance = shapes()[shape]
    if not features_of(instance) <= method.supports:
        pytest.skip("refused; see test_methods_refuse_what_they_do_not_support")
    result = method(instance, Run(BUDGET, seed=1))
    assert result.solution is not None
    evaluation = evaluate(instance, result.solution)
    assert evaluation.is_feasible
    assert result.evaluation == evaluation
    assert result.cost >= optimum(shape) * (1 - 1e-7) - 1e-9
    if result.lower_bound is not None:
        assert result.lower_bound <= optimum(shape) * (1 + 1e-7) + 1e-9
    assert result.method in METHODS
    assert result.curve
    assert result.curve[-1].cost == pytest.approx(result.cost)


def test_same_seed_gives_the_same_plan(method: Method) -> None:
    """With an iteration budget and one thread a run can be repeated."""
    instance = paper_instance(9, seed=5)
    first = method(instance, Run(BUDGET, seed=7, threads=1))
    second = method(instance, Run(BUDGET, seed=7, threads=1))
    assert first.solution == second.solution
    assert first.seed == 7


@pytest.mark.parametrize("quality", ["poor", "optimal"])
def test_result_is_never_worse_than_the_start(method: Method, quality: str) -> None:
    """A start is honoured: beaten or given back."""
    instance = square_instance()
    start = Solution.of([(1, [customer]) for customer in range(1, 5)])
    if quality == "optimal":
        start = Milp()(instance, Run()).solution or start
    result = method(instance, Run(BUDGET, start=start))
    assert result.cost <= evaluate(instance, start).cost + 1e-9


def test_target_in_hand_is_enough(method: Method) -> None:
    """When the start already reaches the target, a method may stop at once with a valid plan."""
    instance = square_instance()
    start = Solution.of([(0, [1, 2]), (0, [3, 4])])
    budget = Budget(seconds=20.0, iterations=50, target=evaluate(instance, start).cost)
    result = method(instance, Run(budget, start=start))
    assert result.cost <= budget.target + 1e-9  # type: ignore[operator]


def test_methods_refuse_what_they_do_not_support(method: Method, name: str) -> None:
    """One sentence names the instance, what it has, the method, and which methods can."""
    assert method.supports | WORKING_DAY == set(Feature) - UNSUPPORTED.get(name, set())
    assert name not in WHOLE_DAY or method.supports >= WORKING_DAY
    instance = tiny_instance(2, num_customers=6)
    if name not in UNSUPPORTED:
        solve(instance, name, budget=BUDGET)
        return
    with pytest.raises(Unsupported) as refusal:
        solve(instance, name, budget=BUDGET)
    assert str(refusal.value).startswith(
        f"{instance.name} has a distance matrix without coordinates, which method {name!r} does "
        "not support; choose one of hybrid, savings, hgs, "
    )
    assert not set(UNSUPPORTED) & set(str(refusal.value).split("choose one of ")[1].split(", "))


def long_run(name: str) -> tuple[Instance, Budget]:
    """Return an instance and limits that keep a method busy until it is cancelled."""
    if name == "vroom":  # ends by itself, but not soon
        return paper_instance(500, seed=9), Budget(seconds=600.0)
    return paper_instance(18 if name == "milp" else 60, seed=9), Budget(seconds=600.0)


@pytest.mark.timeout(120)
def test_a_stop_set_on_another_thread_ends_the_run(method: Method, name: str) -> None:
    """Whatever the method is doing, its best plan comes back."""
    if name in ENDS_SOON:
        pytest.skip("ends by itself")
    instance, budget = long_run(name)
    stop, has_news = Stop(), threading.Event()
    canceller = threading.Thread(target=lambda: (has_news.wait(), stop.set()))
    canceller.start()
    result = method(instance, Run(budget, on_progress=lambda _: has_news.set(), stop=stop))
    canceller.join()
    assert result.status is Status.INTERRUPTED
    assert result.solution is not None
    assert evaluate(instance, result.solution).is_feasible


@pytest.mark.timeout(120)
def test_a_stop_set_before_the_run_returns_the_start(method: Method) -> None:
    """Nothing is lost, and nothing hangs."""
    instance = paper_instance(30, seed=2)
    start = Solution.of(
        (int(np.argmax(instance.capacities)), [customer]) for customer in range(1, 31)
    )
    stop = Stop()
    stop.set()
    result = method(instance, Run(Budget(seconds=600.0), start=start, stop=stop))
    assert result.status is Status.INTERRUPTED
    assert result.cost <= evaluate(instance, start).cost


@pytest.mark.timeout(120)
def test_ctrl_c_is_a_stop(method: Method, name: str) -> None:
    """Through `solve` the signal ends a long run, and what was found until then comes back."""
    if name in ENDS_SOON:
        pytest.skip("ends by itself")
    instance, budget = long_run(name)
    timers: list[threading.Timer] = []

    def interrupt_soon(_: Progress) -> None:
        if not timers:
            timers.append(threading.Timer(0.1, signal.raise_signal, [signal.SIGINT]))
            timers[0].start()

    result = solve(instance, name, budget=budget, on_progress=interrupt_soon)
    timers[0].join()
    assert result.status is Status.INTERRUPTED
    assert result.solution is not None
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_progress_falls_to_the_result(method: Method) -> None:
    """The callback sees falling costs, valid plans, rising bounds, and at last the result."""
    instance = paper_instance(9, seed=6)
    seen: list[Progress] = []
    result = method(instance, Run(BUDGET, on_progress=seen.append))
    costs = [news.cost for news in seen if news.plan is not None]
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] == result.cost
    assert all(evaluate(instance, news.plan).is_feasible for news in seen if news.plan is not None)
    bounds = [news.lower_bound for news in seen if news.lower_bound is not None]
    assert bounds == sorted(bounds) == [point.lower_bound for point in result.bound_curve]
    assert (result.lower_bound is None) == (not bounds) == (result.proved_by is None)
    assert all(news.plan is not None or news.lower_bound is not None for news in seen)


def test_no_plan_is_evaluated_twice(method: Method, monkeypatch: pytest.MonkeyPatch) -> None:
    """A start, what is reported, and the result: one evaluation each."""
    instance = paper_instance(20, seed=3)
    start = Solution.of(
        (int(np.argmax(instance.capacities)), [customer]) for customer in range(1, 21)
    )
    evaluated: list[Solution] = []

    def counted(given: Instance, solution: Solution) -> Evaluation:
        evaluated.append(solution)
        return evaluate(given, solution)

    for module in list(sys.modules.values()):
        is_ours = getattr(module, "__name__", "").startswith("fripn.")
        if is_ours and getattr(module, "evaluate", None) is evaluate:
            monkeypatch.setattr(module, "evaluate", counted)
    result = solve(
        instance, method, budget=BUDGET, start=start, on_progress=lambda news: None, seed=1
    )
    assert result.solution is not None
    assert evaluated.count(start) == 1
    assert evaluated.count(result.solution) == 1


@pytest.mark.parametrize("name", ["milp", "hybrid"])
def test_a_gap_ends_a_run_that_proves_bounds(name: str) -> None:
    """Within the gap of the budget, and without claiming an optimum that was not proven."""
    instance = paper_instance(10, seed=3)
    result = solve(instance, name, budget=Budget(gap=90.0, seconds=600.0))
    assert result.gap is not None
    assert result.gap <= 90.0
    if result.status is not Status.OPTIMAL:
        assert result.gap > 0.0
