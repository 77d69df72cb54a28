"""Instances written as tables: what comes back is the same problem, working day included."""

from __future__ import annotations

import math

import numpy as np
import pytest

from day_instances import PARTS, day_instance, random_plan
from fripn.errors import Unsupported
from fripn.problem import Instance, VehicleType, evaluate
from fripn.problem.io import parse_instance, read_instance, vehicles_path, write_instance
from fripn.problem.io.instance_rows import instance_rows, instance_tables

EVIL = "=HYPERLINK(1)"


@pytest.fixture
def day():
    """Return two customers with windows, access and tags, and two types with all limits."""
    return Instance(
        "day",
        [[0, 0], [3, 4], [6, 8]],
        [0, 2, 3],
        [
            VehicleType(
                "van", 4, 10, 1, shift_start=480, shift_end=1020, speed=0.5, offers=("fridge",)
            ),
            VehicleType(
                "truck", 6, 15, 2, 3, max_duration=480, max_distance=90, max_stops=5,
                cost_per_hour=20, speed=1.0, returns=False,
            ),
        ],
        time_windows=[(), ((480, 720), (840, 1020)), ((-math.inf, 600),)],
        service_times=[0, 15, 7.5],
        allowed_types=[None, (0, 1), (1,)],
        requires=[(), ("fridge",), ()],
        hour=60.0,
        time_unit="min",
    )  # fmt: skip


def test_a_working_day_as_tables(day):
    """Clock times, minutes, hours and kilometres per hour."""
    stops, vehicles = instance_tables(day)
    assert stops == (
        "id,x,y,demand,depot,open,close,time_window,service_min,vehicle_types,requires\n"
        "depot,0.0,0.0,0.0,1,,,,0.0,,\n"
        '1,3.0,4.0,2.0,0,,,"08:00-12:00, 14:00-17:00",15.0,"van, truck",fridge\n'
        "2,6.0,8.0,3.0,0,,10:00,,7.5,truck,\n"
    )
    assert vehicles == (
        "type,capacity,fixed_cost,unit_cost,available,speed_kmh,shift_start,shift_end,max_hours,"
        "max_km,max_stops,cost_per_hour,offers,returns\n"
        "van,4.0,10.0,1.0,,30.0,08:00,17:00,,,,,fridge,\n"
        "truck,6.0,15.0,2.0,3,60.0,,,8.0,90.0,5,20.0,,0\n"
    )
    assert parse_instance(stops, "csv", vehicles=vehicles, name="day") == day


@pytest.mark.parametrize("suffix", [".csv", ".xlsx"])
@pytest.mark.parametrize("seed", range(60))
def test_plans_cost_the_same_after_a_round_trip(seed, suffix, tmp_path):
    """Any combination of parts: equal costs, durations and violations of random plans."""
    rng = np.random.default_rng(seed)
    parts = {part for part in PARTS if rng.random() < 0.5} - {"durations", "matrix"}
    instance = day_instance(seed, 6, parts)
    path = tmp_path / f"day{suffix}"
    try:
        write_instance(instance, path)
    except Unsupported as error:
        assert "several windows without an end" in str(error)  # noqa: PT017
        return
    again = read_instance(path, vehicles=vehicles_path(path) if suffix == ".csv" else None)
    assert again.num_depots == instance.num_depots
    for number in range(5):
        plan = random_plan(instance, np.random.default_rng(number))
        ours, theirs = evaluate(instance, plan), evaluate(again, plan)
        assert theirs.cost == pytest.approx(ours.cost, rel=1e-9, abs=1e-9)
        assert [one.code for one in theirs.violations] == [one.code for one in ours.violations]


@pytest.mark.parametrize("suffix", [".csv", ".xlsx"])
def test_formulas_are_text(suffix, tmp_path):
    """In names, ids, extra columns, their titles, types and tags; all come back as they were."""
    instance = Instance(
        "evil",
        [[0, 0], [3, 4]],
        [0, 2],
        [VehicleType(EVIL, 4, offers=(EVIL,))],
        stop_names=["hub", EVIL],
        stop_ids=["@a", "+49 341 1"],
        extra_columns={EVIL: ("", "-cmd")},
        requires=[(), (EVIL,)],
    )
    path = tmp_path / f"evil{suffix}"
    write_instance(instance, path)
    if suffix == ".csv":
        text = path.read_text("utf-8") + vehicles_path(path).read_text("utf-8")
        cells = [cell for line in text.splitlines() for cell in line.split(",")]
        assert cells.count(f"'{EVIL}") == 5
        assert not any(cell.startswith(("=", "@", "-")) for cell in cells)
        assert "+49 341 1" in cells
        assert read_instance(path, vehicles=vehicles_path(path)) == instance
    else:
        assert read_instance(path) == instance


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"time_windows": [(), ((0.51, 9),), ()]}, "has the time 0.51, not a full minute of a day"),
        ({"time_windows": [(), ((-5, 9),), ()]}, "has the time -5, not a full minute"),
        (
            {"time_windows": [(), ((-math.inf, 9), (20, 30)), ()]},
            "has several windows without an end",
        ),
        ({"durations": np.ones((3, 3)) - np.eye(3)}, "has a matrix of travel times"),
        (
            {
                "demands": [[0, 0], [1, 1], [1, 1]],
                "load_names": ("kg", "m³"),
                "vehicle_types": (VehicleType("a", (9, 9)),),
            },
            "has load dimensions of other letters",
        ),
        (
            {
                "requires": [(), ("a, b",), ()],
                "vehicle_types": (VehicleType("a", 9, offers=("a, b",)),),
            },
            "has names or tags with commas",
        ),
    ],
)
def test_what_tables_cannot_hold_is_refused(change, message):
    """One sentence names it, and a format that can."""
    fleet = (VehicleType("a", 9), VehicleType("b", 9))
    plain = Instance("day", [[0, 0], [3, 4], [6, 8]], [0, 2, 3], fleet)
    with pytest.raises(Unsupported, match=message) as error:
        instance_rows(plain.replace(**change))
    assert str(error.value).endswith("cannot hold; write .json")


def test_long_horizons_are_numbers(day):
    """A clock has three digits of hours; beyond them there are minutes."""
    fleet = [one.replace(shift_start=None, shift_end=None) for one in day.vehicle_types]
    late = day.replace(vehicle_types=fleet, time_windows=[(), ((59_999, 60_000),), ()])
    (header, rows), _ = instance_rows(late)
    assert [rows[1][header.index(title)] for title in ("open", "close")] == ["999:59", 60_000]
    stops, vehicles = instance_tables(late)
    assert parse_instance(stops, "csv", vehicles=vehicles, name="day") == late
