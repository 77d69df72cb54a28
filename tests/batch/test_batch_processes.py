"""Jobs in processes: every one has an outcome, also when its process dies."""

import multiprocessing
import os
import signal
import time

import pytest

from fripn.batch.processes import run_all


def work(job):
    """Square a number; some kill their process."""
    if job < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return job * job


def died(job):
    """Tell which one it was."""
    return f"{job} died"


def test_dying_process_costs_no_other_job():
    """The culprit is named; all others have their outcomes."""
    outcomes = list(run_all(work, [1, 2, -3, 4, 5], 2, died))
    assert sorted(map(str, outcomes)) == sorted(["1", "4", "-3 died", "16", "25"])


def test_one_worker_runs_here_and_in_order():
    """Without parallelism no process is started."""
    seen = []
    outcomes = run_all(lambda job: seen.append(os.getpid()) or job, iter(range(3)), 1, died)
    assert list(outcomes) == [0, 1, 2]
    assert set(seen) == {os.getpid()}


def linger(seconds):
    """Take time, as a solver does."""
    time.sleep(seconds)
    return seconds


def test_ctrl_c_ends_all_processes_and_is_not_held_longer():
    """Outcomes come until it is pressed; then it is raised, and the handler is the old one."""
    before = signal.getsignal(signal.SIGINT)
    outcomes = run_all(linger, [0.0, 600.0, 600.0], 2, died)
    assert next(outcomes) == 0.0
    os.kill(os.getpid(), signal.SIGINT)  # held back while the caller is at work
    with pytest.raises(KeyboardInterrupt):
        next(outcomes)
    assert signal.getsignal(signal.SIGINT) is before
    assert not multiprocessing.active_children()
