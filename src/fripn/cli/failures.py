"""What the commands that go on after a failure say in the end, and their exit code."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from fripn.batch.lines import UNREADABLE, Line
from fripn.cli import exit_codes


def tell_failures(lines: Iterable[Line], output: Path, what: str) -> int:
    """Say on stderr how many have failed.

    Parameters
    ----------
    lines
        The line of everything that was asked for, whether it was done now or before.
    output
        The file that holds them.
    what
        What a line is about: an ``instance``, a ``run``.

    Returns
    -------
    int
        The exit code: 2 when an instance could not be read, else 1 when something else failed,
        else 0.
    """
    failed = [line for line in lines if line.get("error") is not None]
    if not failed:
        return exit_codes.DONE
    words = (
        f"1 {what} failed; its line in {output} says why, and --retry-failed repeats it"
        if len(failed) == 1
        else f"{len(failed)} {what}s failed; their lines in {output} say why, and --retry-failed "
        "repeats them"
    )
    print(words, file=sys.stderr)
    is_unread = any(line.get("status") == UNREADABLE for line in failed)
    return exit_codes.BAD_INPUT if is_unread else exit_codes.NO_PLAN
