"""A run can be cancelled from any thread."""

import threading

import pytest

from fripn import Stop, _core
from fripn.core import to_core
from fripn.problem.generate import paper_instance

pytestmark = pytest.mark.timeout(60)


def search(stop: Stop, on_improvement=None, threads: int = 1):
    """Search without any limit: only the stop ends it."""
    return _core.search(
        to_core(paper_instance(200, 1)),
        _core.EngineSettings(),
        initial=[],
        seconds=None,
        iterations=None,
        stall=None,
        target=None,
        seed=0,
        threads=threads,
        with_savings=True,
        on_improvement=on_improvement,
        stop=stop.flag,
    )


@pytest.mark.parametrize("threads", [1, 2])
def test_another_thread_ends_a_search(threads):
    """The search returns its best plan and says that it was ended early."""
    stop, found = Stop(), threading.Event()
    canceller = threading.Thread(target=lambda: (found.wait(), stop.set()))
    canceller.start()
    routes, _, is_interrupted, curve = search(stop, lambda *_: found.set(), threads)
    canceller.join()
    assert is_interrupted
    assert sorted(c for _, customers in routes for c in customers) == list(range(1, 201))
    assert curve


def test_a_stop_set_before_the_search_leaves_the_first_plan():
    """There is a plan even so: savings build one before anything is improved."""
    stop = Stop()
    stop.set()
    routes, iterations, is_interrupted, _ = search(stop)
    assert (bool(routes), iterations, is_interrupted) == (True, 0, True)


def test_savings_and_local_search_take_a_stop():
    """Both return a complete plan when they are ended before they begin."""
    core, stop = to_core(paper_instance(50, 1)), Stop()
    stop.set()
    routes = _core.savings(core, stop.flag)
    improved, _ = _core.local_search(core, routes, 1, stop.flag)
    assert sorted(c for _, customers in improved for c in customers) == list(range(1, 51))


def test_a_new_stop_is_not_set():
    """It is set once, and stays so."""
    stop = Stop()
    assert not stop.is_set
    stop.set()
    stop.set()
    assert stop.is_set
