"""An executor in threads of the calling process, for work that is done by the core."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar, Generic

from fripn.executors.executor import Item, Outcome, Workers
from fripn.executors.interrupt import CHECK_SECONDS, Deadline, held_interrupt
from fripn.settings import PositiveCount, check_fields


@dataclass(frozen=True, slots=True)
class InThreads:
    """Executes the items in threads: nothing is copied, and no process is started.

    Only for work that spends its time in the core, which leaves the interpreter to others. If the
    work kills its process, the program ends.

    Parameters
    ----------
    workers
        Threads at most.
    end
        Called when the running items are to end early; threads cannot be killed, so the work must
        take notice of it.

    Raises
    ------
    InvalidSetting
        When the number of threads is out of range.
    """

    has_our_files: ClassVar[bool] = True
    num_nodes: ClassVar[int] = 1

    workers: PositiveCount
    end: Callable[[], None]

    def __post_init__(self) -> None:
        """Check the number."""
        check_fields(self)

    @contextmanager
    def open(
        self, work: Callable[[Item], Outcome], on_death: Callable[[Item], Outcome]
    ) -> Iterator[Workers[Item, Outcome]]:
        """Start the threads; see `Executor`."""
        with held_interrupt() as check_interrupt, ThreadPoolExecutor(self.workers) as pool:
            try:
                yield _ThreadWorkers(pool, self.workers, work, check_interrupt)
            except BaseException:
                self.end()
                pool.shutdown(cancel_futures=True)
                raise


class _ThreadWorkers(Generic[Item, Outcome]):
    """A pool of threads as workers."""

    def __init__(
        self,
        pool: ThreadPoolExecutor,
        num_slots: int,
        work: Callable[[Item], Outcome],
        check_interrupt: Callable[[], None],
    ) -> None:
        self.capacity = self.num_slots = num_slots
        self._pool = pool
        self._work = work
        self._check_interrupt = check_interrupt
        self._running: set[Future[Outcome]] = set()

    def submit(self, item: Item) -> None:
        self._check_interrupt()
        self._running.add(self._pool.submit(self._work, item))

    def wait(self, seconds: float | None = None) -> Outcome:
        deadline = Deadline(seconds)
        while True:
            self._check_interrupt()
            finished, _ = wait_for(self._running, CHECK_SECONDS, return_when=FIRST_COMPLETED)
            for future in finished:
                self._running.remove(future)
                return future.result()
            deadline.check()
