"""The rebuilt test sets of the paper: known answers of the generator, and the numbers drawn."""

import csv
import hashlib
from pathlib import Path

import numpy as np
import pytest

import fripn
from fripn.errors import InvalidSetting
from fripn.problem import papersets
from fripn.problem.instance import VehicleType

ONES = 0xFFFFFFFF

FINGERPRINTS = {
    20: "44666128d47a63d0",
    50: "a06dde135cd36620",
    75: "b2d72a6a75f79e7f",
    100: "d6c7366eceeb786e",
}


@pytest.mark.parametrize(
    ("counter", "key", "expected"),
    [
        ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        ((ONES,) * 4, (ONES, ONES), (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
        (
            (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
            (0xA4093822, 0x299F31D0),
            (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
        ),
    ],
)
def test_philox_known_answers(counter, key, expected):
    """The three published vectors of Philox4x32-10."""
    assert tuple(int(word) for word in papersets.philox(counter, key)) == expected


def test_uniform_numbers_match_published_gpu_output():
    """What a GPU prints for seed 0: two calls of ten numbers."""
    seed = np.array([0])
    first = [0.3990, 0.5167, 0.0249, 0.9401, 0.9459, 0.7967, 0.4150, 0.8203, 0.2290, 0.9096]
    second = [0.9722, 0.7910, 0.4690, 0.3300, 0.3345, 0.3783, 0.7640, 0.6405, 0.1103, 0.3594]
    assert papersets._uniform(seed, 0, 10)[0] == pytest.approx(first, abs=6e-5)
    assert papersets._uniform(seed, 1, 10)[0] == pytest.approx(second, abs=6e-5)


def test_seeds_match_the_shipped_optima():
    """The table of optima names the seed of every instance."""
    path = Path(fripn.__file__).parent / "data" / "paper-20-optima.csv"
    with path.open(newline="") as file:
        expected = [int(row["seed"]) for row in csv.DictReader(file)]
    assert papersets.test_seeds().tolist() == expected


def test_sets_are_unchanged():
    """A fingerprint of all numbers of each set, taken when they equalled the reference's."""
    digests = {}
    for size in papersets.SIZES:
        digest = hashlib.sha256()
        for instance in papersets.paper_test_set(size):
            for array in (
                instance.coordinates,
                instance.demands,
                instance.capacities,
                instance.fixed_costs,
                instance.unit_costs,
            ):
                digest.update(array.astype("<f8").tobytes())
        digests[size] = digest.hexdigest()[:16]
    assert digests == FINGERPRINTS


def test_sizes_share_depot_fleet_and_first_customers():
    """The draws do not depend on how many customers follow."""
    small, large = papersets.paper_test_instance(20, 5), papersets.paper_test_instance(100, 5)
    assert np.array_equal(small.coordinates, large.coordinates[:21])
    assert np.array_equal(small.demands, large.demands[:21])
    assert small.vehicle_types == large.vehicle_types


def test_one_instance_equals_its_place_in_the_set():
    """Drawing one alone gives the same as drawing all."""
    assert papersets.paper_test_instance(50, 999) == papersets.paper_test_set(50)[999]


def test_instances_follow_the_distribution():
    """Three to six types, demands in hundredths, capacities 0.5 to 3."""
    instances = papersets.paper_test_set(20)
    assert len(instances) == 1000
    assert {instance.num_types for instance in instances} == {3, 4, 5, 6}
    demands = np.concatenate([instance.demands[1:] for instance in instances])
    assert set(np.round(demands * 100).astype(int)) == set(range(1, 51))
    capacities = np.concatenate([instance.capacities for instance in instances])
    assert capacities.min() >= 0.5
    assert capacities.max() <= 3.0


def test_load_tolerance_agrees_with_integer_hundredths():
    """A load of k hundredths fits exactly when k is at most the capacity in whole hundredths.

    Checked for the float32 capacities nearest to every hundredth, where they could differ: the
    sum of decimals is off by some 1e-16, float32 numbers by more than 2e-9 of their value.
    """
    for hundredths in range(50, 301):
        middle = np.float32(hundredths / 100)
        for capacity in (
            np.nextafter(middle, np.float32(0)),
            middle,
            np.nextafter(middle, np.float32(9)),
        ):
            vehicle = VehicleType("A", float(capacity))
            for load in (hundredths - 1, hundredths, hundredths + 1):
                # exact rational comparison: load / 100 <= capacity
                numerator, denominator = float(capacity).as_integer_ratio()
                fits = load * denominator <= numerator * 100
                assert (load / 100 <= vehicle.load_limit) == fits
                assert (sum([0.01] * load) <= vehicle.load_limit) == fits


@pytest.mark.parametrize(("size", "index"), [(30, 0), (20, 1000), (20, -1)])
def test_instances_that_do_not_exist_are_refused(size, index):
    """The message gives the valid range."""
    with pytest.raises(InvalidSetting, match=r"give 0 to 999|choose one of 20, 50, 75, 100"):
        papersets.paper_test_instance(size, index)
