"""Instances without a plan: the reason is named, and it is never wrong."""

import numpy as np
import pytest

from day_optimum import day_optimum
from fripn import Budget, Instance, Status, VehicleType, solve
from fripn.errors import InvalidInstance, NoPlanFound
from fripn.fleet_comparison import compare_with
from fripn.problem.impossible import why_impossible, why_unlikely


def make(types, **changes):
    """Return an instance of two customers on either side of the depot, 10 and 20 away."""
    fields = {"coordinates": [[0, 0], [10, 0], [-20, 0]], "demands": [0, 3, 3]}
    return Instance("tiny", vehicle_types=types, **(fields | changes))


LATE = [(), ((0, 10),), ((0, 20),)]

CASES = {
    "time": (
        make((VehicleType("van", 9, available=1),), time_windows=LATE),
        "customer 1 and customer 2 do not fit into one route (time windows), and only 1 × van can "
        "serve them",
    ),
    "time of the only type that is large enough": (
        make((VehicleType("van", 2), VehicleType("lorry", 9, available=1)), time_windows=LATE),
        "customer 1 and customer 2 do not fit into one route (time windows), and only 1 × lorry "
        "can serve them",
    ),
    "load of the only type with access": (
        make(
            (VehicleType("van", 9), VehicleType("lift", 5, available=1, offers=["lift"])),
            requires=[(), ("lift",), ("lift",)],
        ),
        "customer 1 and customer 2 can only be served by 1 × lift; they demand 6, but these "
        "vehicles carry 5",
    ),
    "stops of the only type with access": (
        make(
            (VehicleType("van", 9), VehicleType("bike", 9, available=1, max_stops=1)),
            allowed_types=[None, (1,), (1,)],
        ),
        "customer 1 and customer 2 can only be served by 1 × bike, which may make 1 stop",
    ),
    "distance": (
        make((VehicleType("van", 9, available=1, max_distance=50),)),
        "customer 1 and customer 2 do not fit into one route (largest distance), and only 1 × van "
        "can serve them",
    ),
    "three": (
        make(
            (VehicleType("van", 9, available=2, max_duration=45),),
            coordinates=[[0, 0], [20, 0], [-20, 0], [0, 20]],
            demands=[0, 1, 1, 1],
        ),
        "no two of customer 1, customer 2 and customer 3 fit into one route (largest duration), "
        "and only 2 × van can serve them",
    ),
    "not the limits of a type without access": (
        make(
            (VehicleType("van", 9, available=1), VehicleType("bike", 4, available=1)),
            allowed_types=[None, (0,), None],
            time_windows=LATE,
            demands=[0, 3, 4.5],
        ),
        "customer 1 and customer 2 do not fit into one route (time windows), and only 1 × van can "
        "serve them",
    ),
    "a limit for each type": (
        make(
            (
                VehicleType("van", 9, available=1, shift_start=0, shift_end=50),
                VehicleType("bike", 5, available=1),
            ),
            coordinates=[[0, 0], [20, 0], [-20, 0], [0, 20]],
            demands=[0, 3, 3, 3],
        ),
        "no two of customer 1, customer 2 and customer 3 fit into one route (end of the shift, "
        "capacity), and only 1 × van and 1 × bike can serve them",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_reason_is_named(case):
    """Customers, types and the limit, in the note of the result and in the error."""
    instance, reason = CASES[case]
    assert why_impossible(instance) == f"No plan exists: {reason}."
    assert day_optimum(instance) is None
    budget = Budget(iterations=2)
    result = solve(instance, budget=budget)
    assert result.status is Status.NO_PLAN
    assert result.notes[-1] == f"No plan exists: {reason}."
    with pytest.raises(NoPlanFound) as caught:
        result.require_plan(budget)
    assert str(caught.value) == f"tiny has no plan: {reason}; add vehicles or change these limits"
    with pytest.raises(NoPlanFound, match="tiny has no plan: "):
        compare_with(instance, lambda problem: solve(problem, budget=budget))


def test_a_customer_out_of_direct_reach_is_named():
    """A detour is shorter in the matrix, but too slow, too: the hint says where to look."""
    instance = make(
        (VehicleType("van", 9),),
        durations=[[0, 5, 40], [5, 0, 10], [40, 10, 0]],
        service_times=[0, 10, 0],
        time_windows=[((0, 90),), (), ((0, 20),)],
        time_unit="min",
        hour=60,
    )
    assert why_impossible(instance) is None
    reason = (
        "on the direct way, no vehicle type can serve customer 2: van arrives at 0:40, but the "
        "customer closes at 0:20"
    )
    budget = Budget(iterations=2)
    result = solve(instance, budget=budget)
    assert result.status is Status.NO_PLAN
    assert result.notes[-1] == f"No plan was found: {reason}."
    with pytest.raises(NoPlanFound) as caught:
        result.require_plan(budget)
    assert str(caught.value) == (
        f"no plan was found for tiny: {reason}; change one of these limits, or check the matrix, "
        "in which a detour is shorter"
    )
    with pytest.raises(NoPlanFound, match="on the direct way"):
        compare_with(instance, lambda problem: solve(problem, budget=budget))
    assert why_unlikely(instance.replace(durations=None, time_windows=None)) is None
    assert solve(instance.replace(service_times=None), budget=budget).solution is not None


def test_many_customers_are_counted():
    """A sentence names five and the number of the others."""
    n = 8
    instance = Instance(
        "many",
        [[0, 0], *([10, 0] for _ in range(n))],
        [0.0, *[1.0] * n],
        (VehicleType("van", 9), VehicleType("bike", 9, available=1, max_stops=3)),
        allowed_types=[None, *[(1,)] * n],
    )
    assert why_impossible(instance).startswith(
        "No plan exists: customer 1, customer 2, customer 3, customer 4, customer 5 and 3 more can "
    )


def tight_instance(seed):
    """Return four customers with short windows and at most two vehicles; None if it is refused."""
    rng = np.random.default_rng(seed)
    opens = rng.integers(0, 80, 4).astype(float)
    types = tuple(
        VehicleType(
            f"type{k}",
            float(rng.integers(10, 30)),
            available=1,
            max_stops=int(rng.integers(2, 5)) if rng.random() < 0.3 else None,
            max_duration=100.0 if rng.random() < 0.3 else None,
            returns=bool(rng.random() < 0.7),
        )
        for k in range(2)
    )
    durations = rng.integers(0, 60, (5, 5)) if rng.random() < 0.3 else None
    try:
        return Instance(
            f"tight-{seed}",
            rng.integers(0, 31, (5, 2)).astype(float),
            [0.0, *rng.integers(1, 12, 4).astype(float)],
            types,
            durations=durations,
            service_times=[0.0, *rng.integers(0, 20, 4).astype(float)],
            time_windows=[[], *([(o, o + 15)] for o in opens)],
            allowed_types=[None, *((None, (0,))[int(rng.random() < 0.3)] for _ in range(4))],
        )
    except InvalidInstance:
        return None


@pytest.mark.timeout(300)
def test_reasons_are_true():
    """Where there is a reason, the enumeration finds no plan; most such instances have a reason."""
    num_impossible = num_explained = num_possible = 0
    for seed in range(150):
        instance = tight_instance(seed)
        if instance is None:
            continue
        reason = why_impossible(instance)
        is_impossible = day_optimum(instance) is None
        assert is_impossible or reason is None, (seed, reason)
        num_possible += not is_impossible
        num_impossible += is_impossible
        num_explained += reason is not None
    assert min(num_possible, num_impossible) >= 20
    assert num_explained >= 0.5 * num_impossible
