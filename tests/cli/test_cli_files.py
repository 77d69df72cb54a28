"""``fripn check``, ``convert``, ``generate`` and ``instances``."""

from __future__ import annotations

import json

import pytest

from fripn.problem import library
from fripn.problem.io import read_instance, read_solution, write_instance, write_solution


@pytest.fixture
def plan_file(tmp_path):
    """Return the optimal plan of golden-03 as a file."""
    plan = library.best_known_solution("golden-03")
    assert plan is not None
    path = tmp_path / "best.json"
    write_solution(library.load("golden-03"), plan, path)
    return path


def break_plan(path):
    """Leave out the first route."""
    record = json.loads(path.read_text(encoding="utf-8"))
    missing = record["routes"].pop(0)["customers"]
    path.write_text(json.dumps(record), encoding="utf-8")
    return missing


def test_check_accepts_a_valid_plan(fripn, plan_file):
    """A valid plan: its cost and exit code 0."""
    outcome = fripn("check", "golden-03", plan_file)
    assert outcome.code == 0
    assert "961.03" in outcome.out
    assert outcome.out.rstrip().endswith("valid")


def test_check_names_every_broken_rule(fripn, plan_file):
    """A plan that breaks rules: each is named, and exit code 1."""
    missing = break_plan(plan_file)
    outcome = fripn("check", "golden-03", plan_file)
    assert outcome.code == 1
    for customer in missing:
        assert f"customer {customer} is not visited" in outcome.out
    assert outcome.out.rstrip().endswith("not valid")


def test_check_as_json(fripn, plan_file):
    """Programs get the same as data."""
    record = json.loads(fripn("check", "golden-03", plan_file, "--json").out)
    assert record["is_feasible"] is True
    assert record["cost"] == pytest.approx(961.03, abs=0.01)
    missing = break_plan(plan_file)
    outcome = fripn("check", "golden-03", plan_file, "--json")
    assert outcome.code == 1
    codes = [violation["code"] for violation in json.loads(outcome.out)["violations"]]
    assert codes == ["missing"] * len(missing)


def test_check_refuses_a_plan_for_another_instance(refused, plan_file):
    """Vehicle types that do not exist are bad input."""
    assert "vehicle type" in refused("check", "golden-04", plan_file)


@pytest.mark.parametrize("ending", [".json", ".vrp", ".csv"])
def test_convert_keeps_the_instance(fripn, tmp_path, ending):
    """There and back again, by every format."""
    path = tmp_path / f"copy{ending}"
    assert fripn("convert", "golden-04", path).code == 0
    vehicles = tmp_path / "copy-vehicles.csv" if ending == ".csv" else None
    copy, original = read_instance(path, vehicles=vehicles), library.load("golden-04")
    assert (copy.demands == original.demands).all()
    assert (copy.coordinates == original.coordinates).all()
    assert [one.capacity for one in copy.vehicle_types] == [
        one.capacity for one in original.vehicle_types
    ]


@pytest.mark.parametrize("ending", [".sol", ".csv"])
def test_convert_keeps_the_plan(fripn, tmp_path, plan_file, ending):
    """A plan in another format is the same plan."""
    path = tmp_path / f"plan{ending}"
    assert fripn("convert", plan_file, path, "--instance", "golden-03").code == 0
    instance = library.load("golden-03")
    copy, original = (read_solution(file, instance).routes for file in (path, plan_file))
    assert set(copy) == set(original)


def test_ids_survive_every_format(fripn, tables, tmp_path):
    """From the planner's table through JSON and back, and into every plan and its console."""
    stops, vehicles = tables
    day, again = tmp_path / "day.json", tmp_path / "again.csv"
    assert fripn("convert", stops, day, "--vehicles", vehicles).code == 0
    assert fripn("convert", day, again).code == 0
    assert again.read_text(encoding="utf-8").splitlines()[2].startswith("10,Ada,")
    plan = tmp_path / "mine.csv"
    plan.write_text("vehicle,type,stop\nA,truck,30\nA,truck,10\nB,van,20\n", encoding="utf-8")
    outcome = fripn("check", stops, plan, "--vehicles", vehicles)
    assert outcome.code == 0
    assert "Cy (30) · Ada (10)" in outcome.out
    for ending, expected in ((".json", '"ids": ["30", "10"]'), (".csv", "1,truck,2,1,10,Ada,")):
        path = tmp_path / f"plan{ending}"
        assert fripn("convert", plan, path, "--instance", day).code == 0
        assert expected in path.read_text(encoding="utf-8")


def test_check_shows_and_names_stops_as_the_planner_does(fripn, tables, tmp_path):
    """A forgotten stop is named with its id; a number without a stop stays a number."""
    stops, vehicles = tables
    plan = tmp_path / "mine.json"
    routes = [{"vehicle_type": "truck", "customers": [1, 7]}]
    plan.write_text(json.dumps({"format": "fripn-solution", "version": 1, "routes": routes}))
    outcome = fripn("check", stops, plan, "--vehicles", vehicles)
    assert outcome.code == 1
    assert "Ada (10) · 7\n" in outcome.out
    assert "customer 2 (Bo, id 20) is not visited" in outcome.out


def test_check_refuses_ids_that_contradict_numbers(refused, tables, tmp_path):
    """A plan for another day must not be taken for one of this day."""
    stops, vehicles = tables
    plan = tmp_path / "mine.csv"
    plan.write_text("route,type,customer,id\n1,truck,1,20\n", encoding="utf-8")
    sentence = refused("check", stops, plan, "--vehicles", vehicles)
    assert "mine.csv: line 2: customer 1 has the id '10' in stops, not '20'" in sentence


def test_convert_draws_a_plan(fripn, tmp_path, plan_file):
    """A plan becomes a picture."""
    path = tmp_path / "plan.svg"
    assert fripn("convert", plan_file, path, "--instance", "golden-03").code == 0
    assert "<svg" in path.read_text(encoding="utf-8")


def test_convert_refuses_what_it_cannot_write(refused, fripn, tmp_path):
    """Wrong endings, missing folders, and the input itself."""
    assert ".vrp" in refused("convert", "golden-03", tmp_path / "a.png")
    assert "does not exist" in refused("convert", "golden-03", tmp_path / "no" / "a.json")
    path = tmp_path / "a.json"
    fripn("convert", "golden-03", path)
    before = path.read_bytes()
    assert "input" in refused("convert", path, path)
    assert path.read_bytes() == before


def test_generate_is_seeded(fripn, tmp_path):
    """Same seed, same file; another seed, another."""
    first, again, other = (tmp_path / f"{name}.json" for name in ("first", "again", "other"))
    for path, seed in ((first, 3), (again, 3), (other, 4)):
        assert fripn("generate", "-n", 7, "--types", 2, "--seed", seed, "-o", path).code == 0
    one, two, three = (read_instance(path) for path in (first, again, other))
    assert one.num_customers == 7
    assert one.num_types == 2
    assert one.replace(name="x") == two.replace(name="x")
    assert one.replace(name="x") != three.replace(name="x")


def test_generate_many_from_the_wide_distribution(fripn, tmp_path):
    """With --count, numbered files; instance k does not depend on the count."""
    for count in (2, 3):
        path = tmp_path / f"of{count}.json"
        call = fripn("generate", "--distribution", "wide", "--count", count, "-o", path)
        assert call.code == 0
    assert sorted(path.name for path in tmp_path.glob("of3-*")) == [
        "of3-0.json",
        "of3-1.json",
        "of3-2.json",
    ]
    pair = (read_instance(tmp_path / f"of{count}-1.json").replace(name="x") for count in (2, 3))
    assert next(pair) == next(pair)


def test_the_former_name_of_the_distribution_still_works(fripn, tmp_path):
    """`--law` draws the same instance, without a word in the help text."""
    for option, name in (("--distribution", "distribution"), ("--law", "former")):
        path = tmp_path / f"{name}.json"
        assert fripn("generate", option, "wide", "--seed", 5, "-o", path).code == 0
    pair = (read_instance(tmp_path / f"{name}.json") for name in ("distribution", "former"))
    assert next(pair).replace(name="x") == next(pair).replace(name="x")
    assert "--law" not in fripn("generate", "--help").out
    both = fripn("generate", "--law", "wide", "--distribution", "paper", "-o", tmp_path / "x.json")
    assert both.code == 2
    assert both.err == (
        "fripn: --distribution and its former name --law are both given; leave --law out\n"
    )


def test_generate_refuses_bad_numbers(refused, tmp_path):
    """Sizes below one and negative seeds are named."""
    path = tmp_path / "a.json"
    assert "--customers" in refused("generate", "-n", 0, "-o", path)
    assert "--count" in refused("generate", "--count", 0, "-o", path)
    assert "--types" in refused("generate", "--types", 0, "-o", path)
    assert "--seed" in refused("generate", "--seed", -1, "-o", path)
    assert not path.exists()


def test_instances_lists_the_library(fripn, refused):
    """Every shipped instance with its best-known value."""
    outcome = fripn("instances")
    assert "golden-20 " in outcome.out
    assert "4029.61" in outcome.out
    rows = json.loads(fripn("instances", "li", "--json").out)["instances"]
    assert [row["name"] for row in rows] == library.names("li")
    assert rows[0]["best_known"] == 12050.08
    assert "golden" in refused("instances", "goldne")


def test_names_are_shown_on_one_line_and_cut(fripn, tmp_path):
    """What a file calls things cannot move the cursor or fill the screen."""
    instance = library.load("golden-03").replace(
        stop_names=["d\n\u202e" + "x" * 900, *"abcdefghijklmnopqrst"]
    )
    first, *others = instance.vehicle_types
    renamed = first.replace(name="van\n\u202e" + "y" * 900)
    write_instance(instance.replace(vehicle_types=(renamed, *others)), tmp_path / "a.json")
    plan = {"format": "fripn-solution", "version": 1, "routes": []}
    plan["routes"] = [{"vehicle_type": renamed.name, "customers": [1, 10**40]}]
    (tmp_path / "plan.json").write_text(json.dumps(plan))
    outcome = fripn("check", tmp_path / "a.json", tmp_path / "plan.json")
    assert outcome.code == 1
    assert "\u202e" not in outcome.out
    assert "y" * 100 not in outcome.out
    assert "van\\n\\u202eyyy" in outcome.out


def test_a_plan_that_breaks_thousands_of_rules(fripn, tmp_path):
    """The first ones and their number; --json has all."""
    text = "Route #1: " + " ".join(map(str, range(1000, 1100)))
    (tmp_path / "plan.sol").write_text(text)
    outcome = fripn("check", "golden-03", tmp_path / "plan.sol")
    assert outcome.code == 1
    assert outcome.out.count("broken") == 60
    assert "… and 60 more; --json prints them all" in outcome.out
    everything = fripn("check", "golden-03", tmp_path / "plan.sol", "--json")
    assert len(json.loads(everything.out)["violations"]) == 120


def test_large_files_need_an_option(fripn, refused, tmp_path, monkeypatch):
    """One sentence names it; with it the file is read."""
    monkeypatch.setenv("FRIPN_MAX_SIZE", "1")
    large = tmp_path / "large.json"
    write_instance(library.load("golden-03"), large)
    large.write_text(large.read_text() + " " * 1_000_000)
    assert "raise the limit: fripn --max-size MB" in refused("convert", large, tmp_path / "a.vrp")
    outcome = fripn("--max-size", 2, "convert", large, tmp_path / "a.vrp")
    assert outcome.code == 0, outcome
    assert "--max-size is 0; give an integer, 1 or more" in refused("--max-size", 0, "instances")
