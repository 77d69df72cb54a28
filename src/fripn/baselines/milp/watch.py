"""Running a native solver without going deaf: Ctrl-C and the clock are seen while it works."""

from __future__ import annotations

import atexit
import contextlib
import math
import queue
import threading
import time
from collections.abc import Callable

from fripn.problem.instance import FloatArray

#: Seconds between looks at the queue of better plans.
_PATIENCE = 0.02


class OverdueError(Exception):
    """The solver did not stop when it was asked to, and was left to itself."""


def run_watched(
    run: Callable[[], None],
    abort: Callable[[], None],
    found: queue.SimpleQueue[FloatArray],
    seconds: float,
    on_values: Callable[[FloatArray], None],
    grace: float = math.inf,
) -> bool:
    """Run a solver in a thread of its own while the caller's thread listens.

    Parameters
    ----------
    run
        Blocks until the solver is done.
    abort
        Asks the solver to stop soon; called when the time is up or on Ctrl-C.
    found
        Where the solver's callbacks put the values of better plans.
    seconds
        Wall-clock limit, for solvers that look at their own clock too rarely.
    on_values
        Called with each entry of the queue, on the caller's thread.
    grace
        Seconds after the limit at which a solver that has not stopped is given up.

    Returns
    -------
    bool
        Whether Ctrl-C ended the run. A second Ctrl-C raises as usual.

    Raises
    ------
    OverdueError
        When the grace is over. The solver ends as soon as it looks up; until then nothing may
        touch it, and the process does not exit.
    """
    errors: list[BaseException] = []

    def guarded() -> None:
        try:
            run()
        except BaseException as error:  # handed to the caller's thread below
            errors.append(error)

    deadline = time.perf_counter() + seconds
    thread = threading.Thread(target=guarded, daemon=True)
    thread.start()
    is_interrupted = False
    try:
        while thread.is_alive():
            with contextlib.suppress(queue.Empty):
                on_values(found.get(timeout=_PATIENCE))
            if time.perf_counter() >= deadline:
                abort()
            if time.perf_counter() >= deadline + grace:
                # A thread that comes back from native code into a dead interpreter would crash.
                atexit.register(thread.join)
                raise OverdueError
    except KeyboardInterrupt:
        is_interrupted = True
        abort()
        thread.join()
    if errors:
        raise errors[0]
    while not found.empty():
        on_values(found.get())
    return is_interrupted
