"""Schedules, limits and costs of a working day: by hand, and against the slow evaluator."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from slow_evaluate import slow_evaluate

from day_instances import PARTS, day_instance, random_plan
from fripn.problem import Instance, Solution, VehicleType, ViolationCode, evaluate


def line_instance(**changes):
    """Three customers at 10, 20 and 30 on a line; one type of capacity 10."""
    vehicle = VehicleType("van", 10, 5.0, 1.0).replace(**changes.pop("vehicle", {}))
    fields = {
        "name": "line",
        "coordinates": [[0, 0], [10, 0], [20, 0], [30, 0]],
        "demands": [0, 1, 1, 1],
        "vehicle_types": (vehicle,),
        "service_times": [0, 5, 5, 5],
        **changes,
    }
    return Instance(**fields)


PLAN = Solution.of([(0, [1, 2, 3])])


def codes(evaluation):
    """Return the violations as (code, stop)."""
    return [(violation.code.value, violation.stop) for violation in evaluation.violations]


def test_no_windows_leave_at_zero():
    """Without any limit the vehicle leaves at 0 and never waits."""
    route = evaluate(line_instance(), PLAN).routes[0]
    schedule = route.schedule
    assert (schedule.departure, schedule.end, schedule.duration) == (0, 75, 75)
    assert [visit.start for visit in schedule.visits] == [10, 25, 40]
    assert [visit.slack for visit in schedule.visits] == [None, None, None]
    assert (schedule.travel, schedule.service, schedule.waiting) == (60, 15, 0)


def test_departure_avoids_waiting():
    """A vehicle leaves as late as it must to wait least, and no later."""
    instance = line_instance(vehicle={"shift_start": 0}, time_windows=[(), (), ((100, 120),), ()])
    schedule = evaluate(instance, PLAN).routes[0].schedule
    assert schedule.departure == 75
    assert [visit.arrival for visit in schedule.visits] == [85, 100, 115]
    assert schedule.duration == 75
    assert [visit.slack for visit in schedule.visits] == [20, 20, None]


def test_waiting_that_cannot_be_avoided():
    """An early window at the first stop and a late one at the next force a wait."""
    instance = line_instance(time_windows=[(), ((0, 12),), ((100, 120),), ()])
    schedule = evaluate(instance, PLAN).routes[0].schedule
    assert schedule.departure == 2
    assert schedule.visits[1].waiting == 100 - (2 + 10 + 5 + 10)
    assert schedule.duration == 100 + 5 + 10 + 5 + 30 - 2


def test_several_windows_least_duration():
    """The second window of the first stop makes the route shorter, and the departure takes it."""
    instance = line_instance(
        time_windows=[(), ((0, 12), (80, 90)), ((100, 120),), ()], vehicle={"shift_start": 0}
    )
    schedule = evaluate(instance, PLAN).routes[0].schedule
    assert schedule.visits[0].start == 85
    assert schedule.duration == 75


def test_lateness_is_reported_with_stop_amount_and_limit():
    """A late vehicle serves on arrival; stop, time and limit are named."""
    instance = line_instance(
        vehicle={"shift_start": 0, "available": 3},
        time_windows=[(), ((10, 40),), ((0, 22),), ((0, 60),)],
    )
    evaluation = evaluate(instance, PLAN)
    late = evaluation.violations[0]
    assert (late.code, late.stop, late.amount, late.limit) == (ViolationCode.TOO_LATE, 2, 25, 22)
    assert "starts the service of customer 2 at 25, but it closes at 22" in late.message
    assert codes(evaluation) == [("too_late", 2)]


@pytest.mark.parametrize(
    ("vehicle", "code", "amount", "limit"),
    [
        ({"shift_start": 0, "shift_end": 70}, "late_end", 75, 70),
        ({"max_duration": 70}, "too_long", 75, 70),
        ({"max_distance": 60.1}, None, None, None),
        ({"max_distance": 60}, None, None, None),
        ({"max_stops": 2}, "too_many_stops", 3, 2),
    ],
)
def test_limits_of_a_type(vehicle, code, amount, limit):
    """Each limit of a type is checked, with amount and limit."""
    evaluation = evaluate(line_instance(vehicle=vehicle), PLAN)
    if code is None:
        assert evaluation.is_feasible
        return
    (found,) = evaluation.violations
    assert (found.code.value, found.amount, found.limit) == (code, amount, limit)


def test_too_far():
    """A route beyond the largest distance is named."""
    instance = line_instance(
        vehicle={"max_distance": 70},
        coordinates=[[0, 0], [10, 0], [-20, 0], [30, 0]],
    )
    (found,) = evaluate(instance, Solution.of([(0, [1, 2, 3])])).violations
    assert (found.code, found.amount, found.limit) == (ViolationCode.TOO_FAR, 120, 70)


def test_hours_are_paid():
    """The cost per hour is paid for the duration, in hours."""
    evaluation = evaluate(line_instance(vehicle={"cost_per_hour": 12}, hour=60), PLAN)
    route = evaluation.routes[0]
    assert route.schedule.hours == 75 / 60
    assert route.time_cost == 12 * 75 / 60 == evaluation.time_cost
    assert evaluation.cost == 5 + 60 + 15
    assert evaluation.types[0].duration == 75


def test_open_route_ends_at_the_last_customer():
    """An open route neither drives nor takes time after its last service."""
    instance = line_instance(vehicle={"returns": False, "shift_start": 0, "shift_end": 45})
    evaluation = evaluate(instance, PLAN)
    assert evaluation.is_feasible
    assert evaluation.distance == 30
    assert evaluation.routes[0].schedule.end == 45


def test_each_type_starts_from_its_own_depot():
    """Routes start and end at the depot of their type, whose window counts."""
    instance = Instance(
        name="two depots",
        coordinates=[[0, 0], [10, 0], [90, 0], [100, 0]],
        demands=[0, 1, 1],
        vehicle_types=(VehicleType("west", 5), VehicleType("east", 5, depot=1)),
        num_depots=2,
        time_windows=[(), (), (), ((50, 65),)],
    )
    evaluation = evaluate(instance, Solution.of([(0, [1]), (1, [2])]))
    assert [route.distance for route in evaluation.routes] == [20, 20]
    assert evaluation.routes[1].schedule.departure == 50
    assert codes(evaluation) == [("late_end", None)]
    assert instance.describe_stop(3) == "depot 2"


def test_every_load_dimension_must_fit():
    """An overload names the dimension."""
    instance = Instance(
        name="loads",
        coordinates=[[0, 0], [1, 0], [2, 0]],
        demands=[[0, 0], [5, 1], [1, 2]],
        vehicle_types=(VehicleType("van", (10, 2)),),
        load_names=("kg", "pallets"),
    )
    evaluation = evaluate(instance, Solution.of([(0, [1, 2])]))
    (found,) = evaluation.violations
    assert (found.amount, found.limit, found.load) == (3, 2, 1)
    assert found.message == "route 1 carries 3 pallets, but vehicle type van holds 2"
    assert evaluation.routes[0].loads == (6, 3)
    assert evaluation.types[0].load_factor == 1.5


def test_access():
    """A customer is served by allowed types that offer what it requires."""
    instance = Instance(
        name="access",
        coordinates=[[0, 0], [1, 0], [2, 0]],
        demands=[0, 1, 1],
        vehicle_types=(VehicleType("van", 5), VehicleType("lorry", 5, offers=("lift",))),
        allowed_types=[None, (0,), None],
        requires=[(), (), ("lift",)],
    )
    assert evaluate(instance, Solution.of([(0, [1]), (1, [2])])).is_feasible
    wrong = evaluate(instance, Solution.of([(1, [1]), (0, [2])]))
    assert codes(wrong) == [("no_access", 1), ("no_access", 2)]


@settings(max_examples=400, deadline=None)
@given(seed=st.integers(0, 10**9), size=st.integers(1, 12), exact=st.booleans())
def test_equals_the_slow_evaluator(seed, size, exact):
    """Random instances of all combinations: cost, schedule and violations agree."""
    parts = None
    if exact:
        rng = np.random.default_rng(seed)
        parts = {part for part in PARTS if rng.random() < 0.5} | {"matrix"}
    instance = day_instance(seed, size, parts)
    plan = random_plan(instance, seed + 1)
    fast, slow = evaluate(instance, plan), slow_evaluate(instance, plan)
    found = sorted((v.code.value, v.route or 0, v.stop or 0) for v in fast.violations)
    expected = sorted(
        (code, route or 0, stop or 0) for code, route, stop in slow.violations.elements()
    )
    assert found == expected
    tolerance = 0.0 if exact else 1e-9
    assert fast.cost == pytest.approx(float(slow.cost), rel=1e-9, abs=1e-9)
    for route, plain in zip(fast.routes, slow.routes, strict=True):
        assert route.distance == pytest.approx(float(plain.distance), rel=1e-12, abs=tolerance)
        assert list(route.loads) == [float(load) for load in plain.loads]
        if route.schedule is None:
            continue
        schedule = route.schedule
        assert schedule.duration == pytest.approx(float(plain.duration), rel=1e-9, abs=1e-9)
        assert schedule.duration == pytest.approx(
            schedule.travel + schedule.service + schedule.waiting, rel=1e-9, abs=1e-9
        )
        for visit in schedule.visits:
            assert visit.waiting >= 0
            assert visit.slack is None or visit.slack >= 0
        if math.isfinite(instance_start(instance, route.vehicle_type)):
            assert schedule.departure == pytest.approx(float(plain.departure), abs=1e-7)
            starts = [visit.start for visit in schedule.visits]
            assert starts == pytest.approx([float(start) for start in plain.starts], abs=1e-7)


def instance_start(instance, vehicle_type):
    """Earliest departure of a type; minus infinity without one."""
    vehicle = instance.vehicle_types[vehicle_type]
    starts = [-math.inf if vehicle.shift_start is None else vehicle.shift_start]
    if instance.time_windows is not None:
        node = 0 if vehicle.depot == 0 else instance.num_customers + vehicle.depot
        starts += [opens for opens, _ in instance.time_windows[node]]
    return max(starts)


@settings(max_examples=100, deadline=None)
@given(seed=st.integers(0, 10**9))
def test_slack_is_exact(seed):
    """A start that is delayed by its slack breaks nothing new; one beyond it does."""
    instance = day_instance(seed, 5, {"windows", "services", "shifts", "matrix", "several_windows"})
    plan = random_plan(instance, seed)
    for route, cost in zip(plan.routes, evaluate(instance, plan).routes, strict=True):
        single = evaluate(instance, Solution((route,)))
        if any(
            v.route is not None
            for v in single.violations
            if v.code.value in ("too_late", "late_end")
        ):
            continue
        for place, visit in enumerate(cost.schedule.visits):
            if visit.slack is None:
                continue
            for extra, fits in ((0.0, True), (0.25, False)):
                assert (
                    delayed_fits(instance, route, place, visit.start + visit.slack + extra) == fits
                )


def delayed_fits(instance, route, place, start):
    """Return whether a service may start at a time, everything after it as early as it can."""
    vehicle = instance.vehicle_types[route.vehicle_type]
    windows = instance.time_windows or [()] * instance.num_nodes
    services = (
        [0.0] * instance.num_nodes if instance.service_times is None else instance.service_times
    )
    now = start
    tour = [*route.customers[place:], *([0] if vehicle.returns else [])]
    for previous, stop in zip([None, *tour], tour, strict=False):
        if previous is not None:
            now = now + services[previous] + instance.matrix[previous, stop] / vehicle.speed
        if stop == 0:
            break
        own = windows[stop] or ((-math.inf, math.inf),)
        inside = [w for w in own if w[0] <= now <= w[1]]
        later = [w[0] for w in own if w[0] > now]
        if previous is None and not inside:
            return False
        if not inside and not later:
            return False
        now = now if inside else min(later)
        last = stop
    if not vehicle.returns:
        now = now + services[last]
    limits = [math.inf if vehicle.shift_end is None else vehicle.shift_end]
    if vehicle.returns:
        limits += [closes for _, closes in windows[0]]
    return now <= min(limits)
