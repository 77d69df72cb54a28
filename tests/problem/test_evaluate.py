"""`evaluate` against numbers computed by hand, and against an independent slow version."""

import math
from collections import Counter
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import any_solutions, instances

from fripn.errors import InvalidSolution
from fripn.problem import Instance, Route, Solution, VehicleType, Violation, ViolationCode, evaluate


@pytest.fixture
def tiny():
    """Depot and three customers on lines of known lengths."""
    return Instance(
        name="tiny",
        coordinates=[[0, 0], [3, 4], [0, 8], [6, 0]],
        demands=[0, 2, 3, 1],
        vehicle_types=[VehicleType("A", 3, 10), VehicleType("B", 5, 15, 2.0, available=1)],
        stop_names=["hub", "x", "y", "z"],
    )


def test_cost_on_paper(tiny):
    """B drives 0-1-2-0 (5 + 5 + 8), A drives 0-3-0 (12)."""
    evaluation = evaluate(tiny, Solution.of([(1, [1, 2]), (0, [3])]))
    assert evaluation.is_feasible
    assert evaluation.fixed_cost == 25
    assert evaluation.travel_cost == 18 * 2 + 12
    assert evaluation.cost == 73
    assert evaluation.distance == 30
    assert evaluation.num_vehicles == 2
    first, second = evaluation.routes
    assert (first.load, first.distance, first.cost) == (5, 18, 51)
    assert (second.vehicle_type, second.cost) == (0, 22)
    small, large = evaluation.types
    assert (small.count, small.load_factor) == (1, pytest.approx(1 / 3))
    assert (large.count, large.load_factor, large.cost) == (1, 1.0, 51)


def test_empty_route_pays_no_fixed_cost(tiny):
    """A vehicle that stays at home is not hired."""
    plan = Solution((Route(1, (1, 2)), Route(0, (3,)), Route(1, ())))
    evaluation = evaluate(tiny, plan)
    assert evaluation.is_feasible
    assert evaluation.cost == 73
    assert len(evaluation.routes) == 3
    assert evaluation.types[0].count == 1


@pytest.mark.parametrize(
    ("routes", "code", "message", "fields"),
    [
        (
            [(1, [1, 2])],
            "missing",
            "customer 3 (z) is not visited",
            {"stop": 3, "amount": 0, "limit": 1},
        ),
        (
            [(1, [1, 2]), (0, [3, 3])],
            "repeated",
            "customer 3 (z) is visited 2 times",
            {"stop": 3, "amount": 2, "limit": 1},
        ),
        (
            [(1, [1, 2]), (0, [3, 4])],
            "unknown_customer",
            "route 2 visits customer 4, but the customers are 1 to 3",
            {"route": 2, "stop": 4, "amount": 4, "limit": 3},
        ),
        (
            [(1, [1, 0, 2]), (0, [3])],
            "unknown_customer",
            "route 1 visits customer 0, but the customers are 1 to 3",
            {"route": 1, "stop": 0, "amount": 0, "limit": 3},
        ),
        (
            [(1, [1, 2]), (0, [3, -(10**40)])],
            "unknown_customer",
            "route 2 visits customer an integer of over 30 digits, but the customers are 1 to 3",
            {"route": 2, "stop": -(10**40), "amount": -(10**40), "limit": 3},
        ),
        (
            [(1, [1, 2]), (7, [3])],
            "unknown_type",
            "route 2 uses vehicle type number 7, but the types are 0 to 1",
            {"route": 2, "vehicle_type": 7, "amount": 7, "limit": 1},
        ),
        (
            [(0, [1, 2]), (0, [3])],
            "overload",
            "route 1 carries 5, but vehicle type A holds 3",
            {"route": 1, "vehicle_type": 0, "amount": 5.0, "limit": 3.0},
        ),
        (
            [(1, [1]), (1, [2]), (0, [3])],
            "too_many_vehicles",
            "2 vehicles of type B are used, but only 1 are available",
            {"vehicle_type": 1, "amount": 2, "limit": 1},
        ),
    ],
)
def test_each_violation_is_named(tiny, routes, code, message, fields):
    """Exactly the broken rule is reported, in words and as data."""
    (violation,) = evaluate(tiny, Solution.of(routes)).violations
    assert violation == Violation(ViolationCode(code), message, **fields)
    record = violation.to_dict(tiny)
    assert (record["code"], record["message"]) == (code, message)
    assert record["customer"] == fields.get("stop")
    names = {None: None, 0: "A", 1: "B", 7: 7}
    assert record["vehicle_type"] == names[fields.get("vehicle_type")]
    assert {name: record[name] for name in ("route", "amount", "limit")} == {
        name: fields.get(name) for name in ("route", "amount", "limit")
    }


def test_tolerance_forgives_decimals_only():
    """Three times 0.1 fits into 0.3; a thousandth more does not."""
    instance = Instance("t", np.zeros((4, 2)), [0, 0.1, 0.1, 0.1], [VehicleType("A", 0.3)])
    plan = Solution.of([(0, [1, 2, 3])])
    assert evaluate(instance, plan).is_feasible
    heavier = instance.replace(demands=[0, 0.1, 0.1, 0.1003])
    assert not evaluate(heavier, plan).is_feasible


@pytest.mark.parametrize("customers", [(1.5,), ("2",), (None,)])
def test_routes_take_integers_only(customers):
    """1.5 is not a customer."""
    with pytest.raises(InvalidSolution, match="not made of integers"):
        Route(0, customers)


def test_route_types_are_checked():
    """A type is an integer, 0 or more."""
    with pytest.raises(InvalidSolution, match="0 or more"):
        Route(-1, (1,))
    with pytest.raises(InvalidSolution, match="not made of integers"):
        Route(0.5, (1,))


def test_numpy_integers_become_plain():
    """So that plans can be written as JSON."""
    route = Route(np.int64(1), np.array([2, 3]))
    assert route == Route(1, (2, 3))
    assert all(type(customer) is int for customer in route.customers)


def test_solution_of_drops_empty_routes():
    """Methods need not filter them."""
    assert Solution.of([(0, []), (1, [2])]).routes == (Route(1, (2,)),)


def slow_distance(instance, start, end):
    """Plain Python, and a different formula on the sphere."""
    if instance.matrix is not None:
        return float(instance.matrix[start, end])
    a, b = instance.coordinates[start].tolist(), instance.coordinates[end].tolist()
    if instance.metric == "euclidean":
        return math.dist(a, b)
    lon, lat, lon2, lat2 = map(math.radians, (*a, *b))
    across = math.hypot(
        math.cos(lat2) * math.sin(lon2 - lon),
        math.cos(lat) * math.sin(lat2) - math.sin(lat) * math.cos(lat2) * math.cos(lon2 - lon),
    )
    along = math.sin(lat) * math.sin(lat2) + math.cos(lat) * math.cos(lat2) * math.cos(lon2 - lon)
    return 6371.0088 * math.atan2(across, along)


def slow_evaluate(instance, solution):
    """Return the cost and the number of violations per code, by the definitions."""
    codes = Counter()
    cost = 0.0
    visits, used = Counter(), Counter()
    customers = set(range(1, instance.num_customers + 1))
    for route in solution.routes:
        known = [c for c in route.customers if c in customers]
        codes["unknown_customer"] += len(set(route.customers) - customers)
        visits.update(known)
        if route.vehicle_type >= instance.num_types:
            codes["unknown_type"] += 1
            continue
        vehicle = instance.vehicle_types[route.vehicle_type]
        load = sum((Fraction(float(instance.demands[c])) for c in known), Fraction(0))
        codes["overload"] += load > Fraction(vehicle.capacity) * (1 + Fraction(1, 10**9))
        if route.customers:
            used[route.vehicle_type] += 1
            cost += vehicle.fixed_cost
        if known:
            path = [0, *known, 0]
            length = sum(slow_distance(instance, a, b) for a, b in pairwise(path))
            cost += vehicle.unit_cost * length
    codes["missing"] = sum(visits[c] == 0 for c in customers)
    codes["repeated"] = sum(visits[c] > 1 for c in customers)
    codes["too_many_vehicles"] = sum(
        vehicle.available is not None and used[index] > vehicle.available
        for index, vehicle in enumerate(instance.vehicle_types)
    )
    return cost, +codes


@given(st.data())
def test_evaluate_equals_an_independent_slow_one(data):
    """Same cost, same violations, for plans that may break every rule."""
    instance = data.draw(instances())
    solution = data.draw(any_solutions(instance))
    evaluation = evaluate(instance, solution)
    cost, codes = slow_evaluate(instance, solution)
    assert evaluation.cost == pytest.approx(cost, rel=1e-9, abs=1e-6)
    assert Counter(violation.code.value for violation in evaluation.violations) == codes
    assert evaluation.cost == pytest.approx(sum(route.cost for route in evaluation.routes))
    assert evaluation.cost == pytest.approx(sum(type_cost.cost for type_cost in evaluation.types))


def test_a_violation_of_access_names_the_tag():
    """What the type would have to offer; a list of types needs no further words."""
    instance = Instance(
        "tags",
        [[0, 0], [3, 4], [6, 8]],
        [0, 1, 1],
        [VehicleType("van", 5, offers=["ramp"]), VehicleType("lift", 5, offers=["lift", "ramp"])],
        allowed_types=[None, None, (1,)],
        requires=[(), ("ramp", "lift"), ()],
    )
    violations = evaluate(instance, Solution.of([(0, [1, 2])])).violations
    assert [one.message for one in violations] == [
        "route 1 visits customer 1, which vehicle type van may not serve: it does not offer 'lift'",
        "route 1 visits customer 2, which vehicle type van may not serve",
    ]
