"""Working days of every combination through all that solves, compares, checks, shows and exports.

The independent slow evaluator has the last word on every plan.
"""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from day_instances import PARTS, day_instance, random_plan
from fripn import Budget, Progress, Status, evaluate, solve
from fripn.cli import main
from fripn.cli.live import LiveView
from fripn.features import WORKING_DAY, features_of
from fripn.fleet_comparison import compare_with
from fripn.problem.io import read_instance, read_solution, write_instance
from fripn.render.report.page import report_html
from fripn.render.result_files import write_result
from problem.slow_evaluate import slow_evaluate

days = st.builds(
    day_instance,
    st.integers(0, 2**20),
    st.integers(1, 9),
    st.sets(st.sampled_from(PARTS)),
)

#: Instances are drawn again until they are valid, which takes its time.
slow = settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


def check(instance, solution, cost):
    """Assert that both evaluators accept a plan at this cost."""
    assert evaluate(instance, solution).violations == ()
    independent = slow_evaluate(instance, solution)
    assert independent.is_feasible
    assert math.isclose(float(independent.cost), cost, rel_tol=1e-9, abs_tol=1e-9)


@slow
@given(days, st.integers(0, 2**20))
def test_default_method_and_improvements(instance, seed):
    """Plans keep all rules; one to start from is never made worse; the result says what it left."""
    result = solve(instance, budget=Budget(iterations=15), seed=seed)
    if result.solution is None:
        # With odd travel times a customer may be in reach only by way of another one.
        assert result.status is Status.NO_PLAN
        return
    check(instance, result.solution, result.cost)
    # Limits that exclude nothing, such as a tag that every type offers, need no search.
    is_searched = bool(features_of(instance) & WORKING_DAY) and result.status is not Status.OPTIMAL
    said = any("The engine started without the policy, which has" in note for note in result.notes)
    assert said == is_searched
    again = solve(instance, budget=Budget(iterations=5), seed=seed + 1, start=result.solution)
    check(instance, again.solution, again.cost)
    assert again.cost <= result.cost * (1 + 1e-12)


@slow
@given(days, st.integers(0, 2**20))
def test_random_plans_are_checked_alike(instance, seed):
    """Violations of random plans, most of them infeasible, are those of the slow evaluator."""
    plan = random_plan(instance, seed)
    evaluation, independent = evaluate(instance, plan), slow_evaluate(instance, plan)
    assert evaluation.is_feasible == independent.is_feasible
    codes = {violation.code.value for violation in evaluation.violations}
    assert codes == {code for code, _, _ in independent.violations}
    assert math.isclose(evaluation.cost, float(independent.cost), rel_tol=1e-9, abs_tol=1e-9)


@settings(slow, max_examples=6)
@given(days)
def test_fleets_are_compared(instance):
    """Every scenario's plan keeps all rules, those of the scenario included, and is not cheaper."""

    def planner(problem):
        return solve(problem, budget=Budget(iterations=10), seed=1)

    assume(planner(instance).solution is not None)
    comparison = compare_with(instance, planner)
    best = comparison.best
    check(instance, best.solution, best.cost)
    for scenario in comparison.scenarios:
        if scenario.solution is None:
            assert scenario.reason
            continue
        check(instance, scenario.solution, scenario.cost)
        assert scenario.cost >= best.cost * (1 - 1e-9)
        used = {route.vehicle_type for route in scenario.solution.routes}
        if scenario.change == "without":
            assert scenario.vehicle_type not in used
        if scenario.change == "only":
            assert used == {scenario.vehicle_type}
    assert json.loads(json.dumps(comparison.to_dict()))["cost"] == best.cost


@settings(slow, max_examples=12)
@given(instance=days)
def test_plans_are_shown_and_exported(instance, tmp_path):
    """Files read back cost the same; the page has a timeline where times count."""
    result = solve(instance, budget=Budget(iterations=5), seed=1)
    assume(result.solution is not None)
    for suffix in (".json", ".csv", ".xlsx", ".sol"):
        path = tmp_path / f"plan{suffix}"
        write_result(result, path)
        read = read_solution(path, instance)
        assert evaluate(instance, read).cost == pytest.approx(result.cost, rel=1e-9, abs=1e-9)
    write_result(result, tmp_path / "plan.svg")
    page = report_html(result)
    assert ('id="timeline"' in page) == (
        evaluate(instance, result.solution).routes[0].schedule is not None
    )
    view = LiveView(instance, Budget(seconds=9.0), None, clock=lambda: 1.0)
    view.take(Progress(0.5, result.cost, result.solution))
    rows = dict(view.lines())
    assert rows["cost"].startswith(f"{result.cost:,.2f}"[:3])
    assert " × " in rows["fleet"]


def run(capsys, *arguments: object) -> tuple[int, str]:
    """Call the command line and return its code and what it printed."""
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    return int(ended.value.code or 0), capsys.readouterr().out


@pytest.mark.parametrize("seed", range(6))
def test_commands(seed, capsys, tmp_path):
    """Solve, check, improve, fleet and solve-many on one file; a late plan is named by check."""
    instance = day_instance(seed, 7, {"windows", *PARTS[seed::6]})
    day, plan = tmp_path / "day.json", tmp_path / "plan.json"
    write_instance(instance, day)
    assert read_instance(day) == instance
    seconds = ("--time-limit", 0.2)
    assert run(capsys, "solve", day, "-o", plan, "--quiet", "--iterations", 20)[0] == 0
    cost = evaluate(instance, read_solution(plan, instance)).cost
    check(instance, read_solution(plan, instance), cost)
    code, out = run(capsys, "check", day, plan, "--json")
    assert code == 0
    assert json.loads(out)["cost"] == pytest.approx(cost)
    code, out = run(capsys, "improve", day, plan, "--json", *seconds)
    assert code == 0
    assert json.loads(out)["cost"] <= cost * (1 + 1e-12)
    times = tmp_path / "times.svg"
    assert run(capsys, "convert", plan, times, "--instance", day, "--timeline")[0] == 0
    assert "</svg>" in times.read_text("utf-8")
    assert run(capsys, "improve", day, plan, "--timeline", times, "--json", *seconds)[0] == 0
    assert run(capsys, "improve", day, plan, "--timeline", plan, *seconds)[0] == 2
    assert run(capsys, "convert", day, times, "--timeline")[0] == 2
    code, out = run(capsys, "fleet", day, "--json", "--method", "savings")
    assert code == 0
    lines = tmp_path / "out.jsonl"
    assert run(capsys, "solve-many", day, "-o", lines, "--jobs", 1, "--quiet", *seconds)[0] == 0
    line = json.loads(lines.read_text("utf-8"))
    assert line["cost"] == pytest.approx(cost, rel=0.5)
    routes = [(instance.vehicle_types[0].name, list(range(1, 8)))]
    everyone = {"format": "fripn-solution", "version": 1, "instance": instance.name}
    everyone["routes"] = [{"vehicle_type": name, "customers": who} for name, who in routes]
    bad = tmp_path / "bad.json"
    bad.write_text(json.dumps(everyone), "utf-8")
    code, out = run(capsys, "check", day, bad)
    assert code == 1
    assert "route 1" in out


def test_times_of_day_on_the_screen(capsys, tmp_path):
    """Departures and ends are times of day where the unit of time is known, as in the report."""
    (tmp_path / "stops.csv").write_text(
        "id,x,y,demand,open,close,service_min\ndepot,0,0,,06:00,20:00,\na,6,8,3,08:30,09:00,15\n"
    )
    vehicles = "type,capacity,fixed_cost,unit_cost,speed_kmh\nvan,9,50,1,60\n"
    (tmp_path / "vehicles.csv").write_text(vehicles)
    code, out = run(capsys, "solve", tmp_path / "stops.csv", tmp_path / "vehicles.csv")
    assert code == 0
    assert "8:20" in out
    assert "8:55" in out


def test_late_plans_in_times_of_day(capsys, tmp_path):
    """`fripn check` says times as the tables do; its JSON keeps the minutes."""
    files = [tmp_path / name for name in ("stops.csv", "vehicles.csv", "plan.csv")]
    files[0].write_text("id,x,y,demand,open,close\ndepot,0,0,,,\na,0,9,1,,\nb,9,0,1,,10:30\n")
    files[1].write_text(
        "type,capacity,fixed_cost,unit_cost,speed_kmh,shift_start,shift_end,max_hours\n"
        "van,9,9,1,9,09:00,12:00,3\n"
    )
    files[2].write_text("route,vehicle_type,id\n1,van,a\n1,van,b\n")
    code, out = run(capsys, "check", *files)
    assert code == 1
    assert [line.split(maxsplit=1)[1] for line in out.splitlines() if "broken" in line] == [
        "route 1 starts the service of customer 2 (id b) at 11:25, but it closes at 10:30",
        "route 1 ends at 12:25, but vehicle type van must end by 12:00",
        "route 1 takes 3:25 h, but vehicle type van may take 3:00 h",
    ]
    code, out = run(capsys, "check", *files, "--json")
    found = json.loads(out)["violations"]
    assert [round(one["amount"], 2) for one in found] == [684.85, 744.85, 204.85]
    assert [one["limit"] for one in found] == [630, 720, 180]
