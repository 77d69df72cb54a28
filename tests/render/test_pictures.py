"""Pictures and maps of plans."""

import io
import json
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest

from fripn.errors import InvalidFile, InvalidSolution, MissingExtra, Unsupported
from fripn.problem import Instance, Solution, VehicleType, evaluate, library
from fripn.problem.io import write_solution
from fripn.render import draw_routes, write_plan
from fripn.render.axes import tick_labels


@pytest.fixture
def berlin():
    """Four stops by longitude and latitude."""
    return Instance(
        name="berlin",
        coordinates=[[13.4, 52.5], [13.3, 52.6], [13.5, 52.4], [13.45, 52.55]],
        demands=[0, 1, 2, 1],
        vehicle_types=[VehicleType("van", 2, 10), VehicleType("truck", 4, 15)],
        metric="great_circle",
        stop_names=["hub", "a", "b", "c & d"],
    )


@pytest.fixture
def plan():
    """One vehicle of each type."""
    return Solution.of([(0, [1, 3]), (1, [2])])


def test_geojson(berlin, plan, tmp_path):
    """Lines for routes, points for stops, longitude first."""
    path = tmp_path / "plan.geojson"
    write_plan(berlin, plan, path)
    value = json.loads(path.read_text())
    geometries = [feature["geometry"]["type"] for feature in value["features"]]
    assert value["type"] == "FeatureCollection"
    assert geometries == ["Point", "LineString", "Point", "Point", "LineString", "Point"]
    line = value["features"][1]
    assert line["geometry"]["coordinates"][0] == line["geometry"]["coordinates"][-1] == [13.4, 52.5]
    assert line["properties"]["vehicle_type"] == "van"
    assert line["properties"]["cost"] == evaluate(berlin, plan).routes[0].cost
    assert value["features"][3]["properties"]["name"] == "c & d"
    assert "id" not in value["features"][3]["properties"]
    write_plan(berlin.replace(stop_ids=["h", "7", "5", "9"]), plan, path)
    points = [feature["properties"] for feature in json.loads(path.read_text())["features"]]
    assert [point["id"] for point in points if "id" in point] == ["h", "7", "9", "5"]


def test_geojson_needs_latitudes_and_longitudes(tmp_path):
    """A plane has no place on a map."""
    with pytest.raises(Unsupported, match="no latitudes and longitudes"):
        write_plan(
            library.load("golden-03"),
            library.best_known_solution("golden-03"),
            tmp_path / "plan.geojson",
        )


def test_svg_names_types_counts_loads_and_cost(berlin, plan, tmp_path):
    """Text as it is seen: one legend entry per used type."""
    path = tmp_path / "plan.svg"
    write_plan(berlin, plan, path)
    text = path.read_text()
    ET.fromstring(text)
    assert f"berlin: cost {evaluate(berlin, plan).cost:,.2f}, 2 vehicles" in text
    assert "1 × van  (capacity 2, 100% load factor)" in text
    assert "1 × truck  (capacity 4, 50% load factor)" in text
    write_plan(berlin, plan, path)
    assert path.read_text() == text  # a picture under version control changes with the plan only


def test_png_into_a_buffer():
    """For callers that send the picture elsewhere."""
    buffer = io.BytesIO()
    instance = library.load("golden-20")
    draw_routes(instance, library.best_known_solution("golden-20"), buffer, title="A title")
    assert buffer.getvalue().startswith(b"\x89PNG")


@pytest.mark.parametrize("num_types", [1, 12])
def test_degenerate_pictures(num_types, tmp_path):
    """All stops in one place; more types than colours."""
    count = 12
    types = [VehicleType(f"$\\type_{k}$", 5) for k in range(num_types)]
    instance = Instance("<one & only> $\\x$", [[7, 7]] * (count + 1), [0] + [1] * count, types)
    solution = Solution.of((k % num_types, [k + 1]) for k in range(count))
    write_plan(instance, solution, tmp_path / "plan.svg")
    assert (tmp_path / "plan.svg").stat().st_size > 1000


def test_what_cannot_be_drawn_is_refused(plan, berlin, tmp_path):
    """No coordinates, or an unknown format."""
    instance = berlin.replace(metric="matrix", matrix=berlin.distance_matrix(), coordinates=None)
    with pytest.raises(Unsupported, match="no coordinates"):
        write_plan(instance, plan, tmp_path / "plan.png")
    with pytest.raises(InvalidFile, match="use png or svg"):
        draw_routes(berlin, plan, tmp_path / "plan.pdf")
    assert list(tmp_path.iterdir()) == []


def test_files_of_plans_are_refused_with_a_sentence(plan, berlin, tmp_path):
    """A missing folder, an unknown ending, a plan that breaks a rule, a picture among data."""
    for suffix in (".json", ".svg", ".geojson"):
        with pytest.raises(InvalidFile, match=r"the folder .* does not exist; create it first"):
            write_plan(berlin, plan, tmp_path / "none" / f"a{suffix}")
    with pytest.raises(InvalidFile, match=r"'.pdf', which is not a format for a plan"):
        write_plan(berlin, plan, tmp_path / "a.pdf")
    with pytest.raises(InvalidSolution, match="breaks a rule"):
        write_plan(berlin, Solution.of([(0, [1])]), tmp_path / "a.svg")
    with pytest.raises(InvalidFile, match=r"fripn\.render\.write_plan"):
        write_solution(berlin, plan, tmp_path / "a.svg")
    assert list(tmp_path.iterdir()) == []


def test_svg_needs_no_plotting_library(plan, berlin, tmp_path, monkeypatch):
    """Without matplotlib a PNG is refused with the remedy, and an SVG is drawn."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    write_plan(berlin, plan, tmp_path / "plan.svg")
    with pytest.raises(MissingExtra, match=r"pip install 'fripn\[plot\]', or write \.svg"):
        write_plan(berlin, plan, tmp_path / "plan.png")
    assert [path.name for path in tmp_path.iterdir()] == ["plan.svg"]


def test_command_refuses_a_png_before_solving():
    """The sentence comes at once, with exit code 2."""
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from fripn.cli import main\n"
        "sys.argv = ['fripn', 'solve', 'golden-20', '--time-limit', '50', '--plot', 'a.png']\n"
        "sys.exit(main())"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30)
    assert run.returncode == 2
    assert "fripn[plot]" in run.stderr


def shapes(text, tag):
    return list(ET.fromstring(text).iter(f"{{http://www.w3.org/2000/svg}}{tag}"))


def test_every_stop_and_route_is_in_the_svg(berlin, plan):
    """Dots and lines have tooltips with their names, and lie inside the picture."""
    buffer = io.BytesIO()
    draw_routes(berlin, plan, buffer, picture_format="svg")
    text = buffer.getvalue().decode()
    titles = [title.text for title in shapes(text, "title")]
    assert "c & d, demand 1" in titles
    assert "route 1: van, 2 stops, load 2 of 2" in " ".join(titles)
    width, height = map(float, ET.fromstring(text).attrib["viewBox"].split()[2:])
    dots = [(float(dot.attrib["cx"]), float(dot.attrib["cy"])) for dot in shapes(text, "circle")]
    assert len(dots) == 3 + 2  # customers, and the legend's two types
    assert all(0 < x < width and 0 < y < height for x, y in dots)
    assert {"longitude", "latitude"} <= {label.text for label in shapes(text, "text")}


@pytest.mark.parametrize("spot", [[1e15, -1e15], [0, 0], [1e-9, 3e7]])
def test_stops_in_one_spot_anywhere(spot):
    """The frame stays open and its labels differ, far from the origin too."""
    instance = Instance("spot", [spot] * 3, [0, 1, 1], [VehicleType("van", 5)])
    buffer = io.BytesIO()
    title = "no place for \x01 or \ud800 in XML"
    draw_routes(instance, Solution.of([(0, [1, 2])]), buffer, picture_format="svg", title=title)
    text = buffer.getvalue().decode()
    assert "nan" not in text
    assert "no place for \ufffd or \ufffd in XML" in text
    ticks = [mark.text for mark in shapes(text, "text") if mark.attrib["class"] == "tick"]
    assert len(ticks) >= 4


@pytest.mark.parametrize(
    ("ticks", "labels"),
    [
        ([0.0, 0.5, 1.0], ["0.0", "0.5", "1.0"]),
        ([10.0, 20.0], ["10", "20"]),
        ([2.25, 2.5], ["2.25", "2.50"]),
        ([10_000_001.0, 10_000_002.0], ["10000001", "10000002"]),
        ([1e-7, 2e-7], ["1e-07", "2e-07"]),
        ([3.0], ["3"]),
    ],
)
def test_labels_of_ticks(ticks, labels):
    """Equal decimals, and enough digits to distinguish neighbours."""
    assert tick_labels(ticks) == labels


def test_light_imports_stay_light():
    """Neither the package nor its readers load what only some formats need."""
    heavy = ["matplotlib", "vrplib", "jsonschema", "torch", "highspy", "importlib.resources"]
    code = (
        "import sys, fripn, fripn.problem.io, fripn.problem.library as library\n"
        "library.load('golden-20')\n"
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
