"""The exact map into the network's ranges."""

import numpy as np
import pytest

from fripn.errors import Unsupported
from fripn.policy import scale
from fripn.problem import Instance, Solution, VehicleType, evaluate
from fripn.problem.generate import paper_instance


def real_instance(**changes):
    rng = np.random.default_rng(7)
    base = Instance(
        name="real",
        coordinates=rng.uniform(-40, 160, (13, 2)),
        demands=np.concatenate([[0], rng.integers(1, 30, 12)]),
        vehicle_types=(
            VehicleType("van", 50, 100, 1.2),
            VehicleType("lorry", 120, 260, 1.9, available=2),
        ),
    )
    return base.replace(**changes)


def as_instance(scaled, instance):
    """Read the scaled data as an instance of its own."""
    return Instance(
        name="scaled",
        coordinates=scaled.coordinates,
        demands=scaled.demands,
        vehicle_types=tuple(
            VehicleType(one.name, *values)
            for one, *values in zip(
                instance.vehicle_types,
                scaled.capacities,
                scaled.fixed_costs,
                scaled.unit_costs,
                strict=True,
            )
        ),
        metric="euclidean" if scaled.matrix is None else "matrix",
        matrix=scaled.matrix,
    )


PLAN = Solution.of([(0, [1, 2]), (1, [3, 4, 5, 6]), (0, [7, 8]), (1, [9, 10, 11, 12])])


def test_paper_instances_stay_as_they_are():
    """The training distribution is within the network's own range."""
    instance = paper_instance(20, 3)
    scaled = scale(instance)
    assert np.array_equal(scaled.coordinates, instance.coordinates)
    assert np.array_equal(scaled.fixed_costs, instance.fixed_costs)
    assert (scaled.distance_scale, scaled.load_scale, scaled.cost_scale) == (1.0, 1.0, 1.0)


@pytest.mark.parametrize("metric", ["euclidean", "great_circle", "matrix"])
def test_costs_and_loads_map_back(metric):
    """Any plan costs the same times one constant, route by route."""
    instance = real_instance()
    if metric == "great_circle":
        degrees = instance.coordinates / 100 + [[7.0, 49.0]]
        instance = instance.replace(metric=metric, coordinates=degrees)
    elif metric == "matrix":
        distances = instance.distance_matrix() * 1.3
        distances[0] *= 1.1
        instance = instance.replace(metric=metric, matrix=distances)
    scaled = scale(instance)
    there, here = evaluate(as_instance(scaled, instance), PLAN), evaluate(instance, PLAN)
    assert there.cost * scaled.cost_scale == pytest.approx(here.cost, rel=1e-12)
    for first, second in zip(there.routes, here.routes, strict=True):
        assert first.load * scaled.load_scale == pytest.approx(second.load, rel=1e-12)
        assert first.distance * scaled.distance_scale == pytest.approx(second.distance, rel=1e-12)
    assert scaled.coordinates.min() == 0.0
    assert scaled.coordinates.max() == 1.0
    assert scaled.capacities.max() == pytest.approx(3.0)
    assert scaled.unit_costs.mean() == pytest.approx(2.0)
    assert scaled.available.tolist() == [-1, 2]


def test_euclidean_data_come_back():
    """Undoing the map gives the instance again."""
    instance = real_instance()
    scaled = scale(instance)
    assert scaled.coordinates * scaled.distance_scale + scaled.origin == pytest.approx(
        instance.coordinates, rel=1e-13, abs=1e-12
    )
    assert scaled.demands * scaled.load_scale == pytest.approx(instance.demands, rel=1e-13)
    assert scaled.fixed_costs * scaled.cost_scale == pytest.approx(instance.fixed_costs, rel=1e-13)


def test_free_driving_scales_by_the_fixed_cost():
    """With no unit cost the largest fixed cost becomes 30."""
    types = tuple(one.replace(unit_cost=0.0) for one in real_instance().vehicle_types)
    scaled = scale(real_instance(vehicle_types=types))
    assert scaled.fixed_costs.max() == pytest.approx(30.0)
    assert not scaled.unit_costs.any()


def test_matrix_unit_does_not_matter():
    """Metres or kilometres: the network gets the same costs."""
    plain = real_instance()
    metres = plain.replace(metric="matrix", matrix=plain.distance_matrix() * 1000)
    kilometres = plain.replace(metric="matrix", matrix=plain.distance_matrix())
    first, second = scale(metres), scale(kilometres)
    assert first.matrix == pytest.approx(second.matrix)
    # With costlier metres, travel costs more relative to the same fixed cost.
    assert first.unit_costs == pytest.approx(second.unit_costs)
    assert first.fixed_costs * 1000 == pytest.approx(second.fixed_costs)


def test_stops_across_the_date_line_stay_together():
    """Longitudes 179.9 and -179.9 are neighbours."""
    degrees = np.array([[179.9, 0.0], [-179.9, 0.0], [179.8, 0.1]])
    instance = Instance(
        "pacific", degrees, np.array([0.0, 1.0, 1.0]), (VehicleType("boat", 5),), "great_circle"
    )
    scaled = scale(instance)
    assert scaled.distance_scale < 50.0


def test_all_stops_in_one_place():
    """A bounding box without extent divides by nothing."""
    instance = Instance(
        "point", np.full((3, 2), 5.0), np.array([0.0, 1.0, 1.0]), (VehicleType("v", 5, 7),)
    )
    scaled = scale(instance)
    assert np.isfinite(scaled.fixed_costs).all()
    assert not scaled.coordinates.any()


def test_matrix_without_coordinates_is_unsupported():
    """The network needs coordinates; the message names a remedy."""
    plain = real_instance()
    instance = plain.replace(coordinates=None, metric="matrix", matrix=plain.distance_matrix())
    with pytest.raises(Unsupported, match="add coordinates"):
        scale(instance)
