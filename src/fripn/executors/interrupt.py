"""What ends the wait for workers: Ctrl-C, held back until nothing can be lost, or a deadline."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

#: Seconds between two checks for Ctrl-C.
CHECK_SECONDS = 0.1


class Deadline:
    """Raises TimeoutError when it is checked after some seconds; None for never."""

    def __init__(self, seconds: float | None) -> None:
        self._end = float("inf") if seconds is None else time.monotonic() + seconds

    def check(self) -> None:
        """Raise TimeoutError if the time is up."""
        if time.monotonic() >= self._end:
            raise TimeoutError


@contextmanager
def held_interrupt() -> Iterator[Callable[[], None]]:
    """Hold Ctrl-C back; yield a function that raises KeyboardInterrupt if it was pressed.

    Raised anywhere within an executor's own code, an interrupt could be lost, or a process that was
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


@contextmanager
def kept_sigterm() -> Iterator[None]:
    """Set the handler of SIGTERM again at the end, in case others have replaced it."""
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread() and before is not None:
            signal.signal(signal.SIGTERM, before)
