"""Notebook display: pictures and tables that cannot break the page around them."""

from xml.etree import ElementTree

import numpy as np
import pytest

from fripn.problem import Instance, Solution, VehicleType
from fripn.render import write_plan
from fripn.render.report import report_html
from fripn.render.svg import instance_svg, plan_svg, screen_points, type_dash
from fripn.render.text import fleet_text
from fripn.result import Result, Status


def make_instance(**changes):
    fields = {
        "name": "<b>&",
        "coordinates": np.array([[0, 0], [1, 0], [2, 3]], dtype=float),
        "demands": [0, 1, 1],
        "vehicle_types": (VehicleType("<i>", 2), VehicleType("B", 1)),
    } | changes
    return Instance(**fields)


PLAN = Solution.of([(0, (1,)), (1, (2,))])


def test_pictures_are_well_formed():
    """Names with markup stay text, and the XML parses."""
    for picture in (instance_svg(make_instance()), plan_svg(make_instance(), PLAN)):
        root = ElementTree.fromstring(picture)
        assert root.attrib["aria-label"] == "<b>&"


def test_points_keep_aspect_and_stay_inside():
    """North is up, the picture is not stretched, and nothing falls off it."""
    points = screen_points(make_instance(), 300, 200)
    assert (points >= 0).all()
    assert (points <= [300, 200]).all()
    assert points[2, 1] < points[0, 1]
    sides = np.abs(points[2] - points[0])
    assert sides[1] / sides[0] == pytest.approx(1.5)


@pytest.mark.parametrize("spot", [[[5, 5]] * 3, [[0, 0], [1, 0], [2, 0]]])
def test_degenerate_places_can_be_drawn(spot):
    """All stops in one place, or on one line."""
    picture = plan_svg(make_instance(coordinates=np.array(spot, dtype=float)), PLAN)
    ElementTree.fromstring(picture)
    assert "nan" not in picture


def test_longitudes_shrink_towards_the_pole():
    """At 60 degrees a degree of longitude is half as wide as one of latitude."""
    corners = np.array([[0, 59], [2, 61], [2, 59]], dtype=float)
    instance = make_instance(coordinates=corners, metric="great_circle")
    sides = np.abs(np.diff(screen_points(instance, 400, 400)[:2], axis=0))[0]
    assert sides[0] / sides[1] == pytest.approx(0.5, rel=0.03)


def test_matrix_instance_has_a_table_but_no_picture():
    """Without coordinates the display still says what can be hired."""
    instance = make_instance(coordinates=None, metric="matrix", matrix=np.ones((3, 3)))
    html = instance._repr_html_()
    assert "<svg" not in html
    assert "&lt;i&gt;" in html


def test_result_shows_cost_and_fleet():
    """A plan shows its cost; a run without a plan says so."""
    result = Result.from_solution(
        make_instance(), PLAN, method="test", status=Status.FEASIBLE, seconds=1.0
    )
    html = result._repr_html_()
    assert f"cost {result.cost:,.2f}" in html
    assert "<svg" in html
    assert "<b>" not in html
    none = Result.from_solution(
        make_instance(), None, method="test", status=Status.NO_PLAN, seconds=1.0
    )
    assert "no plan" in none._repr_html_()


def test_fleet_text_counts_used_types():
    """Types that are not hired are not mentioned."""
    assert fleet_text(make_instance(), PLAN) == "1 × <i>, 1 × B"
    assert fleet_text(make_instance(), Solution.of([(1, (1,)), (1, (2,))])) == "2 × B"


def test_types_beyond_the_palette_are_dashed():
    """The ninth type repeats a colour, so its line is dashed."""
    assert type_dash(7) == "none"
    assert type_dash(8) != "none"


def test_long_names_are_cut_and_invisible_characters_shown(tmp_path):
    """In notebooks, pictures and pages alike: a file cannot blow up or disguise what we show."""
    odd = "\n\u202e" + "y" * 900
    instance = make_instance(
        name=f"n{odd}",
        vehicle_types=(VehicleType(f"v{odd}", 2), VehicleType("B", 1)),
        stop_names=(f"d{odd}", f"a{odd}", "c"),
    )
    result = Result.from_solution(
        instance, PLAN, method="savings", status=Status.FEASIBLE, seconds=0.1, seed=0
    )
    write_plan(instance, PLAN, tmp_path / "plan.svg")
    shown = [
        result._repr_html_(),
        instance._repr_html_(),
        report_html(result),
        (tmp_path / "plan.svg").read_text(),
    ]
    for text in shown:
        assert "y" * 100 not in text
        assert "\u202e" not in text
