"""Many independent jobs in processes: one that dies costs no other, and Ctrl-C ends them all."""

from __future__ import annotations

import multiprocessing
import signal
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import islice
from types import FrameType
from typing import TypeVar

Job = TypeVar("Job")
Outcome = TypeVar("Outcome")

#: Seconds between two looks at whether Ctrl-C was pressed.
_LOOK_SECONDS = 0.1


def run_all(
    work: Callable[[Job], Outcome],
    jobs: Iterable[Job],
    workers: int,
    on_death: Callable[[Job], Outcome],
) -> Generator[Outcome]:
    """Do every job and give the outcomes as they come.

    Parameters
    ----------
    work
        A function of a module (it is sent to other processes by name).
    jobs
        What to do; taken as needed, so there may be very many.
    workers
        Processes. With one, the jobs run in this process, one after the other.
    on_death
        The outcome of a job whose process died (out of memory, a crash).
    """
    if workers == 1:
        yield from map(work, jobs)
        return
    waiting = iter(jobs)
    while batch := list(islice(waiting, workers)):
        running: dict[Future[Outcome], Job] = {}
        with _held_interrupt() as check_interrupt, _Pool(workers) as pool:
            try:
                while batch or running:
                    check_interrupt()
                    while batch:
                        running[pool.submit(work, batch[-1])] = batch[-1]
                        batch.pop()
                    finished, _ = wait(running, _LOOK_SECONDS, return_when=FIRST_COMPLETED)
                    for future in finished:
                        outcome = future.result()
                        del running[future]
                        yield outcome
                    batch = list(islice(waiting, len(finished)))
            except BrokenProcessPool:
                suspects = [*running.values(), *batch]
            else:
                continue
        # All that were under way died with the pool; alone, the culprit shows itself.
        for job in suspects:
            yield _run_alone(work, job, on_death)


def _run_alone(
    work: Callable[[Job], Outcome], job: Job, on_death: Callable[[Job], Outcome]
) -> Outcome:
    with _held_interrupt() as check_interrupt, _Pool(1) as pool:
        future = pool.submit(work, job)
        try:
            while not wait([future], _LOOK_SECONDS).done:
                check_interrupt()
            return future.result()
        except BrokenProcessPool:
            return on_death(job)


@contextmanager
def _held_interrupt() -> Iterator[Callable[[], None]]:
    """Hold Ctrl-C back, and give a function that raises KeyboardInterrupt if it was pressed.

    Raised anywhere within the pool's own code, an interrupt could be lost, or a process that was
    just started be overlooked. A second Ctrl-C is not held back.
    """
    pressed = False

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal pressed
        if pressed and callable(before):
            before(number, frame)
        pressed = True

    def check() -> None:
        if pressed:
            raise KeyboardInterrupt

    before = signal.getsignal(signal.SIGINT)
    # Signals belong to the main thread, and one that is ignored stays so.
    is_ours = threading.current_thread() is threading.main_thread() and callable(before)
    if is_ours:
        signal.signal(signal.SIGINT, note)
    try:
        yield check
        check()
    finally:
        if is_ours:
            signal.signal(signal.SIGINT, before)


class _Pool(ProcessPoolExecutor):
    """Fresh processes that leave Ctrl-C to this one, and end with it."""

    def __init__(self, workers: int) -> None:
        # Spawned, not forked: threads of the core and of numpy do not survive a fork.
        super().__init__(workers, multiprocessing.get_context("spawn"), _ignore_interrupt)

    def __exit__(self, *problem: object) -> None:
        if problem[0] is not None:
            for process in list((self._processes or {}).values()):
                process.terminate()
        self.shutdown(wait=True, cancel_futures=True)


def _ignore_interrupt() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
