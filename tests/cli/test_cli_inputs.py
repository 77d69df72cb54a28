"""How instances are named on the command line: order, words, standard input, roads, warnings."""

import io
import json
import sys

import pytest
import xlsxwriter

from helpers import STOPS, VEHICLES

GERMAN = (
    "Nr;Kunde;Breite;Länge;Menge;Telefon\r\n"
    "depot;Zentrale;51,34;12,37;;\r\n"
    + "".join(
        f"{k};Kunde {k};51,3{k % 7};12,3{k % 9};{k % 5 + 1};0341 {k}\r\n" for k in range(1, 21)
    )
    + "77;Falsch;12,35;51,33;2;\r\n"
)
FLEET = "Typ;Kapazität;Fixkosten;Kosten pro km;Anzahl\r\nSprinter;12;45,00 €;0,5;\r\n"


@pytest.fixture
def german(tmp_path):
    """Return a pair of files in Windows-1252 with one row whose columns are exchanged."""
    stops, vehicles = tmp_path / "Montag.csv", tmp_path / "Fuhrpark.csv"
    stops.write_bytes(GERMAN.encode("cp1252"))
    vehicles.write_bytes(FLEET.encode("cp1252"))
    return stops, vehicles


@pytest.fixture
def plan(fripn, tables, tmp_path):
    """Return a plan for the two tables."""
    path = tmp_path / "plan.csv"
    assert fripn("solve", *tables, "-m", "savings", "-q", "-o", path).code == 0
    return path


def test_the_exchanged_row_is_named(fripn, german, tmp_path):
    """On the terminal, in the notes of the JSON result, and in the report."""
    report = tmp_path / "plan.html"
    outcome = fripn("solve", *german, "-m", "savings", "--json", "--report", report)
    assert outcome.code == 0
    assert (
        "warning: Customer 21 (Falsch, id 77) (latitude 12.35, longitude 51.33) is 5,"
        in outcome.err
    )
    assert "with latitude and longitude exchanged it would be" in outcome.err
    assert any("exchange them" in note for note in json.loads(outcome.out)["notes"])
    assert "exchange them" in report.read_text(encoding="utf-8")
    assert fripn("solve", *german, "-m", "savings", "-q").err == ""


def test_check_without_a_plan(fripn, german):
    """A summary of what was read; warnings, and what is kept."""
    outcome = fripn("check", *german)
    assert outcome.code == 0
    assert "customers 21" in outcome.out
    assert "kept      Telefon" in outcome.out
    assert outcome.out.endswith("valid\n")
    assert "exchange them" in outcome.err
    record = json.loads(fripn("check", *german, "--json").out)
    assert record["is_valid"]
    assert record["extra_columns"] == ["Telefon"]
    assert len(record["warnings"]) == 1
    assert fripn("check", "golden-03").out.endswith("valid\n")


def test_check_lists_all_mistakes(fripn, german):
    """One line each on stderr; as data with --json; exit code 2."""
    stops, vehicles = german
    text = (
        GERMAN.replace("51,33;1;", "nord;1;")
        .replace("Kunde 3;", ";")
        .replace(";4;0341", ";-4;0341")
    )
    stops.write_bytes(text.encode("cp1252"))
    vehicles.write_bytes(FLEET.replace("12;", "zwölf;").encode("cp1252"))
    outcome = fripn("check", stops, vehicles)
    assert outcome.code == 2
    assert outcome.out == ""
    lines = outcome.err.splitlines()
    assert lines[0] == f"fripn: {len(lines) - 1} mistakes in the tables"
    assert lines[1].startswith(f"  {stops}: line ")
    assert lines[-1] == f"  {vehicles}: line 2: Kapazität is 'zwölf'; give a number"
    outcome = fripn("check", stops, vehicles, "--json")
    assert (outcome.code, outcome.err) == (2, "")
    record = json.loads(outcome.out)
    assert not record["is_valid"]
    assert record["num_mistakes"] == len(lines) - 1
    assert {"row", "field", "value", "remedy"} <= set(record["mistakes"][0])


def test_more_mistakes_than_are_listed(fripn, tables):
    """The first twenty, and how many more."""
    rows = "".join(f"s{k},n,x,1,1,\n" for k in range(50))
    tables[0].write_text("id,name,x,y,demand,depot\nh,H,0,0,0,1\n" + rows)
    lines = fripn("check", *tables).err.splitlines()
    assert lines[0] == "fripn: 50 mistakes in the tables"
    assert len(lines) == 22
    assert lines[-1] == "  … and 30 more"


@pytest.mark.parametrize("command", ["check", "improve"])
def test_vehicles_come_second_everywhere(fripn, tables, plan, command):
    """And the option is still understood."""
    stops, vehicles = tables
    more = ["-m", "savings"] if command == "improve" else []
    first = fripn(command, stops, vehicles, plan, *more)
    assert first.code == 0
    named = fripn(command, stops, plan, "--vehicles", vehicles, *more)
    assert named.code == 0
    swapped = fripn(command, vehicles, stops, plan, *more)
    assert swapped.code == 0
    assert "holds the stops and" in swapped.err


def test_files_that_do_not_fit(refused, tables, plan):
    """One too many, or one too few."""
    assert "one file too many" in refused("check", *tables, plan, plan)
    assert "not both" in refused("check", *tables, plan, "--vehicles", tables[1])
    assert "no plan is given" in refused("improve", *tables)
    assert "no plan is given" in refused("improve", "golden-03")
    assert "one file is given" in refused("convert", tables[0])
    assert "holds stops only" in refused("check", tables[0], plan)


def test_convert_takes_vehicles_second(fripn, tables, tmp_path):
    """As solve does."""
    target = tmp_path / "day.json"
    assert fripn("convert", *tables, target).code == 0
    assert fripn("convert", tables[0], tmp_path / "b.json", "--vehicles", tables[1]).code == 0
    assert (
        json.loads(target.read_text())["customers"]
        == json.loads((tmp_path / "b.json").read_text())["customers"]
    )


def test_a_workbook(fripn, tmp_path):
    """``fripn solve plan.xlsx``: sheets `stops` and `vehicles`."""
    path = tmp_path / "plan.xlsx"
    with xlsxwriter.Workbook(path) as book:
        for name, text in (("stops", STOPS), ("vehicles", VEHICLES)):
            sheet = book.add_worksheet(name)
            for number, line in enumerate(text.splitlines()):
                sheet.write_row(number, 0, line.split(","))
    assert fripn("solve", path, "-m", "savings", "-q").code == 0
    assert fripn("check", path).out.endswith("valid\n")


class _Stdin:
    def __init__(self, content):
        self.buffer = io.BytesIO(content)


def test_standard_input(fripn, refused, tables, monkeypatch):
    """Stops, vehicles, or a whole instance."""
    stops, vehicles = tables
    monkeypatch.setattr(sys, "stdin", _Stdin(STOPS.encode()))
    assert fripn("solve", "-", vehicles, "-m", "savings", "-q").code == 0
    monkeypatch.setattr(sys, "stdin", _Stdin(VEHICLES.encode()))
    assert fripn("check", stops, "-").code == 0
    monkeypatch.setattr(sys, "stdin", _Stdin(b""))
    assert "both tables" in refused("solve", "-", "-")
    fripn("convert", *tables, stops.with_suffix(".json"))
    monkeypatch.setattr(sys, "stdin", _Stdin(stops.with_suffix(".json").read_bytes()))
    assert fripn("solve", "-", "-m", "savings", "-q").code == 0
    monkeypatch.setattr(sys, "stdin", _Stdin(b"{"))
    assert "standard input" in refused("solve", "-")


def test_own_words(fripn, refused, tables):
    """--map, in any order of the tables' words."""
    tables[0].write_text(STOPS.replace("demand", "Kram"))
    assert "'demand' is missing" in refused("check", *tables)
    assert fripn("check", *tables, "--map", "Kram=demand").code == 0
    assert fripn("check", *tables, "--map", "kram = Demand").code == 0
    assert "no column is called 'Krims'" in refused("check", *tables, "--map", "Krims=demand")
    assert "give WORD=COLUMN" in refused("check", *tables, "--map", "Kram")
    assert "is not a column" in refused("check", *tables, "--map", "Kram=menge2")
    assert "give . or ," in refused("check", *tables, "--map", "Kram=demand", "--decimal", ";")


def test_roads(fripn, refused, tables, tmp_path):
    """Straight lines times a factor, and a table of distances by id."""
    straight = json.loads(fripn("solve", *tables, "-m", "savings", "--json").out)
    longer = json.loads(
        fripn("solve", *tables, "-m", "savings", "--json", "--road-factor", "1.5").out
    )
    assert longer["travel_cost"] == pytest.approx(1.5 * straight["travel_cost"])
    matrix = tmp_path / "km.csv"
    ids = ["0", "10", "20", "30"]
    rows = [[own, *(str(7 * (own != other)) for other in ids)] for own in ids]
    matrix.write_text("\n".join(";".join(row) for row in [["", *ids], *rows]))
    outcome = json.loads(fripn("solve", *tables, "-m", "savings", "--json", "--matrix", matrix).out)
    assert all(route["distance"] % 7 == 0 for route in outcome["routes"])
    assert "road factor is -1" in refused("solve", *tables, "--road-factor", "-1")
    assert "needs no road factor" in refused(
        "solve", *tables, "--road-factor", "2", "--matrix", matrix
    )
    assert "does not exist" in refused("solve", *tables, "--matrix", tmp_path / "none.csv")


@pytest.mark.parametrize("time", ["0.2", "0.2s", "0,2 sec", "0.003min", "0.0001h"])
def test_times_with_units(fripn, last_run, time):
    """Seconds without a unit."""
    assert fripn("solve", "golden-03", "-m", "fake", "-q", "-t", time).code == 0
    assert 0.1 < last_run().budget.seconds < 0.4


def test_times_that_are_none(refused):
    """Another unit, no number."""
    for wrong in ("2 weeks", "soon", "1e", "5ms"):
        assert "is not a time such as 5, 5s or 2min" in refused("solve", "golden-03", "-t", wrong)


def test_names_and_methods_in_any_case(fripn):
    """As people type them."""
    assert fripn("solve", "Golden-03", "-m", "Savings", "-q").code == 0
    assert fripn("check", "X101-fsmfd").out.endswith("valid\n")


def test_solve_many_finds_the_vehicles_among_its_files(fripn, tables, tmp_path):
    """The order does not matter, and times have units."""
    stops, vehicles = tables
    target = tmp_path / "lines.jsonl"
    common = ("-m", "savings", "-q", "-t", "1s", "--jobs", 1, "-o", target)
    assert fripn("solve-many", stops, vehicles, *common).code == 0
    assert fripn("solve-many", vehicles, stops, *common).code == 0
    lines = target.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 1
    assert json.loads(lines[0])["vehicles_file"] == str(vehicles)
