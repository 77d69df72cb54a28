"""Random instances: reproducible, valid, and as wide as documented."""

import hashlib
from dataclasses import replace

import numpy as np
import pytest

from fripn.errors import InvalidSetting
from fripn.problem import library
from fripn.problem.generate import PAPER, WIDE, paper_instance, random_instance, wide_instance


@pytest.fixture(scope="module")
def wide():
    """Many instances of the wide distribution."""
    return [wide_instance(40, seed) for seed in range(600)]


def test_same_seed_same_instance():
    """And another seed, another instance."""
    for draw in (paper_instance, wide_instance):
        assert draw(20, 7) == draw(20, 7)
        assert draw(20, 7) != draw(20, 8)
        rng = np.random.default_rng(7)
        assert draw(20, rng) == draw(20, 7)
        assert draw(20, rng) != draw(20, 7)


def test_paper_distribution():
    """Ranges of every quantity."""
    drawn = [paper_instance(20, seed) for seed in range(300)]
    assert {instance.num_types for instance in drawn} == {3, 4, 5, 6}
    coordinates = np.concatenate([instance.coordinates for instance in drawn])
    assert 0 <= coordinates.min() < 0.01
    assert 0.99 < coordinates.max() <= 1
    hundredths = np.concatenate([instance.demands[1:] for instance in drawn]) * 100
    assert set(np.round(hundredths).astype(int)) == set(range(1, 51))
    capacities = np.concatenate([instance.capacities for instance in drawn])
    assert 0.5 <= capacities.min() < 0.55
    assert 2.95 < capacities.max() <= 3
    prices = [instance.fixed_costs / instance.capacities for instance in drawn]
    assert all(price.max() - price.min() <= 2 for price in prices)
    assert 1 <= min(price.min() for price in prices) < 1.5
    assert 20 < max(price.max() for price in prices) <= 21
    unit_costs = np.concatenate([instance.unit_costs for instance in drawn])
    assert 1 <= unit_costs.min() < 1.05
    assert 2.95 < unit_costs.max() <= 3


def test_number_of_types_can_be_fixed():
    """For training, where a batch has one fleet size."""
    assert paper_instance(10, 0, num_types=5).num_types == 5
    assert wide_instance(10, 0, num_types=30).num_types == 30


def test_wide_distribution_covers_its_ranges(wide):
    """One to ten types, spans of 1.5 to 20, all rules for unit costs and depots."""
    assert {instance.num_types for instance in wide} == set(range(1, 11))
    several = [instance for instance in wide if instance.num_types > 1]
    spans = np.array([i.capacities.max() / i.capacities.min() for i in several])
    assert 1.5 <= spans.min() < 1.7
    assert 17 < spans.max() <= 20 + 1e-9
    equal = [bool(np.ptp(instance.unit_costs) == 0) for instance in several]
    assert 0.2 < np.mean(equal) < 0.5
    depots = np.array([instance.coordinates[0] for instance in wide])
    assert 0.2 < (depots == 0.5).all(axis=1).mean() < 0.5
    assert 0.2 < (depots == 0.0).all(axis=1).mean() < 0.5
    assert all(((i.coordinates >= 0) & (i.coordinates <= 1)).all() for i in wide)


def test_wide_distribution_spans_two_orders_of_magnitude_of_fixed_costs(wide):
    """Fixed costs of the fleet that is needed, against driving each vehicle out and back."""
    shares = []
    for instance in wide:
        vehicles = max(1.0, instance.demands.sum() / instance.capacities.mean())
        everyone = np.arange(1, instance.num_customers + 1)
        radius = instance.distances(np.zeros_like(everyone), everyone).mean()
        travel = instance.unit_costs.mean() * (2 * radius * vehicles + 0.57 * 40**0.5)
        prices = instance.fixed_costs / instance.capacities
        shares.append(prices.mean() * instance.demands.sum() / travel)
    assert np.quantile(shares, 0.02) < 0.2
    assert np.quantile(shares, 0.98) > 8


def test_golden_fleets_lie_inside_the_wide_distribution():
    """The span of their capacities, and how fixed costs grow with them."""
    for name in library.suite("golden"):
        instance = library.load(name)
        if not instance.fixed_costs.all():
            continue  # the variants that only pay for distance
        small, large = np.argmin(instance.capacities), np.argmax(instance.capacities)
        span = instance.capacities[large] / instance.capacities[small]
        power = np.log(instance.fixed_costs[large] / instance.fixed_costs[small]) / np.log(span)
        assert WIDE.capacity_span[0] <= span <= WIDE.capacity_span[1]
        assert WIDE.price_power[0] <= power <= WIDE.price_power[1]


def test_clustered_customers_are_closer_together(wide):
    """The nearest neighbours of clustered customers are much nearer than those of uniform ones."""

    def nearest(instance):
        matrix = instance.distance_matrix()[1:, 1:] + 9 * np.eye(instance.num_customers)
        return matrix.min(axis=1).mean()

    distances = sorted(nearest(instance) for instance in wide)
    assert distances[len(wide) // 10] < 0.5 * distances[-len(wide) // 10]


def test_by_capacity_larger_vehicles_cost_more_per_distance():
    """Sorted by capacity, the unit costs are sorted too."""
    distribution = replace(WIDE, unit_costs=("by_capacity",))
    for seed in range(20):
        instance = random_instance(distribution, 10, seed, num_types=6)
        order = np.argsort(instance.capacities)
        assert (np.diff(instance.unit_costs[order]) >= 0).all()


def test_tiny_instances_are_valid():
    """One customer, one type."""
    for seed in range(200):
        assert wide_instance(1, seed).num_customers == 1
        assert random_instance(PAPER, 1, seed, num_types=1).num_types == 1


def test_draws_are_stable():
    """Labels and trained weights refer to these instances: a changed stream must be noticed."""
    digest = hashlib.sha256()
    for seed in range(50):
        for draw in (paper_instance, wide_instance):
            instance = draw(12, seed)
            for array in (instance.coordinates, instance.demands, instance.capacities):
                digest.update(np.round(array, 9).astype("<f8").tobytes())
    assert digest.hexdigest()[:16] == "6f37f8bc5e76403d"


@pytest.mark.parametrize(("customers", "types"), [(0, None), (-1, None), (5, 0)])
def test_impossible_sizes_are_refused(customers, types):
    """With the value."""
    with pytest.raises(
        InvalidSetting, match=r"num_(customers|types) is (0|-1); give an integer, 1 or more"
    ):
        paper_instance(customers, 0, types)
