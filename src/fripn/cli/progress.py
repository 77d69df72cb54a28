"""Progress on stderr while a method runs."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum

from fripn.budget import Budget
from fripn.problem import Instance
from fripn.render.text import fleet_text
from fripn.run import OnProgress, Progress

#: Seconds between two counts of the nodes of a cluster.
_COUNT_SECONDS = 2.0


class ProgressMode(Enum):
    """How to show the progress."""

    AUTO = "auto"
    LIVE = "live"
    PLAIN = "plain"
    NONE = "none"


def shown_mode(mode: ProgressMode, *, as_json: bool, quiet: bool) -> ProgressMode:
    """Return what is to be shown: ``AUTO`` depends on the terminal."""
    if mode is not ProgressMode.AUTO:
        return mode
    is_seen = sys.stderr.isatty() and not as_json and not quiet
    return ProgressMode.LIVE if is_seen else ProgressMode.NONE


@contextmanager
def follow(
    mode: ProgressMode, instance: Instance, budget: Budget, best_known: float | None
) -> Iterator[OnProgress | None]:
    """Show the progress of a run; yield the callback for it, None where nothing is shown.

    Without a callback a method does not spend time on reporting plans.

    Parameters
    ----------
    mode
        As `shown_mode` returns it.
    instance, budget, best_known
        What is being solved, for how long, and the cost to compare with, if any.
    """
    if mode is ProgressMode.LIVE:
        with _live(instance, budget, best_known) as on_progress:
            yield on_progress
    elif mode is ProgressMode.PLAIN:
        yield _plain(instance)
    else:
        yield None


def _plain(instance: Instance) -> OnProgress:
    def on_progress(news: Progress) -> None:
        if news.plan is not None:
            text = f"{news.cost:.2f}  {fleet_text(instance, news.plan)}"
        else:
            text = f"lower bound {news.lower_bound:.2f}"
        print(f"{news.seconds:.2f} s  {text}", file=sys.stderr, flush=True)

    return on_progress


@contextmanager
def _live(instance: Instance, budget: Budget, best_known: float | None) -> Iterator[OnProgress]:
    from rich.console import Console
    from rich.live import Live

    from fripn.cli.live import LiveView

    began = time.perf_counter()
    view = LiveView(instance, budget, best_known, lambda: time.perf_counter() - began)
    console = Console(stderr=True)
    with Live(view, console=console, transient=True, refresh_per_second=8):
        yield view.take


@contextmanager
def count_up(
    total: int, count_nodes: Callable[[], int] | None = None, *, quiet: bool = False
) -> Iterator[Callable[[str, int], None]]:
    """Show a bar on stderr that counts finished runs; yield the function to call with each.

    The function takes what was finished, and how many have failed so far.

    Parameters
    ----------
    total
        How many runs there are.
    count_nodes
        Returns the nodes of the cluster that they run on; None where there is none.
    quiet
        Whether to show nothing.
    """
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class RateColumn(ProgressColumn):
        """Runs per second; per minute where they take long."""

        def render(self, task: Task) -> Text:
            rate = task.finished_speed or task.speed
            if not rate:
                return Text("")
            return Text(f"{rate:.1f}/s" if rate >= 1 else f"{60 * rate:.1f}/min")

    # Counting asks the cluster, which need not happen for every run.
    num_nodes, counted = 0, float("-inf")
    with Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        RateColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        disable=quiet,
    ) as bar:
        task = bar.add_task("", total=total)

        def advance(label: str, failures: int) -> None:
            nonlocal num_nodes, counted
            failed = f", {failures} failed" if failures else ""
            nodes = ""
            if count_nodes is not None and not quiet:
                if time.monotonic() - counted > _COUNT_SECONDS:
                    num_nodes, counted = count_nodes(), time.monotonic()
                nodes = f", {num_nodes} node{'' if num_nodes == 1 else 's'}"
            bar.update(task, advance=1, description=f"{label}{failed}{nodes}")

        yield advance
