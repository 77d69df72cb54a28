"""Instances: valid and invalid data, distances, names, pickles."""

import copy
import pickle
from dataclasses import fields

import numpy as np
import pytest

from fripn.errors import InvalidInstance
from fripn.problem import Instance, VehicleType
from fripn.problem.instance import great_circle_km, type_name


def make(**changes):
    """Depot and two customers on a 3-4-5 triangle, two types."""
    fields = {
        "name": "tiny",
        "coordinates": [[0, 0], [3, 4], [0, 8]],
        "demands": [0, 2, 3],
        "vehicle_types": [VehicleType("A", 3, 10), VehicleType("B", 5, 15, 2.0)],
    }
    return Instance(**(fields | changes))


def test_distances_are_euclidean_and_not_rounded():
    """Entries of the matrix and single distances agree."""
    instance = make()
    assert instance.distance_matrix().tolist() == [[0, 5, 8], [5, 0, 5], [8, 5, 0]]
    assert instance.distances(np.array([0, 1]), np.array([1, 2])).tolist() == [5, 5]


def test_great_circle_is_in_kilometres():
    """A degree of the equator, the distance to the pole, and Berlin to Paris."""
    degree = great_circle_km(np.array([0.0, 0.0]), np.array([1.0, 0.0]))
    assert degree == pytest.approx(111.195, abs=1e-3)
    pole = great_circle_km(np.array([77.0, 0.0]), np.array([-3.0, 90.0]))
    assert pole == pytest.approx(6371.0088 * np.pi / 2)
    berlin, paris = np.array([13.405, 52.52]), np.array([2.3522, 48.8566])
    assert great_circle_km(berlin, paris) == pytest.approx(877.46, abs=0.05)
    half = great_circle_km(np.array([0.0, 0.0]), np.array([180.0, 0.0]))
    assert half == pytest.approx(20015.1, abs=0.1)


def test_explicit_matrix_may_be_asymmetric():
    """Entry (i, j) is the distance from i to j."""
    instance = make(metric="matrix", coordinates=None, matrix=[[0, 1, 2], [3, 0, 4], [5, 6, 0]])
    assert instance.distances(np.array([1]), np.array([2])).tolist() == [4]
    assert not instance.is_symmetric
    assert make().is_symmetric


def test_arrays_are_read_only_copies():
    """Neither the caller's array nor the instance's can change the problem."""
    demands = np.array([0.0, 2, 3])
    instance = make(demands=demands)
    demands[1] = 99
    assert instance.demands[1] == 2
    with pytest.raises(ValueError, match="read-only"):
        instance.demands[1] = 5
    with pytest.raises(ValueError, match="read-only"):
        instance.coordinates[0, 0] = 5
    with pytest.raises(AttributeError):
        instance.name = "other"


def test_equality_compares_all_fields():
    """A changed field makes instances differ."""
    assert make() == make()
    assert make() != make(name="other")
    assert make() != make(demands=[0, 2, 2.5])
    assert make() != make(stop_names=["d", "a", "b"])
    assert make() != make(stop_ids=["d", "a", "b"])
    assert make() != "tiny"


def test_replace_validates_again():
    """A variation is checked like the original."""
    assert make().replace(name="copy").name == "copy"
    with pytest.raises(InvalidInstance, match="customer 1 has demand 9"):
        make().replace(demands=[0, 9, 3])


def test_names_of_stops():
    """Given names are used, else numbers."""
    assert [make().stop_name(index) for index in range(3)] == ["depot", "1", "2"]
    assert make(stop_names=("hub", "x", "y")).stop_name(2) == "y"
    assert make(stop_ids=(0, 7, 9)).stop_name(2) == "9"


def test_ids_of_stops():
    """Given ids distinguish equal names; without ids, numbers serve as ids."""
    assert [make().stop_id(index) for index in range(3)] == ["depot", "1", "2"]
    instance = make(stop_names=("hub", "x", "x"), stop_ids=("h", "7", "x"))
    assert [instance.stop_id(index) for index in range(3)] == ["h", "7", "x"]
    assert [instance.stop_label(index) for index in range(3)] == ["hub (h)", "x (7)", "x"]
    assert instance.describe_stop(1) == "customer 1 (x, id 7)"
    assert instance.describe_stop(0) == "the depot"
    assert make(stop_ids=("h", "7", "x")).describe_stop(1) == "customer 1 (id 7)"
    assert make(stop_names=("h", "a", "b")).describe_stop(1) == "customer 1 (a)"
    assert make().describe_stop(1) == "customer 1"


def test_demand_within_tolerance_of_the_capacity_is_accepted():
    """0.1 + 0.2 fits into 0.3."""
    instance = make(demands=[0, 0.1 + 0.2, 0.1], vehicle_types=[VehicleType("A", 0.3)])
    assert instance.num_customers == 2


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"demands": [0]}, "no customers"),
        ({"demands": [[[0], [1], [2]]]}, "give one per stop"),
        ({"demands": [0, "x", 2]}, "give numbers"),
        ({"demands": [0, 10**400, 2]}, "give numbers"),
        ({"demands": [0, -1, 2]}, r"customer 1 has demand -1"),
        ({"demands": [0, float("nan"), 2]}, r"customer 1 has demand nan"),
        ({"demands": [0, float("inf"), 2]}, r"customer 1 has demand inf"),
        ({"demands": [0, 1e300, 2]}, r"customer 1 has demand 1e\+300"),
        ({"demands": [1, 1, 2]}, "depot has demand 1"),
        ({"demands": [0, 6, 2]}, r"demand 6, but the largest vehicle \(B\) carries 5"),
        ({"vehicle_types": []}, "no vehicle types"),
        ({"vehicle_types": [VehicleType("A", 5), VehicleType("A", 4)]}, "two vehicle types"),
        ({"vehicle_types": [VehicleType("A", 5, available=0)]}, "no vehicle of any type"),
        (
            {"vehicle_types": [VehicleType("A", 4, available=1)]},
            "demand 5 in total, but all available vehicles together carry 4",
        ),
        ({"coordinates": [[0, 0], [1, 1]]}, r"shape \(2, 2\), but 3 stops need \(3, 2\)"),
        ({"coordinates": [[0, 0], [1, float("nan")], [1, 1]]}, r"customer 1 is at \(1, nan\)"),
        ({"coordinates": [[0, 0], [1, 1e200], [1, 1]]}, r"customer 1 is at \(1, 1e\+200\)"),
        ({"coordinates": None}, "no coordinates are given"),
        ({"metric": "manhattan"}, "choose one of euclidean"),
        ({"metric": "great_circle", "coordinates": [[0, 0], [1, 91], [1, 1]]}, "latitude 91"),
        ({"metric": "great_circle", "coordinates": [[0, 0], [181, 1], [1, 1]]}, "longitude 181"),
        ({"metric": "matrix"}, "no matrix is given"),
        ({"metric": "matrix", "matrix": [[0, 1], [1, 0]]}, r"shape \(2, 2\), but 3 stops"),
        (
            {"metric": "matrix", "matrix": [[0, 1, 2], [1, 0, -3], [1, 1, 0]]},
            "customer 1 to customer 2 is -3",
        ),
        ({"matrix": [[0, 1, 2], [1, 0, 3], [1, 1, 0]]}, "set the metric to 'matrix'"),
        ({"name": ""}, "give it a string"),
        ({"name": "a\x1b[31m"}, r"the name 'a\\x1b\[31m' contains '\\x1b'"),
        ({"stop_names": ["a", "b\x00", "c"]}, "not a character that can be shown"),
        (
            {"demands": [0, 1e-31, 1]},
            "customer 1 has demand 1e-31; it must be 0, or",
        ),
        (
            {"coordinates": np.eye(3, 2) * 1e-160},
            "largest distance is 1e-160; it must be 0",
        ),
        (
            {"metric": "matrix", "matrix": np.ones((3, 3)) * 1e-31},
            "the largest distance is 1e-31; it must be 0, or at least 1e-30; use a smaller unit",
        ),
        ({"name": "\ud800"}, "not a character that can be shown"),
        ({"stop_names": ["a", "b"]}, "2 stop names are given for 3 stops"),
        ({"stop_names": ["a", "b", "b"]}, "two stops are called 'b'"),
        ({"stop_names": ["a", " ", "b"]}, "stop 1 has the empty name"),
        ({"stop_names": ["a", "\udfff", "b"]}, "not a character that can be shown"),
        ({"stop_ids": ["a", "b"]}, "2 stop ids are given for 3 stops"),
        ({"stop_ids": ["a", "b", "b"]}, "two stops have the id 'b'"),
        ({"stop_ids": ["a", "", "b"]}, "stop 1 has the empty id"),
        ({"stop_ids": ["a", "\udfff", "b"]}, "not a character that can be shown"),
    ],
)
def test_bad_data_are_refused(changes, message):
    """One sentence with place, value and remedy."""
    with pytest.raises(InvalidInstance, match=message) as caught:
        make(**changes)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"name": " "}, "give it a string"),
        ({"name": 5}, "give it a string"),
        ({"capacity": 0}, "must be positive"),
        ({"capacity": -1}, "must be positive"),
        ({"capacity": "5"}, "give a number"),
        ({"capacity": True}, "give a number"),
        ({"capacity": 1j}, "give a number"),
        ({"capacity": np.complex128(1)}, "give a number"),
        ({"capacity": float("inf")}, "finite number"),
        ({"fixed_cost": -1}, "0 or more"),
        ({"fixed_cost": 10**400}, "over 30 digits"),
        ({"unit_cost": float("nan")}, "finite number"),
        ({"available": -1}, "give an integer"),
        ({"available": 1.5}, "give an integer"),
        ({"available": "many"}, "give an integer"),
        ({"available": True}, "give an integer"),
        ({"available": float("inf")}, "give an integer"),
        ({"available": 10**5000}, "over 30 digits"),
        ({"capacity": 1e-31}, "has capacity 1e-31; it must be at least 1e-30"),
        ({"fixed_cost": 1e-31}, "has fixed_cost 1e-31; it must be 0, or at least 1e-30"),
        ({"unit_cost": 5e-324}, "has unit_cost 5e-324; it must be 0, or at least 1e-30"),
    ],
)
def test_bad_vehicle_types_are_refused(fields, message):
    """Every field is checked."""
    with pytest.raises(InvalidInstance, match=message):
        VehicleType(**({"name": "A", "capacity": 1} | fields))


def test_numbers_of_numpy_are_accepted():
    """They become plain Python numbers."""
    vehicle = VehicleType("A", np.float32(1.5), np.int64(2), 1, np.int32(3))
    assert (vehicle.capacity, vehicle.fixed_cost, vehicle.available) == (1.5, 2.0, 3)
    assert type(vehicle.capacity) is float
    assert type(vehicle.available) is int


def test_type_names_run_on_after_z():
    """Like the columns of a spreadsheet."""
    assert [type_name(index) for index in (0, 25, 26, 51, 52, 701, 702)] == [
        "A", "Z", "AA", "AZ", "BA", "ZZ", "AAA",
    ]  # fmt: skip


#: For each field of the working day of a type, another value than its default.
DAY = {
    "returns": False,
    "speed": 2.0,
    "shift_start": 1,
    "shift_end": 100,
    "max_duration": 100,
    "max_distance": 100,
    "max_stops": 5,
    "cost_per_hour": 1,
    "offers": ("lift",),
}

#: For each field of an instance, values for which the instance is another one.
CHANGED = {
    "name": ["other"],
    "coordinates": [[[0, 0], [3, 4], [0, 8 + 1e-9]]],
    "demands": [[0, 2, 3 - 1e-9]],
    "vehicle_types": [
        [VehicleType("A", 3, 10), VehicleType("C", 5, 15, 2.0)],
        [VehicleType("A", 3, 10), VehicleType("B", 5.5, 15, 2.0)],
        [VehicleType("A", 3, 10), VehicleType("B", 5, 15.5, 2.0)],
        [VehicleType("A", 3, 10), VehicleType("B", 5, 15, 2.5)],
        [VehicleType("A", 3, 10), VehicleType("B", 5, 15, 2.0, 9)],
        [VehicleType("B", 5, 15, 2.0), VehicleType("A", 3, 10)],
        *(
            [VehicleType("A", 3, 10), VehicleType("B", 5, 15, 2.0, **{field: value})]
            for field, value in DAY.items()
        ),
    ],
    "metric": ["great_circle"],
    "matrix": [np.ones((3, 3)), np.ones((3, 3)) * 2],
    "stop_names": [("a", "b", "c"), ("a", "b", "d")],
    "stop_ids": [("a", "b", "c"), ("a", "b", "d")],
    "extra_columns": [{"Ort": ("", "x", "y")}, {"Ort": ("", "x", "z")}, {"City": ("", "x", "y")}],
    "has_map": [True],
    "num_depots": [2],
    "durations": [np.ones((3, 3)), np.ones((3, 3)) * 2],
    "service_times": [[0, 1, 0], [0, 1, 1]],
    "time_windows": [[(), ((0, 9),), ()], [(), ((0, 9), (10, 12)), ()]],
    "allowed_types": [[None, (0,), None], [None, (1,), None]],
    "requires": [[(), ("lift",), ()]],
    "hour": [60],
    "load_names": [("kg",)],
    "time_unit": ["h"],
    "distance_unit": ["km"],
}

#: Fields that need others beside them.
BESIDE = {
    "matrix": {"metric": "matrix"},
    "has_map": {"metric": "matrix", "matrix": np.ones((3, 3))},
    "num_depots": {"coordinates": [[0, 0], [3, 4], [0, 8], [1, 1]]},
    "requires": {"vehicle_types": [VehicleType("A", 3, 10, offers=("lift",))]},
}


def variants():
    """Return an instance, and variants that differ from it in one field each."""
    plain = make()
    others = [
        plain.replace(**{name: value}, **BESIDE.get(name, {}))
        for name, values in CHANGED.items()
        for value in values
    ]
    return [plain, *others]


def test_every_field_counts():
    """Equality and digest look at all fields; a new one must be given a value above."""
    assert set(CHANGED) == {field.name for field in fields(Instance)}
    assert {field.name for field in fields(VehicleType)} == {
        "name", "capacity", "fixed_cost", "unit_cost", "available", "depot", *DAY,
    }  # fmt: skip
    found = variants()
    for place, one in enumerate(found):
        assert [one == other for other in found] == [place == k for k in range(len(found))]
    assert len({one.digest for one in found}) == len(found)
    assert make() == make()
    assert make().digest == make().digest
    assert make() != "tiny"


def test_the_digest_is_the_same_everywhere():
    """Files hold it, so it does not depend on machine, process or sign of zero."""
    assert make().digest == "bde17d10ceaa1098"
    assert make(demands=[-0.0, 2, 3]).digest == make().digest


@pytest.mark.parametrize("again", [lambda i: pickle.loads(pickle.dumps(i)), copy.deepcopy])
def test_a_copy_from_another_process_is_equal_and_read_only(again):
    """Pickles keep every field, and unpickled arrays are read-only."""
    for instance in variants():
        made = again(instance)
        assert made == instance
        assert made.digest == instance.digest
        for field in fields(made):
            value = getattr(made, field.name)
            assert type(value) is type(getattr(instance, field.name))
            if isinstance(value, np.ndarray):
                assert not value.flags.writeable


def test_replace_keeps_every_other_field():
    """And checks the result."""
    for instance in variants():
        renamed = instance.replace(name="renamed")
        assert renamed.replace(name=instance.name) == instance
    with pytest.raises(InvalidInstance, match="no customers"):
        make().replace(demands=[0], coordinates=[[0, 0]])


def test_extra_columns_are_kept_and_read_only():
    """One string per stop; without columns there is no field."""
    instance = make(extra_columns={" Telefon ": ["", " 0341 1 ", 7]})
    assert dict(instance.extra_columns) == {"Telefon": ("", "0341 1", "7")}
    with pytest.raises(TypeError):
        instance.extra_columns["Telefon"] = ()
    assert make(extra_columns={}) == make()
    assert make(extra_columns={}).extra_columns is None


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"Ort": ["a", "b"]}, "extra column 'Ort' has 2 entries for 3 stops"),
        ({" ": ["a", "b", "c"]}, "an extra column has the name ''"),
        ({"Ort": ["a", "b", "\x1b"]}, "not a character that can be shown"),
        ({"Ort": ["a", "b", "c" * 1001]}, "too long"),
        ({f"c{k}": ["", "", ""] for k in range(101)}, "101 extra columns; give at most 100"),
        (5, "give a mapping"),
        ({"Ort": 5}, "give a mapping"),
    ],
)
def test_bad_extra_columns_are_refused(columns, message):
    """What goes into pages and sheets is checked like names."""
    with pytest.raises(InvalidInstance, match=message):
        make(extra_columns=columns)


def test_a_matrix_may_have_places_on_a_map():
    """Then the coordinates are longitudes and latitudes, and checked as such."""
    roads = {"metric": "matrix", "matrix": np.ones((3, 3))}
    assert make(**roads, has_map=True).is_geographic
    assert not make(**roads).is_geographic
    assert make(has_map=True) == make()
    assert make(metric="great_circle").is_geographic
    with pytest.raises(InvalidInstance, match="latitude 91"):
        make(**roads, has_map=True, coordinates=[[0, 0], [3, 91], [0, 8]])
    with pytest.raises(InvalidInstance, match="no coordinates are given"):
        make(**roads, has_map=True, coordinates=None)


def test_blanks_around_names_do_not_count():
    """As in tables, so that names and ids which differ in nothing else are refused."""
    instance = make(name=" tiny ", stop_names=[" a", "b\n", "c"], stop_ids=["1 ", "2", "3"])
    assert (instance.name, instance.stop_names) == ("tiny", ("a", "b", "c"))
    assert instance.stop_ids == ("1", "2", "3")
    assert VehicleType(" van ", 1).name == "van"
    with pytest.raises(InvalidInstance, match="two stops have the id '1'"):
        make(stop_ids=["1", "1 ", "2"])
