"""What other fleets would cost: every scenario keeps its rule, and says so when it cannot."""

from collections import Counter
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest

from fripn.errors import NoPlanFound
from fripn.executors import InProcess, Processes
from fripn.fleet_comparison import compare_fleets, compare_with
from fripn.problem import Instance, Solution, VehicleType, evaluate
from fripn.problem.generate import paper_instance
from fripn.render.report import report_html
from fripn.result import Result, Status
from fripn.solve import solve


def counts_of(solution):
    return Counter(route.vehicle_type for route in solution.routes)


@pytest.mark.parametrize("seed", range(4))
def test_every_scenario_keeps_its_rule(seed):
    """Plans are valid under the true instance, hire what the label says, and cost what it says."""
    instance = paper_instance(25, seed)
    comparison = compare_fleets(instance, "savings", time_limit=1.0)
    best = counts_of(comparison.best.solution)
    changes = Counter(scenario.change for scenario in comparison.scenarios)
    assert changes["without"] == changes["only"] == instance.num_types
    assert changes["more"] == instance.num_types
    for scenario in comparison.scenarios:
        if scenario.solution is None:
            assert scenario.reason
            continue
        evaluation = evaluate(instance, scenario.solution)
        assert evaluation.is_feasible
        assert scenario.cost == evaluation.cost
        assert scenario.cost >= comparison.best.cost * (1 - 1e-9)
        counts, vehicle_type = counts_of(scenario.solution), scenario.vehicle_type
        rule = {
            "without": counts[vehicle_type] == 0,
            "only": set(counts) == {vehicle_type},
            "fewer": counts[vehicle_type] < best[vehicle_type],
            "more": counts[vehicle_type] == best[vehicle_type] + 1,
        }
        assert rule[scenario.change], scenario.label


@pytest.mark.parametrize("seed", range(3))
def test_looser_rules_never_cost_more(seed):
    """One type alone is also without the others; without a type is also one fewer of it."""
    comparison = compare_fleets(paper_instance(25, seed), "savings", time_limit=1.0)
    costs = {(s.change, s.vehicle_type): s.cost for s in comparison.scenarios if s.cost is not None}
    for (change, vehicle_type), cost in costs.items():
        if change == "only":
            others = [
                c for (name, k), c in costs.items() if name == "without" and k != vehicle_type
            ]
            assert all(other <= cost for other in others)
        if change == "without" and ("fewer", vehicle_type) in costs:
            assert costs["fewer", vehicle_type] <= cost


def make_instance(**changes):
    fields = {
        "name": "line",
        "coordinates": np.array([[0, 0], [1, 0], [2, 0]], dtype=float),
        "demands": [0, 1, 3],
        "vehicle_types": (VehicleType("small", 1, 1, 1), VehicleType("large", 4, 5, 1, 1)),
    } | changes
    return Instance(**fields)


def test_infeasible_scenarios_say_why():
    """A type that cannot carry a customer, and one that is used up."""
    comparison = compare_fleets(make_instance(), "savings", time_limit=1.0)
    scenarios = {scenario.label: scenario for scenario in comparison.scenarios}
    assert "demand 3" in scenarios["without large"].reason
    assert "demand 3" in scenarios["only small"].reason
    assert scenarios["one large more (2)"].reason == "only 1 available"
    assert scenarios["without large"].cost is None
    assert scenarios["only large"].cost == pytest.approx(9.0)


def test_one_more_is_found_even_if_free_vehicles_are_not_wanted():
    """With a forbidding unit cost the extra vehicle comes from changing one route of the plan."""
    costly = (VehicleType("costly", 3, 0, 50), VehicleType("large", 4, 5, 1))
    comparison = compare_with(make_instance(vehicle_types=costly[::-1]), all_in_one)
    assert {scenario.label for scenario in comparison.scenarios} >= {"one large more (2)"}
    more = next(scenario for scenario in comparison.scenarios if scenario.change == "more")
    assert more.vehicle_type == 0
    assert counts_of(more.solution)[0] == 2
    assert more.cost == pytest.approx(5 + 2 + 5 + 4)


def all_in_one(problem):
    """Put everyone into one vehicle of the first type."""
    plan = Solution.of([(0, tuple(range(1, problem.num_customers + 1)))])
    if not evaluate(problem, plan).is_feasible:
        plan = None
    return Result.from_solution(problem, plan, method="one", status=Status.FEASIBLE, seconds=0.0)


def test_a_cheaper_scenario_becomes_the_best():
    """If a restricted problem happens to be solved better, the cheaper plan is returned."""
    instance = paper_instance(12, 3, num_types=3)
    good = solve(instance, "savings")

    def planner(problem):
        if problem.num_types == instance.num_types and not problem.has_limited_fleet:
            largest = int(np.argmax(problem.capacities))
            plan = Solution.of([(largest, (c,)) for c in range(1, 13)])
            return Result.from_solution(
                problem, plan, method="bad", status=Status.FEASIBLE, seconds=0.0
            )
        return solve(problem, "savings")

    comparison = compare_with(instance, planner)
    assert comparison.best.cost <= good.cost * 1.5
    assert all(
        s.cost is None or s.cost >= comparison.best.cost - 1e-9 for s in comparison.scenarios
    )
    assert any("scenario" in note for note in comparison.best.notes)


def test_break_even_price_is_where_both_plans_cost_the_same():
    """At the break-even price of a type, the best plan with it and the one without it are equal."""
    instance = Instance(
        name="two",
        coordinates=[[0, 0], [1, 0], [0, 1]],
        demands=[0, 1, 1],
        vehicle_types=(VehicleType("bike", 1, 2, 1), VehicleType("van", 2, 5, 1)),
    )
    # One van: 5 + 2 + √2 = 8.41; two bikes: 4 + 4 = 8, so the van is worth 8 - 3.41 = 4.59.
    comparison = compare_fleets(instance, "savings", time_limit=1.0)
    bike, van = comparison.break_even
    assert comparison.best.cost == pytest.approx(8.0)
    assert van.price == pytest.approx(8 - (2 + 2**0.5))
    # Without bikes 8.41; two of them may cost 4.41 together.
    assert bike.price == pytest.approx(2 + (5 + 2 + 2**0.5 - 8) / 2)
    types = (instance.vehicle_types[0], VehicleType("van", 2, van.price - 0.01, 1))
    cheaper = compare_fleets(instance.replace(vehicle_types=types), "savings", time_limit=1.0)
    assert counts_of(cheaper.best.solution) == {1: 1}


def test_a_type_that_is_needed_has_no_break_even_price():
    """No other type can carry the largest customer; the page says so."""
    comparison = compare_fleets(make_instance(), "savings", time_limit=1.0)
    small, large = comparison.break_even
    assert (large.price, large.is_needed) == (None, True)
    assert not small.is_needed
    page = report_html(comparison.best, fleet=comparison)
    assert "needed at any price" in page
    assert comparison.to_dict()["break_even"][1]["is_needed"] is True


def test_prices_as_given_stand_beside_changed_ones():
    """The plan before the change is part of the comparison, the table and the data."""
    given = make_instance()
    changed = given.replace(
        vehicle_types=(given.vehicle_types[0], VehicleType("large", 4, 9, 1, 1))
    )
    comparison = compare_fleets(changed, "savings", time_limit=1.0, as_given=given)
    assert comparison.as_given.cost == pytest.approx(9.0)
    assert comparison.best.cost == pytest.approx(13.0)
    assert comparison.to_dict()["cost_as_given"] == pytest.approx(9.0)
    assert "Prices as given" in report_html(comparison.best, fleet=comparison)


def test_no_plan_at_all_is_an_error():
    """Nothing can be compared with nothing."""

    def planner(problem):
        return Result.from_solution(
            problem, None, method="none", status=Status.NO_PLAN, seconds=0.0
        )

    with pytest.raises(NoPlanFound, match="nothing to compare"):
        compare_with(make_instance(), planner)


def test_report_and_json_hold_every_scenario():
    """The page and the plain data list the same changes."""
    comparison = compare_fleets(paper_instance(15, 1), "savings", time_limit=1.0)
    page = report_html(comparison.best, fleet=comparison)
    data = comparison.to_dict()
    assert len(data["scenarios"]) == len(comparison.scenarios)
    for scenario in comparison.scenarios:
        assert scenario.label.capitalize()[:3] in page
    assert page.count(">Without ") == comparison.best.instance.num_types


def test_interruption_keeps_the_scenarios_done_before():
    """Ctrl-C ends the comparison, not one scenario after the other."""
    instance = paper_instance(12, 3, num_types=3)
    calls = []

    def planner(problem):
        calls.append(problem)
        status = Status.INTERRUPTED if len(calls) == 3 else Status.FEASIBLE
        plan = solve(problem, "savings").solution
        return Result.from_solution(problem, plan, method="savings", status=status, seconds=0.0)

    comparison = compare_with(instance, planner)
    assert len(calls) == 3
    assert not comparison.is_complete
    assert 1 <= len(comparison.scenarios) < 4
    assert comparison.to_dict()["is_complete"] is False


@pytest.mark.parametrize("seed", range(4))
def test_proven_differences_hold_for_every_plan(seed):
    """The exact method: no alternative found by anybody costs less than its bound."""
    instance = paper_instance(9, seed)
    proven = compare_fleets(instance, "exact", time_limit=60.0)
    found = compare_fleets(instance, "hgs", time_limit=0.2)
    assert proven.best.status is Status.OPTIMAL
    costs = {(s.change, s.vehicle_type): s.cost for s in found.scenarios}
    assert found.best.cost >= proven.best.cost * (1 - 1e-9)
    for scenario in proven.scenarios:
        if scenario.cost is None:
            continue
        assert scenario.lower_bound <= scenario.cost * (1 + 1e-7)
        other = costs.get((scenario.change, scenario.vehicle_type))
        if other is not None and found.best.solution == proven.best.solution:
            assert scenario.lower_bound <= other * (1 + 1e-7)
        extra = proven.proven_extra_cost(scenario)
        assert extra is None or 0 < extra <= scenario.cost - proven.best.cost + 1e-6
    assert any(proven.proven_extra_cost(scenario) for scenario in proven.scenarios)


def test_nothing_is_proven_without_bounds():
    """A heuristic gives no bounds, and a bound below the best plan proves no difference."""
    comparison = compare_fleets(make_instance(), "savings", time_limit=1.0)
    assert all(scenario.lower_bound is None for scenario in comparison.scenarios)
    scenario = replace(comparison.scenarios[0], lower_bound=comparison.best.cost)
    assert comparison.proven_extra_cost(scenario) is None
    assert comparison.to_dict()["lower_bound"] is None


def test_alternatives_at_once_are_those_one_by_one():
    """In the same order; the method is deterministic here."""
    plain, spread = (
        compare_fleets(paper_instance(20, 2), "savings", time_limit=5.0, executor=executor)
        for executor in (None, Processes(2))
    )
    assert spread.is_complete
    assert spread.scenarios == plain.scenarios
    assert spread.best.solution == plain.best.solution


class Deadly(InProcess):
    """An executor on which every item dies."""

    @contextmanager
    def open(self, work, on_death):
        """Lose every item."""
        with InProcess().open(on_death, on_death) as workers:
            yield workers


def test_an_alternative_whose_process_died_has_no_plan():
    """The others are there, and the best mix is what it was."""
    comparison = compare_fleets(paper_instance(20, 2), "savings", executor=Deadly())
    assert comparison.is_complete
    reasons = {scenario.reason for scenario in comparison.scenarios if scenario.solution is None}
    assert "no plan was found in the time" in reasons
