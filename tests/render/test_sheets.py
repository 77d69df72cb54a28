"""Driver sheets: one page per vehicle, complete and safe, on paper and on a phone."""

import html
import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from day_instances import day_instance, random_plan
from fripn.errors import InvalidFile, InvalidSolution, MissingExtra, Unsupported
from fripn.problem import Instance, Route, Solution, VehicleType, evaluate
from fripn.render.presentation import Presentation
from fripn.render.sheets import route_gpx, route_sheets, sheets_html, write_sheets
from fripn.render.sheets.links import MAX_WAYPOINTS, route_links

EVIL = '"><script>alert(1)</script>'
GERMAN = Presentation("de", load_unit="kg", title="Montag", date="23.11.2026")


@pytest.fixture
def city():
    """Four stops in Leipzig, with what a planner's table says about them."""
    return Instance(
        name="city",
        coordinates=[[12.37, 51.34], [12.40, 51.35], [12.35, 51.30], [12.30, 51.33]],
        demands=[0, 10, 20, 5.5],
        vehicle_types=[VehicleType("Sprinter", 40, 50), VehicleType("Caddy", 20, 30)],
        metric="great_circle",
        stop_names=["Lager", "Müller", "Groß & Łukasz", "Café"],
        stop_ids=["H", "K1", "K2", "K3"],
        extra_columns={"Telefon": ("", "0341 1", "", "0341 3"), "Straße": ("", "Weg 1", "", "")},
    )


@pytest.fixture
def plan():
    """Two vehicles."""
    return Solution.of([(0, [2, 1]), (1, [3])])


def sheets_of(instance, plan, show=GERMAN):
    return route_sheets(instance, plan, evaluate(instance, plan), show)


def test_sheet_holds_what_a_driver_needs(city, plan):
    """Number, name, id, further columns, load and distance so far; the depot at both ends."""
    first, second = sheets_of(city, plan)
    assert (first.number, first.count, first.vehicle) == (1, 2, "Sprinter")
    assert (first.stops, first.load) == ("2 Stopps", "30 kg von 40 kg")
    assert [row.position for row in first.rows] == [0, 1, 2, 0]
    assert [row.name for row in first.rows] == [
        "Start: Lager", "Groß & Łukasz", "Müller", "zurück: Lager",
    ]  # fmt: skip
    assert first.rows[2].own_id == "K1"
    assert first.rows[2].details == (("Telefon", "0341 1"), ("Straße", "Weg 1"))
    assert first.rows[1].details == ()
    assert [row.load for row in first.rows] == ["", "20 kg", "10 kg", ""]
    total = evaluate(city, plan).routes[0].distance
    assert first.rows[0].distance == "0,0 km"
    assert first.rows[-1].distance == first.distance == f"{total:.1f} km".replace(".", ",")
    assert second.stops == "1 Stopp"


def test_a_vehicle_that_stays_at_home_has_no_sheet(city, plan):
    routes = (*plan.routes, type(plan.routes[0])(0, ()))
    assert len(sheets_of(city, Solution(routes))) == 2


def test_links_open_the_stop_and_the_route(city, plan):
    """Latitude first; every stop of the route, in order, in one link."""
    sheet = sheets_of(city, plan)[0]
    assert sheet.rows[1].map_link.endswith("query=51.300000%2C12.350000")
    (link,) = sheet.links
    assert "origin=51.340000%2C12.370000&destination=51.340000%2C12.370000" in link.address
    assert link.address.endswith("waypoints=51.300000%2C12.350000%7C51.350000%2C12.400000")


@pytest.mark.parametrize(
    ("maps", "stop", "route"),
    [
        (
            "osm",
            "https://www.openstreetmap.org/?mlat=51.300000&mlon=12.350000#map=17/51.300000/12.350000",
            None,
        ),
        (
            "apple",
            "https://maps.apple.com/?ll=51.300000%2C12.350000&q=",
            "https://maps.apple.com/directions?mode=driving&source=51.340000%2C12.370000"
            "&waypoint=51.300000%2C12.350000&waypoint=51.350000%2C12.400000"
            "&destination=51.340000%2C12.370000",
        ),
        ("geo", "geo:51.300000,12.350000?q=51.300000,12.350000", None),
    ],
)
def test_links_of_other_map_applications(city, plan, maps, stop, route):
    """Stops in all of them, routes in those that take places on the way."""
    sheet = sheets_of(city, plan, Presentation(map_links=maps))[0]
    assert sheet.rows[1].map_link.startswith(stop)
    assert [link.address for link in sheet.links] == ([] if route is None else [route])
    if maps == "apple":
        assert sheet.rows[1].map_link.endswith("&q=Gro%C3%9F%20%26%20%C5%81ukasz")
    assert html.escape(stop) in sheets_html([sheet], "city", Presentation(map_links=maps))


@pytest.mark.parametrize("count", [1, 8, 9, 10, 11, 25, 40])
def test_long_routes_have_links_in_parts(count):
    """No part has more places than the application takes, and together they visit every stop."""
    instance = Instance(
        "long",
        [[10 + index / 100, 50] for index in range(count + 1)],
        [0] + [1] * count,
        [VehicleType("van", 100)],
        "great_circle",
    )
    links = route_links(instance, Route(0, tuple(range(1, count + 1))))
    places = []
    for link in links:
        found = re.findall(r"50\.000000%2C(\d+\.\d+)", link.address)
        between = found[2:]
        assert len(between) <= MAX_WAYPOINTS
        path = [found[0], *between, found[1]]
        assert not places or places[-1] == path[0]
        places += path if not places else path[1:]
    assert places == [f"{10 + stop / 100:.6f}" for stop in (0, *range(1, count + 1), 0)]
    assert links[0].first == 1
    assert links[-1].last == count


def test_names_never_become_markup(city, plan):
    """Text from the user is shown as text; there is no script at all."""
    evil = city.replace(
        name=EVIL,
        stop_names=[f"{EVIL}{index}" for index in range(4)],
        extra_columns={EVIL: (EVIL,) * 4},
        vehicle_types=[VehicleType(EVIL, 40, 50), VehicleType("b", 20)],
    )
    page = sheets_html(sheets_of(evil, plan), EVIL, replace(GERMAN, date=EVIL))
    assert "<script" not in page
    assert "&lt;script" in page


def test_page_has_one_section_per_vehicle_and_loads_nothing(city, plan):
    page = sheets_html(sheets_of(city, plan), "Montag", GERMAN)
    assert page.count('<section class="sheet">') == 2
    assert page.count('type="checkbox"') == 3
    assert "break-after: page" in page
    assert not re.search(r"<(img|link|script|iframe)|@import|url\(", page)


def test_folder_has_a_page_and_a_gpx_file_per_vehicle(city, plan, tmp_path):
    """And one page with all of them; sheets of an earlier plan with more routes disappear."""
    folder = tmp_path / "sheets"
    write_sheets(city, Solution.of([(0, [2]), (0, [1]), (1, [3])]), folder, GERMAN)
    (folder / "04-notes.html").write_text("mine")
    write_sheets(city, plan, folder, GERMAN)
    assert sorted(path.name for path in folder.iterdir()) == [
        "01-Sprinter.gpx", "01-Sprinter.html", "02-Caddy.gpx", "02-Caddy.html", "04-notes.html",
        "sheets.html",
    ]  # fmt: skip
    own = (folder / "02-Caddy.html").read_text(encoding="utf-8")
    assert "Café" in own
    assert "Müller" not in own


def test_gpx_is_xml_with_every_stop(city, plan):
    """Longitudes and latitudes in their attributes; names and further columns as text."""
    evil = city.replace(stop_names=["Lager", EVIL, "Groß & Łukasz", "Café"])
    root = ET.fromstring(route_gpx(evil, plan.routes[0], EVIL).encode())
    space = "{http://www.topografix.com/GPX/1/1}"
    points = root.findall(f"{space}rte/{space}rtept")
    assert [point.get("lat") for point in points] == [
        "51.340000", "51.300000", "51.350000", "51.340000",
    ]  # fmt: skip
    assert points[2].find(f"{space}name").text == f"2 {EVIL} (K1)"
    assert points[2].find(f"{space}desc").text == "Telefon: 0341 1\nStraße: Weg 1"


def test_without_a_map_there_are_no_links(city, plan, tmp_path):
    """A plane has no place on Earth: no GPX, no links, but sheets."""
    plane = city.replace(metric="euclidean")
    assert all(row.map_link is None for row in sheets_of(plane, plan)[0].rows)
    write_sheets(plane, plan, tmp_path / "sheets", GERMAN)
    assert not list((tmp_path / "sheets").glob("*.gpx"))
    assert "https://" not in (tmp_path / "sheets" / "sheets.html").read_text(encoding="utf-8")
    with pytest.raises(Unsupported, match="no latitudes and longitudes"):
        route_gpx(plane, plan.routes[0], "x")


def test_pdf_has_a_page_per_vehicle_and_every_letter(city, plan, tmp_path):
    """Umlauts, ß and ł are in the font; the same plan gives the same bytes."""
    pytest.importorskip("fpdf")
    path = tmp_path / "sheets.pdf"
    write_sheets(city, plan, path, GERMAN)
    content = path.read_bytes()
    assert content.startswith(b"%PDF-")
    assert len(re.findall(rb"/Type /Page\b", content)) == 2
    assert content.count(b"/URI (https://www.google.com/maps/search") == 7
    write_sheets(city, plan, path, GERMAN)
    assert path.read_bytes() == content


def test_a_long_route_takes_several_pages(tmp_path):
    """Cells of a thousand characters are no reason to lose one either."""
    pytest.importorskip("fpdf")
    instance = Instance(
        "long",
        [[index, 0] for index in range(61)],
        [0] + [1] * 60,
        [VehicleType("van", 100)],
        extra_columns={f"c{number}": ("w" * 1000,) * 61 for number in range(3)},
    )
    write_sheets(instance, Solution.of([(0, range(1, 61))]), tmp_path / "s.pdf")
    assert len(re.findall(rb"/Type /Page\b", (tmp_path / "s.pdf").read_bytes())) > 10


def test_letters_that_the_pdf_lacks_are_refused(city, plan, tmp_path):
    """One sentence with the letter, and the format that has it."""
    pytest.importorskip("fpdf")
    names = ["Lager", "Müller", "東京", "Café"]
    instance = city.replace(stop_names=names)
    with pytest.raises(
        Unsupported, match=r"no '東' \(U\+6771\), which .*東京.* needs; write .*html"
    ):
        write_sheets(instance, plan, tmp_path / "sheets.pdf")
    write_sheets(instance, plan, tmp_path / "sheets.html")
    assert "東京" in (tmp_path / "sheets.html").read_text(encoding="utf-8")


def test_pdf_without_its_library_is_refused(city, plan, tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"fripn\[sheets\]"):
        write_sheets(city, plan, tmp_path / "sheets.pdf")


def test_wrong_targets_and_plans_are_refused(city, plan, tmp_path):
    with pytest.raises(InvalidFile, match="not a format for driver sheets"):
        write_sheets(city, plan, tmp_path / "sheets.doc")
    with pytest.raises(InvalidSolution, match="not visited"):
        write_sheets(city, Solution.of([(0, [1])]), tmp_path / "sheets.html")
    with pytest.raises(InvalidFile, match="cannot be written"):
        write_sheets(city, plan, tmp_path / "nowhere" / "sheets")
    assert list(tmp_path.iterdir()) == []


def test_times_stand_on_the_sheet(city, plan, tmp_path):
    """Departure, start of every service and return, as times of the day."""
    day = city.replace(
        service_times=[0, 10, 20, 5],
        time_windows=[((480, 1080),), None, ((540, 600),), None],
        time_unit="min",
        hour=60,
    )
    first = sheets_of(day, plan)[0]
    assert first.has_times
    assert first.rows[1].time == "9:00"
    departure, start = (first.rows[place].time for place in (0, 1))
    assert departure < start
    schedule = evaluate(day, plan).routes[0].schedule
    minutes = round(schedule.end)
    assert first.rows[-1].time == f"{minutes // 60}:{minutes % 60:02d}"
    page = sheets_html([first], "x", GERMAN)
    assert '<td class="time" data-label="Zeit">9:00</td>' in page
    pytest.importorskip("fpdf")
    write_sheets(day, plan, tmp_path / "s.pdf", GERMAN)


@pytest.mark.parametrize("seed", range(20))
def test_sheets_of_any_working_day(seed):
    """Several depots, routes that do not return, several loads: a row per visit."""
    instance = day_instance(seed, 9)
    plan = random_plan(instance, seed)
    for sheet, route in zip(sheets_of(instance, plan), plan.routes, strict=True):
        assert len(sheet.rows) == len(instance.tour(route.vehicle_type, route.customers))
        assert sheet.has_times == instance.has_schedule
