"""Each part of the exact method equals brute force on tiny instances."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from fripn import _core, solve
from fripn.core import to_core
from fripn.exact.highs import lp_solver
from fripn.problem import Instance, VehicleType, library
from fripn.problem.generate import paper_instance
from fripn.problem.inputs import open_instance
from fripn.problem.instance import LOAD_TOLERANCE
from helpers import tiny_instance

NG_SIZE = 2


@pytest.fixture(scope="module")
def lp():
    """Open HiGHS once."""
    return lp_solver()


def _problem(instance, max_capacity=1000):
    return _core.testing.ExactProblem(to_core(instance), LOAD_TOLERANCE, max_capacity)


def _ng_routes(problem, neighbours, capacity):
    """All ng-routes of a load at most the capacity."""
    demands = problem.demands
    found = []

    def extend(route, memory, load):
        if route:
            found.append(tuple(route))
        for j in range(1, len(demands)):
            if j in memory or load + demands[j] > capacity:
                continue
            near = set(neighbours[j])
            extend([*route, j], {i for i in memory if i in near} | {j}, load + demands[j])

    extend([], set(), 0)
    return found


def _prices(instance, problem, seed):
    """Dual values of about the size that a master problem has."""
    rng = np.random.default_rng(seed)
    size = instance.distance_matrix().max() * problem.cost_scale
    customers = [0.0, *(3.0 * rng.random(instance.num_customers) * size).tolist()]
    cuts = []
    for _ in range(3):
        members = rng.choice(instance.num_customers, 3, replace=False) + 1
        others = rng.choice(instance.num_customers, 2, replace=False) + 1
        memory = sorted({*members.tolist(), *others.tolist()})
        cuts.append((sorted(members.tolist()), memory, float(rng.random() * size)))
    return customers, cuts


def _capacity_cuts(instance, problem, seed):
    """Return some sets of customers with weights and prices, and the group of each type."""
    rng = np.random.default_rng(seed)
    size = instance.distance_matrix().max() * problem.cost_scale
    unit_costs = [instance.vehicle_types[index].unit_cost for index, _ in problem.types]
    # Types of the same unit cost share a labelling, in the order of their first one.
    groups = [list(dict.fromkeys(unit_costs)).index(unit_cost) for unit_cost in unit_costs]
    cuts = []
    for count in (2, 3, 4):
        members = sorted((rng.choice(instance.num_customers, count, replace=False) + 1).tolist())
        cuts.append((members, rng.random(max(groups) + 1).tolist(), float(rng.random() * size)))
    return cuts, groups


def _leaving(route, members):
    """Return how often a route leaves a set of customers."""
    return sum(i in members and j not in members for i, j in itertools.pairwise((*route, 0)))


def test_a_type_without_routes_proves_nothing_and_spoils_nothing():
    """Branching may forbid all arcs of a type: its least reduced cost is infinite then."""
    base = paper_instance(5, 1)
    types = (VehicleType("a", 3.0, 5.0, 1.0), VehicleType("b", 2.0, 2.0, 2.0))
    problem = _problem(Instance("two", base.coordinates, base.demands, types))
    known = _core.testing.exact_bounds(problem, [5.0, 0.0], 90.0, [-1.0, math.inf], 100.0)
    bound, limits = _core.testing.exact_bounds(problem, [5.0, 5.0], 90.0, [-1.0, math.inf], 100.0)
    assert math.isfinite(bound)
    assert bound == known[0]
    assert limits[0] == known[1][0]
    assert limits[0] > 10.0


@pytest.mark.parametrize("with_capacity_cuts", [False, True])
@pytest.mark.parametrize("with_cuts", [False, True])
@pytest.mark.parametrize("seed", range(14))
def test_pricing_equals_enumeration_of_ng_routes(seed, with_cuts, with_capacity_cuts):
    """The least reduced cost per type, and columns that have the reduced cost they claim."""
    instance = tiny_instance(seed, 5)
    problem = _problem(instance, max_capacity=40 if seed % 2 else 1000)
    customers, cuts = _prices(instance, problem, seed)
    cuts = cuts if with_cuts else []
    capacity_cuts, groups = _capacity_cuts(instance, problem, seed)
    capacity_cuts = capacity_cuts if with_capacity_cuts else []
    types = [problem.cost_scale * k / 3 for k in range(len(problem.types))]
    neighbours = _core.testing.exact_neighbours(problem, NG_SIZE)
    columns, least = _core.testing.exact_price(
        problem, NG_SIZE, customers, types, cuts, capacity_cuts
    )

    def reduced_cost(k, route):
        plain = _core.testing.exact_reduced_cost(problem, customers, types, cuts, k, list(route))
        return plain - sum(
            price * weights[groups[k]] * _leaving(route, members)
            for members, weights, price in capacity_cuts
        )

    negative = dict.fromkeys(range(len(types)), 0)
    for k, _, route in columns:
        assert reduced_cost(k, route) < -1e-10
        assert reduced_cost(k, route) == pytest.approx(
            _core.testing.exact_reduced_cost(
                problem, customers, types, cuts, k, route, capacity_cuts
            )
        )
        negative[k] += 1
    for k, (_, capacity) in enumerate(problem.types):
        routes = _ng_routes(problem, neighbours, min(capacity, sum(problem.demands)))
        expected = min(reduced_cost(k, route) for route in routes)
        if expected < -1e-7:
            assert least[k] == pytest.approx(expected, abs=1e-7)
            assert negative[k] > 0
            found = min(
                reduced_cost(k, route) for vehicle_type, _, route in columns if vehicle_type == k
            )
            assert found == pytest.approx(expected, abs=1e-7)
        else:
            # Where no route is negative a lower bound is enough.
            assert -1e-7 <= least[k] <= expected + 1e-7
            assert negative[k] == 0


@pytest.mark.parametrize("seed", range(7))
def test_pricing_does_not_depend_on_threads(seed):
    """Groups of types are priced side by side."""
    instance = tiny_instance(seed, 6)
    problem = _problem(instance)
    customers, cuts = _prices(instance, problem, seed)
    types = [0.0] * len(problem.types)
    one = _core.testing.exact_price(problem, 4, customers, types, cuts, threads=1)
    assert _core.testing.exact_price(problem, 4, customers, types, cuts, threads=3) == one


@pytest.mark.parametrize("seed", range(7))
def test_heuristic_pricing_finds_nothing_that_is_not_there(seed):
    """Its columns are ng-routes of negative reduced cost."""
    instance = tiny_instance(seed, 6)
    problem = _problem(instance)
    customers, cuts = _prices(instance, problem, seed)
    types = [0.0] * len(problem.types)
    columns, _ = _core.testing.exact_price(problem, NG_SIZE, customers, types, cuts, is_exact=False)
    _, least = _core.testing.exact_price(problem, NG_SIZE, customers, types, cuts)
    for k, _, route in columns:
        reduced = _core.testing.exact_reduced_cost(problem, customers, types, cuts, k, route)
        assert least[k] - 1e-9 <= reduced < 0


@pytest.mark.parametrize("fix_first", [False, True])
@pytest.mark.parametrize("with_cuts", [False, True])
@pytest.mark.parametrize("seed", range(14))
def test_enumeration_loses_no_route(seed, with_cuts, fix_first):
    """The cheapest route of every set of customers within the limit of its type."""
    instance = tiny_instance(seed, 5)
    problem = _problem(instance)
    customers, cuts = _prices(instance, problem, seed)
    customers = [price / 3 for price in customers]
    capacity_cuts, _ = _capacity_cuts(instance, problem, seed)
    capacity_cuts = [(members, weights, price / 9) for members, weights, price in capacity_cuts]
    if not with_cuts:
        cuts, capacity_cuts = [], []
    types = [0.0] * len(problem.types)
    _, least = _core.testing.exact_price(problem, NG_SIZE, customers, types, cuts, capacity_cuts)
    limits = [value + problem.cost_scale for value in least]
    routes = _core.testing.exact_routes(
        problem,
        NG_SIZE,
        customers,
        types,
        cuts,
        limits,
        fix_first,
        capacity_cuts=capacity_cuts,
    )
    found = {(k, frozenset(route)): cost for k, cost, route in routes}
    assert len(found) == len(routes)
    matrix = instance.distance_matrix()
    for k, (index, _) in enumerate(problem.types):
        vehicle = instance.vehicle_types[index]
        for size in range(1, instance.num_customers + 1):
            for chosen in itertools.combinations(range(1, instance.num_customers + 1), size):
                if math.fsum(instance.demands[list(chosen)]) > vehicle.load_limit:
                    assert (k, frozenset(chosen)) not in found
                    continue
                length, order = min(
                    (sum(matrix[i, j] for i, j in itertools.pairwise((0, *p, 0))), p)
                    for p in itertools.permutations(chosen)
                )
                reduced = _core.testing.exact_reduced_cost(
                    problem, customers, types, cuts, k, list(order), capacity_cuts
                )
                if reduced < limits[k] - 1e-7:
                    cost = vehicle.fixed_cost + vehicle.unit_cost * length
                    cost *= problem.cost_scale
                    assert found[k, frozenset(chosen)] == pytest.approx(cost, rel=1e-12)


def test_enumeration_gives_up_at_its_limit():
    """An incomplete list would prove nothing."""
    instance = paper_instance(12, 3)
    problem = _problem(instance)
    prices = [0.0] * (instance.num_customers + 1)
    types = [0.0] * len(problem.types)
    limits = [1e9] * len(types)
    assert _core.testing.exact_routes(problem, 4, prices, types, [], limits, False, 100) is None


def _sets_within(demands, limit, slack=0.0):
    count = len(demands) - 1
    return {
        chosen
        for size in range(1, count + 1)
        for chosen in itertools.combinations(range(1, count + 1), size)
        if math.fsum(demands[list(chosen)]) <= limit + slack
    }


@pytest.mark.parametrize("max_capacity", [3, 20, 1000])
@pytest.mark.parametrize("seed", range(14))
def test_scaled_loads_lose_no_feasible_set(seed, max_capacity):
    """Whatever `evaluate` accepts fits the scaled capacity; the same sets, where that is said."""
    instance = tiny_instance(seed, 6)
    problem = _problem(instance, max_capacity)
    demands = np.array(problem.demands)
    assert (demands[1:] >= 1).all()
    for index, capacity in problem.types:
        real = _sets_within(instance.demands, instance.vehicle_types[index].load_limit)
        scaled = _sets_within(demands, capacity)
        assert real <= scaled
        if problem.has_exact_loads:
            assert real == scaled


def test_hundredths_are_scaled_exactly():
    """The paper's demands have a unit although their sums in binary are not exact."""
    instance = paper_instance(20, 0)
    problem = _problem(instance)
    assert problem.has_exact_loads
    assert problem.demands[1:] == [round(d * 100) for d in instance.demands[1:]]


def test_a_load_at_the_tolerance_still_fits():
    """`evaluate` accepts a billionth more than the capacity, so a bound must allow for it."""
    instance = Instance(
        name="edge",
        coordinates=np.zeros((4, 2)),
        demands=np.array([0.0, 0.1, 0.2, 0.3]),
        vehicle_types=(VehicleType("van", 0.6 / (1 + 0.9e-9)),),
    )
    assert _problem(instance).types == [(0, 6)]


@pytest.mark.parametrize("seed", range(10))
def test_fleet_cuts_hold_for_every_fleet_that_carries_the_demand(seed, lp):
    """And cut off the given numbers."""
    rng = np.random.default_rng(seed)
    instance = paper_instance(12, seed, num_types=3)
    if seed % 2:
        types = tuple(vehicle_type.replace(available=5) for vehicle_type in instance.vehicle_types)
        instance = instance.replace(vehicle_types=types)
    problem = _problem(instance)
    capacities = np.array([capacity for _, capacity in problem.types])
    limits = [instance.vehicle_types[index].available or 12 for index, _ in problem.types]
    total = sum(problem.demands)
    fleet = rng.random(len(capacities)) * 3
    fleet *= total / float(capacities @ fleet)
    upper = [float(limit) for limit in limits]
    lower = [float(seed % 3 == 0), 0.0, 0.0][: len(upper)]
    fleet = np.maximum(fleet, lower)
    cut = _core.testing.exact_fleet_cut(problem, lp, lower, upper, fleet.tolist())
    if cut is None:
        return
    weights, least = cut
    assert np.dot(weights, fleet) < least
    choices = [range(int(a), int(b) + 1) for a, b in zip(lower, upper, strict=True)]
    for vehicles in itertools.product(*choices):
        if np.dot(capacities, vehicles) >= total:
            assert np.dot(weights, vehicles) >= least - 1e-9


def test_fleet_cuts_exist(lp):
    """Half a vehicle too few is cut off."""
    types = (VehicleType("van", 2.0, 1.0), VehicleType("lorry", 5.0, 2.0))
    instance = Instance(
        name="half",
        coordinates=np.zeros((4, 2)),
        demands=np.array([0.0, 2.0, 2.0, 2.0]),
        vehicle_types=types,
    )
    # A total of 6: one lorry of 5 is not enough, however 1.2 of them would be.
    weights, least = _core.testing.exact_fleet_cut(_problem(instance), lp, [0, 0], [3, 3], [0, 1.2])
    assert 1.2 * weights[1] < least <= min(2 * weights[1], weights[0] + weights[1], 3 * weights[0])


@pytest.mark.parametrize("has_full_memory", [False, True])
def test_subset_cuts_cut_off_the_solution_and_no_plan(has_full_memory):
    """Three half routes over three pairs of customers count 3/2, and no plan counts more than 1."""
    problem = _problem(paper_instance(7, 0))
    routes = [[1, 4, 2], [2, 3], [3, 5, 6, 1], [4, 5, 6, 7]]
    values = [0.5, 0.5, 0.5, 0.5]
    cuts = _core.testing.exact_subset_cuts(problem, routes, values, has_full_memory)
    assert [1, 2, 3] in [members for members, _ in cuts]
    for members, counts in cuts:
        assert np.dot(counts, values) > len(members) // 2
    partitions = ([[1, 2, 3], [4, 5, 6, 7]], [[1, 2], [3, 4, 5], [6, 7]], [[7, 6, 5, 4, 3, 2, 1]])
    for plan in partitions:
        for members, _ in cuts:
            shared = [len(set(route) & set(members)) // 2 for route in plan]
            assert sum(shared) <= len(members) // 2


def _least_weight(customers, demands, vehicles):
    """Return the least weight of vehicles, given by capacity and weight, that serve customers."""
    if not customers:
        return 0.0
    first, rest = customers[0], customers[1:]
    best = math.inf
    for size in range(len(rest) + 1):
        for others in itertools.combinations(rest, size):
            load = demands[first] + sum(demands[i] for i in others)
            for vehicle in {vehicle for vehicle in vehicles if vehicle[0] >= load}:
                left = list(vehicles)
                left.remove(vehicle)
                unserved = [i for i in rest if i not in others]
                best = min(best, vehicle[1] + _least_weight(unserved, demands, left))
    return best


@pytest.mark.parametrize("seed", range(20))
def test_capacity_cuts_cut_off_the_solution_and_no_plan(seed):
    """No plan serves the set with vehicles of less weight, by brute force."""
    rng = np.random.default_rng(seed)
    instance = tiny_instance(seed, 6)
    problem = _problem(instance)
    capacities = [capacity for _, capacity in problem.types]
    numbers = [instance.vehicle_types[index].available or 6 for index, _ in problem.types]
    # Long routes, each chosen in part: more load than vehicles carry.
    routes = [(k % len(capacities), (rng.permutation(6) + 1).tolist()) for k in range(4)]
    values = [0.25] * 4
    upper = [float(number) for number in numbers]
    cuts = _core.testing.exact_capacity_cuts(problem, upper, routes, values)
    if sum(problem.demands) > max(capacities):
        assert cuts
    for members, weights, least, counts in cuts:
        assert counts == [_leaving(route, set(members)) for _, route in routes]
        weighted = [weights[k] * count for (k, _), count in zip(routes, counts, strict=True)]
        assert np.dot(weighted, values) < least
        vehicles = [
            (capacities[k], weights[k]) for k, number in enumerate(numbers) for _ in range(number)
        ]
        assert _least_weight(members, problem.demands, vehicles) >= least - 1e-9


def test_capacity_cuts_hold_for_optimal_plans():
    """Sets found at mixtures of routes of proven plans, and of a plan with several unit costs."""
    for name in ("golden-04", "golden-13", "paper:50:3"):
        instance = open_instance(name)
        plan = library.best_known_solution(name) if library.is_name(name) else None
        if plan is None:
            plan = solve(instance, time_limit=0.5, seed=0).solution
        problem = _problem(instance)
        number = {index: k for k, (index, _) in enumerate(problem.types)}
        assert all(route.vehicle_type in number for route in plan.routes)
        best = [(number[route.vehicle_type], list(route.customers)) for route in plan.routes]
        upper = [50.0] * len(problem.types)
        found = 0
        # Routes of the plan that run into each other need more vehicles than they leave sets.
        for step in range(1, len(best)):
            joined = [
                (best[i][0], best[i][1] + best[(i + step) % len(best)][1]) for i in range(len(best))
            ]
            values = [0.5] * len(joined)
            cuts = _core.testing.exact_capacity_cuts(problem, upper, joined, values)
            found += len(cuts)
            for members, weights, least, _ in cuts:
                total = sum(weights[k] * _leaving(route, set(members)) for k, route in best)
                assert total >= least
        assert found > 0


def test_a_missing_library_is_named(tmp_path):
    """The message says which file could not be opened."""
    with pytest.raises(RuntimeError, match="no-such-library"):
        _core.open_highs(str(tmp_path / "no-such-library.so"))
