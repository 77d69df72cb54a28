"""Valid data that are probably wrong are named; benchmarks and ordinary tables are not."""

import numpy as np
import pytest

import fripn
from fripn.problem import Instance, VehicleType, library
from fripn.problem.suspicious import suspicious


def city(places=None, **changes):
    """Return thirty stops in and around Leipzig, with names and ids."""
    if places is None:
        rng = np.random.default_rng(3)
        places = rng.normal([12.37, 51.34], [0.05, 0.03], (31, 2))
    fields = {
        "name": "city",
        "coordinates": places,
        "demands": [0, *range(1, len(places))],
        "vehicle_types": [VehicleType("van", 10_000)],
        "metric": "great_circle",
        "stop_names": [f"name {k}" for k in range(len(places))],
        "stop_ids": [f"id {k}" for k in range(len(places))],
    }
    return Instance(**(fields | changes))


def moved(stop, place):
    places = np.array(city().coordinates)
    places[stop] = place
    return city(places)


def test_an_ordinary_table_has_no_warning():
    """Neither by spread nor by demands from 1 to 30."""
    assert suspicious(city()) == []


@pytest.mark.parametrize("stop", [0, 7])
def test_exchanged_latitude_and_longitude(stop):
    """The row that made a route of 10,000 km: how far, and what would help."""
    (found,) = suspicious(moved(stop, [51.34, 12.37]))
    assert (found.reason, found.stop) == ("far", stop)
    assert found.message.startswith("The depot" if not stop else "Customer 7 (name 7, id id 7)")
    assert "latitude 12.37, longitude 51.34" in found.message
    assert "5,5" in found.message.split(" km")[0][-5:]
    assert "exchange them" in found.message


def test_another_city():
    """A wrong digit: far, and exchanging does not help."""
    (found,) = suspicious(moved(7, [12.37, 41.34]))
    assert found.reason == "far"
    assert "1,11" in found.message
    assert "check its position" in found.message


def test_missing_position():
    """(0, 0) is what empty cells become in many programs."""
    (found,) = suspicious(moved(7, [0, 0]))
    assert (found.reason, found.stop) == ("origin", 7)
    assert "is its position missing?" in found.message
    plane = city().replace(metric="euclidean")
    assert suspicious(plane) == []
    assert [one.reason for one in suspicious(moved(7, [0, 0]).replace(metric="euclidean"))] == [
        "origin"
    ]


def test_two_regions_are_no_mistake():
    """Where many stops are far away, that is how the data are."""
    places = np.array(city().coordinates)
    places[20:] += [0, 5]
    assert suspicious(city(places)) == []


def test_twins():
    """One place and one name; neighbours with other names are two customers."""
    places = np.array(city().coordinates)
    places[8] = places[9] = places[3]
    assert suspicious(city(places)) == []
    names = [f"name {k}" for k in range(31)]
    names[8] = "NAME 3"
    (found,) = suspicious(city(places, stop_names=names))
    assert (found.reason, found.stop) == ("twins", 8)
    assert "same place as customer 3" in found.message
    assert "Customer 3" not in found.message
    assert suspicious(city(places, stop_names=None)) == []
    demands = np.arange(31.0)
    demands[8] = demands[3]
    (found,) = suspicious(city(places, stop_names=None, demands=demands))
    assert "has the same demand" in found.message
    assert suspicious(city(places, stop_names=None, stop_ids=None, demands=demands)) == []


def test_depots_at_one_place():
    """Two depots, or a depot and a customer, may share a place: none is written twice."""
    instance = Instance(
        name="yards",
        coordinates=[[0, 0], [0, 0], [5, 5], [0, 0], [5, 5]],
        demands=[0, 1, 1],
        vehicle_types=[VehicleType("van", 9), VehicleType("lorry", 9, depot=1)],
        num_depots=3,
        stop_ids=["a", "b", "c", "d", "e"],
    )
    assert suspicious(instance) == []
    assert fripn.solve(instance, method="savings").solution is not None


def test_a_demand_of_another_unit():
    """Grams for kilograms; several loads are left alone."""
    demands = np.arange(31.0)
    demands[5] = 5000
    (found,) = suspicious(city(demands=demands))
    assert (found.reason, found.stop) == ("demand", 5)
    assert "has demand 5000, 303 times the median (16.5)" in found.message


def test_few_sentences():
    """Five for each reason, and how many more there are."""
    places = np.random.default_rng(4).normal([0, 51], 0.05, (401, 2))
    places[:9] = [100.0, 10.0]
    found = suspicious(city(places))
    assert [one.reason for one in found] == ["far"] * 6
    assert found[-1].message == "There are 4 more stops far from the others."


def test_no_benchmark_is_suspicious():
    """Every instance of the library, and some of the paper's sets."""
    names = [*library.names(), *(f"paper:{size}:{k}" for size in (20, 100) for k in range(20))]
    assert {name: found for name in names if (found := suspicious(library.load(name)))} == {}


def test_solve_puts_warnings_into_the_notes():
    """So that they are in the JSON result and in the report."""
    result = fripn.solve(moved(7, [51.34, 12.37]), method="savings")
    assert any("exchange them" in note for note in result.notes)
    assert fripn.solve(city(), method="savings").notes == ()


def test_large_instances_take_no_time():
    """Nothing quadratic: a hundred thousand stops, all at one place, with one name each."""
    size = 100_001
    instance = Instance(
        "large",
        np.zeros((size, 2)),
        [0.0, *[1.0] * (size - 1)],
        [VehicleType("A", 10)],
        stop_ids=range(size),
    )
    assert [one.reason for one in suspicious(instance)] == ["twins"] * 6
