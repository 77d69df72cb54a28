"""Outside solvers: integers that lose nothing, enough vehicles, starts handed over."""

from __future__ import annotations

import math
import os

import numpy as np
import pytest

from fripn import Budget, Instance, Run, Solution, VehicleType, evaluate
from fripn.baselines.integers import integer_loads
from fripn.baselines.milp import Milp
from fripn.baselines.peers import process
from fripn.baselines.peers.integer_problem import integer_problem, vehicles_needed
from fripn.errors import Unsupported
from fripn.problem.generate import paper_instance
from fripn.solve import get_method
from helpers import tiny_instance

#: The work is done by other packages, which the sanitizer cannot check.
pytestmark = pytest.mark.pure

PEERS = ("pyvrp", "ortools", "vroom")


def test_decimal_demands_become_exact_units() -> None:
    """Hundredths are integers in units of 0.01, and capacities lose only what no load can use."""
    instance = paper_instance(20, seed=1)
    loads = integer_loads(instance)
    assert loads.is_exact
    assert loads.unit == pytest.approx(0.01)
    assert np.allclose(loads.demands * 0.01, instance.demands)
    assert np.all(loads.capacities * 0.01 <= instance.capacities + 1e-9)


def test_capacity_that_is_a_decimal_is_not_rounded_below_itself() -> None:
    """0.29 × 100 is 28.999…; a vehicle for 0.29 must still carry 0.29."""
    instance = Instance(
        name="decimal",
        coordinates=np.zeros((2, 2)),
        demands=np.array([0.0, 0.29]),
        vehicle_types=(VehicleType("van", 0.29),),
    )
    loads = integer_loads(instance)
    assert loads.demands[1] == loads.capacities[0] == 29


def test_odd_demands_are_rounded_to_the_safe_side() -> None:
    """Where no decimal unit fits, loads that fit in integers fit the instance."""
    rng = np.random.default_rng(1)
    instance = paper_instance(30, seed=2).replace(demands=np.r_[0.0, rng.random(30) / 3])
    loads = integer_loads(instance)
    assert not loads.is_exact
    assert np.all(loads.demands * loads.unit >= instance.demands * (1 - 1e-12))
    assert np.all(loads.capacities * loads.unit <= instance.capacities * (1 + 1e-9))


def test_demand_as_large_as_the_largest_vehicle_still_fits() -> None:
    """Rounding never makes an instance unsolvable."""
    capacity = 1 / 3 + 1e-8 * math.pi
    instance = Instance(
        name="full",
        coordinates=np.zeros((3, 2)),
        demands=np.array([0.0, capacity, capacity / math.e]),
        vehicle_types=(VehicleType("van", capacity), VehicleType("bike", capacity / 2)),
    )
    loads = integer_loads(instance)
    assert loads.demands.max() <= loads.capacities.max()


def test_scaled_costs_order_plans_as_real_ones() -> None:
    """Whole-number costs of a plan are its cost times the scale, to a few parts per million."""
    instance = paper_instance(15, seed=4)
    plan = get_method("savings")(instance, Run()).solution
    assert plan is not None
    problem = integer_problem(instance, start=None, total=1e9, largest=2**40)
    fleets = {fleet.vehicle_type: fleet for fleet in problem.fleets}
    cost = 0
    for route in plan.routes:
        stops = [0, *route.customers, 0]
        fleet = fleets[route.vehicle_type]
        cost += fleet.fixed_cost + int(problem.profiles[fleet.profile][stops[:-1], stops[1:]].sum())
    assert cost / problem.cost_scale == pytest.approx(evaluate(instance, plan).cost, rel=1e-6)


def test_costs_beyond_a_solver_are_refused() -> None:
    """An arc a billion times as costly as a good plan cannot be held in 30 bits with the rest."""
    matrix = np.full((3, 3), 1.0)
    matrix[1, 2] = 1e12
    instance = Instance(
        name="wild",
        coordinates=None,
        demands=np.array([0.0, 1.0, 1.0]),
        vehicle_types=(VehicleType("van", 1.0),),
        metric="matrix",
        matrix=matrix,
    )
    with pytest.raises(Unsupported, match="integers cannot hold them"):
        integer_problem(instance, start=None, total=1e8, largest=2**30)


@pytest.mark.parametrize("seed", range(10))
def test_enough_vehicles_are_offered_for_an_optimal_plan(seed: int) -> None:
    """With no more vehicles than the bound the optimum is still there."""
    instance = tiny_instance(seed)
    free = Milp()(instance, Run())
    counts = vehicles_needed(instance, free.cost)
    limited = instance.replace(
        vehicle_types=tuple(
            vehicle_type.replace(available=count)
            for vehicle_type, count in zip(instance.vehicle_types, counts, strict=True)
        )
    )
    assert Milp()(limited, Run()).cost == pytest.approx(free.cost, rel=1e-7)


@pytest.mark.parametrize("name", PEERS)
@pytest.mark.parametrize("seed", [0, 3, 6])
def test_peers_never_beat_the_optimum_and_come_near(name: str, seed: int) -> None:
    """On tiny instances of every shape a peer's plan is valid and within reach of the optimum."""
    instance = tiny_instance(seed)
    optimum = Milp()(instance, Run()).cost
    result = get_method(name)(instance, Run(Budget(iterations=100), seed=3))
    assert result.solution is not None
    assert evaluate(instance, result.solution).is_feasible
    assert optimum - 1e-6 <= result.cost <= 1.5 * optimum


@pytest.mark.parametrize("name", ["pyvrp", "ortools"])
def test_start_is_where_the_search_begins(name: str) -> None:
    """The first entry of the curve is the given plan, and the result is not worse."""
    instance = paper_instance(12, seed=6)
    largest = int(np.argmax(instance.capacities))
    start = Solution.of([(largest, [customer]) for customer in range(1, 13)])
    result = get_method(name)(instance, Run(Budget(iterations=20), start=start))
    assert result.curve[0].cost == pytest.approx(evaluate(instance, start).cost)
    assert result.cost < evaluate(instance, start).cost


@pytest.mark.parametrize("name", PEERS)
def test_worker_is_kept_for_the_next_job(name: str) -> None:
    """A process that finished its job takes the next one, with the same answer."""
    instance = paper_instance(8, seed=2)
    first = get_method(name)(instance, Run(Budget(iterations=5)))
    key = (f"{name}_worker.py", os.getpid())
    kept = process._IDLE[key]
    second = get_method(name)(instance, Run(Budget(iterations=5)))
    assert process._IDLE[key] is kept
    assert first.solution == second.solution
