"""What can run long looks at the clock often, whatever the machine: no wall-clock in here."""

import numpy as np

from fripn import Budget, Instance, Solution, VehicleType, _core, evaluate, solve
from fripn.core import to_core
from fripn.problem.generate import paper_instance

Routes = list[tuple[int, list[int]]]


def routes_of(solution: Solution) -> Routes:
    return solution.pairs()


def test_local_search_looks_for_every_route_and_few_customers():
    """A local optimum leaves only the tests: of all customers twice, and of all pairs of routes."""
    instance = paper_instance(400, 2)
    core = to_core(instance)
    routes = routes_of(solve(instance, "savings").solution)
    for _ in range(3):
        routes, _ = _core.local_search(core, routes, 1)
    unchanged, looks = _core.local_search(core, routes, 1)
    assert unchanged == routes
    assert looks >= 2 * 400 // 30 + len(routes) - 1


def test_set_partition_looks_while_it_searches():
    """The subgradient reads the clock at most eight times; the search among many routes, often."""
    rng = np.random.default_rng(3)
    instance = Instance(
        name="pool",
        coordinates=rng.random((25, 2)),
        demands=[0.0, *np.full(24, 1.0)],
        vehicle_types=(VehicleType("one", 6.0, 0.1, 1.0),),
    )
    plans = []
    for _ in range(400):
        order = [int(c) for c in rng.permutation(24) + 1]
        sizes = rng.integers(3, 7, 8)
        plan, begin = [], 0
        for size in sizes:
            if begin < 24:
                plan.append((0, order[begin : begin + size]))
                begin += size
        plans.append(plan)
    chosen, looks = _core.testing.set_partition(to_core(instance), plans)
    assert evaluate(instance, Solution.of(chosen)).is_feasible
    assert looks > 8 + 4


def test_a_large_first_plan_is_improved_at_once():
    """Beyond 2,000 customers a plain local search comes first, and its plan can always be kept."""
    instance = paper_instance(2100, 0)
    first = solve(instance, "savings")
    core = to_core(instance)
    improved = Solution.of(_core.local_search(core, routes_of(first.solution), 0)[0])
    gain = first.cost - evaluate(instance, improved).cost
    found = solve(instance, "hgs", budget=Budget(iterations=1))
    assert found.cost < first.cost - 0.8 * gain
