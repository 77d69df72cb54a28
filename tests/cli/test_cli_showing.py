"""Reports, driver sheets and tables from the command line."""

from __future__ import annotations

import json
import re

import pytest
from rich.console import Console

from fripn.cli.tables import print_plan
from fripn.problem import Instance, Solution, VehicleType, evaluate, library

CITY = """id,name,lat,lon,demand,depot
H,Lager,51.34,12.37,0,1
K1,Müller,51.35,12.40,10,
K2,Groß & Łukasz,51.30,12.35,20,
K3,=1+1,51.33,12.30,5.5,
"""
FLEET = "name,capacity,fixed_cost,unit_cost,available\nSprinter,40,50,0.5,\nCaddy,20,30,0.4,2\n"


@pytest.fixture
def city(tmp_path):
    """Return a pair of tables with latitudes and longitudes."""
    stops, vehicles = tmp_path / "city.csv", tmp_path / "fleet.csv"
    stops.write_text(CITY, encoding="utf-8")
    vehicles.write_text(FLEET, encoding="utf-8")
    return stops, vehicles


def test_html_as_output_is_the_report(fripn, city, tmp_path):
    """With title, day, files, units and language; the page says when it was made."""
    page = tmp_path / "plan.html"
    outcome = fripn(
        "solve", *city, "-m", "savings", "-o", page, "--language", "de", "--currency", "€",
        "--load-unit", "kg", "--title", "Tour <1>", "--date", "Montag",
    )  # fmt: skip
    assert outcome.code == 0
    text = page.read_text(encoding="utf-8")
    assert "<h1>Tour &lt;1&gt;</h1>" in text
    assert "<strong>Montag</strong> · Quelldateien: city.csv, fleet.csv" in text
    assert re.search(r"am \d{4}-\d\d-\d\d\.", text)
    assert "35,50 kg" in text
    assert " km<" in text


def test_sheets_in_every_form(fripn, city, tmp_path):
    """A page, a PDF and a folder in one call; all are named at the end."""
    pytest.importorskip("fpdf")
    targets = [tmp_path / "s.html", tmp_path / "s.pdf", tmp_path / "sheets"]
    words = [word for target in targets for word in ("--sheets", target)]
    outcome = fripn("solve", *city, "-m", "savings", *words)
    assert outcome.code == 0
    for target in targets:
        assert f"wrote {target}" in outcome.err
    assert "Groß &amp; Łukasz" in targets[0].read_text(encoding="utf-8")
    assert targets[1].read_bytes().startswith(b"%PDF")
    assert (targets[2] / "sheets.html").is_file()
    assert list(targets[2].glob("*.gpx"))


def test_wrong_sheets_are_refused_before_solving(refused, city, tmp_path):
    """An unknown ending, a missing folder, a file in the way, a letter that the PDF lacks."""
    call = ("solve", *city, "-m", "savings", "--sheets")
    assert "not a format for driver sheets" in refused(*call, tmp_path / "s.doc")
    assert "does not exist" in refused(*call, tmp_path / "nowhere" / "s.html")
    assert "does not exist" in refused(*call, tmp_path / "nowhere" / "sheets")
    (tmp_path / "plain").write_text("mine")
    assert "file without ending" in refused(*call, tmp_path / "plain")
    pytest.importorskip("fpdf")
    city[0].write_text(CITY.replace("Müller", "東京"), encoding="utf-8")
    assert "東" in refused(*call, tmp_path / "s.pdf")
    assert "東" in refused("solve", *city, "-m", "savings", "-o", tmp_path / "s.pdf")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--language", "fr"), "language is 'fr'; use one of en, de"),
        (("--colours", "rout"), "did you mean 'route'"),
        (("--currency", "x" * 20), "at most 12 visible characters"),
    ],
)
def test_wrong_presentations_are_refused(refused, city, words, message):
    assert message in refused("solve", *city, "-m", "savings", *words)


def test_a_plan_becomes_report_and_sheets(fripn, refused, city, tmp_path):
    """From a file that was changed by hand; without an instance there is nothing to show."""
    plan = tmp_path / "plan.csv"
    assert fripn("solve", *city, "-m", "savings", "-o", plan, "-q").code == 0
    words = ("--instance", city[0], "--vehicles", city[1])
    for target in ("plan.html", "plan.xlsx"):
        assert fripn("convert", plan, tmp_path / target, *words).code == 0
        assert (tmp_path / target).stat().st_size > 1000
    page = (tmp_path / "plan.html").read_text(encoding="utf-8")
    assert "plan.csv" in page
    assert "searched" not in page
    assert fripn("convert", plan, tmp_path / "sheets", "--sheets", *words).code == 0
    assert (tmp_path / "sheets" / "sheets.html").is_file()
    assert fripn("convert", plan, tmp_path / "own.html", "--sheets", *words).code == 0
    assert 'type="checkbox"' in (tmp_path / "own.html").read_text(encoding="utf-8")
    assert "--instance" in refused("convert", plan, tmp_path / "sheets2", "--sheets")


def test_terminal_table_counts_stops_and_cuts_names(capsys):
    """Every route takes one line that fits the terminal, and no column disappears."""
    instance = library.load("golden-20")
    plan = library.best_known_solution("golden-20")
    evaluation = evaluate(instance, plan)
    console = Console(width=60, no_color=True, markup=False, highlight=False)
    print_plan(console, instance, plan, evaluation)
    lines = capsys.readouterr().out.splitlines()
    assert all(len(line) <= 60 for line in lines)
    assert lines[0].split() == [
        "route", "type", "stops", "load", "distance", "cost", "customers",
    ]  # fmt: skip
    first = lines[1].split()
    assert first[:3] == ["1", "B", str(len(plan.routes[0].customers))]
    assert len([line for line in lines if line.split()[:1] == ["6"]]) == 1
    assert next(line for line in lines if line.split()[:1] == ["6"]).rstrip().endswith("…")


def test_what_if_prices_change(fripn, tables):
    """A changed price is compared with the one of the file."""
    call = ("fleet", *tables, "--method", "savings", "--time-limit", 1)
    before = json.loads(fripn(*call, "--json").out)
    assert before["cost_as_given"] is None
    after = json.loads(fripn(*call, "--json", "--set", "*.fixed_cost=+100%").out)
    assert after["cost_as_given"] == before["cost"]
    assert after["cost"] > before["cost"]
    prices = {item["vehicle_type"]: item["fixed_cost"] for item in before["break_even"]}
    for item in after["break_even"]:
        assert item["fixed_cost"] == 2 * prices[item["vehicle_type"]]
    text = fripn(*call, "--set", "VAN.fixed_cost=3").out
    assert "prices as given" in text
    assert "pays up to" in text


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("van", "--set is 'van'; write TYPE.FIELD=VALUE"),
        ("fixed_cost=3", "write TYPE.FIELD=VALUE"),
        ("van.fixed=3", "names the field 'fixed'; did you mean 'fixed_cost'"),
        ("vna.fixed_cost=3", "names the vehicle type 'vna'; did you mean 'van'"),
        ("van.fixed_cost=+3", "has the value '\\+3'; give the new value, or a change in percent"),
        ("van.fixed_cost=cheap", "has the value 'cheap'"),
        ("van.available=1.5", "give an integer"),
        ("van.fixed_cost=-200%", "it must be 0 or more"),
    ],
)
def test_wrong_changes_are_refused(refused, tables, change, message):
    assert re.search(message, refused("fleet", *tables, "--set", change))


def test_several_loads_are_named_in_the_table_of_routes(capsys):
    """Each with its unit, not the first one alone."""
    instance = Instance(
        name="loads",
        coordinates=[[0, 0], [3, 4]],
        demands=[[0, 0], [3, 1.5]],
        vehicle_types=(VehicleType("van", (10, 10)),),
        load_names=("kg", "pallets"),
    )
    plan = Solution.of([(0, [1])])
    print_plan(Console(width=100, no_color=True), instance, plan, evaluate(instance, plan))
    assert "3 kg, 1.50 pallets" in capsys.readouterr().out
