"""Items in threads: the same interface, and an end that reaches the work."""

import threading
import time

import pytest

from fripn.errors import InvalidSetting
from fripn.executors import InThreads


def test_outcomes_come_as_they_are_finished():
    """Several at the same time, in this process."""
    both = threading.Barrier(2)

    def work(item):
        both.wait(timeout=60)
        return item, threading.get_ident()

    with InThreads(2, lambda: None).open(work, str) as workers:
        assert workers.capacity == workers.num_slots == 2
        workers.submit(1)
        workers.submit(2)
        outcomes = sorted(workers.wait() for _ in range(2))
        with pytest.raises(TimeoutError):
            workers.wait(0.01)
    assert [item for item, _ in outcomes] == [1, 2]
    assert outcomes[0][1] != outcomes[1][1]


def submit_and_leave(workers, item):
    workers.submit(item)
    raise KeyError(item)


def test_what_ends_early_is_told_to():
    """The work takes notice, and nothing is left running."""
    stop, began = threading.Event(), time.perf_counter()
    with (
        pytest.raises(KeyError, match="gone"),
        InThreads(2, stop.set).open(lambda item: stop.wait(600), str) as workers,
    ):
        submit_and_leave(workers, "gone")
    assert time.perf_counter() - began < 60


def test_errors_of_the_work_are_raised_here():
    """Where its outcome is waited for."""
    with InThreads(1, lambda: None).open(lambda item: 1 / item, str) as workers:
        workers.submit(0)
        with pytest.raises(ZeroDivisionError):
            workers.wait()


def test_the_number_of_threads_is_checked():
    """As that of processes."""
    with pytest.raises(InvalidSetting, match="workers is 0"):
        InThreads(0, lambda: None)
