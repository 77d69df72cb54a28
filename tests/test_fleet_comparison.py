"""What other fleets would cost: every scenario keeps its rule, and says so when it cannot."""

from collections import Counter

import numpy as np
import pytest

from fripn.errors import NoPlanFound
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
    assert changes["more"] == len(best)
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
    assert page.count("<td>Without ") == comparison.best.instance.num_types


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
