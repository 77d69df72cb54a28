"""What is written is read back, for every format and every instance it can hold."""

import json
import re
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import instances, valid_solutions

import fripn
from fripn.errors import InvalidInput, InvalidSolution, Unsupported
from fripn.problem import Solution, evaluate, library
from fripn.problem.io import (
    instance_from_dict,
    instance_to_dict,
    read_instance,
    read_solution,
    solution_from_dict,
    solution_to_dict,
    vehicles_path,
    write_instance,
    write_solution,
)

SCHEMAS = {
    name: json.loads(
        (Path(fripn.__file__).parent / "data" / "schema" / f"{name}.schema.json").read_text()
    )
    for name in ("instance", "solution")
}

# the folder is shared by all examples of a test, and each overwrites the files of the one before
shared_folder = settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def validate(value, schema):
    jsonschema.Draft202012Validator(SCHEMAS[schema]).validate(json.loads(json.dumps(value)))


@shared_folder
@given(instances())
def test_json_instance(tmp_path, instance):
    """Exactly the same instance comes back, and the file follows the published schema."""
    path = tmp_path / "a.json"
    write_instance(instance, path)
    validate(json.loads(path.read_text(encoding="utf-8")), "instance")
    assert read_instance(path) == instance
    assert instance_from_dict(instance_to_dict(instance)) == instance


def test_json_keeps_extra_columns_and_maps():
    """Their order, and columns in which all stops are empty, too."""
    instance = library.load("golden-03")
    texts = tuple(f"street {k}" if k % 3 else "" for k in range(21))
    kept = instance.replace(
        metric="matrix",
        matrix=instance.distance_matrix(),
        has_map=True,
        extra_columns={"Z": texts, "A": ("",) * 21},
    )
    value = instance_to_dict(kept)
    validate(value, "instance")
    assert set(value["customers"][0]) == {"lon", "lat", "demand", "extra"}
    assert value["customers"][2]["extra"] == {}
    again = instance_from_dict(value)
    assert again == kept
    assert list(again.extra_columns) == ["Z", "A"]


@shared_folder
@given(instances(metrics=("euclidean", "great_circle")))
def test_csv_instance(tmp_path, instance):
    """Everything but the instance's name comes back from the two tables."""
    path = tmp_path / "a.csv"
    write_instance(instance, path)
    assert read_instance(path, vehicles=vehicles_path(path)) == instance.replace(name="a")


@shared_folder
@given(instances(metrics=("euclidean", "matrix"), named=False))
def test_vrplib_instance(tmp_path, instance):
    """Equal types merge, types without vehicles vanish, names are lost: the problem is the same."""
    path = tmp_path / "a.vrp"
    write_instance(instance, path)
    back = read_instance(path)
    assert np.array_equal(back.demands, instance.demands)
    assert np.array_equal(back.distance_matrix(), instance.distance_matrix())
    assert back.metric == instance.metric
    assert fleet(back) == fleet(instance)
    write_instance(back, tmp_path / "b.vrp")
    again = read_instance(tmp_path / "b.vrp")
    assert again == back


def fleet(instance):
    """Vehicles by their properties: how many, where n of them are as good as no limit."""
    counts = {}
    for vehicle in instance.vehicle_types:
        key = (vehicle.capacity, vehicle.fixed_cost, vehicle.unit_cost)
        count = instance.num_customers if vehicle.available is None else vehicle.available
        counts[key] = counts.get(key, 0) + count
    return {key: count for key, count in counts.items() if count}


@shared_folder
@given(st.data())
def test_solution_files(tmp_path, data):
    """Every format gives back the same routes; their order may follow the types."""
    instance = data.draw(instances())
    solution = data.draw(valid_solutions(instance))
    cost = evaluate(instance, solution).cost
    for suffix in (".json", ".sol", ".csv"):
        path = tmp_path / f"plan{suffix}"
        write_solution(instance, solution, path)
        back = read_solution(path, instance)
        assert evaluate(instance, back).cost == cost
        assert sorted(back.routes, key=str) == sorted(solution.routes, key=str)
    validate(solution_to_dict(instance, solution, evaluate(instance, solution)), "solution")


def test_plans_with_several_types_survive_every_format(tmp_path):
    """The best-known plan of golden-03 uses four types."""
    instance = library.load("golden-03")
    solution = library.best_known_solution("golden-03")
    for suffix in (".json", ".sol", ".csv"):
        write_solution(instance, solution, tmp_path / f"plan{suffix}")
        back = read_solution(tmp_path / f"plan{suffix}", instance)
        assert sorted(back.routes, key=str) == sorted(solution.routes, key=str)


def test_plain_benchmark_json_is_read(tmp_path):
    """Files without a format key, depot as [x, y], with the columns of the variants."""
    value = {
        "name": "plain",
        "comment": "no format key",
        "depot": [0, 0],
        "customers": [[3, 4, 2], [1.5, 2, 1]],
        "vehicle_types": [
            {"name": "A", "capacity": 4, "fixed_cost": 7, "unit_cost": 1.0, "available": None,
             "variable_unit_cost": 1.1, "hvrp_available": 3},
        ],
    }  # fmt: skip
    path = tmp_path / "plain.json"
    path.write_text(json.dumps(value))
    instance = read_instance(path)
    assert instance.demands.tolist() == [0, 2, 1]
    assert instance.vehicle_types[0].available is None
    assert instance.vehicle_types[0].unit_cost == 1.0


def test_json_keys_with_defaults(tmp_path):
    """Name, metric, costs and limits may be left out; some stops may be named."""
    value = {
        "format": "fripn-instance",
        "version": 1,
        "depot": {"x": 0, "y": 0},
        "customers": [{"x": 1, "y": 1, "demand": 2, "name": "Ann"}, {"x": 1, "y": 2, "demand": 1}],
        "vehicle_types": [{"name": "van", "capacity": 5}],
    }
    validate(value, "instance")
    path = tmp_path / "short.json"
    path.write_text(json.dumps(value))
    instance = read_instance(path)
    assert instance.name == "short"
    assert instance.stop_names == ("depot", "Ann", "2")
    assert instance.stop_ids is None
    assert instance.vehicle_types[0].unit_cost == 1


def test_json_ids(tmp_path):
    """Integers are ids too; stops without a name are called by their id."""
    value = {
        "format": "fripn-instance",
        "version": 1,
        "depot": {"x": 0, "y": 0},
        "customers": [
            {"x": 1, "y": 1, "demand": 2, "id": 105, "name": "Ann"},
            {"x": 1, "y": 2, "demand": 1, "id": "x"},
            {"x": 1, "y": 3, "demand": 1},
        ],
        "vehicle_types": [{"name": "van", "capacity": 5}],
    }
    validate(value, "instance")
    instance = instance_from_dict(value)
    assert instance.stop_ids == ("depot", "105", "x", "3")
    assert instance.stop_names == ("depot", "Ann", "x", "3")
    assert instance_from_dict(instance_to_dict(instance)) == instance
    # through the tables, and back
    write_instance(instance, tmp_path / "a.csv")
    again = read_instance(tmp_path / "a.csv", vehicles=tmp_path / "a-vehicles.csv")
    assert again.replace(name=instance.name) == instance


@pytest.mark.parametrize("keys", [("ids",), ("names",), ("customers", "ids"), ("ids", "names")])
def test_json_plans_by_ids_or_names(keys):
    """Any of the three identifies the stops; written files have all."""
    instance = library.load("golden-03").replace(
        stop_names=["hub", *(f"c{k}" for k in range(1, 21))],
        stop_ids=[str(k) for k in range(20, -1, -1)],
    )
    solution = library.best_known_solution("golden-03")
    value = solution_to_dict(instance, solution, evaluate(instance, solution))
    first = value["routes"][0]
    assert first["ids"] == [str(20 - customer) for customer in first["customers"]]
    assert first["names"] == [f"c{customer}" for customer in first["customers"]]
    for route in value["routes"]:
        for key in {"customers", "ids", "names"} - set(keys):
            del route[key]
    validate(value, "solution")
    assert solution_from_dict(value, instance) == solution


def test_invalid_plans_are_not_written(tmp_path):
    """A plan that breaks a rule leaves no file."""
    instance = library.load("golden-03")
    with pytest.raises(InvalidSolution, match="is not visited"):
        write_solution(instance, Solution.of([(0, [1])]), tmp_path / "plan.json")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("metric", "suffix", "message"),
    [
        ("matrix", ".csv", "distance matrix, which tables of stops and vehicles cannot hold"),
        ("great_circle", ".vrp", "latitudes and longitudes, which VRPLIB cannot hold"),
    ],
)
def test_formats_refuse_what_they_cannot_hold(tmp_path, metric, suffix, message):
    """Clearly, and without writing anything."""
    instance = library.load("golden-03")
    if metric == "matrix":
        instance = instance.replace(metric="matrix", matrix=instance.distance_matrix())
    else:
        instance = instance.replace(metric=metric)
    with pytest.raises(Unsupported, match=message):
        write_instance(instance, tmp_path / f"a{suffix}")
    assert list(tmp_path.iterdir()) == []


def test_schemas_are_valid_schemas():
    """By the rules of JSON Schema itself."""
    for schema in SCHEMAS.values():
        jsonschema.Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize(
    "broken",
    [
        {"colour": "red"},
        {"metric": "great_circle"},
        {"matrix": [[0, 1], [1, 0]]},
        {"customers": []},
        {"customers": [{"x": 1, "y": 1, "demand": -1}]},
        {"customers": [{"x": 1, "y": 1, "demand": 1, "id": 1.5}]},
        {"customers": [{"x": 1, "y": 1, "demand": 1, "id": " "}]},
        {"customers": [{"x": 1, "y": 1, "demand": 1, "extra": "street"}]},
        {"customers": [{"x": 1, "y": 1, "demand": 1, "extra": {"street": 5}}]},
        {"customers": [{"x": 1, "y": 1, "demand": 1, "extra": {" ": "x"}}]},
        {"customers": [{"x": 1, "y": 1, "demand": 1, "extra": {f"c{k}": "" for k in range(101)}}]},
        {"vehicle_types": [{"name": "A", "capacity": 0}]},
        {"vehicle_types": [{"name": "A", "capacity": 5, "available": 1.5}]},
    ],
)
def test_schema_and_reader_refuse_the_same_mistakes(broken):
    """What the reader refuses for its form, the schema refuses too."""
    value = instance_to_dict(library.load("golden-03")) | broken
    with pytest.raises(InvalidInput):
        instance_from_dict(value)
    with pytest.raises(jsonschema.ValidationError):
        validate(value, "instance")


def test_documented_examples_are_valid():
    """The JSON shown in the documentation can be read."""
    text = (Path(__file__).parents[2] / "docs" / "data-format.md").read_text(encoding="utf-8")
    shown, plan = (json.loads(block) for block in re.findall(r"```json\n(.*?)```", text, re.DOTALL))
    validate(shown, "instance")
    validate(plan, "solution")
    instance = instance_from_dict(shown)
    assert evaluate(instance, solution_from_dict(plan, instance)).is_feasible
