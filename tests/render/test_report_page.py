"""The HTML report: self-contained, complete, and safe whatever the names hold."""

import io
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

from day_instances import day_instance, random_plan
from fripn.errors import InvalidFile
from fripn.problem import Instance, Solution, VehicleType, evaluate
from fripn.render import draw_routes
from fripn.render.axes import nice_ticks
from fripn.render.presentation import Presentation
from fripn.render.report import report_html, write_report
from fripn.render.report.curve import draw_curve
from fripn.render.svg import plan_svg
from fripn.render.text import quantity
from fripn.result import Improvement, Result, Status

EVIL = "</script><img src=x onerror=alert(1)>&'\""


def make_result(*, name="demo", with_map=True, solution=None, **changes):
    coordinates = np.array([[0, 0], [3, 0], [3, 4], [0, 4]], dtype=float)
    instance = Instance(
        name=name,
        coordinates=coordinates if with_map else None,
        matrix=None if with_map else np.ones((4, 4)) - np.eye(4),
        metric="euclidean" if with_map else "matrix",
        demands=[0, 1, 2, 3],
        vehicle_types=(VehicleType(f"van {name}", 3, 10, 1), VehicleType("truck", 6, 15, 2)),
        stop_names=tuple(f"{name} {index}" for index in range(4)),
    )
    if solution is None:
        solution = Solution.of([(0, (1, 2)), (1, (3,))])
    settings = {
        "method": "test",
        "status": Status.FEASIBLE,
        "seconds": 2.0,
        "seed": 7,
        "iterations": 1234,
        "curve": (Improvement(0.01, 60.0), Improvement(1.0, 45.0)),
        "notes": (f"a note {name}",),
    }
    return Result.from_solution(instance, solution, **(settings | changes))


class Outline(HTMLParser):
    """Collects what a browser would load or run, and checks that elements are closed."""

    VOID = frozenset({"meta", "input", "br"})

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.links, self.handlers = [], [], [], []

    def handle_starttag(self, tag, attrs):
        """Note the element."""
        self.tags.append(tag)
        if tag not in self.VOID:
            self.open.append(tag)
        self.links += [value for key, value in attrs if key in ("src", "href", "action")]
        self.handlers += [key for key, _ in attrs if key.startswith("on")]

    def handle_startendtag(self, tag, attrs):
        """Note the element."""
        self.tags.append(tag)

    def handle_endtag(self, tag):
        """Check that it was the one open."""
        assert self.open.pop() == tag


def read_outline(page):
    outline = Outline()
    outline.feed(page)
    assert not outline.open
    return outline


def page_data(page):
    return json.loads(re.search(r'id="data">(.*?)</script>', page, re.S).group(1))


def test_names_never_become_markup():
    """Text from the user is shown as text, in the page and in the embedded data."""
    page = report_html(make_result(name=EVIL))
    outline = read_outline(page)
    assert "img" not in outline.tags
    assert not outline.handlers
    assert outline.tags.count("script") == 2
    assert page_data(page)["names"][1] == f"{EVIL} 1"


def test_page_loads_nothing():
    """No link, source or import leaves the page."""
    page = report_html(make_result(), best_known=40.0)
    assert read_outline(page).links == []
    assert "@import" not in page
    assert "url(" not in page


def test_figures_come_from_the_evaluation():
    """Total, parts and gap agree with `evaluate`."""
    result = make_result()
    page = report_html(result, best_known=result.cost / 1.25)
    evaluation = result.evaluation
    for value in (evaluation.cost, evaluation.fixed_cost, evaluation.travel_cost):
        assert f"<dd>{value:,.2f}<small>" in page
    assert "+25.00 %" in page
    assert "1,234" in page
    assert "no violations" in page


def test_embedded_routes_match_the_plan():
    """The script sees every route with its stops, load and the distance driven so far."""
    result = make_result()
    routes = page_data(report_html(result))["routes"]
    assert [route["stops"] for route in routes] == [[1, 2], [3]]
    assert routes[0]["driven"] == [3, 7]
    assert routes[0]["load"] == 3
    assert routes[1]["fixed_cost"] + routes[1]["travel_cost"] == pytest.approx(15 + 2 * 8)


def test_empty_routes_are_left_out():
    """A vehicle that stays at home does not appear."""
    plan = Solution.of([(0, (1, 2)), (1, (3,))])
    with_empty = Solution((*plan.routes, type(plan.routes[0])(0, ())))
    assert len(page_data(report_html(make_result(solution=with_empty)))["routes"]) == 2


def test_without_coordinates_the_tables_remain():
    """An instance with a matrix alone has no map and says so."""
    page = report_html(make_result(with_map=False))
    outline = read_outline(page)
    assert "canvas" not in outline.tags
    assert "there is no map" in page
    assert "Stops in order" in page


def test_no_plan_gives_a_page_that_says_so():
    """A run without a plan still has a report."""
    result = make_result()
    page = report_html(
        Result.from_solution(
            result.instance, None, method="test", status=Status.NO_PLAN, seconds=1.0, seed=1
        )
    )
    read_outline(page)
    assert "no plan was found" in page


def test_curve_steps_down_over_time():
    """Later improvements lie further right; a run without improvements has no curve."""
    picture = draw_curve(make_result(), best_known=44.0)
    assert picture.points[0]["x"] < picture.points[1]["x"]
    assert "Best known 44.00" in picture.svg
    assert draw_curve(make_result(curve=()), None) is None
    assert "NaN" not in draw_curve(make_result(curve=(Improvement(0.0, 0.0),)), None).svg


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (-3.0, 7.5), (1e9, 1.1e9), (1e-7, 3e-7)])
def test_ticks_lie_within_the_range(low, high):
    """Axis labels are a handful of values inside the picture."""
    ticks = nice_ticks(low, high)
    assert 2 <= len(ticks) <= 7
    assert low <= min(ticks)
    assert max(ticks) <= high


@pytest.mark.parametrize(
    ("value", "text"),
    [(60.0, "60"), (1200.0, "1,200"), (2.5, "2.50"), (0.0, "0"), (0.001, "0.001"), (2e12, "2e+12")],
)
def test_whole_quantities_have_no_decimals(value, text):
    assert quantity(value) == text


def test_file_is_written_whole_or_not_at_all(tmp_path):
    """A page lands in its place complete; a missing folder is named and nothing is left behind."""
    result = make_result()
    write_report(result, tmp_path / "plan.html", title="Monday")
    assert "<h1>Monday</h1>" in (tmp_path / "plan.html").read_text()
    with pytest.raises(InvalidFile, match="does not exist"):
        write_report(result, tmp_path / "nowhere" / "plan.html")
    assert [path.name for path in tmp_path.iterdir()] == ["plan.html"]


def test_stops_are_called_as_their_owner_calls_them():
    """Ids and names stand in the table of routes and on the map; numbers where there are none."""
    result = make_result()
    for changes, label in (
        ({"stop_ids": ["h", "105", "101", "103"]}, "demo 1 (105)"),
        ({"stop_ids": ["h", "105", "101", "103"], "stop_names": None}, "105"),
        ({}, "demo 1"),
    ):
        page = report_html(replace(result, instance=result.instance.replace(**changes)))
        assert page_data(page)["names"][1] == label
        assert f"</b> {label} · " in page
    page = report_html(replace(result, instance=result.instance.replace(stop_names=None)))
    assert page_data(page)["names"] is None
    assert "</b> 1 · 2<" in page


def test_german_page_has_german_texts_and_numbers():
    """Every heading, and decimal commas in every figure; what the script shows comes along."""
    result = make_result()
    page = report_html(result, show=Presentation("de", currency="€", load_unit="kg"))
    read_outline(page)
    assert '<html lang="de">' in page
    for words in ("Gesamtkosten", "Flotte und Kosten", "Touren", "2 Stopps", "keine Verstöße"):
        assert words in page
    for words in ("Total cost", "Fleet and cost", "Routes", "no violations", "Print"):
        assert f">{words}<" not in page
    assert f"{result.cost:.2f}".replace(".", ",") + " €" in page
    data = page_data(page)
    assert data["language"] == "de"
    assert data["words"]["js_driven"].startswith("bisher")
    assert data["units"] == {"money": "€", "load": "kg", "distance": ""}


def test_head_names_title_day_and_files():
    """They are shown as text; the day the page was made only where it is given."""
    show = Presentation(
        title="Tour <1>", date="23 Nov", made_on="2026-11-18", sources=("a&b.csv", "v.csv")
    )
    page = report_html(make_result(), show=show)
    assert "<h1>Tour &lt;1&gt;</h1>" in page
    assert "<strong>23 Nov</strong> · Source files: a&amp;b.csv, v.csv" in page
    assert "on 2026-11-18." in page
    assert " on " not in re.search("<footer>(.*?)</footer>", report_html(make_result())).group(1)


def test_same_result_gives_the_same_bytes():
    """No clock and no chance in the page."""
    assert report_html(make_result()) == report_html(make_result())


def test_run_says_how_long_it_searched_and_when_it_found_the_plan():
    """The time of the last improvement beside the time of the run; nothing for a plan of a file."""
    assert "searched 2.0 s, found after 1.0 s" in report_html(make_result())
    page = report_html(make_result(seconds=0.0, curve=()))
    assert "searched" not in page
    assert "Iterations" not in page


def test_routes_of_a_type_have_shades_and_a_switch_changes_that():
    """By default two routes of a type differ; by type they are equal; by route all differ."""
    plan = Solution.of([(0, (1,)), (0, (2,)), (1, (3,))])
    shown = {}
    for colours in ("shade", "type", "route"):
        page = report_html(make_result(solution=plan), show=Presentation(colours=colours))
        shown[colours] = [route["colour"][0] for route in page_data(page)["routes"]]
    assert len(set(shown["shade"])) == 3
    assert shown["type"][0] == shown["type"][1] != shown["type"][2]
    assert len(set(shown["route"])) == 3


def test_printed_map_has_numbers_and_arrows():
    """One number per stop in the order of the visits, and one arrowhead per long arc."""
    page = report_html(make_result())
    shapes = re.findall(r'<g class="route rc".*?</g>', page, re.S)
    assert [re.findall(r">(\d+)</text>", shape) for shape in shapes] == [["1", "2"], ["1"]]
    arrows = [re.search('class="arrows" d="(.*?)"', shape).group(1) for shape in shapes]
    assert [path.count("M") for path in arrows] == [3, 2]


def test_cells_know_their_titles():
    """A narrow page shows rows as cards, with the title beside each value."""
    page = report_html(make_result())
    for title in ("Load", "Distance", "Cost", "Load factor"):
        assert f'data-label="{title}"' in page


def day_result(**changes):
    """Return a plan with times: two routes from two depots, one of which does not return."""
    instance = Instance(
        name="day",
        coordinates=[[0, 0], [3, 0], [3, 4], [0, 4], [9, 9]],
        demands=[[0, 0], [1, 2], [2, 1], [3, 0]],
        vehicle_types=(
            VehicleType("van", (5, 5), 10, 1, cost_per_hour=12, shift_start=480, shift_end=1080),
            VehicleType("truck", (6, 6), 15, 2, depot=1, returns=False),
        ),
        num_depots=2,
        service_times=[0, 10, 20, 30, 0],
        time_windows=[None, ((500, 520),), ((600, 700),), None, None],
        time_unit="min",
        hour=60,
        load_names=("kg", "m³"),
    )
    plan = Solution.of([(0, (1, 2)), (1, (3,))])
    settings = {"method": "test", "status": Status.FEASIBLE, "seconds": 1.0} | changes
    return Result.from_solution(instance, plan, **settings)


def test_times_have_a_timeline():
    """A bar per service at its hour, waiting before it, and the hours of every route."""
    result = day_result()
    page = report_html(result)
    read_outline(page)
    timeline = re.search(r'<svg id="timeline".*?</svg>', page, re.S).group()
    assert timeline.count('class="serve"') == 3
    assert timeline.count('class="wait"') == 1
    assert ">9:00</text>" in timeline
    schedule = result.evaluation.routes[0].schedule
    hours = [Presentation().clock(t, result.instance) for t in (schedule.departure, schedule.end)]
    assert f'data-label="Time">{" – ".join(hours)}</td>' in page
    assert "8:40 1 · 10:00 2</td>" in page
    assert 'data-label="Cost of time"' in page
    assert "3 kg, 3 m³" in page
    assert "Timeline" not in report_html(make_result())


def test_depots_and_open_routes_are_drawn():
    """Every depot has its square, and a route that does not return has one arc to its depot."""
    page = report_html(day_result())
    data = page_data(page)
    assert data["depots"] == [0, 4]
    assert [route["tour"] for route in data["routes"]] == [[0, 1, 2, 0], [4, 3]]
    assert data["routes"][0]["times"][1] == "10:00"
    arcs = re.findall(r'class="depot-arcs" d="(.*?)"', page)
    assert [path.count("M") for path in arcs] == [2, 1]
    assert re.search(r'class="depot" d="(.*?)"', page).group(1).count("M") == 2


def test_names_in_the_timeline_are_text():
    """Tooltips and labels too."""
    result = day_result()
    named = result.instance.replace(
        stop_names=[f"{EVIL}{stop}" for stop in range(5)],
        vehicle_types=tuple(
            vehicle.replace(name=f"{EVIL}{vehicle.name}")
            for vehicle in result.instance.vehicle_types
        ),
    )
    page = report_html(replace(result, instance=named))
    assert "img" not in read_outline(page).tags


@pytest.mark.parametrize("seed", range(15))
def test_any_working_day_can_be_shown(seed):
    """Whatever the day uses, the page is complete; so are pictures and maps."""
    instance = day_instance(seed, 8)
    plan = random_plan(instance, seed)
    result = Result(instance, "test", plan, evaluate(instance, plan), Status.FEASIBLE, 1.0)
    read_outline(report_html(result, show=Presentation("de")))
    if instance.coordinates is not None:
        draw_routes(instance, plan, io.BytesIO(), picture_format="svg")
        plan_svg(instance, plan)
    instance._repr_html_()
