"""The benchmark sets of a working day: all load, and published plans cost what is listed."""

import math

import pytest

from fripn.features import Feature, features_of
from fripn.problem import Solution, evaluate, library, timed_sets

SIZES = {"solomon": 56, "fsmtw": 168, "fsmtw-T": 168, "sdvrptw": 26, "mdvrp": 17}


@pytest.mark.parametrize(("suite", "size"), SIZES.items())
def test_every_instance_loads(suite, size):
    """Each has its name, and the library knows the suite."""
    names = library.suite(suite)
    assert len(names) == len(set(names)) == size
    assert suite in library.suites()
    for name in names[:: max(1, size // 12)]:
        assert library.load(name).name == name
        assert library.is_name(name)


def test_solomon_is_as_in_its_file():
    """R101: the first rows of the published file."""
    instance = library.load("solomon-R101")
    assert instance.coordinates[:2].tolist() == [[35, 35], [41, 49]]
    assert instance.demands[:3].tolist() == [0, 10, 7]
    assert instance.time_windows[:2] == (((0, 230),), ((161, 171),))
    assert instance.service_times[:2].tolist() == [0, 10]
    (vehicle,) = instance.vehicle_types
    assert (vehicle.capacity, vehicle.available) == (200, 25)


def test_mixed_fleets_of_the_three_classes():
    """Class b costs a fifth of a, class c a tenth; any number can be hired."""
    fleets = {
        letter: library.load(f"fsmtw-RC201{letter}").vehicle_types for letter in ("a", "b", "c")
    }
    assert [(one.name, one.capacity, one.fixed_cost) for one in fleets["a"]] == [
        ("A", 100, 150), ("B", 200, 350), ("C", 300, 550),
        ("D", 400, 800), ("E", 500, 1100), ("F", 1000, 2500),
    ]  # fmt: skip
    for letter, factor in (("b", 5), ("c", 10)):
        for one, other in zip(fleets["a"], fleets[letter], strict=True):
            assert other.fixed_cost == one.fixed_cost / factor
            assert (other.unit_cost, other.available, other.cost_per_hour) == (1, None, 0)


def test_objective_of_time():
    """A plan costs its fixed costs and durations; the literature subtracts the service times."""
    instance = library.load("fsmtw-C101a-T")
    alone = Solution.of((0, [customer]) for customer in range(1, 101))
    evaluation = evaluate(instance, alone)
    assert evaluation.is_feasible
    assert evaluation.travel_cost == 0
    assert evaluation.cost == pytest.approx(evaluation.fixed_cost + evaluation.duration)
    distance = evaluate(library.load("fsmtw-C101a"), alone).distance
    # a vehicle with one customer never waits
    services = math.fsum(instance.service_times)
    assert evaluation.duration - services == pytest.approx(distance)


@pytest.mark.parametrize("name", library.suite("sdvrptw"))
def test_published_routes_cost_what_is_listed(name):
    """The published routes keep every rule, and cost what best_known.csv says."""
    instance, best = library.load(name), library.best_known(name)
    evaluation = evaluate(instance, library.best_known_solution(name))
    assert evaluation.violations == ()
    assert evaluation.cost == pytest.approx(best.cost, abs=1e-4)
    assert {Feature.ACCESS, Feature.TIME_WINDOWS} <= features_of(instance)


def test_depots():
    """p09: three depots of twelve vehicles, 310 each at most; routes start at their own depot."""
    instance = library.load("mdvrp-p09")
    assert (instance.num_customers, instance.num_depots) == (249, 3)
    assert [(one.depot, one.available, one.max_duration) for one in instance.vehicle_types] == [
        (0, 12, 310), (1, 12, 310), (2, 12, 310),
    ]  # fmt: skip
    assert instance.coordinates[[0, 250, 251]].tolist() == [[70, 0], [-50, 60], [-50, -60]]
    assert library.best_known("mdvrp-p09").cost == 3858.66
    assert timed_sets.published_solution("mdvrp-p09") is None


def test_found_plans_cost_what_they_say():
    """Every plan that ships is valid, costs what is recorded, and is not above published values."""
    for name in (name for suite in timed_sets.suites().values() for name in suite):
        found = timed_sets.found_plan(name)
        if found is None:
            continue
        evaluation = evaluate(library.load(name), found.solution)
        assert evaluation.violations == (), name
        assert evaluation.cost == pytest.approx(found.cost, rel=1e-12), name
        published, best = library.published(name), library.best_known(name)
        assert published is None or found.cost <= published.cost + 0.005, name
        assert best.cost <= found.cost + 0.005, name
        assert library.best_known_solution(name) == found.solution


def test_a_found_plan_below_the_published_value_is_the_best_known(monkeypatch):
    """It is named with its source; one as good confirms the published value."""
    solution = timed_sets.published_solution("sdvrptw-PR01")
    published = library.published("sdvrptw-PR01")
    for cost, best in ((published.cost - 1.0, published.cost - 1.0), (published.cost, None)):
        found = timed_sets.FoundPlan(cost, "hybrid, 30 s, commit abc", solution)
        monkeypatch.setattr(timed_sets, "found_plan", lambda name, found=found: found)
        known = library.best_known("sdvrptw-PR01")
        assert known == (
            published
            if best is None
            else library.BestKnown(best, "best-known", "hybrid, 30 s, commit abc")
        )
        assert library.best_known_solution("sdvrptw-PR01") is solution
