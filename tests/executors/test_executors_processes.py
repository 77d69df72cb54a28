"""Items in processes: every one has an outcome, also when its process dies."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fripn.errors import InvalidSetting
from fripn.executors import InProcess, Processes, local_executor


def work(item):
    """Square a number; some kill their process."""
    if item < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return item * item


def died(item):
    """Tell which one it was."""
    return f"{item} died"


def run_all(executor, function, items):
    """Do as the runner does: never more running than the workers take."""
    with executor.open(function, died) as workers:
        num_running = 0
        for item in items:
            if num_running == workers.capacity:
                yield workers.wait()
                num_running -= 1
            workers.submit(item)
            num_running += 1
        for _ in range(num_running):
            yield workers.wait()


@pytest.mark.parametrize("items", [[1, 2, -3, 4, 5], [-1, -2, 3], [1, -2]])
def test_dying_process_costs_no_other_item(items):
    """The culprits are named; all others have their outcomes."""
    outcomes = list(run_all(Processes(2), work, items))
    expected = [f"{item} died" if item < 0 else str(item * item) for item in items]
    assert sorted(map(str, outcomes)) == sorted(expected)
    assert not multiprocessing.active_children()


def test_one_worker_runs_here_and_in_order():
    """Without parallelism no process is started."""
    seen = []
    outcomes = run_all(
        local_executor(1), lambda item: seen.append(os.getpid()) or item, iter(range(3))
    )
    assert list(outcomes) == [0, 1, 2]
    assert set(seen) == {os.getpid()}


def test_the_number_of_workers_decides():
    """One alone needs no process; less than one is refused."""
    assert local_executor(1) == InProcess()
    assert local_executor(3) == Processes(3)
    with pytest.raises(InvalidSetting, match="workers is 0"):
        local_executor(0)


def linger(seconds):
    """Take time, as a solver does."""
    time.sleep(seconds)
    return seconds


def test_ctrl_c_ends_all_processes_and_is_not_held_longer():
    """Outcomes come until it is pressed; then it is raised, and the handler is the old one."""
    before = signal.getsignal(signal.SIGINT)
    outcomes = run_all(Processes(2), linger, [0.0, 600.0, 600.0])
    assert next(outcomes) == 0.0
    os.kill(os.getpid(), signal.SIGINT)  # held back while the caller is at work
    with pytest.raises(KeyboardInterrupt):
        next(outcomes)
    assert signal.getsignal(signal.SIGINT) is before
    assert not multiprocessing.active_children()


def test_closing_ends_the_processes_at_once():
    """Leaving early does not wait for the remaining outcomes."""
    outcomes = run_all(Processes(2), linger, [0.0, 600.0])
    next(outcomes)
    outcomes.close()
    assert not multiprocessing.active_children()


#: Starts two workers, tells their numbers, and lingers.
DRIVER = """
import os, time
from fripn.executors import Processes

def work(item):
    print(os.getpid(), flush=True)
    time.sleep(item)

if __name__ == "__main__":
    with Processes(2).open(work, str) as workers:
        for _ in range(2):
            workers.submit(600)
        workers.wait()
"""


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")
def test_workers_end_when_their_parent_is_killed(tmp_path):
    """Nobody else would end them."""
    script = tmp_path / "driver.py"
    script.write_text(DRIVER)
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True) as driver:
        pids = [int(driver.stdout.readline()) for _ in range(2)]
        assert all(map(is_alive, pids))
        driver.kill()
    deadline = time.monotonic() + 60
    while any(map(is_alive, pids)):
        assert time.monotonic() < deadline
        time.sleep(0.05)
