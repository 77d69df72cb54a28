"""How many items travel at once: as many as take about a second."""

import pickle

import pytest

from fripn.errors import ClusterFailed
from fripn.executors import chunks
from fripn.executors.chunks import CHUNK_SECONDS, MAX_ITEMS, ChunkSize, run_chunk


def learned(seconds_per_item, num_slots=1):
    """Return the size after many chunks of items that take so long."""
    size = ChunkSize()
    for _ in range(30):
        num_items = size.choose(num_slots)
        size.observe(num_items, num_items * seconds_per_item)
    return size.choose(num_slots)


def test_a_chunk_takes_about_a_second():
    """Short items travel together, long ones alone, very short ones not in endless numbers."""
    assert learned(0.05) == pytest.approx(CHUNK_SECONDS / 0.05, abs=1)
    assert learned(30.0) == 1
    assert learned(0.0) == MAX_ITEMS


def test_the_size_grows_step_by_step():
    """Nothing is known before the first outcome, and one short item does not mean that all are."""
    size = ChunkSize()
    assert [size.choose(4), size.choose(4)] == [1, 1]
    size.observe(1, 1e-6)
    assert [size.choose(4), size.choose(4)] == [2, 2]
    size.observe(2, 2e-6)
    assert size.choose(4) == 4


def test_the_driver_keeps_up_with_many_workers():
    """A thousand workers return at most two hundred chunks a second."""
    assert learned(0.05, num_slots=1000) == 100


def test_outcomes_come_in_order():
    """With the time they took."""
    outcomes, seconds = run_chunk(abs, [pickle.dumps(item) for item in (-2, 1)], chunks.__version__)
    assert outcomes == [2, 1]
    assert seconds >= 0


def test_other_versions_do_not_work_together():
    """They would give other plans, or fail in ways nobody understands."""
    with pytest.raises(ClusterFailed, match=r"but this is fripn 0\.0; install fripn 0\.0 on every"):
        run_chunk(abs, [], "0.0")
