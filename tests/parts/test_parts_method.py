"""Rounds over parts: valid, never worse, the same wherever the parts are searched."""

import threading
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest

from day_instances import day_instance
from fripn.budget import Budget
from fripn.errors import ClusterFailed, InvalidSetting
from fripn.executors import InProcess, Processes
from fripn.parts import Parts, PartsOn, method
from fripn.problem import Instance, VehicleType, evaluate
from fripn.problem.generate import paper_instance
from fripn.result import Status
from fripn.run import Run, Stop
from fripn.solve import solve

SMALL = Parts(part_customers=100)


@pytest.fixture(autouse=True)
def divides_small_instances(monkeypatch):
    """Let tests divide what takes seconds."""
    monkeypatch.setattr(method, "LEAST_CUSTOMERS", 150)


def checked_result(instance, result):
    assert result.solution is not None
    assert result.evaluation == evaluate(instance, result.solution)
    assert result.evaluation.is_feasible
    assert result.method == "parts"
    return result


def test_rounds_improve_the_first_plan():
    """The plan of savings becomes cheaper, and the iterations are those allowed."""
    instance = paper_instance(420, 1)
    first = solve(instance, "savings").cost
    run = Run(Budget(iterations=400), seed=1)
    result = checked_result(instance, PartsOn(InProcess(), SMALL)(instance, run))
    assert result.cost < 0.999 * first
    assert 300 <= result.iterations <= 401


def test_it_does_not_matter_who_searches_the_parts():
    """With a budget of iterations the plan depends on the seed alone."""
    instance, run = paper_instance(300, 2), Run(Budget(iterations=120), seed=5)
    here = PartsOn(InProcess(), Parts(part_customers=100, rounds=2))(instance, run)
    there = PartsOn(Processes(2), Parts(part_customers=100, rounds=2))(instance, run)
    assert here.solution == there.solution
    assert here.iterations == there.iterations
    threads = Parts(part_customers=100, rounds=2)(instance, replace(run, threads=2))
    assert here.solution == threads.solution
    other = PartsOn(InProcess(), Parts(part_customers=100, rounds=2))(
        instance, Run(Budget(iterations=120), seed=6)
    )
    assert other.solution != here.solution


def test_a_start_is_never_made_worse():
    """Even when every worker dies."""
    instance = paper_instance(300, 3)
    start = solve(instance, "sweep").solution
    run = Run(Budget(iterations=60), start=start)
    assert PartsOn(InProcess(), SMALL)(instance, run).cost < evaluate(instance, start).cost

    class Deadly(InProcess):
        """An executor on which every item dies."""

        @contextmanager
        def open(self, work, on_death):
            """Lose every item."""
            with InProcess().open(on_death, on_death) as workers:
                yield workers

    stalled = Run(Budget(), start=start)
    assert PartsOn(Deadly(), SMALL)(instance, stalled).solution == start


@pytest.mark.parametrize("seed", range(3))
def test_limited_fleets_stay_within_their_limits(seed):
    """A part uses its own vehicles and its share of those that are free."""
    base = paper_instance(240, seed)
    types = (VehicleType("a", 2.0, 5.0, 1.0, 28), VehicleType("b", 1.0, 2.0, 1.5, 25))
    instance = Instance("limited", base.coordinates, base.demands, types)
    result = PartsOn(InProcess(), SMALL)(instance, Run(Budget(iterations=200), seed=seed))
    checked_result(instance, result)


@pytest.mark.parametrize("seed", range(3))
def test_working_days_are_divided_too(seed):
    """Windows, shifts, access, loads and depots hold in the whole."""
    instance = day_instance(seed, 200)
    result = PartsOn(InProcess(), SMALL)(instance, Run(Budget(iterations=40, seconds=60.0)))
    if result.solution is not None:
        checked_result(instance, result)


def test_an_instance_without_coordinates_is_divided():
    """By distances."""
    base = paper_instance(220, 1)
    instance = base.replace(
        coordinates=None, metric="matrix", matrix=np.array(base.distance_matrix())
    )
    checked_result(instance, PartsOn(InProcess(), SMALL)(instance, Run(Budget(iterations=60))))


def test_a_stop_reaches_the_workers():
    """Their work is given up, and the best plan so far comes back."""
    instance, stop, seen = paper_instance(300, 4), Stop(), []

    def cancel_soon(progress):
        if not seen:
            threading.Timer(1.0, stop.set).start()
        seen.append(progress.cost)

    run = Run(Budget(seconds=600.0), threads=2, on_progress=cancel_soon, stop=stop)
    result = SMALL(instance, run)
    assert result.status is Status.INTERRUPTED
    checked_result(instance, result)
    assert seen == sorted(seen, reverse=True)


def test_a_stop_ends_a_round_of_quick_parts():
    """Nothing more is searched once it is set, although every part is finished at once."""
    instance, stop, searched = paper_instance(600, 1), Stop(), []

    class Counting(InProcess):
        """An executor that sets the stop during the first part."""

        @contextmanager
        def open(self, work, on_death):
            """Note every part."""

            def noted(part):
                searched.append(part.number)
                stop.set()
                return work(part)

            with InProcess().open(noted, on_death) as workers:
                yield workers

    run = Run(Budget(iterations=600), stop=stop)
    result = checked_result(instance, PartsOn(Counting(), SMALL)(instance, run))
    assert result.status is Status.INTERRUPTED
    assert len(searched) == 1


class Failing:
    """An executor that is lost after some parts."""

    has_our_files, num_nodes = True, 1

    def __init__(self, num_parts):
        self.num_left = num_parts

    @contextmanager
    def open(self, work, on_death):
        """Count the parts."""

        def counted(part):
            self.num_left -= 1
            if self.num_left < 0:
                raise ClusterFailed("the head is gone", remedy="start it again")
            return work(part)

        with InProcess().open(counted, on_death) as workers:
            yield workers


def test_a_cluster_that_is_lost_does_not_take_the_plan_with_it():
    """The best plan so far is the result, and a note says why the search ended."""
    instance, run = paper_instance(420, 1), Run(Budget(iterations=400), seed=1)
    result = checked_result(instance, PartsOn(Failing(9), SMALL)(instance, run))
    assert result.cost < solve(instance, "savings").cost
    assert result.notes == ("The search ended early: the head is gone; start it again.",)
    with pytest.raises(ClusterFailed, match="the head is gone"):  # nothing was searched at all
        PartsOn(Failing(0), SMALL)(instance, run)


def test_a_time_limit_ends_the_rounds():
    """After at least one of them, and not for want of improvements."""
    instance = paper_instance(300, 4)
    result = PartsOn(InProcess(), SMALL)(instance, Run(Budget(seconds=1.5)))
    assert result.status is Status.FEASIBLE
    assert result.iterations > 1


def test_small_instances_are_left_to_the_engine():
    """Undivided, and under the name of the method that was called."""
    instance = paper_instance(30, 1)
    result = Parts()(instance, Run(Budget(iterations=50), seed=2))
    assert checked_result(instance, result).cost <= solve(instance, "savings").cost
    assert not Parts().divides(paper_instance(199, 1))
    with pytest.raises(InvalidSetting, match="part_customers is 3"):
        Parts(part_customers=3)
