"""The fields of a working day: valid and invalid values, and instances that do not use them."""

import math
import pickle

import numpy as np
import pytest

from day_instances import day_instance
from fripn.errors import InvalidInstance, Unsupported
from fripn.features import WORKING_DAY, Feature, features_of
from fripn.policy.scale import scale
from fripn.problem import Instance, VehicleType, library
from fripn.solve import METHODS, check_supported, get_method

#: Digests before the fields of the working day existed.
DIGESTS = {
    "golden-03": "133579ee1d894f6a",
    "golden-20": "e0650e6670927f24",
    "golden-13-HVRP-FV": "144a2af312c72946",
    "X101-FSMFD": "abfd316e4379146f",
    "brandao-N1": "9e847d71c0858d8b",
    "li-H1": "a45b82e3fc5f72cf",
    "paper:20:17": "47cec49fce1316f3",
    "paper:100:3": "d136c177c0c108ee",
}


def make(**changes):
    """Depot and two customers on a line, 10 and 20 away; two types."""
    fields = {
        "name": "tiny",
        "coordinates": [[0, 0], [10, 0], [20, 0]],
        "demands": [0, 2, 3],
        "vehicle_types": (VehicleType("van", 5), VehicleType("lorry", 9, 20.0)),
    }
    return Instance(**(fields | changes))


@pytest.mark.parametrize(("name", "digest"), DIGESTS.items())
def test_digests_of_plain_instances_stay(name, digest):
    """Fields that are not used do not change the digest."""
    assert library.load(name).digest == digest


def test_digest_with_matrix_names_and_ids_stays():
    """The digest of every field that existed before is as it was."""
    instance = Instance(
        name="m",
        coordinates=None,
        demands=[0, 1, 2.5],
        vehicle_types=[VehicleType("A", 3, 10, available=2), VehicleType("B", 5, 15, 2.0)],
        metric="matrix",
        matrix=[[0, 1, 2], [3, 0, 4], [5, 6, 0]],
        stop_names=["d", "Ann", "Bob"],
        stop_ids=["0", "x", "y"],
    )
    assert instance.digest == "780e0c7f4a0c3512"


def test_unused_values_are_equal_to_none():
    """No windows, no service, no tags: the instance equals one without these fields."""
    empty = make(
        service_times=[0, 0, 0],
        time_windows=[(), (), ((None, None),)],
        allowed_types=[None, None, None],
        requires=[(), (), ()],
    )
    assert empty == make()
    assert empty.digest == make().digest
    assert features_of(empty) == frozenset()


@pytest.mark.parametrize(
    "changes",
    [
        {"time_windows": [(), ((0, 50),), ()]},
        {"service_times": [0, 1, 0]},
        {"durations": np.ones((3, 3))},
        {"allowed_types": [None, (0,), None]},
        {
            "requires": [(), (), ("lift",)],
            "vehicle_types": (VehicleType("a", 9, offers=("lift",)),),
        },
        {"hour": 60},
        {"time_unit": "h"},
        {"vehicle_types": (VehicleType("van", 9, max_stops=2),)},
    ],
)
def test_used_values_count_in_equality_digest_and_pickles(changes):
    """Every field of the working day is part of the content."""
    instance = make(**changes)
    plain = make(**{key: value for key, value in changes.items() if key == "vehicle_types"})
    if set(changes) != {"vehicle_types"}:
        assert instance != plain
        assert instance.digest != plain.digest
    else:
        assert instance.digest != make(vehicle_types=(VehicleType("van", 9),)).digest
    assert pickle.loads(pickle.dumps(instance)) == instance


def test_windows_are_sorted_and_merged():
    """Windows that overlap or touch become one."""
    instance = make(time_windows=[None, [(50, 60), (0, 10), (10, 20)], [(None, 90)]])
    assert instance.time_windows == ((), ((0, 20), (50, 60)), ((-math.inf, 90),))


WRONG = [
    ({"time_windows": [(), ((90, 30),), ()]}, "customer 1 opens at 90 and closes at 30, before it"),
    ({"time_windows": [(), ((1,),), ()]}, "time_windows of stop 1 is .*; give pairs"),
    ({"time_windows": [(), (("a", 2),), ()]}, "time_windows of stop 1 is 'a'; give pairs"),
    ({"time_windows": [(), ((math.nan, 2),), ()]}, "customer 1 has the time nan"),
    ({"time_windows": [((0, 1), (5, 9)), (), ()]}, "the depot has 2 time windows; give a depot"),
    ({"time_windows": [(), ((1, 2),)]}, "given for 2 stops, but there are 3"),
    ({"service_times": [0, -1, 0]}, "customer 1 has the service time -1; it must be"),
    ({"service_times": [3, 1, 0]}, "the depot has the service time 3; it must be 0"),
    ({"service_times": [0, 1]}, "service times have shape .* but there are 3 stops"),
    ({"durations": np.ones((2, 2))}, r"durations has shape \(2, 2\), but 3 stops"),
    ({"durations": -np.ones((3, 3))}, "the duration from the depot to the depot is -1"),
    ({"time_windows": 5}, "time_windows is 5; give a list of windows per stop"),
    ({"hour": 0}, "hour is 0; give the units of time in an hour"),
    ({"time_unit": "min"}, "the time unit is 'min', of which an hour has 60, but hour is 1"),
    ({"time_unit": ""}, "time_unit is ''; give a string"),
    ({"num_depots": 0}, "num_depots is 0; give an integer"),
    ({"num_depots": 2}, "coordinates have shape"),
    ({"vehicle_types": (VehicleType("a", 9, depot=2),)}, "'a' starts from depot 2, but the depots"),
    ({"demands": [[0, 0], [1, 1], [1, 1]]}, "'van' has capacity 5, but the demands have 2 load"),
    ({"load_names": ("kg", "m3")}, "2 load names are given for 1 load dimension"),
    ({"allowed_types": [None, (7,), None]}, "customer 1 allows vehicle type number 7"),
    ({"allowed_types": [(1,), None, None]}, "the depot has allowed_types"),
    ({"requires": [(), "lift", ()]}, "requires of stop 1 is 'lift'; give a list of tags"),
    ({"requires": [(), ("lift",), ()]}, "van does not offer 'lift', lorry does not offer 'lift'"),
    (
        {"metric": "great_circle", "distance_unit": "mi"},
        "are kilometres, but distance_unit is 'mi'",
    ),
    (
        {"time_windows": [((0, 100),), ((0, 5),), ()]},
        "no vehicle type can serve customer 1: van arrives at 10, but the customer closes at 5, "
        "lorry arrives",
    ),
]


@pytest.mark.parametrize(("changes", "message"), WRONG)
def test_wrong_values_are_named(changes, message):
    """Place, value and remedy in one sentence."""
    with pytest.raises(InvalidInstance, match=message) as caught:
        make(**changes)
    assert caught.value.remedy
    assert caught.value.field


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"shift_start": 9, "shift_end": 8}, "starts at 9 and ends at 8, before it starts"),
        ({"speed": 0}, "has speed 0; it must be positive"),
        ({"max_stops": 0}, "has max_stops 0; give an integer from 1"),
        ({"max_duration": -1}, "has max_duration -1; it must be positive"),
        ({"max_distance": math.inf}, "has max_distance inf; give a finite number"),
        ({"cost_per_hour": -1}, "has cost_per_hour -1; it must be 0 or more"),
        ({"offers": "lift"}, "has offers 'lift'; give a list of tags"),
        ({"offers": None}, "has offers None; give a list of tags"),
        ({"returns": 1}, "has returns 1; give True or False"),
        ({"depot": -1}, "has depot -1; give an integer from 0"),
        ({"depot": None}, "has depot None; give the index"),
        ({"capacity": ()}, "has capacity .*; give one number per load"),
        ({"capacity": (1, -1)}, "has capacity .*; each must be 0"),
        ({"shift_start": "8:00"}, "has shift_start '8:00'; give a number"),
    ],
)
def test_wrong_fields_of_a_type_are_named(changes, message):
    """Place, value and remedy in one sentence."""
    with pytest.raises(InvalidInstance, match=message):
        VehicleType(**({"name": "van", "capacity": 5} | changes))


@pytest.mark.parametrize(
    ("van", "lorry", "message"),
    [
        (
            {"max_duration": 30},
            {"shift_start": 0, "shift_end": 39},
            "can serve customer 2: van may take 30, but the trip takes 40, lorry would be back at "
            "40, but must be by 39",
        ),
        (
            {"max_distance": 39},
            {"returns": False, "shift_start": 5, "shift_end": 20},
            "van drives 39 at most, but the trip has 40, lorry would finish at 25, but must be",
        ),
        ({"speed": 0.5, "max_duration": 40}, {"available": 0}, "the trip takes 80"),
    ],
)
def test_a_customer_that_no_type_can_serve(van, lorry, message):
    """The reason is given for each type."""
    types = (VehicleType("van", 5, **van), VehicleType("lorry", 9, **lorry))
    with pytest.raises(InvalidInstance, match=message) as caught:
        make(vehicle_types=types)
    assert caught.value.stop == 2


def test_a_detour_may_be_shorter_than_the_matrix_says():
    """An instance is not refused when another way to the customer is in time."""
    durations = np.array([[0, 1, 50], [1, 0, 1], [50, 1, 0]])
    windows = [((0, 9),), (), ()]
    assert make(durations=durations, time_windows=windows).limits_time
    durations[1, 2] = 50
    with pytest.raises(InvalidInstance, match="customer 2: van would be back at 52"):
        make(durations=durations, time_windows=windows)


def test_several_loads_are_checked_one_by_one():
    """The dimension that does not fit is named."""
    types = (VehicleType("van", (5, 1)), VehicleType("lorry", (1, 5)))
    demands = [[0, 0], [2, 1], [1, 6]]
    with pytest.raises(InvalidInstance, match=r"demand 6 m3, but the largest .* carries 5"):
        make(demands=demands, vehicle_types=types, load_names=("kg", "m3"))
    demands[2] = [4, 4]
    with pytest.raises(InvalidInstance, match="van holds 1 m3, but the demand is 4, lorry"):
        make(demands=demands, vehicle_types=types, load_names=("kg", "m3"))


def test_types_can_be_left_out():
    """The lists of allowed types follow the types that are kept."""
    instance = make(allowed_types=[None, (1,), None])
    assert instance.with_types([1]).allowed_types == (None, (0,), None)
    with pytest.raises(InvalidInstance, match="customer 1: van is not allowed there"):
        instance.with_types([0])


PART_FEATURES = {
    "windows": Feature.TIME_WINDOWS,
    "shifts": Feature.SHIFTS,
    "max_duration": Feature.MAX_DURATION,
    "max_distance": Feature.MAX_DISTANCE,
    "max_stops": Feature.MAX_STOPS,
    "cost_per_hour": Feature.COST_PER_HOUR,
    "access": Feature.ACCESS,
    "loads": Feature.SEVERAL_LOADS,
    "depots": Feature.SEVERAL_DEPOTS,
    "open": Feature.OPEN_ROUTES,
}


def instance_with(part):
    """Return an instance that uses one part, with the feature that it is."""
    feature = PART_FEATURES[part]
    for seed in range(100):
        instance = day_instance(seed, 5, {part})
        if feature in features_of(instance):
            return instance
    raise AssertionError(part)


@pytest.mark.parametrize("part", PART_FEATURES)
def test_features_are_recognised_and_refused(part):
    """A method that does not declare a part refuses it, in one sentence."""
    instance = instance_with(part)
    assert PART_FEATURES[part] in features_of(instance) & WORKING_DAY
    for name in METHODS:
        try:
            method = get_method(name)
        except Exception:  # an optional package is missing
            continue
        if PART_FEATURES[part] not in method.supports:
            with pytest.raises(Unsupported, match=PART_FEATURES[part].value):
                check_supported(instance, method)
    with pytest.raises(Unsupported, match="which the policy does not know"):
        scale(instance)


def test_times_without_limits_are_no_feature():
    """Every method may plan where times have no influence; the schedule is computed anyway."""
    instance = make(service_times=[0, 5, 5], durations=np.ones((3, 3)))
    assert features_of(instance) == frozenset()
    assert instance.has_schedule
    limited = instance.replace(vehicle_types=(VehicleType("van", 9, max_duration=99, speed=2),))
    assert features_of(limited) == {
        Feature.SERVICE_TIMES,
        Feature.DURATIONS,
        Feature.SPEEDS,
        Feature.MAX_DURATION,
    }
