"""What a person sees on stderr while a method runs."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum

from fripn.budget import Budget
from fripn.problem import Instance, Solution
from fripn.render.text import fleet_text
from fripn.result import OnImprovement


class ProgressMode(Enum):
    """How to show the progress."""

    AUTO = "auto"
    LIVE = "live"
    PLAIN = "plain"
    NONE = "none"


@contextmanager
def follow(
    mode: ProgressMode, instance: Instance, budget: Budget, best_known: float | None
) -> Iterator[OnImprovement]:
    """Show the progress of a run, and give the callback that hears of improvements.

    Parameters
    ----------
    mode
        ``AUTO``: live in a terminal, nothing elsewhere.
    instance, budget, best_known
        What is being solved, for how long, and the cost to compare with, if any.
    """
    if mode is ProgressMode.AUTO:
        mode = ProgressMode.LIVE if sys.stderr.isatty() else ProgressMode.NONE
    if mode is ProgressMode.LIVE:
        with _live(instance, budget, best_known) as on_improvement:
            yield on_improvement
    elif mode is ProgressMode.PLAIN:
        yield _plain(instance)
    else:
        yield lambda seconds, cost, solution: None


def _plain(instance: Instance) -> OnImprovement:
    def on_improvement(seconds: float, cost: float, solution: Solution) -> None:
        print(
            f"{seconds:.2f} s  {cost:.2f}  {fleet_text(instance, solution)}",
            file=sys.stderr,
            flush=True,
        )

    return on_improvement


@contextmanager
def _live(instance: Instance, budget: Budget, best_known: float | None) -> Iterator[OnImprovement]:
    from rich.console import Console
    from rich.live import Live

    from fripn.cli.live import LiveView

    began = time.perf_counter()
    view = LiveView(instance, budget, best_known, lambda: time.perf_counter() - began)
    console = Console(stderr=True)
    with Live(view, console=console, transient=True, refresh_per_second=8):
        yield view.improve


@contextmanager
def count_up(total: int, *, quiet: bool = False) -> Iterator[Callable[[str, int], None]]:
    """Show a bar on stderr that counts finished runs; call the given function with each.

    The function takes what was finished, and how many have failed so far.
    """
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    with Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        disable=quiet,
    ) as bar:
        task = bar.add_task("", total=total)

        def advance(label: str, failures: int) -> None:
            failed = f", {failures} failed" if failures else ""
            bar.update(task, advance=1, description=f"{label}{failed}")

        yield advance
