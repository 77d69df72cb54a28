"""A working day as JSON, version 2: what is written comes back, and mistakes are named."""

import json
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fripn
from day_instances import day_instance, random_plan
from fripn.errors import InvalidInput
from fripn.problem import evaluate
from fripn.problem.io import (
    instance_from_dict,
    instance_to_dict,
    solution_from_dict,
    solution_to_dict,
)

SCHEMAS_OF_A_DAY = {
    name: json.loads(
        (Path(fripn.__file__).parent / "data" / "schema" / f"{name}.schema.json").read_text()
    )
    for name in ("instance-2", "solution-2")
}


def through_json(value, schema):
    """Return the value as read from a file that follows the schema."""
    value = json.loads(json.dumps(value, allow_nan=False))
    jsonschema.Draft202012Validator(SCHEMAS_OF_A_DAY[schema]).validate(value)
    return value


@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 10**9), size=st.integers(1, 8))
def test_round_trip(seed, size):
    """Instance and plan come back exactly, and follow the published schemas."""
    instance = day_instance(seed, size)
    value = instance_to_dict(instance)
    if value["version"] == 1:
        assert not instance.uses_working_day
        return
    assert instance_from_dict(through_json(value, "instance-2")) == instance
    plan = random_plan(instance, seed)
    written = solution_to_dict(instance, plan, evaluate(instance, plan))
    assert solution_from_dict(through_json(written, "solution-2"), instance) == plan


DAY = {
    "format": "fripn-instance",
    "version": 2,
    "time_unit": "min",
    "distance_unit": "km",
    "load_names": ["kg", "pallets"],
    "depot": {"id": "north", "x": 0, "y": 0, "time_windows": [[480, 1080]]},
    "customers": [
        {
            "id": "ann", "x": 3, "y": 4, "demand": [20, 1], "service_time": 10,
            "time_windows": [[540, 600], [840, None]], "requires": ["lift"],
        },
        {"id": "bob", "x": 0, "y": 8, "demand": [5, 1], "allowed_types": ["van"]},
    ],
    "other_depots": [{"id": "south", "x": 0, "y": 9}],
    "vehicle_types": [
        {
            "name": "van", "capacity": [100, 3], "cost_per_hour": 30, "shift_start": 480,
            "shift_end": 960, "offers": ["lift"], "depot": "south",
        },
        {"name": "bike", "capacity": [20, 1], "max_distance": 30, "max_stops": 5, "speed": 0.5},
    ],
}  # fmt: skip


def changed(path, value):
    """Return the file with one value changed; None removes it."""
    copy = json.loads(json.dumps(DAY))
    *parents, last = path
    inner = copy
    for key in parents:
        inner = inner[key]
    inner[last] = value
    return copy


def test_a_planners_file():
    """Units, windows, tags, depots by id, and hours from the unit of time."""
    instance = instance_from_dict(DAY)
    assert instance.hour == 60
    assert instance.num_depots == 2
    assert [vehicle.depot for vehicle in instance.vehicle_types] == [1, 0]
    assert instance.time_windows[1] == ((540, 600), (840, float("inf")))
    assert instance.allowed_types == (None, None, (0,))
    assert instance.requires == ((), ("lift",), ())
    assert instance_from_dict(instance_to_dict(instance)) == instance


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("version",), 3, '"version" is 3; this release reads version 1 and 2'),
        (("version",), 1, "the instance has the unknown key 'time_unit'"),
        (("vehicle_types", 0, "speed"), None, "'speed' of vehicle type 1 is None; give a number"),
        (("hour",), 1, "the time unit is 'min', of which an hour has 60, but hour is 1"),
        (("customers", 0, "time_windows"), [[600, 540]], "customer 1 .* opens at 600 and closes"),
        (("customers", 0, "time_windows"), [[600]], "time window 1 of customer 1 is .*; give"),
        (("customers", 0, "time_windows"), [["8:00", 9]], "time window 1 of customer 1 is '8:00'"),
        (("customers", 0, "requires"), ["fridge"], "van does not offer 'fridge'"),
        (("customers", 0, "requires"), "lift", "'requires' of customer 1 is 'lift'; give a list"),
        (("customers", 1, "allowed_types"), ["vans"], "allows the vehicle type 'vans', .* 'van'"),
        (("customers", 1, "demand"), 5, "demands with different numbers of loads"),
        (("customers", 1, "demand"), [5, "x"], "'demand' of customer 2, load 2 is 'x'"),
        (("customers", 1, "service_time"), -1, "customer 2 .* has the service time -1"),
        (("depot", "service_time"), 5, "the depot has the unknown key 'service_time'"),
        (("other_depots", 0, "y"), None, "'y' of other depot 1 is None; give a number"),
        (("vehicle_types", 0, "depot"), "sout", "'depot' of vehicle type 1 is 'sout'; did you"),
        (("vehicle_types", 0, "depot"), 4, "'van' starts from depot 4, but the depots are 0 to 1"),
        (("vehicle_types", 0, "returns"), "no", "'returns' of vehicle type 1 is 'no'; give true"),
        (("vehicle_types", 0, "shift_end"), 400, "starts at 480 and ends at 400, before it starts"),
        (("vehicle_types", 1, "max_stops"), 1.5, "'max_stops' of vehicle type 2 is 1.5"),
        (("durations",), [[0, 1], [1, 0]], r"durations has shape \(2, 2\), but 4 stops"),
        (("durations",), [[0, 1], [1]], "row 1 of the durations has 1 entries"),
        (("load_names",), ["kg"], "1 load names are given for 2 load dimensions"),
    ],
)
def test_mistakes_are_named(path, value, message):
    """Place, value and remedy in one sentence."""
    with pytest.raises(InvalidInput, match=message) as caught:
        instance_from_dict(changed(path, value))
    assert caught.value.remedy


def test_plain_instances_stay_version_1(tmp_path):
    """Without a working day nothing in the file changes."""
    instance = day_instance(5, 4, {"limited"}).replace(hour=1)
    assert instance_to_dict(instance)["version"] == 1
    plan = random_plan(instance, 1)
    written = solution_to_dict(instance, plan, evaluate(instance, plan))
    assert written["version"] == 1
    assert "duration" not in written
    assert "schedule" not in written["routes"][0]
