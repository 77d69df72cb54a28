"""Pictures, GeoJSON and reports of plans with several depots, hours, open routes and loads."""

from __future__ import annotations

import io
import json
import re
import xml.etree.ElementTree as ET

import pytest

from day_instances import day_instance
from fripn.errors import InvalidFile, Unsupported
from fripn.problem import Instance, Solution, VehicleType, evaluate
from fripn.render import draw_timeline, write_plan
from fripn.render.geojson import solution_to_geojson
from fripn.render.report.page import report_html
from fripn.render.svg import depot_arcs_data, instance_svg, plan_svg, screen_points
from fripn.result import Result, Status


@pytest.fixture
def two_depots():
    """Two depots on a map, the vehicles of the second do not return; two loads, paid hours."""
    return Instance(
        name="two depots",
        coordinates=[[8.0, 50.0], [8.1, 50.1], [8.2, 50.2], [8.3, 50.3]],
        demands=[[0, 0], [3, 1], [4, 2]],
        vehicle_types=(
            VehicleType("van", (9, 9), cost_per_hour=30, speed=50),
            VehicleType("bike", (9, 9), depot=1, returns=False, speed=15),
        ),
        metric="great_circle",
        num_depots=2,
        service_times=[0, 0.2, 0.1, 0],
    )


PLAN = Solution.of([(0, [1]), (1, [2])])


def test_geojson_starts_at_the_own_depot_and_has_times(two_depots):
    """Open routes end at their last customer; stops and routes have times."""
    evaluation = evaluate(two_depots, PLAN)
    features = solution_to_geojson(two_depots, PLAN, evaluation)["features"]
    lines = [one for one in features if one["geometry"]["type"] == "LineString"]
    assert lines[0]["geometry"]["coordinates"] == [[8.0, 50.0], [8.1, 50.1], [8.0, 50.0]]
    assert lines[1]["geometry"]["coordinates"] == [[8.3, 50.3], [8.2, 50.2]]
    schedule = evaluation.routes[1].schedule
    assert lines[1]["properties"]["end"] == schedule.end
    points = {one["properties"]["stop"]: one for one in features if one not in lines}
    assert points[3]["geometry"]["coordinates"] == [8.3, 50.3]
    assert points[2]["properties"]["arrival"] == schedule.visits[0].arrival
    assert points[2]["properties"]["demand"] == [4, 2]
    json.dumps(features, allow_nan=False)


def test_pictures_have_all_depots_and_the_right_arcs(two_depots, tmp_path):
    """Each route is joined to its own depot, an open one only at its start."""
    points = screen_points(two_depots, 480, 360)
    closed, opened = (
        depot_arcs_data(points, two_depots.tour(route.vehicle_type, route.customers))
        for route in PLAN.routes
    )
    assert (closed.count("M"), opened.count("M")) == (2, 1)
    assert opened.startswith(f"M{points[3][0]:.2f} {points[3][1]:.2f}L")
    for picture in (instance_svg(two_depots), plan_svg(two_depots, PLAN)):
        assert re.search(r'd="(M[^"]*h0){2}" stroke="#1a1d23"', picture)
    write_plan(two_depots, PLAN, tmp_path / "plan.svg")
    text = (tmp_path / "plan.svg").read_text(encoding="utf-8")
    assert text.count('width="16" height="16"') == 2
    assert "demand 4" in text


@pytest.mark.parametrize("seed", range(12))
def test_every_format_can_be_written(seed, tmp_path):
    """Whatever a working day uses, files of plans are written or refused in a sentence."""
    instance = day_instance(seed, 6)
    best = []
    for customer in range(1, 7):
        for k in range(instance.num_types):
            alone = evaluate(instance, Solution.of([(k, [customer])]))
            if not any(violation.route for violation in alone.violations):
                best.append((k, [customer]))
                break
    plan = Solution.of(best)
    if not evaluate(instance, plan).is_feasible:
        pytest.skip("the fleet is too small for a vehicle per customer")
    for suffix in (".json", ".csv", ".svg"):
        write_plan(instance, plan, tmp_path / f"plan{suffix}")
        assert (tmp_path / f"plan{suffix}").stat().st_size > 100


def test_load_factors_where_a_vehicle_carries_none_of_one_load():
    """The report counts the loads that a vehicle has room for, and takes the fullest one."""
    instance = Instance(
        name="loads",
        coordinates=[[0, 0], [3, 4], [0, 8]],
        demands=[[0, 0], [3, 0], [1, 5]],
        vehicle_types=(VehicleType("bike", (4, 0)), VehicleType("van", (10, 10))),
        load_names=("kg", "pallets"),
    )
    plan = Solution.of([(0, [1]), (1, [2])])
    assert evaluate(instance, plan).load_factor == 0.5  # 5 of 10 pallets; 4 of 14 kg
    result = Result.from_solution(
        instance, plan, method="by hand", status=Status.FEASIBLE, seconds=0.0
    )
    page = report_html(result)
    assert "75 %" in page
    assert '"load":"3 kg, 0 pallets","capacity":"4 kg, 0 pallets","share":0.75' in page


def test_timeline_as_a_picture(two_depots, tmp_path):
    """A row per route with driving, waiting and services; times of day where the unit is known."""
    instance = two_depots.replace(
        time_unit="h", time_windows=[(), ((9.0, 9.5),), ((7.0, 12.0),), ()]
    )
    result = Result.from_solution(
        instance, PLAN, method="by hand", status=Status.FEASIBLE, seconds=0.0
    )
    text = result.timeline(tmp_path / "times.svg")
    assert (tmp_path / "times.svg").read_text(encoding="utf-8") == text
    root = ET.fromstring(text)
    titles = [one.text for one in root.iter("{http://www.w3.org/2000/svg}title")]
    schedule = evaluate(instance, PLAN).routes[0].schedule
    assert schedule.visits[0].start == 9.0
    assert "1 · 1: service 9:00 – 9:12" in titles
    assert {"1 · van", "2 · bike"} <= {one.text for one in root}.union(
        one.text for one in root.iter("{http://www.w3.org/2000/svg}text")
    )
    buffer = io.BytesIO()
    draw_timeline(instance, PLAN, buffer)
    assert buffer.getvalue().startswith(b"\x89PNG")
    waits = instance.replace(time_windows=[((8.0, 12.0),), ((9.0, 9.5),), ((11.0, 12.0),), ()])
    draw_timeline(waits, Solution.of([(0, [1, 2])]), tmp_path / "waits.svg")
    assert "waiting" in (tmp_path / "waits.svg").read_text(encoding="utf-8")


def test_no_timeline_without_times(tmp_path):
    """An instance of loads alone is refused, with what would give it times."""
    instance = Instance("loads", [[0, 0], [1, 1]], [0, 1], [VehicleType("van", 2)])
    with pytest.raises(Unsupported, match="loads has no times"):
        draw_timeline(instance, Solution.of([(0, [1])]), tmp_path / "times.svg")
    with pytest.raises(InvalidFile, match="use png or svg"):
        draw_timeline(instance, Solution.of([(0, [1])]), tmp_path / "times.gif")
