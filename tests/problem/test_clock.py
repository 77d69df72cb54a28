"""Times in sentences: times of day where the unit is known, with the numbers kept as data."""

import math

import pytest

from fripn import Instance, Route, Solution, VehicleType, evaluate
from fripn.errors import InvalidInstance
from fripn.problem.clock import lengths, moment, moments

pytestmark = pytest.mark.pure


def make(unit="min", hour=60.0, **changes):
    """Return an instance of one customer 90 units of time away."""
    fields = {"coordinates": [[0, 0], [90, 0]], "demands": [0, 1]}
    types = (VehicleType("van", 5, **changes.pop("van", {})),)
    return Instance("day", vehicle_types=types, time_unit=unit, hour=hour, **(fields | changes))


@pytest.mark.parametrize(
    ("unit", "hour", "time", "limit", "texts"),
    [
        ("min", 60, 857.766, 690, ("14:18", "11:30")),
        ("min", 60, 690.2, 690, ("11:30:12", "11:30:00")),
        ("min", 60, 800, 690.5, ("13:20:00", "11:30:30")),
        ("min", 60, 690.0005, 690, ("690.0005", "690")),
        ("H", 1, 25.5, 24, ("25:30", "24:00")),
        ("s", 3600, -60, -3600, ("-0:01", "-1:00")),
        ("min", 60, math.inf, 690, ("inf", "690")),
        ("ticks", 60, 857.766, 690, ("857.766", "690")),
        (None, 1, 690.0000001, 690, ("690.0000001", "690")),
    ],
)
def test_a_time_and_the_limit_it_breaks(unit, hour, time, limit, texts):
    """They never read the same; times of an unknown unit stay numbers."""
    instance = make(unit, hour)
    assert moments(time, limit, instance) == texts
    suffix = " h" if ":" in texts[0] else ""
    assert lengths(time, limit, instance) == tuple(text + suffix for text in texts)


def test_a_moment():
    """One time alone, also where there is none."""
    assert moment(545, make()) == "9:05"
    assert moment(545, make("ticks")) == "545"
    assert moment(-math.inf, make()) == "-inf"


@pytest.mark.parametrize(
    ("changes", "sentence", "amount", "limit"),
    [
        (
            {"time_windows": [(), ((0, 240),)], "van": {"shift_start": 360}},
            "route 1 starts the service of customer 1 at 7:30, but it closes at 4:00",
            450,
            240,
        ),
        (
            {"van": {"shift_start": 360, "shift_end": 480}},
            "route 1 ends at 9:00, but vehicle type van must end by 8:00",
            540,
            480,
        ),
        (
            {"van": {"max_duration": 150}},
            "route 1 takes 3:00 h, but vehicle type van may take 2:30 h",
            180,
            150,
        ),
    ],
)
def test_violations_in_times_of_day(changes, sentence, amount, limit):
    """The sentence has times of day, the fields and JSON the numbers in the instance's unit."""
    van = changes["van"]
    # A second type serves the customer, so that the instance is valid.
    types = (VehicleType("van", 5, **van), VehicleType("fast", 5, speed=100))
    instance = make(**({**changes, "van": {}})).replace(vehicle_types=types)
    (found,) = evaluate(instance, Solution((Route(0, (1,)),))).violations
    assert found.message == sentence
    assert (found.amount, found.limit) == (amount, limit)
    data = found.to_dict(instance)
    assert (data["amount"], data["limit"], data["message"]) == (amount, limit, sentence)
    plain = evaluate(instance.replace(time_unit=None), Solution((Route(0, (1,)),))).violations[0]
    assert f"{amount}, but" in plain.message


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"time_windows": [((420, 1080),), ((0, 480),)]},
            "van arrives at 8:30, but the customer closes at 8:00",
        ),
        (
            {"van": {"shift_start": 420, "shift_end": 540}},
            "van would be back at 10:00, but must be by 9:00",
        ),
        ({"van": {"max_duration": 150}}, "van may take 2:30 h, but the trip takes 3:00 h"),
        (
            {"time_windows": [((420, 500),), ()], "van": {"shift_start": 540}},
            "cannot leave before 9:00 and has to be back by 8:20: its shift",
        ),
    ],
)
def test_instances_that_cannot_be_served(changes, words):
    """Reasons have times of day; the fields of the error are what they were."""
    with pytest.raises(InvalidInstance) as caught:
        make(**changes)
    assert words in str(caught.value)
    if "shift_end" in caught.value.field:
        assert caught.value.value == 500
    else:
        assert (caught.value.field, caught.value.value) == ("vehicle_types", "1")
    with pytest.raises(InvalidInstance) as plain:
        make(None, 60, **changes)
    assert ":30" not in str(plain.value)
    assert plain.value.value == caught.value.value
