"""The interface of methods, and the settings of a run."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import TYPE_CHECKING, Protocol

from fripn.budget import Budget
from fripn.features import Feature
from fripn.problem import Instance, Solution
from fripn.result import Result
from fripn.settings import Seed, Threads, check_fields

if TYPE_CHECKING:
    from fripn import _core


class Stop:
    """Cancels a run from any thread: the method returns the best plan it has.

    It cannot be reset: use a new one for the next run.
    """

    __slots__ = ("flag",)

    #: The flag that the core reads.
    flag: _core.StopFlag

    def __init__(self) -> None:
        from fripn import _core

        self.flag = _core.StopFlag()

    def set(self) -> None:
        """End the runs that use this object, at their next check."""
        self.flag.set()

    @property
    def is_set(self) -> bool:
        """Whether `set` was called."""
        return self.flag.is_set


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of a run: a better plan, a better lower bound, or both.

    Parameters
    ----------
    seconds
        Since the run began.
    cost
        Of the best plan so far; infinity before there is one.
    plan
        The best plan, if it is new; else None.
    lower_bound
        The best lower bound, if it is new; else None.
    """

    seconds: float
    cost: float
    plan: Solution | None = None
    lower_bound: float | None = None


#: Called with the progress of a run, on the thread that called the method.
OnProgress = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class Run:
    """How to solve an instance, whichever method does it.

    Parameters
    ----------
    budget
        When to stop.
    seed
        Same seed, same iteration budget, one thread: same plan.
    threads
        Threads to use at most; methods without parallelism use one.
    start
        A plan to start from; the result is never worse.
    on_progress
        Called with every better plan and every better bound, on the caller's thread. Without it
        no method spends time on plans that are not its last.
    stop
        Ends the run when it is set, from any thread.

    Raises
    ------
    InvalidSetting
        When the seed or the number of threads is out of range.
    """

    budget: Budget = field(default_factory=Budget)
    seed: Seed = 0
    threads: Threads = 1
    start: Solution | None = None
    on_progress: OnProgress | None = None
    stop: Stop | None = None

    def __post_init__(self) -> None:
        """Check seed and threads."""
        check_fields(self)

    @property
    def is_cancelled(self) -> bool:
        """Whether the stop is set."""
        return self.stop is not None and self.stop.is_set

    @property
    def flag(self) -> _core.StopFlag | None:
        """The flag to pass to the core."""
        return None if self.stop is None else self.stop.flag


class Method(Protocol):
    """Anything that turns an instance into a plan."""

    @property
    def name(self) -> str:
        """Name of the method in results and messages."""
        ...

    @property
    def supports(self) -> frozenset[Feature]:
        """Features that instances may use; `fripn.solve` refuses those that use anything else."""
        ...

    @property
    def ends_by_itself(self) -> bool:
        """Whether a run without any limit ends soon; else `fripn.solve` adds a time limit."""
        ...

    def __call__(self, instance: Instance, run: Run) -> Result:
        """Solve the instance within the budget of the run.

        Ended by the budget or by the stop, a method returns the best plan it has.
        `fripn.incumbent.Incumbent` does the bookkeeping.
        """
        ...


class Cancelled(Exception):
    """Leaves nested work of a method once its run is cancelled; never leaves the method."""


def check_cancelled(stop: Stop | None) -> None:
    """Raise `Cancelled` once the stop is set."""
    if stop is not None and stop.is_set:
        raise Cancelled


@contextmanager
def stop_on_interrupt(
    stop: Stop, again: Callable[[int, FrameType | None], object] | signal.Handlers | None = None
) -> Iterator[None]:
    """Let Ctrl-C set a stop, so that the run ends with its best plan, rather than raise.

    Only on the main thread, and only where no other handler for Ctrl-C is installed.

    Parameters
    ----------
    stop
        What to set.
    again
        What a second Ctrl-C does; None for what Ctrl-C did before, which is to raise
        KeyboardInterrupt.
    """
    before = signal.getsignal(signal.SIGINT)
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or before is not signal.default_int_handler:
        yield
        return

    def interrupt(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, before if again is None else again)
        stop.set()

    signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
