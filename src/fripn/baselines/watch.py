"""Work that cannot be interrupted, on a thread of its own: clock, stop and Ctrl-C are checked."""

from __future__ import annotations

import atexit
import contextlib
import math
import queue
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from fripn.run import Cancelled, Stop

_T = TypeVar("_T")

#: Seconds between looks at the clock and the stop.
_PATIENCE = 0.02


class OverdueError(Exception):
    """The solver did not stop on request, and was left running."""


def run_watched(
    run: Callable[[], None],
    abort: Callable[[], None],
    found: queue.SimpleQueue[_T],
    on_found: Callable[[_T], object],
    *,
    seconds: float,
    grace: float = math.inf,
    stop: Stop | None = None,
    cancel_grace: float = math.inf,
) -> None:
    """Run a solver in a thread of its own while the caller's thread takes its results.

    Parameters
    ----------
    run
        Blocks until the solver is done.
    abort
        Asks the solver to stop soon; called when the time is up, on a cancel, and when the
        caller's thread is interrupted by an exception.
    found
        Where the solver's callbacks put better plans and bounds.
    on_found
        Called with each entry of the queue, on the caller's thread.
    seconds
        Wall-clock limit, for solvers that look at their own clock too rarely.
    grace
        Seconds after the limit at which a solver that has not stopped is left to itself.
    stop
        Cancels the run.
    cancel_grace
        Seconds after a cancel at which a solver that has not stopped is left to itself.

    Raises
    ------
    OverdueError
        When the grace is over. The solver ends as soon as it looks up; until then nothing may
        touch it, and the process does not exit.
    """
    thread = _Guarded(run)
    deadline = time.perf_counter() + seconds
    last = deadline + grace
    thread.start()
    try:
        while thread.is_alive():
            with contextlib.suppress(queue.Empty):
                on_found(found.get(timeout=_PATIENCE))
            now = time.perf_counter()
            if stop is not None and stop.is_set and deadline > now:
                deadline, last = now, min(last, now + cancel_grace)
            if now >= deadline:
                abort()
            if now >= last:
                thread.leave()
                break
        while not found.empty():
            on_found(found.get())
    except BaseException:
        abort()
        thread.join()
        raise
    if thread.is_left:
        raise OverdueError
    thread.finish()


def finish_or_cancel(work: Callable[[], _T], stop: Stop | None) -> _T:
    """Do work that cannot be interrupted; on a cancel, leave it to a thread that is not waited for.

    Raises
    ------
    Cancelled
        When the stop was set before the work was done.
    """
    if stop is None:
        return work()
    outcome: list[_T] = []
    thread = _Guarded(lambda: outcome.append(work()))
    thread.start()
    while thread.is_alive():
        thread.join(_PATIENCE)
        if stop.is_set:
            thread.leave()
            raise Cancelled
    thread.finish()
    return outcome[0]


class _Guarded(threading.Thread):
    """A thread whose exception is raised again by `finish`."""

    def __init__(self, work: Callable[[], None]) -> None:
        super().__init__(daemon=True)
        self._work = work
        self._error: BaseException | None = None
        self.is_left = False

    def run(self) -> None:
        try:
            self._work()
        except BaseException as error:  # raised by `finish`
            self._error = error

    def finish(self) -> None:
        """Wait for the end, and raise what the work raised."""
        self.join()
        if self._error is not None:
            raise self._error

    def leave(self) -> None:
        """Let the work end by itself, but the process not before it."""
        # A thread that comes back from native code into a dead interpreter would crash.
        atexit.register(self.join)
        self.is_left = True
