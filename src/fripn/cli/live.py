"""The live view of a run in a terminal: time, cost, gap, fleet, and a small curve."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fripn.budget import Budget
from fripn.problem import Instance
from fripn.render.text import fleet_text
from fripn.result import gap_percent, saving_percent
from fripn.run import Progress
from fripn.summary import percent_text

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

_BLOCKS = "▁▂▃▄▅▆▇█"
_CURVE_WIDTH = 32
_BAR_WIDTH = 32


@dataclass(slots=True)
class LiveView:
    """What is known of a run so far; `rich` draws it several times a second.

    Parameters
    ----------
    instance, budget, best_known
        What is being solved, for how long, and the cost to compare with, if any.
    clock
        Seconds since the run began.
    """

    instance: Instance
    budget: Budget
    best_known: float | None
    clock: Callable[[], float]
    found: list[tuple[float, float]] = field(default_factory=list)
    fleet: str = ""
    lower_bound: float | None = None

    def take(self, news: Progress) -> None:
        """Take a better plan or a better bound."""
        if news.plan is not None:
            self.found.append((news.seconds, news.cost))
            self.fleet = fleet_text(self.instance, news.plan)
        if news.lower_bound is not None:
            self.lower_bound = news.lower_bound

    def lines(self) -> list[tuple[str, str]]:
        """Return the view as (label, text) rows."""
        elapsed = self.clock()
        rows = [("", f"{self.instance.name}, {self.instance.num_customers:,} customers")]
        rows.append(("time", self._time_text(elapsed)))
        if not self.found:
            return [*rows, ("cost", "looking for a first plan")]
        seconds, cost = self.found[-1]
        text = f"{cost:,.2f}, found at {seconds:.1f} s"
        if self.best_known is not None:
            text += f", {percent_text(gap_percent(cost, self.best_known))} to the best known"
        rows.append(("cost", text))
        if self.lower_bound is not None:
            gap = saving_percent(cost, self.lower_bound)
            rows.append(("bound", f"{self.lower_bound:,.2f}, {gap:z.2f} % below the cost"))
        rows.append(("fleet", self.fleet))
        if len(self.found) > 1:
            curve = sparkline(self.found, elapsed, _CURVE_WIDTH)
            rows.append(("curve", f"{curve} from {self.found[0][1]:,.2f}"))
        return rows

    def _time_text(self, elapsed: float) -> str:
        limit = self.budget.seconds
        if limit is None:
            return f"{elapsed:.1f} s"
        done = min(1.0, elapsed / limit)
        filled = round(_BAR_WIDTH * done)
        left = max(0.0, limit - elapsed)
        return f"{'━' * filled}{'─' * (_BAR_WIDTH - filled)} {elapsed:.1f} s, {left:.1f} s left"

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw the rows, cut to the width of the terminal."""
        from rich.text import Text

        for label, text in self.lines():
            row = Text(f"{label:<6}" if label else "", style="dim", no_wrap=True)
            row.append(text, style="bold" if not label or label == "cost" else "")
            row.overflow = "ellipsis"
            yield row


def sparkline(found: Sequence[tuple[float, float]], elapsed: float, width: int) -> str:
    """Draw the best cost over time in one line of text.

    The height is the square root of what was still to be gained, so that the small late
    improvements show beside the large first ones.
    """
    first, best = found[0][1], found[-1][1]
    gain = first - best
    end = max(elapsed, found[-1][0]) or 1.0
    text, place, cost = [], 0, first
    for column in range(width):
        until = end * (column + 1) / width
        while place < len(found) and found[place][0] <= until:
            cost = found[place][1]
            place += 1
        height = math.sqrt(max(0.0, cost - best) / gain) if gain > 0 else 0.0
        text.append(_BLOCKS[min(len(_BLOCKS) - 1, int(height * len(_BLOCKS)))])
    return "".join(text)
