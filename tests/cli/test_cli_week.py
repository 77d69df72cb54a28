"""A week of plans: ``solve-many`` into a folder, its table, and lines that become files."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import sys
import time
from html.parser import HTMLParser

import pytest

from fripn import batch
from fripn.batch import run_batch
from fripn.cli.line_plans import open_line
from fripn.cli.plan_folder import PlanFolder
from fripn.problem.generate import paper_instance
from fripn.problem.io import write_instance
from fripn.render.presentation import Presentation

DAYS = ("1-monday", "2-tuesday", "3-wednesday")


@pytest.fixture
def week(tmp_path, tables):
    """Return a folder with three days of stops, and the vehicles for all of them."""
    folder = tmp_path / "week"
    folder.mkdir()
    for number, day in enumerate(DAYS):
        text = tables[0].read_text(encoding="utf-8")
        (folder / f"{day}.csv").write_text(text + f"9{number},<b>Extra</b>,{number},9,1,\n")
    return folder, tables[1]


@pytest.fixture
def solve_week(fripn, week, tmp_path):
    """Return a function that solves the week into a folder, with further options."""

    def call(*words, output=None):
        folder, vehicles = week
        output = tmp_path / "plans" if output is None else output
        return fripn(
            "solve-many", folder, "-o", output, "--vehicles", vehicles, "-m", "savings", "--jobs",
            1, *words,
        )  # fmt: skip

    return call


class Links(HTMLParser):
    """Collects the targets of links."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        """Note a link."""
        self.found += [value for key, value in attrs if tag == "a" and key == "href"]


def lines_of(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_folder_holds_plans_reports_sheets_and_an_index(solve_week, tmp_path):
    """Every link of the index leads to a file, and the sums are those of the lines."""
    outcome = solve_week("--title", "Week 48", "--currency", "EUR")
    assert outcome.code == 0
    folder = tmp_path / "plans"
    names = {path.name for path in folder.iterdir()}
    wanted = {f"{day}{end}" for day in DAYS for end in (".csv", ".html", "-sheets.html")}
    assert names == wanted | {"index.html", "lines.jsonl"}
    page = (folder / "index.html").read_text(encoding="utf-8")
    links = Links()
    links.feed(page)
    assert sorted(links.found) == sorted(wanted)
    lines = lines_of(folder / "lines.jsonl")
    assert f"{sum(line['cost'] for line in lines):,.2f} EUR" in page
    assert "<script" not in page
    report = (folder / "1-monday.html").read_text(encoding="utf-8")
    assert "<h1>Week 48: 1-monday</h1>" in report
    assert "Source files: 1-monday.csv, vehicles.csv" in report


def test_table_has_every_day_and_the_total(solve_week, tmp_path):
    """On stdout, in the order of the files; quiet prints nothing."""
    outcome = solve_week()
    lines = {line["source"]: line for line in lines_of(tmp_path / "plans" / "lines.jsonl")}
    rows = [row.split() for row in outcome.out.splitlines()]
    assert rows[0] == ["instance", "cost", "distance", "vehicles", "fleet"]
    assert [row[0] for row in rows[1:5]] == [*DAYS, "total"]
    for row, line in zip(rows[1:4], (lines[name] for name in sorted(lines)), strict=True):
        assert float(row[1]) == pytest.approx(line["cost"], abs=0.005)
        assert float(row[2]) == pytest.approx(line["distance"], abs=0.005)
    total = sum(line["cost"] for line in lines.values())
    assert float(rows[4][1]) == pytest.approx(total, abs=0.006)
    assert outcome.out.splitlines()[5].startswith("most on one day  ")
    assert solve_week("-q").out == ""


def test_a_failed_day_is_a_row(solve_week, week, tmp_path):
    """The others are written; the page and the table say what is wrong, as text."""
    (week[0] / "4-<i>.csv").write_text("id,x\n1,2\n")
    outcome = solve_week()
    assert outcome.code == 2
    assert "failed: " in outcome.out
    page = (tmp_path / "plans" / "index.html").read_text(encoding="utf-8")
    assert "4-&lt;i&gt;" in page
    assert "4-<i>" not in page
    assert (tmp_path / "plans" / "3-wednesday.html").is_file()


def test_second_call_solves_nothing_again(solve_week, tmp_path):
    """A folder goes on as a file does, and its pages are written again."""
    solve_week()
    index = tmp_path / "plans" / "index.html"
    index.unlink()
    outcome = solve_week()
    assert "3 of 3 instances were done before" in outcome.err
    assert len(lines_of(tmp_path / "plans" / "lines.jsonl")) == 3
    assert index.is_file()


def test_instances_of_the_same_name_have_files_of_their_own(fripn, week, tmp_path):
    """Two folders may have a Monday each; one may be called index."""
    folder, vehicles = week
    other = tmp_path / "other"
    other.mkdir()
    text = (folder / "1-monday.csv").read_text()
    (other / "1-monday.csv").write_text(text)
    (other / "index.csv").write_text(text)
    call = ("solve-many", folder, other, "-o", tmp_path / "out", "--vehicles", vehicles)
    assert fripn(*call, "-m", "savings", "--jobs", 1, "-q").code == 0
    names = {path.name for path in (tmp_path / "out").glob("*.html")}
    assert {"1-monday.html", "1-monday-2.html", "index-2.html", "index.html"} <= names


@pytest.mark.parametrize("name", ["week.csv", "week.json", "week.html", "week.xlsx"])
def test_other_endings_are_refused(refused, week, tmp_path, name):
    """Nobody gets lines of JSON in a file that promises a table."""
    message = refused("solve-many", week[0], "-o", tmp_path / name, "--vehicles", week[1])
    assert "lines of JSON are written; end it in .jsonl, or name a folder" in message
    assert not (tmp_path / name).exists()


def test_folder_of_instances_is_not_the_folder_of_plans(refused, week):
    """Its tables of plans would be taken for stops next time."""
    assert "is a folder of instances" in refused(
        "solve-many", week[0], "-o", week[0], "--vehicles", week[1]
    )


def test_lines_become_a_folder_or_a_table(solve_week, fripn, refused, tmp_path):
    """As solve-many writes it; a table has a row per instance and a column per type."""
    lines = tmp_path / "week.jsonl"
    assert solve_week(output=lines).code == 0
    assert fripn("convert", lines, tmp_path / "folder").code == 0
    assert (tmp_path / "folder" / "2-tuesday.html").is_file()
    assert (tmp_path / "folder" / "index.html").is_file()
    for name in ("week.csv", "week.xlsx"):
        assert fripn("convert", lines, tmp_path / name).code == 0
    rows = list(csv.DictReader(io.StringIO((tmp_path / "week.csv").read_text())))
    assert [row["name"] for row in rows] == list(DAYS)
    for row, line in zip(rows, lines_of(lines), strict=True):
        assert float(row["cost"]) == round(line["cost"], 2)
        used = {key.removesuffix(" used"): int(row[key]) for key in row if key.endswith(" used")}
        assert used == line["vehicles"]
    assert "choose one of .csv, .xlsx" in refused("convert", lines, tmp_path / "week.svg")
    assert "is an input" in refused("convert", lines, lines)


def test_a_changed_day_is_not_shown_with_its_old_plan(solve_week, fripn, week, tmp_path):
    """The plan of another table of stops would be a lie."""
    lines = tmp_path / "week.jsonl"
    solve_week(output=lines)
    path = week[0] / "1-monday.csv"
    path.write_text(path.read_text().replace("Extra", "Changed"))
    assert fripn("convert", lines, tmp_path / "folder").code == 0
    page = (tmp_path / "folder" / "index.html").read_text(encoding="utf-8")
    assert re.search("1-monday.*failed: the file has changed since it was solved", page)
    assert not (tmp_path / "folder" / "1-monday.html").exists()


def test_lines_of_several_settings_are_refused(solve_week, refused, tmp_path):
    """One row per day would hide one of them."""
    lines = tmp_path / "week.jsonl"
    solve_week(output=lines)
    solve_week("--seed", 1, output=lines)
    message = refused("convert", lines, tmp_path / "folder2")
    assert "was solved with several settings; keep the lines of one method" in message
    (tmp_path / "empty.jsonl").write_text("")
    assert "has no lines" in refused("convert", tmp_path / "empty.jsonl", tmp_path / "folder2")


@pytest.fixture
def solve_files(fripn, tmp_path):
    """Return a function that solves small instances in files of these names into a folder."""

    def call(*names):
        for number, name in enumerate(names):
            path = tmp_path / os.fsdecode(name)
            path.parent.mkdir(exist_ok=True)
            write_instance(paper_instance(6, number), path)
        paths = [tmp_path / os.fsdecode(name) for name in names]
        return fripn("solve-many", *paths, "-o", tmp_path / "plans", "-m", "savings", "--jobs", 1)

    return call


def links_of(path):
    page = Links()
    page.feed(path.read_text(encoding="utf-8"))
    return page.found


def test_names_follow_the_order_of_the_call(solve_files, tmp_path, monkeypatch):
    """Not the order in which plans are finished: an earlier page must not show another plan."""
    names = ("b/day.json", "a/day.json", "c/DAY.json", "c/day-2.json")
    wanted = ["day", "day-2", "DAY-3", "day-2-2"]
    assert solve_files(*names).code == 0
    index = tmp_path / "plans" / "index.html"
    first = links_of(index)
    assert first[::3] == [f"{stem}.html" for stem in wanted]
    costs = [(tmp_path / "plans" / f"{stem}.csv").read_bytes() for stem in wanted]

    def reversed_batch(items, *rest, **options):
        return (entry for entry in reversed(list(run_batch(items, *rest, **options))))

    monkeypatch.setattr(batch, "run_batch", reversed_batch)
    assert solve_files(*names).code == 0
    assert links_of(index) == first
    assert [(tmp_path / "plans" / f"{stem}.csv").read_bytes() for stem in wanted] == costs


def test_very_many_equal_names_take_no_time(tmp_path):
    """Long names are cut, so they may be equal."""
    sources = [f"{'x' * 40}{number}" for number in range(3000)]
    began = time.process_time()
    with PlanFolder(tmp_path, Presentation(), open_line, sources) as folder:
        assert folder._stem(sources[-1]) == f"{'x' * 40}-3000"
    assert time.process_time() - began < 5  # it was half a minute


@pytest.mark.parametrize("name", ["con", "NUL", "lpt1"])
def test_names_of_devices_are_not_used(solve_files, tmp_path, name):
    """Windows does not make such files."""
    assert solve_files(f"{name}.json").code == 0
    assert links_of(tmp_path / "plans" / "index.html")[0] == f"{name}-1.html"


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are bytes on Linux alone")
def test_names_that_are_not_utf_8_have_plans(solve_files, fripn, tmp_path):
    """Pages show them escaped; a second call and convert know them."""
    for _ in range(2):
        assert solve_files(b"\xff.json", b"a\xfe.json").code == 0
    assert len(lines_of(tmp_path / "plans" / "lines.jsonl")) == 2
    assert r"\udcff" in (tmp_path / "plans" / "index.html").read_text(encoding="utf-8")
    for target in ("table.csv", "table.xlsx", "again"):
        assert fripn("convert", tmp_path / "plans" / "lines.jsonl", tmp_path / target).code == 0


def test_plans_that_cannot_be_written_are_reported(solve_files, tmp_path):
    """The others are there, and the exit code is that of an error."""
    (tmp_path / "plans" / "a.html").mkdir(parents=True)
    outcome = solve_files("a.json", "b.json")
    assert outcome.code == 2
    assert "1 plan has no report or sheets in" in outcome.err
    page = (tmp_path / "plans" / "index.html").read_text(encoding="utf-8")
    assert "a.html cannot be written: it is a folder" in page
    assert links_of(tmp_path / "plans" / "index.html") == ["b.html", "b-sheets.html", "b.csv"]
