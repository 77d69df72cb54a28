"""``fripn fleet``: the planner's question, as a table, as JSON and in the report."""

from __future__ import annotations

import json

import pytest

from fripn.cli.price_changes import changed_instance
from fripn.errors import InvalidSetting
from fripn.problem import Instance, VehicleType
from helpers import NoPlan


def test_table_lists_every_change(fripn, tables):
    """Without, only, fewer and more, with the difference to the best mix."""
    outcome = fripn("fleet", *tables, "--method", "savings", "--time-limit", 1)
    assert outcome.code == 0
    assert outcome.err == ""
    for words in ("best mix", "without van", "without truck", "only van", "only truck", "more ("):
        assert words in outcome.out
    assert "only van" in outcome.out


def test_json_is_one_object(fripn, tables):
    """Programs get costs, differences and fleets."""
    record = json.loads(fripn("fleet", *tables, "--method", "savings", "--json").out)
    assert record["cost"] > 0
    changes = {(item["change"], item["vehicle_type"]): item for item in record["scenarios"]}
    vehicles = changes["only", "van"]["vehicles"]
    assert vehicles["truck"] == 0 < vehicles["van"]
    assert changes["only", "van"]["extra_cost"] >= 0
    assert changes["without", "truck"]["vehicles"]["truck"] == 0


def test_proven_differences_have_a_column(fripn, refused, tables, tmp_path):
    """In the table, in the object and on the page."""
    page = tmp_path / "fleet.html"
    out = fripn("fleet", *tables, "--prove", "--report", page).out
    assert "proven" in out.splitlines()[0]
    assert "optimal" in out.splitlines()[1]
    assert "At least (proven)" in page.read_text("utf-8")
    record = json.loads(fripn("fleet", *tables, "--prove", "--json").out)
    assert record["lower_bound"] == record["cost"]
    only_truck = next(
        item
        for item in record["scenarios"]
        if (item["change"], item["vehicle_type"]) == ("only", "truck")
    )
    assert 0 < only_truck["proven_extra_cost"] <= only_truck["extra_cost"] + 1e-6
    assert "--prove needs method 'exact'" in refused("fleet", *tables, "--prove", "-m", "hgs")


def test_no_plan_is_an_object_too(fripn, tables, register):
    """The same keys, with nothing in them."""
    whole = json.loads(fripn("fleet", *tables, "--method", "savings", "--json").out)
    register("fake", NoPlan)
    outcome = fripn("fleet", *tables, "--method", "fake", "--json")
    assert outcome.code == 1
    record = json.loads(outcome.out)
    assert record.keys() == whole.keys()
    assert (record["cost"], record["scenarios"]) == (None, [])


def test_report_holds_the_table(fripn, tables, tmp_path):
    """The page has the scenarios beside the plan."""
    page = tmp_path / "fleet.html"
    outcome = fripn("fleet", *tables, "--method", "savings", "--report", page, "--quiet")
    assert outcome.code == 0
    assert "What if you hired otherwise?" in page.read_text(encoding="utf-8")


def test_report_must_be_html(refused, tables, tmp_path):
    """Refused before anything is solved."""
    assert "choose one of .html" in refused("fleet", *tables, "--report", tmp_path / "page.pdf")


def test_plain_progress_names_each_scenario(fripn, tables):
    """One line per problem that is solved."""
    outcome = fripn("fleet", *tables, "--method", "savings", "--progress", "plain")
    lines = outcome.err.splitlines()
    assert lines[0].startswith("1 of ")
    assert lines[0].endswith("best mix")
    assert any(line.endswith("without van") for line in lines)


def test_prices_and_limits_of_hours_can_be_changed():
    """Costs per hour and limits of routes, too; a limit that is not there has no percentage."""
    instance = Instance(
        name="day",
        coordinates=[[0, 0], [3, 4]],
        demands=[0, 1],
        vehicle_types=[VehicleType("van", 2, cost_per_hour=20, max_duration=60)],
    )
    changes = ["van.cost_per_hour=+10%", "van.max_duration=90", "van.max_distance=30"]
    van = changed_instance(instance, changes).vehicle_types[0]
    assert (van.cost_per_hour, van.max_duration, van.max_distance) == (22, 90, 30)
    with pytest.raises(InvalidSetting, match="van has no max_distance so far; give the new value"):
        changed_instance(instance, ["van.max_distance=+10%"])
