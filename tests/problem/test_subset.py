"""Some customers as a problem of their own: everything about them stays as it was."""

import numpy as np
import pytest

from day_instances import day_instance, random_plan
from fripn.errors import InvalidInstance
from fripn.problem import Instance, Route, Solution, evaluate
from fripn.problem.generate import paper_instance
from fripn.problem.subset import with_customers


@pytest.mark.parametrize("seed", range(12))
def test_routes_cost_and_break_what_they_did(seed):
    """With windows, access, loads, depots and matrices: a route is the same in both problems."""
    whole = day_instance(seed, 9)
    plan = random_plan(whole, seed)
    routes = [route for route in plan.routes if route.customers][::2]
    customers = sorted(customer for route in routes for customer in route.customers)
    part = with_customers(whole, customers)
    place = {customer: index for index, customer in enumerate(customers, start=1)}
    alone = Solution(
        tuple(Route(route.vehicle_type, tuple(map(place.get, route.customers))) for route in routes)
    )
    before, after = evaluate(whole, Solution(tuple(routes))), evaluate(part, alone)
    assert after.cost == pytest.approx(before.cost)
    assert after.distance == pytest.approx(before.distance)
    of_routes = [one.code for one in before.violations if one.route is not None]
    assert [one.code for one in after.violations if one.route is not None] == of_routes


def test_names_are_left_out():
    """They would have to travel with every part."""
    whole = paper_instance(4, 1).replace(stop_names=list("dabce"), stop_ids=list("01234"))
    part = with_customers(whole, [2, 4])
    assert isinstance(part, Instance)
    assert part.stop_names is part.stop_ids is None
    assert np.array_equal(part.coordinates, whole.coordinates[[0, 2, 4]])
    assert np.array_equal(part.demands, whole.demands[[0, 2, 4]])


def test_no_customers_are_no_problem():
    """There is nothing to plan."""
    with pytest.raises(InvalidInstance):
        with_customers(paper_instance(4, 1), [])
