"""Jobs in processes: every one has an outcome, also when its process dies."""

import os
import signal

from fripn.workers import run_all


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
