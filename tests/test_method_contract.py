"""What every method promises, checked for all of them by name.

A method refuses the kinds of instance listed in `REFUSALS` with a sentence, and one whose optional
package or weights are missing is skipped. Time limits are measured by runs/baselines_table.py:
on a busy machine no test can tell a late method from a late scheduler.
"""

from __future__ import annotations

import functools
import signal
import threading

import numpy as np
import pytest

from fripn import METHODS, Budget, Instance, Solution, VehicleType, evaluate
from fripn.baselines.milp import Milp
from fripn.errors import InvalidFile, MissingExtra, Unsupported
from fripn.policy.weights import default_weights
from fripn.problem.generate import paper_instance
from fripn.result import Method, Status
from fripn.solve import get_method
from small_cases import square_instance, tiny_instance

#: Iterations for everybody; the seconds only end methods that do not count any.
BUDGET = Budget(iterations=25, seconds=20.0)

#: Methods that work until their time is over.
LONG_RUNNING = {"hgs", "hybrid", "milp", "alns", "tabu", "genetic", "pyvrp", "ortools"}

#: Methods whose work is done by others' code: nothing of ours for a sanitizer to see.
OUTSIDE = {"milp", "pyvrp", "ortools", "vroom"}

#: What a method cannot handle, as (method, shape).
REFUSALS = {("sweep", "asymmetric"), ("policy", "asymmetric")}


def shapes() -> dict[str, Instance]:
    """One small instance per kind."""
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
    result = Milp()(shapes()[shape], Budget())
    assert result.status is Status.OPTIMAL
    return result.cost


@pytest.mark.parametrize("shape", list(shapes()))
def test_plan_is_valid_and_never_below_the_optimum(method: Method, name: str, shape: str) -> None:
    """Every customer once, no overload, no vehicle too many, and no cheaper than possible."""
    instance = shapes()[shape]
    if (name, shape) in REFUSALS:
        with pytest.raises(Unsupported, match="coordinates"):
            method(instance, BUDGET, seed=1)
        return
    result = method(instance, BUDGET, seed=1)
    assert result.solution is not None
    judged = evaluate(instance, result.solution)
    assert judged.is_feasible
    assert result.evaluation == judged
    assert result.cost >= optimum(shape) * (1 - 1e-7) - 1e-9
    if result.lower_bound is not None:
        assert result.lower_bound <= optimum(shape) * (1 + 1e-7) + 1e-9
    assert result.method in METHODS
    assert result.curve
    assert result.curve[-1].cost == pytest.approx(result.cost)


def test_same_seed_gives_the_same_plan(method: Method) -> None:
    """With an iteration budget and one thread a run can be repeated."""
    instance = paper_instance(9, seed=5)
    first = method(instance, BUDGET, seed=7, threads=1)
    second = method(instance, BUDGET, seed=7, threads=1)
    assert first.solution == second.solution
    assert first.seed == 7


@pytest.mark.parametrize("quality", ["poor", "optimal"])
def test_result_is_never_worse_than_the_start(method: Method, quality: str) -> None:
    """A start is honoured: beaten or given back."""
    instance = square_instance()
    start = Solution.of([(1, [customer]) for customer in range(1, 5)])
    if quality == "optimal":
        start = Milp()(instance, Budget()).solution or start
    result = method(instance, BUDGET, start=start)
    assert result.cost <= evaluate(instance, start).cost + 1e-9


def test_target_in_hand_is_enough(method: Method) -> None:
    """When the start already reaches the target, a method may stop at once with a valid plan."""
    instance = square_instance()
    start = Solution.of([(0, [1, 2]), (0, [3, 4])])
    budget = Budget(seconds=20.0, iterations=50, target=evaluate(instance, start).cost)
    result = method(instance, budget, start=start)
    assert result.cost <= budget.target + 1e-9  # type: ignore[operator]


def test_interrupt_gives_the_best_plan_so_far(method: Method, name: str) -> None:
    """Ctrl-C ends a long run, and what was found until then comes back."""
    if name not in LONG_RUNNING:
        pytest.skip("ends by itself")
    timers: list[threading.Timer] = []

    def interrupt_soon(*_: object) -> None:
        if not timers:
            timers.append(threading.Timer(0.3, signal.raise_signal, [signal.SIGINT]))
            timers[0].start()

    try:
        result = method(
            paper_instance(18, seed=9), Budget(seconds=600.0), on_improvement=interrupt_soon
        )
    except KeyboardInterrupt:
        pytest.fail("the interrupt was not handled")
    assert result.status is Status.INTERRUPTED
    assert result.solution is not None


def test_improvements_are_reported_in_order(method: Method) -> None:
    """The callback sees falling costs, valid plans, and at last the result."""
    instance = paper_instance(9, seed=6)
    seen: list[tuple[float, float, Solution]] = []
    result = method(instance, BUDGET, on_improvement=lambda *improvement: seen.append(improvement))
    costs = [cost for _, cost, _ in seen]
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] == pytest.approx(result.cost)
    assert all(evaluate(instance, plan).is_feasible for _, _, plan in seen)
