"""Many independent jobs in processes: one that dies costs no other, and Ctrl-C ends them all."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from typing import TypeVar

Job = TypeVar("Job")
Outcome = TypeVar("Outcome")


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
        with _Pool(workers) as pool:
            try:
                while batch or running:
                    while batch:
                        running[pool.submit(work, batch[-1])] = batch[-1]
                        batch.pop()
                    finished, _ = wait(running, return_when=FIRST_COMPLETED)
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
    with _Pool(1) as pool:
        try:
            return pool.submit(work, job).result()
        except BrokenProcessPool:
            return on_death(job)


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
