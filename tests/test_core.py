"""The way into the core: one spelling, one tolerance, every field."""

import numpy as np
import pytest

from fripn import Solution, _core
from fripn.core import arrays_to_core, available_counts, to_core
from fripn.problem.generate import paper_instance
from fripn.problem.instance import SEARCH_LOAD_TOLERANCE


def test_core_and_package_have_the_same_tolerance():
    """Half of what `evaluate` allows, on both sides."""
    assert _core.LOAD_TOLERANCE == SEARCH_LOAD_TOLERANCE


def test_unlimited_has_one_spelling():
    """None becomes UNLIMITED; any other negative count is refused."""
    instance = paper_instance(3, 1, num_types=3)
    first, *others = instance.vehicle_types
    instance = instance.replace(vehicle_types=(first.replace(available=2**29), *others))
    assert available_counts(instance).tolist() == [2**29, _core.UNLIMITED, _core.UNLIMITED]
    arrays = {
        "metric": "euclidean",
        "coordinates": instance.coordinates,
        "matrix": None,
        "demands": instance.demands,
        "capacities": instance.capacities,
        "fixed_costs": instance.fixed_costs,
        "unit_costs": instance.unit_costs,
    }
    with pytest.raises(ValueError, match="vehicle type 1 has -2 vehicles"):
        arrays_to_core(**arrays, available=np.array([1, -2, 3]))


def test_copy_has_the_sizes_and_distances_of_the_instance():
    """What the core sees is what the package has."""
    instance = paper_instance(6, 2)
    core = to_core(instance)
    assert (core.num_customers, core.num_types) == (6, instance.num_types)
    distances = instance.distance_matrix()
    for i in range(7):
        for j in range(7):
            assert core.distance(i, j) == pytest.approx(distances[i, j], rel=1e-12)


def test_pairs_are_the_inverse_of_of():
    """A plan that leaves as pairs comes back equal."""
    plan = Solution.of([(1, (3, 1)), (0, (2,))])
    assert plan.pairs() == [(1, [3, 1]), (0, [2])]
    assert Solution.of(plan.pairs()) == plan


def day_arguments(**others):
    """Return the arrays of an instance with four customers and two types."""
    return {
        "metric": "euclidean",
        "coordinates": np.arange(10.0),
        "matrix": np.empty(0),
        "demands": np.ones(5),
        "capacities": np.array([3.0, 4.0]),
        "fixed_costs": np.ones(2),
        "unit_costs": np.ones(2),
        "available": np.array([_core.UNLIMITED, 3]),
        **others,
    }


@pytest.mark.parametrize(
    ("others", "matters"),
    [
        ({}, False),
        ({"service_times": np.ones(5), "durations": np.ones(25)}, False),
        ({"max_stops": np.array([_core.UNLIMITED, _core.UNLIMITED])}, False),
        ({"max_stops": np.array([_core.UNLIMITED, 2])}, True),
        ({"time_costs": np.array([0.0, 1.0])}, True),
        ({"returns": np.array([1, 0], dtype=np.uint8)}, True),
        ({"access": np.ones(10, dtype=np.uint8)}, False),
        ({"access": np.eye(2, 5, dtype=np.uint8).ravel()}, True),
        ({"num_depots": 2, "coordinates": np.arange(12.0)}, True),
        ({"num_loads": 2, "demands": np.ones(10), "capacities": np.ones(4)}, True),
    ],
)
def test_core_knows_whether_the_day_matters(others, matters):
    """What a plan can neither break nor pay for leaves the instance one of capacities alone."""
    assert _core.Instance(**day_arguments(**others)).has_day == matters


def test_arrays_of_another_size_are_refused():
    """The message names the array and the size it needs."""
    with pytest.raises(ValueError, match="service_times has 4 entries; give 5"):
        _core.Instance(**day_arguments(service_times=np.ones(4)))
    with pytest.raises(ValueError, match="there is no depot 1"):
        _core.Instance(**day_arguments(type_depots=np.array([0, 1])))
