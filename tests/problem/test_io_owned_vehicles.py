"""The column ``owned`` of a table of vehicles."""

import pytest

from fripn.errors import InvalidInput
from fripn.problem import evaluate
from fripn.problem.io import parse_instance
from fripn.solve import solve

STOPS = "id,x,y,demand,depot\nh,0,0,,1\n1,1,0,5,\n2,0,1,5,\n3,1,1,5,\n"


def types_of(rows, header="type,capacity,fixed_cost,unit_cost,available,owned"):
    text = "\n".join([header, *rows])
    instance = parse_instance(STOPS, "csv", vehicles=text)
    return instance, [
        (vehicle.name, vehicle.fixed_cost, vehicle.available) for vehicle in instance.vehicle_types
    ]


def test_own_vehicles_are_a_type_without_fixed_cost():
    """They come first; what is available can be hired beside them."""
    _, types = types_of(["van,5,60,1,,2", "truck,20,90,1,1,"])
    assert types == [("van (own)", 0, 2), ("van", 60, None), ("truck", 90, 1)]


@pytest.mark.parametrize(
    ("row", "types"),
    [
        ("van,15,60,1,0,3", [("van (own)", 0, 3)]),  # nothing can be hired
        ("van,15,60,1,4,0", [("van", 60, 4)]),
        ("van,15,60,1,,-", [("van", 60, None)]),
    ],
)
def test_types_without_one_of_the_two(row, types):
    assert types_of([row])[1] == types


def test_own_vehicles_are_used_first():
    """Two own vans cost nothing to use, so only the third stop is hired for."""
    instance, _ = types_of(["van,5,60,1,,2"])
    result = solve(instance, "savings")
    counts = [used.count for used in evaluate(instance, result.solution).types]
    assert counts == [2, 1]
    assert result.evaluation.fixed_cost == 60


@pytest.mark.parametrize("word", ["unlimited", "-1", "1.5", "many"])
def test_wrong_numbers_are_refused(word):
    with pytest.raises(InvalidInput, match="owned"):
        types_of([f"van,15,60,1,,{word}"])


def test_german_word():
    _, types = types_of(["Sprinter;15;60;1;2"], "Typ;Nutzlast;Tagesmiete;km-Satz;Eigene")
    assert types == [("Sprinter (own)", 0, 2), ("Sprinter", 60, None)]
