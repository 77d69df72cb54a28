"""The exact method: bounds below every plan, proofs that hold, and no plan lost."""

from __future__ import annotations

import csv
import itertools
import math
from importlib import resources

import pytest

from fripn import Budget, Run, Status, Stop, _core, evaluate, solve
from fripn.core import to_core
from fripn.errors import InvalidSetting
from fripn.exact import Exact, highs
from fripn.exact.highs import HighsInterface
from fripn.problem.generate import paper_instance
from fripn.problem.inputs import open_instance
from fripn.problem.instance import LOAD_TOLERANCE
from fripn.search import solve_exactly
from helpers import brute_force_cost, tiny_instance

SWITCHES = (
    "fleet_cuts", "capacity_cuts", "subset_cuts", "smoothing", "fixing", "enumeration",
    "strong_branching", "customer_sets",
)  # fmt: skip


def _check_bounds(result, optimum):
    """Every bound is valid, and a proven plan is optimal."""
    assert result.lower_bound is not None
    for point in result.bound_curve:
        assert point.lower_bound <= optimum * (1 + 1e-7)
    assert result.cost >= optimum * (1 - 1e-9)
    if result.status is Status.OPTIMAL:
        assert result.cost == pytest.approx(optimum, rel=1e-6)


@pytest.mark.parametrize("seed", range(14))
def test_proves_the_optimum_of_every_shape(seed):
    """Brute force is the reference; only demands without a unit may keep a gap open."""
    instance = tiny_instance(seed, 6)
    result = Exact()(instance, Run())
    _check_bounds(result, brute_force_cost(instance))
    assert result.status is Status.OPTIMAL
    assert result.notes[0].startswith("proven by")


@pytest.mark.parametrize("switches", list(itertools.product([False, True], repeat=len(SWITCHES))))
def test_every_combination_of_switches_is_valid(switches):
    """Whatever is left out: the bound holds, and branching loses no plan."""
    settings = dict(zip(SWITCHES, switches, strict=True))
    shapes = ((0, 6), (1, 5), (2, 6), (10, 6))
    turn = sum(switches) % 2
    for seed, size in shapes[turn::2]:
        instance = tiny_instance(seed, size)
        result = Exact(**settings, ng_size=2 + seed % 3)(instance, Run())
        _check_bounds(result, brute_force_cost(instance))
        assert result.status is Status.OPTIMAL


@pytest.mark.parametrize("seed", range(6))
def test_agrees_with_the_dynamic_program(seed):
    """Twelve customers, with different sizes of neighbourhoods."""
    instance = paper_instance(12, seed)
    _, evaluation = solve_exactly(instance)
    assert evaluation.is_feasible
    result = Exact(ng_size=3 + seed)(instance, Run())
    _check_bounds(result, evaluation.cost)
    assert result.status is Status.OPTIMAL


@pytest.mark.parametrize("index", [0, 7, 16, 224, 611])
def test_agrees_with_proven_optima_of_the_paper_set(index):
    """Those of ``paper-20-optima.csv``."""
    table = resources.files("fripn") / "data" / "paper-20-optima.csv"
    with table.open(encoding="utf-8") as lines:
        optimum = next(
            float(row["cost"]) for row in csv.DictReader(lines) if int(row["index"]) == index
        )
    result = Exact()(open_instance(f"paper:20:{index}"), Run(Budget(seconds=120)))
    assert result.status is Status.OPTIMAL
    assert result.cost == pytest.approx(optimum, abs=2e-5)
    assert result.lower_bound <= optimum + 2e-5


@pytest.mark.parametrize("name", ["golden-03", "golden-04-FSM-V", "golden-05-FSM-FV", "golden-06"])
def test_proves_golden_instances(name):
    """Twenty customers and five or three types."""
    result = solve(name, "exact", budget=Budget(seconds=120))
    assert result.status is Status.OPTIMAL
    known = {
        "golden-03": 961.03,
        "golden-04-FSM-V": 387.18,
        "golden-05-FSM-FV": 1322.26,
        "golden-06": 6516.47,
    }
    assert result.cost == pytest.approx(known[name], abs=0.01)


@pytest.mark.parametrize("name", ["branching", "enumeration"])
def test_a_bound_without_its_last_means_is_still_a_bound(name):
    """A root that is not closed leaves a gap, not an error."""
    instance = open_instance("paper:20:611")
    result = Exact(**{name: False})(instance, Run(Budget(seconds=120, iterations=1)))
    assert 0 < result.lower_bound <= 84.13987


@pytest.mark.parametrize("seed", [2, 3, 4, 5, 7, 8])
def test_sets_of_customers_decide_where_routes_are_too_many(seed):
    """An enumeration that gives up at once leaves the proof to the dynamic program."""
    instance = paper_instance(8, seed)
    optimum = solve_exactly(instance)[1].cost
    result = Exact(max_labels=1, fleet_cuts=False, subset_cuts=False)(instance, Run())
    _check_bounds(result, optimum)
    assert result.status is Status.OPTIMAL
    assert result.notes[0].startswith("proven by a dynamic program over sets of customers")


def test_sets_of_customers_prove_what_column_generation_leaves_open():
    """Long routes of twenty customers: the linear relaxation is 5 % below the optimum."""
    result = Exact()(open_instance("paper:20:113"), Run(Budget(seconds=300)))
    assert result.status is Status.OPTIMAL
    assert result.cost == pytest.approx(12.26443, abs=1e-5)
    assert result.notes[0].startswith("proven by a dynamic program over sets of customers")


def test_sets_of_customers_with_rounded_loads_only_bound(monkeypatch):
    """Rounded loads let too much into a vehicle, so the cheapest division may not be a plan."""
    monkeypatch.setattr("fripn.exact.method.max_capacity", lambda num_customers: 12)
    for seed in range(8):
        instance = paper_instance(9, seed)
        optimum = solve_exactly(instance)[1].cost
        settings = Exact(max_labels=1, branching=False, fleet_cuts=False, subset_cuts=False)
        result = settings(instance, Run())
        assert result.lower_bound <= optimum * (1 + 1e-9)
        assert result.cost >= optimum * (1 - 1e-9)


def test_a_weak_plan_does_not_weaken_the_proof():
    """The method finds the optimum itself; an upper bound only helps."""
    instance = paper_instance(11, 4)
    _, evaluation = solve_exactly(instance)
    for cost in (math.inf, 1.3 * evaluation.cost, 1.001 * evaluation.cost):
        outcome = _core.solve_exact(
            to_core(instance),
            highs.lp_solver(),
            _core.ExactSettings(),
            load_tolerance=LOAD_TOLERANCE,
            max_capacity=1000,
            plan_cost=cost,
            routes=[],
            seconds=math.inf,
            on_bound=None,
            on_plan=None,
            poll=None,
        )
        assert outcome.is_optimal
        assert outcome.cost == pytest.approx(evaluation.cost, rel=1e-9)


def test_stops_at_the_gap_that_was_asked_for():
    """Sooner than the proof, with a plan within it."""
    result = solve("golden-05", "exact", budget=Budget(seconds=120, gap=3.0))
    assert result.gap is not None
    assert result.gap <= 3.0


def test_no_plan_is_proven_where_there_is_none():
    """Two vehicles of 0.7 for three customers of 0.4: enough capacity, no plan."""
    instance = paper_instance(3, 0)
    demands = instance.demands.copy()
    demands[1:] = 0.4
    types = (instance.vehicle_types[0].replace(capacity=0.7, available=2),)
    result = Exact()(instance.replace(demands=demands, vehicle_types=types), Run())
    assert result.status is Status.NO_PLAN
    assert result.notes[0].startswith("no plan exists")


def test_rounded_loads_are_reported(monkeypatch):
    """Too few steps for the demands: a valid bound, and a note."""
    monkeypatch.setattr("fripn.exact.method.max_capacity", lambda num_customers: 12)
    instance = paper_instance(9, 2)
    _, evaluation = solve_exactly(instance)
    result = Exact()(instance, Run(Budget(iterations=50)))
    assert result.lower_bound <= evaluation.cost * (1 + 1e-9)
    assert any("rounded" in note for note in result.notes)


def test_the_python_interface_of_highs_proves_the_same(monkeypatch):
    """Where highspy ships no C library."""
    monkeypatch.setattr("fripn.exact.method.lp_solver", lambda: _core.LpInterface(HighsInterface()))
    instance = tiny_instance(0, 6)
    result = Exact()(instance, Run())
    assert result.status is Status.OPTIMAL
    assert result.cost == pytest.approx(brute_force_cost(instance), rel=1e-9)
    instance = paper_instance(12, 3)
    _, evaluation = solve_exactly(instance)
    assert Exact()(instance, Run()).lower_bound == pytest.approx(evaluation.cost, rel=1e-6)


def test_the_engine_beside_hands_its_plans_over():
    """Two threads: plans of the engine reach the proof, and the proof ends the engine."""
    result = solve("paper:20:3", "exact", budget=Budget(seconds=120), threads=2)
    assert result.status is Status.OPTIMAL
    assert evaluate(result.instance, result.solution).is_feasible


def test_a_stop_from_the_first_bound_keeps_plan_and_bound():
    """Cancelled as soon as there is a bound."""
    stop = Stop()

    def on_progress(progress):
        if progress.lower_bound is not None:
            stop.set()

    result = Exact()(open_instance("golden-13"), Run(on_progress=on_progress, stop=stop))
    assert result.status is Status.INTERRUPTED
    assert result.solution is not None
    assert result.lower_bound > 0


def test_settings_are_checked():
    """A neighbourhood has at most twelve customers."""
    with pytest.raises(InvalidSetting, match="ng_size is 13"):
        Exact(ng_size=13)


@pytest.mark.parametrize("seed", [0, 1, 3, 4, 5, 6, 7, 10])
def test_dual_ascent_bounds_every_plan(seed):
    """Before any linear program, and close enough to be of use."""
    instance = tiny_instance(seed, 6)
    optimum = brute_force_cost(instance)
    settings = _core.ExactSettings()
    settings.dual_ascent_from = 1
    bounds = []
    _core.solve_exact(
        to_core(instance),
        highs.lp_solver(),
        settings,
        load_tolerance=LOAD_TOLERANCE,
        max_capacity=1000,
        plan_cost=1.2 * optimum,
        routes=[],
        seconds=math.inf,
        on_bound=bounds.append,
        on_plan=None,
        poll=None,
    )
    assert all(bound <= optimum * (1 + 1e-7) for bound in bounds)
    assert bounds[-1] == pytest.approx(optimum, rel=1e-6)
    # The second bound is that of the ascent: beyond the cheapest fleet.
    assert bounds[1] > 0.6 * optimum
