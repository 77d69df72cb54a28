"""The standard output belongs to the program alone."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TextIO


def reserve_stdout() -> None:
    """Send to stderr what anything but Python's own ``sys.stdout`` prints, until the process ends.

    Native libraries print as well. HiGHS has messages that no setting turns off, also from a thread
    that ends after the answer was printed; behind ``--json`` they would make it unreadable.
    """
    stdout: TextIO | None = sys.stdout
    # Without a real standard output, or without stderr, there is nothing to tell apart.
    with contextlib.suppress(OSError, ValueError):
        if stdout is None or sys.stderr is None or stdout.fileno() != 1:
            return
        stdout.flush()
        kept = os.dup(1)
        os.dup2(2, 1)
        sys.stdout = os.fdopen(
            kept,
            "w",
            encoding=stdout.encoding,
            errors="replace",
            buffering=1 if stdout.isatty() else -1,
        )
