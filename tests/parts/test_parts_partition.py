"""Groups of neighbouring routes: all of them, about equally large, and never twice the same."""

import numpy as np
import pytest

from fripn.parts.part import cut_out
from fripn.parts.partition import group_routes
from fripn.problem import Instance, Solution, VehicleType, evaluate
from fripn.problem.generate import paper_instance
from fripn.solve import solve


def plan_of(instance):
    plan = solve(instance, "savings").solution
    assert plan is not None
    return plan


def matrix_instance(instance):
    """Return the same problem without coordinates."""
    return instance.replace(
        coordinates=None, metric="matrix", matrix=np.array(instance.distance_matrix())
    )


@pytest.mark.parametrize("has_coordinates", [True, False])
def test_every_route_is_in_one_group(has_coordinates):
    """Groups have about the same number of customers, with or without coordinates."""
    instance = paper_instance(400, 1)
    plan = plan_of(instance)
    if not has_coordinates:
        instance = matrix_instance(instance)
    groups = group_routes(instance, plan, 7, np.random.default_rng(0))
    assert sorted(index for group in groups for index in group) == list(range(len(plan.routes)))
    sizes = [sum(len(plan.routes[index].customers) for index in group) for group in groups]
    assert len(sizes) == 7
    assert max(sizes) < 1.6 * 400 / 7


def test_groups_are_neighbours():
    """The routes of a group lie closer together than those of all."""
    instance = paper_instance(600, 2)
    plan = plan_of(instance)
    centres = np.array(
        [instance.coordinates[list(route.customers)].mean(axis=0) for route in plan.routes]
    )
    for group in group_routes(instance, plan, 6, np.random.default_rng(3)):
        assert centres[group].std(axis=0).prod() < 0.5 * centres.std(axis=0).prod()


def test_the_boundaries_move():
    """Another call makes other groups."""
    instance = paper_instance(400, 1)
    plan, rng = plan_of(instance), np.random.default_rng(0)
    first, second = (
        {frozenset(group) for group in group_routes(instance, plan, 5, rng)} for _ in range(2)
    )
    assert not first & second


def test_there_are_no_more_groups_than_routes():
    """A route is never cut."""
    instance = paper_instance(6, 1)
    plan = Solution.of([(int(instance.capacities.argmax()), [1, 2, 3, 4, 5, 6])])
    assert group_routes(instance, plan, 5, np.random.default_rng(0)) == [[0]]


def limited_instance():
    base = paper_instance(120, 3)
    types = [VehicleType("a", 2.0, 5.0, 1.0, 20), VehicleType("b", 1.0, 3.0, 1.0, 40)]
    return Instance("limited", base.coordinates, base.demands, tuple(types))


@pytest.mark.parametrize("make", [limited_instance, lambda: paper_instance(120, 3)])
def test_parts_make_up_the_whole(make):
    """Costs add up, plans are valid, and together they have no more vehicles than there are."""
    instance = make()
    plan, rng = plan_of(instance), np.random.default_rng(1)
    cuts = cut_out(instance, plan, group_routes(instance, plan, 4, rng), rng)
    evaluations = [evaluate(cut.instance, cut.plan) for cut in cuts]
    assert all(evaluation.is_feasible for evaluation in evaluations)
    whole = evaluate(instance, plan)
    assert sum(evaluation.cost for evaluation in evaluations) == pytest.approx(whole.cost)
    for index, offered in enumerate(instance.vehicle_types):
        given = [cut.instance.vehicle_types[index].available for cut in cuts]
        if offered.available is None:
            assert given == [None] * 4
        else:
            assert sum(given) == offered.available
    routes = [route for cut in cuts for route in cut.original_routes(cut.plan)]
    assert sorted(routes, key=str) == sorted(plan.routes, key=str)
