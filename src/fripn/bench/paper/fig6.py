"""Fig. 6: larger instances, all methods with the same time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean

from fripn.bench.lines import Line
from fripn.bench.markdown import markdown_table
from fripn.bench.paper.protocol import Contender, Networks, Planned, Scale, heuristic
from fripn.bench.paper.table1 import NOT_MEASURED
from fripn.bench.suites import Case
from fripn.policy import Policy
from fripn.problem import Instance
from fripn.problem.generate import paper_instance
from fripn.render.line_chart import Panel, draw_panels

#: The first seed of the instances; other tables use other ones.
FIRST_SEED = 30_000

#: Titles of the rows by what lines call the method; that of the paper's network is found by prefix.
TITLES = {
    "alns": "ALNS",
    "tabu": "TS",
    "genetic": "GA",
    "pyvrp": "PyVRP",
    "policy": "our policy",
    "hgs": "engine",
}
PAPER_NETWORK = "the paper's network"


class DrawnCase(Case):
    """An instance of the paper's distribution, drawn where it is solved."""

    def load(self) -> Instance:
        """Draw the instance."""
        size, seed = map(int, self.name.rsplit("-", 2)[1:])
        return paper_instance(size, seed).replace(name=self.name)


def planned(scale: Scale, networks: Networks) -> Iterator[Planned]:
    """Yield the runs, instance by instance, so that half of them are fair too."""
    for number in range(max(scale.large.values(), default=0)):
        for size, count in scale.large.items():
            if number >= count:
                continue
            case = DrawnCase(
                suite_of(size), f"paper-distribution-{size}-{FIRST_SEED + number}", None, None
            )
            for contender in _contenders(scale, networks, size):
                yield Planned(contender.item(case), contender.expected)


def suite_of(size: int) -> str:
    """Return the name of the set of instances of a size in lines."""
    return f"paper distribution {size}"


def text(lines: Sequence[Line], scale: Scale, picture: str) -> str:
    """Return the mean gaps to the best cost that any of the methods found, and the picture."""
    gaps = gaps_of(lines, scale)
    if not gaps:
        return "Not measured."
    rows = []
    for title in (*TITLES.values(), PAPER_NETWORK):
        cells = [
            f"{fmean(gaps[size, title]):.2f} ({len(gaps[size, title])})"
            if gaps.get((size, title))
            else NOT_MEASURED
            for size in scale.large
        ]
        rows.append([title, *cells])
    table = markdown_table(["method", *(f"n = {size:,}" for size in scale.large)], rows)
    return (
        f"![Mean gap by size]({picture})\n\nMean gap in percent to the best cost that any of the "
        f"methods found, {scale.large_seconds:g} s and one thread each; runs in brackets."
        f"\n\n{table}"
    )


def missing(lines: Sequence[Line], scale: Scale) -> list[str]:
    """Name the cells with too few runs."""
    gaps = gaps_of(lines, scale)
    return [
        f"{title}, {size} customers"
        for size, count in scale.large.items()
        for title in (*TITLES.values(), PAPER_NETWORK)
        if len(gaps.get((size, title), ())) < count
    ]


def gaps_of(lines: Sequence[Line], scale: Scale) -> dict[tuple[int, str], list[float]]:
    """Return the gaps of every size and row, in percent."""
    mine = [
        line
        for line in lines
        if line["cost"] is not None
        and line["time_limit"] == scale.large_seconds
        and line["n"] in scale.large
        and line["suite"] == suite_of(line["n"])
    ]
    best: dict[str, float] = {}
    for line in mine:
        best[line["instance"]] = min(line["cost"], best.get(line["instance"], line["cost"]))
    gaps: defaultdict[tuple[int, str], list[float]] = defaultdict(list)
    for line in mine:
        title = TITLES.get(line["method"], PAPER_NETWORK)
        gaps[line["n"], title].append(100.0 * (line["cost"] / best[line["instance"]] - 1.0))
    return gaps


def draw(lines: Sequence[Line], scale: Scale, path: Path) -> None:
    """Draw the mean gaps over the number of customers."""
    gaps = gaps_of(lines, scale)
    series: dict[str, tuple[list[float], list[float]]] = {}
    for title in (*TITLES.values(), PAPER_NETWORK):
        sizes = [size for size in scale.large if gaps.get((size, title))]
        if sizes:
            series[title] = [*map(float, sizes)], [fmean(gaps[size, title]) for size in sizes]
    title = f"{scale.large_seconds:g} s, one thread"
    draw_panels([Panel(title, "customers", "mean gap to the best, %", series)], path)


def _contenders(scale: Scale, networks: Networks, size: int) -> Iterator[Contender]:
    make = partial(heuristic, seconds=scale.large_seconds)
    yield from map(make, TITLES)
    found = networks.for_size("paper", size)
    if found is not None:
        name, weights = found
        policy = Policy(split=False, temperature=1.0, weights=weights)
        label = f"policy {name} {weights.fingerprint}"
        yield Contender(label, policy, scale.large_seconds, scale.large_seconds)
