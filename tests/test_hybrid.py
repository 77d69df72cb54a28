"""The hybrid: never worse than its starts, anytime, with notes on what it used."""

import numpy as np
import pytest

from fripn.budget import Budget
from fripn.errors import InvalidFile
from fripn.hybrid import Hybrid, first_draft_seconds
from fripn.policy import PolicyConfig, random_weights
from fripn.policy.propose import Proposal, propose
from fripn.problem import Instance, Solution, VehicleType, evaluate
from fripn.problem.generate import paper_instance, wide_instance
from fripn.result import Status
from fripn.run import Run, Stop
from fripn.search import search_from
from fripn.solve import solve

#: A network small enough for tests; what it proposes is poor, and must not hurt.
TINY = random_weights(PolicyConfig(width=16, num_layers=1, num_heads=2, ff_width=16), seed=1)


def dear_instance(size, factor=10):
    """Return an instance whose vehicles cost so many times as much as usual."""
    instance = paper_instance(size, 1)
    types = [t.replace(fixed_cost=factor * t.fixed_cost) for t in instance.vehicle_types]
    return instance.replace(vehicle_types=types)


@pytest.mark.parametrize("seed", range(4))
def test_plans_are_valid_and_no_worse_than_savings(seed):
    """Also with untrained weights."""
    instance = wide_instance(30, seed)
    result = Hybrid(weights=TINY)(instance, Run(Budget(seconds=0.1), seed=seed))
    assert evaluate(instance, result.solution).is_feasible
    assert result.cost <= solve(instance, "savings").cost * (1 + 1e-12)
    assert result.method == "hybrid"
    assert result.notes == ()


def test_curve_falls_and_ends_at_the_cost():
    """Improvements are in order of time, on one clock, and hold all plans that were reported."""
    reported = []
    result = Hybrid(weights=TINY)(
        paper_instance(40, 1),
        Run(
            Budget(seconds=0.3),
            on_progress=lambda news: reported.append((news.seconds, news.cost, news.plan)),
        ),
    )
    seconds = [point.seconds for point in result.curve]
    costs = [point.cost for point in result.curve]
    assert seconds == sorted(seconds)
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] == result.cost
    assert {cost for _, cost, _ in reported} <= set(costs)
    assert evaluate(result.instance, reported[-1][2]).cost == result.cost


def test_same_seed_same_plan_under_iterations():
    """One thread and a count of iterations: nothing depends on the clock."""
    instance = paper_instance(25, 3)
    first, second = (
        Hybrid(weights=TINY)(instance, Run(Budget(iterations=50), seed=5)) for _ in range(2)
    )
    assert first.solution == second.solution


def test_start_is_never_made_worse():
    """A good plan stays, and the result begins with it."""
    instance = paper_instance(20, 2)
    good = solve(instance, "hgs", time_limit=0.2)
    result = Hybrid(weights=TINY)(instance, Run(Budget(seconds=0.05), start=good.solution))
    assert result.cost <= good.cost * (1 + 1e-12)
    assert result.curve[0].cost == pytest.approx(good.cost)


@pytest.mark.timeout(120)
def test_target_ends_the_run_at_once():
    """A plan that is good enough is given back without further search."""
    result = Hybrid(weights=TINY)(paper_instance(20, 2), Run(Budget(seconds=1000.0, target=1e9)))
    assert result.status is Status.FEASIBLE


def test_without_coordinates_the_engine_starts_alone_and_says_so():
    """The policy sees places, not matrices."""
    rng = np.random.default_rng(0)
    instance = Instance(
        name="roads",
        coordinates=None,
        demands=[0, *[1, 1, 2, 1] * 5],
        vehicle_types=(VehicleType("van", 3, 5, 1), VehicleType("truck", 5, 8, 1.5)),
        metric="matrix",
        matrix=rng.uniform(1, 5, (21, 21)) * (1 - np.eye(21)),
    )
    result = Hybrid(weights=TINY)(instance, Run(Budget(seconds=0.2)))
    assert result.solution is not None
    assert len(result.notes) == 1
    assert "without the policy" in result.notes[0]


def test_missing_weights_file_is_an_error():
    """A named file that does not exist is an error."""
    with pytest.raises(InvalidFile, match=r"nowhere\.safetensors"):
        Hybrid(weights="nowhere.safetensors")(paper_instance(10, 1), Run(Budget(seconds=1.0)))


@pytest.mark.parametrize(
    ("size", "budget", "is_used"),
    [
        (20, Budget(seconds=1.0), True),
        (20, Budget(seconds=0.005), False),
        (100, Budget(seconds=0.05), True),
        (100, Budget(seconds=0.01), False),
        (100, Budget(seconds=0.12), False),
        (100, Budget(seconds=0.2), True),
        (200, Budget(iterations=1), True),
        (201, Budget(iterations=1), False),
    ],
)
def test_policy_is_used_where_it_can_have_a_plan_in_time(monkeypatch, size, budget, is_used):
    """Tiny budgets belong to the engine, and so do large instances.

    With up to a millisecond per customer a large part of the time is well spent on a better start,
    with more only a small one.
    """
    calls = []
    monkeypatch.setattr("fripn.hybrid.propose", lambda *given, **options: calls.append(given) or [])
    Hybrid(weights=TINY)(dear_instance(size), Run(budget))
    assert bool(calls) == is_used
    assert first_draft_seconds(20) < first_draft_seconds(1000)


@pytest.mark.parametrize(
    ("num_types", "limit", "seconds"),
    [(9, 1.0, 0.05), (9, 100.0, 0.1), (10, 0.2, 0.08), (10, 1.0, 0.4), (10, 100.0, 0.4)],
)
def test_policy_takes_a_part_of_the_time(monkeypatch, num_types, limit, seconds):
    """A small share, a large one with many vehicle types, and never so much that one waits."""
    given = []

    stop = Stop()

    def spied(*arguments, **options):
        given.append(options["seconds"])
        stop.set()
        return []

    monkeypatch.setattr("fripn.hybrid.propose", spied)
    instance = dear_instance(20)
    types = [instance.vehicle_types[k % instance.num_types] for k in range(num_types)]
    types = [one.replace(name=f"{one.name}{k}") for k, one in enumerate(types)]
    instance = instance.replace(vehicle_types=tuple(types))
    Hybrid(weights=TINY)(instance, Run(Budget(seconds=limit), stop=stop))
    assert given == [pytest.approx(seconds)]


def test_policy_is_not_used_where_travel_costs_matter(monkeypatch):
    """Savings give the better start there."""
    calls = []
    monkeypatch.setattr("fripn.hybrid.propose", lambda *given, **options: calls.append(given) or [])
    for factor, is_used in ((10, True), (0.1, False)):
        instance = dear_instance(30, factor)
        calls.clear()
        result = Hybrid(weights=TINY)(instance, Run(Budget(iterations=1)))
        assert bool(calls) == is_used
        assert result.cost <= solve(instance, "savings").cost * (1 + 1e-12)


def test_curve_is_that_of_the_engine_when_nobody_listens():
    """With and without a callback it falls to the cost of the result, on one clock."""
    result = Hybrid(weights=TINY)(paper_instance(40, 1), Run(Budget(iterations=300)))
    seconds = [point.seconds for point in result.curve]
    costs = [point.cost for point in result.curve]
    assert len(costs) > 1
    assert seconds == sorted(seconds)
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] == result.cost


def test_limited_fleets_start_without_the_policy(monkeypatch):
    """It has not learned what a limit means."""
    calls = []
    monkeypatch.setattr("fripn.hybrid.propose", lambda *given, **options: calls.append(given) or [])
    base = paper_instance(20, 6, num_types=3)
    types = (base.vehicle_types[0].replace(available=3), *base.vehicle_types[1:])
    Hybrid(weights=TINY)(base.replace(vehicle_types=types), Run(Budget(iterations=1)))
    assert not calls


def test_drafts_dearer_than_savings_are_left_out(monkeypatch):
    """The engine gets the savings plan, and of the policy's only what is cheaper."""
    instance = paper_instance(30, 4)
    savings = solve(instance, "savings")
    cheap = solve(instance, "hgs", budget=Budget(iterations=200))
    largest = int(np.argmax(instance.capacities))
    worst = Solution.of((largest, [customer]) for customer in range(1, 31))
    proposals = [
        Proposal(cheap.solution, cheap.evaluation),
        Proposal(worst, evaluate(instance, worst)),
    ]
    assert cheap.cost < savings.cost < proposals[1].cost
    monkeypatch.setattr("fripn.hybrid.propose", lambda *given, **options: proposals)
    started_from = []

    def spied(best, initial, **options):
        started_from.extend(initial)
        return search_from(best, initial, **options)

    monkeypatch.setattr("fripn.hybrid.search_from", spied)
    Hybrid(weights=TINY)(instance, Run(Budget(iterations=1)))
    assert worst not in started_from
    assert cheap.solution in started_from


def test_interruption_gives_the_best_so_far(monkeypatch):
    """A cancel while the policy drafts: the savings plan is returned, and the engine not called."""
    stop = Stop()
    monkeypatch.setattr("fripn.hybrid.propose", lambda *given, **options: stop.set() or [])
    result = Hybrid(weights=TINY)(dear_instance(20), Run(Budget(seconds=600.0), stop=stop))
    assert result.status is Status.INTERRUPTED
    assert result.cost == solve(dear_instance(20), "savings").cost
    assert result.iterations == 0


def test_a_cancel_ends_the_drafts_themselves(monkeypatch):
    """The policy stops, and what it had by then counts."""
    stop = Stop()

    def cancelled(*given, **options):
        stop.set()
        found = propose(*given, **options)
        assert found == []  # cancelled before anything was decoded
        return found

    monkeypatch.setattr("fripn.hybrid.propose", cancelled)
    result = Hybrid(weights=TINY)(dear_instance(20), Run(Budget(iterations=10), stop=stop))
    assert result.status is Status.INTERRUPTED
    assert result.solution is not None


@pytest.mark.parametrize("limit", [1, 2])
def test_limited_fleets_are_respected(limit):
    """Types that run out do so in the policy's plans as well."""
    base = paper_instance(20, 6, num_types=3)
    types = (base.vehicle_types[0].replace(available=limit), *base.vehicle_types[1:])
    result = Hybrid(weights=TINY)(base.replace(vehicle_types=types), Run(Budget(seconds=0.2)))
    assert result.solution is not None
