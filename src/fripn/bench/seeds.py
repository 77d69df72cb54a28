"""Runs with several seeds: their mean, and how much it depends on the seed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import fmean, stdev

from fripn.bench.lines import Line


@dataclass(frozen=True, slots=True)
class SeedSummary:
    """A figure over the runs of a method.

    Parameters
    ----------
    num_runs, num_seeds
        What the figure is made of.
    mean
        Over all runs.
    spread
        Standard deviation of the means of the seeds; None with one seed.
    worst
        The highest mean of a seed.
    """

    num_runs: int
    num_seeds: int
    mean: float
    spread: float | None
    worst: float

    def text(self, digits: int) -> str:
        """Return such as ``0.054 ± 0.012, worst 0.071``, or the mean alone of one seed."""
        mean = fixed(self.mean, digits)
        if self.spread is None:
            return mean
        return f"{mean} ± {self.spread:.{digits}f}, worst {fixed(self.worst, digits)}"


def over_seeds(runs: Iterable[Line], figure: Callable[[Line], float]) -> SeedSummary | None:
    """Summarize a figure over runs; None without runs."""
    by_seed: dict[int, list[float]] = {}
    for line in runs:
        by_seed.setdefault(line["seed"], []).append(figure(line))
    if not by_seed:
        return None
    means = [fmean(mine) for mine in by_seed.values()]
    return SeedSummary(
        num_runs=sum(map(len, by_seed.values())),
        num_seeds=len(means),
        mean=fmean(value for mine in by_seed.values() for value in mine),
        spread=stdev(means) if len(means) > 1 else None,
        worst=max(means),
    )


def fixed(value: float, digits: int) -> str:
    """Return a number with so many digits, and without a minus where all of them are 0."""
    text = f"{value:.{digits}f}"
    return text.lstrip("-") if float(text) == 0 else text
