"""Executors on this machine: the calling process, or several processes of their own.

A process that dies costs no other item, and Ctrl-C ends them all.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor
from concurrent.futures import wait as wait_for
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar, Generic

from fripn.executors.executor import Executor, Item, Outcome, Workers
from fripn.executors.interrupt import CHECK_SECONDS, Deadline, held_interrupt
from fripn.settings import PositiveCount, check_fields

#: Items that wait beside the running ones, so that a process that is done finds the next at once.
_NUM_PREFETCHED = 1


def local_executor(workers: int) -> Executor:
    """Return what executes so many items at a time; one alone runs in the calling process."""
    return InProcess() if workers == 1 else Processes(workers)


@dataclass(frozen=True, slots=True)
class InProcess:
    """Executes the items in the calling process, one after the other."""

    has_our_files: ClassVar[bool] = True
    num_nodes: ClassVar[int] = 1

    @contextmanager
    def open(
        self, work: Callable[[Item], Outcome], on_death: Callable[[Item], Outcome]
    ) -> Iterator[Workers[Item, Outcome]]:
        """Return the calling process as a worker; if it dies, the program ends."""
        yield _Here(work)


class _Here(Generic[Item, Outcome]):
    """The calling process as a worker."""

    capacity = num_slots = 1

    def __init__(self, work: Callable[[Item], Outcome]) -> None:
        self._work = work
        self._items: deque[Item] = deque()

    def submit(self, item: Item) -> None:
        self._items.append(item)

    def wait(self, seconds: float | None = None) -> Outcome:
        return self._work(self._items.popleft())  # there is nobody else to wait for


@dataclass(frozen=True, slots=True)
class Processes:
    """Executes the items in processes, which are started when there is work for them.

    Parameters
    ----------
    workers
        Processes at most.

    Raises
    ------
    InvalidSetting
        When the number of processes is out of range.
    """

    has_our_files: ClassVar[bool] = True
    num_nodes: ClassVar[int] = 1

    workers: PositiveCount

    def __post_init__(self) -> None:
        """Check the number."""
        check_fields(self)

    @contextmanager
    def open(
        self, work: Callable[[Item], Outcome], on_death: Callable[[Item], Outcome]
    ) -> Iterator[Workers[Item, Outcome]]:
        """Start the workers; see `Executor`."""
        with held_interrupt() as check_interrupt:
            workers = _ProcessWorkers(self.workers, work, on_death, check_interrupt)
            try:
                yield workers
            except BaseException:
                workers.close(kill=True)
                raise
            workers.close(kill=False)


class _ProcessWorkers(Generic[Item, Outcome]):
    """A pool of processes that is replaced when one of them dies."""

    def __init__(
        self,
        num_slots: int,
        work: Callable[[Item], Outcome],
        on_death: Callable[[Item], Outcome],
        check_interrupt: Callable[[], None],
    ) -> None:
        self.num_slots = num_slots
        self.capacity = num_slots + _NUM_PREFETCHED
        self._work = work
        self._on_death = on_death
        self._check_interrupt = check_interrupt
        self._pool = _Pool(num_slots)
        self._running: dict[Future[Outcome], Item] = {}
        self._suspects: deque[Item] = deque()

    def submit(self, item: Item) -> None:
        self._check_interrupt()
        try:
            future = self._pool.submit(self._work, item)
        except BrokenProcessPool:
            self._replace_pool()
            future = self._pool.submit(self._work, item)
        self._running[future] = item

    def wait(self, seconds: float | None = None) -> Outcome:
        deadline = Deadline(seconds)
        while True:
            self._check_interrupt()
            if self._suspects:
                return self._run_alone(self._suspects.popleft())
            finished, _ = wait_for(self._running, CHECK_SECONDS, return_when=FIRST_COMPLETED)
            if not finished:
                deadline.check()
            for future in finished:
                try:
                    outcome = future.result()
                except BrokenProcessPool:
                    self._replace_pool()
                    break
                del self._running[future]
                return outcome

    def close(self, *, kill: bool) -> None:
        self._pool.close(kill=kill)

    def _replace_pool(self) -> None:
        """Take a new pool; all running items ended with the old one."""
        # Only afterwards every future has its state.
        self._pool.close(kill=False)
        lost = [future for future in self._running if future.exception() is not None]
        self._suspects.extend(self._running.pop(future) for future in lost)
        self._pool = _Pool(self.num_slots)

    def _run_alone(self, item: Item) -> Outcome:
        """Execute an item again in a process of its own, to find the one that fails."""
        pool = _Pool(1)
        is_done = False
        try:
            future = pool.submit(self._work, item)
            while not wait_for([future], CHECK_SECONDS).done:
                self._check_interrupt()
            outcome = future.result()
            is_done = True
        except BrokenProcessPool:
            return self._on_death(item)
        finally:
            pool.close(kill=not is_done)
        return outcome


class _Pool(ProcessPoolExecutor):
    """New processes that leave Ctrl-C to this one, and end with it."""

    def __init__(self, workers: int) -> None:
        # Spawned, not forked: threads of the core and of numpy do not survive a fork.
        super().__init__(workers, multiprocessing.get_context("spawn"), _begin)

    def close(self, *, kill: bool) -> None:
        if kill:
            for process in list((self._processes or {}).values()):
                process.terminate()
        self.shutdown(wait=True, cancel_futures=True)


def _begin() -> None:
    """Leave Ctrl-C to the parent, and end with it however it ends: a killed one cannot say so."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
