"""`fripn.solve`: one door for instances, files and library names, and what comes out of it."""

from __future__ import annotations

import json

import pytest

import fripn
from fripn.errors import InvalidInput, InvalidSetting, MissingExtra, NoPlanFound
from fripn.problem import library
from fripn.problem.io import write_instance
from fripn.result import Result, Status, gap_percent
from fripn.solve import (
    METHODS,
    MethodInfo,
    default_budget,
    default_time_limit,
    get_method,
    method_class,
)
from fripn.source import best_known, open_instance

STOPS = "id;x;y;demand;depot\n0;0;0;0;1\n1;3;4;2;\n2;6;8;2;\n"
VEHICLES = "type;capacity;fixed_cost;unit_cost\nvan;2;1;1\ntruck;4;2;1,5\n"


@pytest.fixture
def tables(tmp_path):
    (tmp_path / "stops.csv").write_text(STOPS, encoding="utf-8")
    (tmp_path / "vehicles.csv").write_text(VEHICLES, encoding="utf-8")
    return tmp_path / "stops.csv", tmp_path / "vehicles.csv"


def test_a_pair_of_tables(tables):
    """One van for both would overload: a truck (2 + 20 × 1.5) or two vans (2 + 10 + 20) cost 32."""
    stops, vehicles = tables
    plan = fripn.solve(str(stops), "savings", vehicles=str(vehicles))
    assert plan.cost == pytest.approx(32.0)
    assert plan.fleet in ({"truck": 1}, {"van": 2})
    assert sorted(c for route in plan.routes for c in route.customers) == [1, 2]


def test_a_library_name_an_instance_and_a_file_are_the_same(tmp_path):
    """Whatever names the problem, the plan is the same."""
    instance = library.load("golden-03")
    path = tmp_path / "golden-03.json"
    write_instance(instance, path)
    costs = {fripn.solve(source, "savings").cost for source in ("golden-03", instance, path)}
    assert len(costs) == 1


def test_a_file_comes_before_a_library_name(tmp_path, monkeypatch, tables):
    """A file in the working folder is what the person means."""
    monkeypatch.chdir(tmp_path)
    write_instance(library.load("golden-04"), tmp_path / "a.json")
    (tmp_path / "a.json").rename(tmp_path / "golden-03")
    with pytest.raises(InvalidInput, match="golden-03"):
        open_instance("golden-03")  # a file without an ending: refused, not passed over


def test_best_known_needs_the_very_instance():
    """Somebody's own golden-03 is not compared with the published value."""
    instance = library.load("golden-03")
    known = best_known(instance)
    assert known is not None
    assert known.cost == 961.03
    assert best_known(instance.replace(demands=instance.demands / 2)) is None
    assert best_known(instance.replace(name="mine")) is None


def test_to_json_is_plain_json():
    """Every number is finite, every key is there, and the gap is to the best known."""
    plan = fripn.solve("golden-03", "savings", seed=4)
    record = json.loads(plan.to_json(indent=2))
    assert record["cost"] == plan.cost
    assert record["seed"] == 4
    assert record["gap_percent"] == pytest.approx(gap_percent(plan.cost, 961.03))
    assert [route["customers"] for route in record["routes"]] == [
        list(route.customers) for route in plan.routes
    ]


def test_plot_gives_and_writes_a_picture(tmp_path):
    """SVG text for notebooks, and a file on request."""
    plan = fripn.solve("golden-03", "savings")
    picture = plan.plot(tmp_path / "plan.svg")
    assert "<svg" in picture._repr_svg_()
    assert (tmp_path / "plan.svg").exists()


def test_a_result_without_a_plan():
    """No cost, no fleet, no routes, and nothing to draw."""
    nothing = Result.judged(
        library.load("golden-03"), None, method="m", status=Status.FEASIBLE, seconds=1.0
    )
    assert nothing.cost == float("inf")
    assert nothing.fleet == {}
    assert nothing.routes == ()
    assert nothing.to_dict()["cost"] is None
    with pytest.raises(NoPlanFound):
        nothing.plot()


def test_default_time_limit_is_what_the_help_says():
    """0.1 s per customer, at least 2 s, at most 60 s."""
    assert [default_time_limit(n) for n in (1, 20, 100, 600, 10_000)] == [2, 2, 10, 60, 60]


def test_limits_are_checked():
    """Contradictions and wrong numbers are named."""
    for wrong, word in (
        ({"time_limit": 1.0, "budget": fripn.Budget(iterations=1)}, "both"),
        ({"time_limit": -1.0}, "time limit"),
        ({"threads": 0}, "threads"),
        ({"seed": -1}, "seed"),
        ({"vehicles": "v.csv"}, "v.csv"),
    ):
        with pytest.raises(InvalidSetting, match=word):
            fripn.solve(library.load("golden-03"), "savings", **wrong)


def test_methods_are_found_by_name(monkeypatch):
    """Typing errors get the nearest name, missing packages the command that installs them."""
    with pytest.raises(InvalidSetting, match="did you mean 'savings'"):
        get_method("savigns")
    monkeypatch.setitem(METHODS, "far", MethodInfo("no_such_package", "Far", "", extra="bench"))
    with pytest.raises(MissingExtra, match=r"pip install 'fripn\[bench\]'"):
        method_class("far")


def test_a_gap_to_nothing():
    """A reference of zero is met or infinitely far."""
    assert gap_percent(0.0, 0.0) == 0.0
    assert gap_percent(1.0, 0.0) == float("inf")
    assert gap_percent(102.0, 100.0) == pytest.approx(2.0)


def test_default_budget_ends_at_a_proven_optimum():
    """Only where it is proven, and only for the very instance of the library."""
    golden = library.load("golden-20")
    assert default_budget(golden).target == pytest.approx(4029.61, abs=0.006)
    assert default_budget(golden.replace(name="mine")).target is None
    assert default_budget(golden.replace(demands=golden.demands / 2)).target is None
