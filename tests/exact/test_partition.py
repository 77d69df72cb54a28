"""Set partitioning over given routes returns the cheapest plan they make."""

from __future__ import annotations

import itertools
import math

import pytest

from fripn import Run, Solution, Stop, evaluate
from fripn.exact import cheapest_partition
from fripn.exact.engine import SeenRoutes
from fripn.incumbent import Incumbent
from helpers import brute_force_cost, tiny_instance


def all_routes(instance):
    """Return every order of every set of customers, for every vehicle type."""
    customers = range(1, instance.num_customers + 1)
    return [
        (k, order)
        for k in range(instance.num_types)
        for size in customers
        for order in itertools.permutations(customers, size)
    ]


@pytest.mark.parametrize("seed", range(14))
def test_all_routes_give_the_optimum(seed):
    """Routes that break a capacity are left out, and limited fleets are kept."""
    instance = tiny_instance(seed, 5)
    plan = cheapest_partition(instance, all_routes(instance))
    evaluation = evaluate(instance, plan)
    assert evaluation.is_feasible
    assert evaluation.cost == pytest.approx(brute_force_cost(instance))


def test_a_customer_of_two_routes_is_left_out_of_one():
    """Two overlapping routes make a plan where the triangle inequality holds."""
    instance = tiny_instance(0, 4)
    routes = [(k, order) for k in range(instance.num_types) for order in ((1, 2), (2, 3), (4,))]
    plan = cheapest_partition(instance, routes)
    assert plan is None or evaluate(instance, plan).is_feasible
    served = [] if plan is None else [i for route in plan.routes for i in route.customers]
    assert plan is None or sorted(served) == [1, 2, 3, 4]


def test_nothing_below_the_cutoff():
    """A plan that is known already is not found again."""
    instance = tiny_instance(2, 5)
    optimum = brute_force_cost(instance)
    routes = all_routes(instance)
    assert cheapest_partition(instance, routes, cutoff=optimum * (1 - 1e-6)) is None
    assert isinstance(cheapest_partition(instance, routes, cutoff=math.inf), Solution)


def test_routes_that_leave_a_customer_out_make_no_plan():
    """There is none, whatever the cutoff."""
    assert cheapest_partition(tiny_instance(0, 4), [(0, (1, 2))]) is None


def test_a_stop_ends_it():
    """Nothing is returned where the program had no time."""
    instance = tiny_instance(2, 5)
    stop = Stop()
    stop.set()
    found = cheapest_partition(instance, all_routes(instance), stop=stop.flag)
    assert found is None or evaluate(instance, found).is_feasible


def test_routes_of_several_plans_are_recombined():
    """Two plans, each with one good half: the integer program takes the better half of each."""
    instance = tiny_instance(5, 6)
    best = Incumbent(instance, Run(), "exact")
    seen = SeenRoutes()
    for customers in ((1, 2), (3, 4, 5, 6), (1, 2, 3, 4), (5, 6), (2, 1, 3), (4, 6, 5)):
        seen.add([(0, list(customers))])
    single = [(0, [customer]) for customer in range(1, 7)]
    seen.add(single)
    cost = evaluate(instance, Solution.of(single)).cost
    plan = seen.recombine(best, cost, None)
    assert plan is not None
    assert evaluate(instance, plan).is_feasible
    assert evaluate(instance, plan).cost < cost
