"""What the commands that run many items share: a bar, a summary, and one exit code."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Generator
from contextlib import closing
from pathlib import Path

from fripn.batch.runner import Entry
from fripn.cli import exit_codes
from fripn.cli.progress import count_up
from fripn.executors import Executor


def follow_batch(
    entries: Generator[Entry],
    total: int,
    output: Path,
    *,
    what: str,
    label: str,
    executor: Executor,
    quiet: bool = False,
) -> int:
    """Wait for a batch, and report its progress and outcome on stderr.

    Parameters
    ----------
    entries
        From `fripn.batch.run_batch`.
    total
        How many there will be.
    output
        The file that holds the lines.
    what
        What a line is about: an ``instance``, a ``run``.
    label
        The field of a line that the bar shows.
    executor
        Where the items run; the bar shows the nodes of a cluster.
    quiet
        Whether to report failures only.

    Returns
    -------
    int
        The exit code: 2 when an instance could not be read, else 1 when something else failed,
        else 0. Lines of earlier calls count as well.

    Raises
    ------
    KeyboardInterrupt
        When Ctrl-C was pressed, with a sentence about what is finished.
    """
    origins: Counter[str] = Counter()
    num_failed = num_unreadable = 0
    try:
        # Closing ends the workers at once when a line cannot be written.
        nodes = None if executor.has_our_files else (lambda: executor.num_nodes)
        with count_up(total, nodes, quiet=quiet) as advance, closing(entries):
            for entry in entries:
                origins[entry.origin] += 1
                num_failed += entry.has_failed
                num_unreadable += entry.is_unreadable
                advance(str(entry.line[label]), num_failed)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            f"interrupted; finished {what}s are in {output}, and the same command goes on from "
            "there"
        ) from None
    if not quiet:
        _report_origins(origins, total, what)
    if not num_failed:
        return exit_codes.DONE
    print(
        f"1 {what} failed; its line in {output} says why, and --retry-failed repeats it"
        if num_failed == 1
        else f"{num_failed} {what}s failed; their lines in {output} say why, and --retry-failed "
        "repeats them",
        file=sys.stderr,
    )
    return exit_codes.BAD_INPUT if num_unreadable else exit_codes.NO_PLAN


def _report_origins(origins: Counter[str], total: int, what: str) -> None:
    """Report what earlier calls had done."""
    if origins["earlier"]:
        print(f"{origins['earlier']} of {total} {what}s were done before", file=sys.stderr)
    if origins["again"]:
        print(
            f"{origins['again']} of {total} {what}s have changed since their line was written, or "
            "it does not say; they were run again, and the last line of each counts",
            file=sys.stderr,
        )
