"""Exported files are opened again: they hold the plan, and no cell or name in them can do harm."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from served import ended

from fripn.problem import evaluate
from fripn.problem.io import instance_from_dict, parse_solution

#: Names that a spreadsheet program would run, or a browser.
NAMES = [
    '=HYPERLINK("http://evil.example","x")', "+cmd|' /C calc'!A0", "-2+A1", "@SUM(A1)", "\t=A1",
    "<script>alert(1)</script>", "Café “Zum Löwen” & Söhne",
]  # fmt: skip


@pytest.fixture(scope="module")
def plan(served):
    """Return a finished job with times, places and dangerous names: its status and instance."""
    with served.client() as client:
        document = client.get("/v1/examples/bakery-hours").json()["instance"]
        for customer, name in zip(document["customers"], NAMES, strict=False):
            customer["name"] = name
        body = {"instance": document, "seconds": 0.5}
        status = ended(client, client.post("/v1/jobs", json=body).json()["id"])
        assert status["state"] == "finished"
        return status, document


@pytest.fixture
def export(client, plan):
    """Return the content of an export: ``export("csv")``."""

    def write(form):
        answer = client.post(f"/v1/export/{form}", json={"job": plan[0]["id"], "currency": "€"})
        assert answer.status_code == 200, answer.text
        return answer.content

    return write


def visits(plan):
    """Return the visits of a plan as route and customer."""
    return [
        (number, customer)
        for number, route in enumerate(plan[0]["plan"]["routes"], start=1)
        for customer in route["customers"]
    ]


def test_tables_hold_every_visit_and_no_formula(export, plan):
    """As CSV and as a workbook, with the names as text."""
    calamine = pytest.importorskip("python_calamine")
    lines = [*csv.reader(io.StringIO(export("csv").decode("utf-8-sig")))]
    book = calamine.load_workbook(io.BytesIO(export("xlsx")))
    rows = book.get_sheet_by_index(0).to_python()
    for table in (lines, rows):
        titles = list(map(str, table[0]))
        places = [titles.index(name) for name in ("route", "customer")]
        found = [tuple(int(float(row[place])) for place in places) for row in table[1:]]
        assert [pair for pair in found if pair[1]] == visits(plan)
        names = [str(row[titles.index("name")]) for row in table[1:]]
        assert NAMES[-1] in names
    starts = ("=", "+", "-", "@", "\t", "\r")
    assert [cell for line in lines for cell in line if cell.startswith(starts)] == []
    with zipfile.ZipFile(io.BytesIO(export("xlsx"))) as archive:
        assert archive.testzip() is None
        for name in archive.namelist():
            assert b"<f>" not in archive.read(name)
            assert b"<hyperlink" not in archive.read(name)


@pytest.mark.parametrize("form", ["json", "sol", "csv", "xlsx"])
def test_plans_are_read_again(export, plan, form):
    """With the cost that the service states."""
    instance = instance_from_dict(plan[1])
    content = export(form)
    again = parse_solution(content, form, instance)
    assert evaluate(instance, again).cost == pytest.approx(plan[0]["cost"])


def test_the_problem_is_read_again(client, export, plan):
    """Stops and vehicles as JSON can be imported in the page."""
    files = {"files": ("again.json", export("problem"))}
    checked = client.post("/v1/validate", files=files).json()
    assert checked["ok"]
    assert len(checked["instance"]["customers"]) == plan[0]["stops"]


def test_maps_hold_lines_and_points(export, plan):
    """GeoJSON with every route and stop at its place; GPX in the archive of the sheets."""
    found = json.loads(export("geojson"))
    shapes = [one["geometry"]["type"] for one in found["features"]]
    assert shapes.count("LineString") == len(plan[0]["plan"]["routes"])
    assert shapes.count("Point") == plan[0]["stops"] + 1
    for one in found["features"]:
        if one["geometry"]["type"] == "Point":
            lon, lat = one["geometry"]["coordinates"]
            assert 11 < lon < 14
            assert 50 < lat < 53
    with zipfile.ZipFile(io.BytesIO(export("sheets-zip"))) as archive:
        assert archive.testzip() is None
        tracks = [name for name in archive.namelist() if name.endswith(".gpx")]
        assert len(tracks) == len(plan[0]["plan"]["routes"])
        for name in tracks:
            ElementTree.fromstring(archive.read(name))


class Scripts(HTMLParser):
    """Collects the scripts and what is loaded from elsewhere."""

    def __init__(self):
        super().__init__()
        self.loaded, self.scripts, self.text = [], 0, ""

    def handle_starttag(self, tag, attrs):
        """Note scripts and sources."""
        self.scripts += tag == "script"
        given = dict(attrs)
        self.loaded += [given["src"]] if given.get("src") else []
        self.loaded += [given["href"]] if tag == "link" and given.get("href") else []

    def handle_data(self, data):
        """Collect what is shown."""
        self.text += data


@pytest.mark.parametrize("form", ["html", "sheets"])
def test_pages_load_nothing_and_run_no_name(export, form):
    """The report and the driver sheets work offline, and names are text."""
    content = export(form).decode("utf-8")
    page = Scripts()
    page.feed(content)
    assert [one for one in page.loaded if not one.startswith("data:")] == []
    assert "<script>alert" not in content
    assert NAMES[-1] in page.text
    assert NAMES[5] in page.text or "alert(1)" in page.text


def test_pictures_are_pictures(export):
    """SVG that can be parsed, PNG and PDF with their endings."""
    assert ElementTree.fromstring(export("svg")).tag.endswith("svg")
    assert export("png").endswith(b"IEND\xaeB`\x82")
    assert export("pdf").rstrip().endswith(b"%%EOF")
