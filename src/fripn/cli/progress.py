"""What a person sees on stderr while a method runs."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum

from fripn.budget import Budget
from fripn.problem import Instance, Solution, evaluate
from fripn.result import OnImprovement, gap_percent


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


def describe_fleet(instance: Instance, solution: Solution) -> str:
    """Give the hired vehicles in words: ``2 × A, 5 × C``."""
    kinds = zip(instance.vehicle_types, evaluate(instance, solution).types, strict=True)
    return ", ".join(f"{kind.count} × {vehicle.name}" for vehicle, kind in kinds if kind.count)


def _plain(instance: Instance) -> OnImprovement:
    def on_improvement(seconds: float, cost: float, solution: Solution) -> None:
        print(
            f"{seconds:.2f} s  {cost:.2f}  {describe_fleet(instance, solution)}",
            file=sys.stderr,
            flush=True,
        )

    return on_improvement


@contextmanager
def _live(instance: Instance, budget: Budget, best_known: float | None) -> Iterator[OnImprovement]:
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    began = time.perf_counter()
    found: list[tuple[float, float, str]] = []

    def picture() -> Text:
        elapsed = time.perf_counter() - began
        limit = f" of {budget.seconds:g}" if budget.seconds is not None else ""
        line = f"{instance.name}  {elapsed:.1f}{limit} s"
        if found:
            seconds, cost, fleet = found[-1]
            line += f"  cost {cost:.2f} (found at {seconds:.1f} s)"
            if best_known is not None:
                line += f"  gap {gap_percent(cost, best_known):+.2f} %"
            line += f"  {fleet}"
        return Text(line, overflow="ellipsis", no_wrap=True)

    def on_improvement(seconds: float, cost: float, solution: Solution) -> None:
        found.append((seconds, cost, describe_fleet(instance, solution)))

    console = Console(stderr=True)
    with Live(get_renderable=picture, console=console, transient=True, refresh_per_second=8):
        yield on_improvement
