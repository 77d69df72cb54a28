"""Table 2: the golden instances beside the literature."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean

from fripn.bench.lines import Line
from fripn.bench.markdown import markdown_table
from fripn.bench.paper.protocol import (
    NETWORKS,
    OURS,
    Contender,
    Networks,
    Planned,
    Scale,
    decoded,
    heuristic,
    policy_name,
)
from fripn.bench.paper.published import (
    PAPER,
    TABLE2_AVERAGE_COST,
    TABLE2_AVERAGE_GAP,
    seconds_text,
    sources,
    table2,
)
from fripn.bench.paper.table1 import NOT_MEASURED
from fripn.bench.suites import Case
from fripn.problem import library

SUITE = "golden"
DECODING = "sampling x8"


def planned(scale: Scale, networks: Networks) -> Iterator[Planned]:
    """Yield the runs."""
    for name in list(table2()[PAPER])[: scale.golden]:
        size = library.load(name).num_customers
        case = Case(SUITE, name, None, library.best_known(name).cost)  # type: ignore[union-attr]
        for contender in _contenders(scale, networks, size):
            for seed in range(scale.golden_seeds):
                yield Planned(contender.item(case, seed), contender.expected)


def text(lines: Sequence[Line], scale: Scale, networks: Networks) -> str:
    """Return costs and seconds, what the gaps are, and the references."""
    published = table2()
    names = list(published[PAPER])
    ours = {name: _ours(lines, name, scale, networks) for name in names}
    titles = ["our network, sampling ×8", "paper's network, sampling ×8", "hybrid"]
    titles[2] += f", {scale.golden_seconds:g} s"
    rows = []
    for name in names:
        known = library.best_known(name)
        assert known is not None
        proven = "proven" if known.status == "optimal" else "best known"
        costs = [f"{published[source][name].cost:.2f}" for source in published]
        found = [NOT_MEASURED if one is None else f"{one[0]:.2f}" for one in ours[name]]
        rows.append([name, *costs, *found, f"{known.cost:.2f}", proven])
    header = ["instance", *(f"{one} (paper's)" if one == PAPER else one for one in published)]
    costs_table = markdown_table([*header, *titles, "reference", "status"], rows)
    time_rows = []
    for name in names:
        times = [published[source][name].seconds for source in published]
        mine = [NOT_MEASURED if one is None else f"{one[1]:.2f}" for one in ours[name]]
        time_rows.append([name, *map(seconds_text, times), *mine])
    times_table = markdown_table([*header, *titles], time_rows)
    return "\n\n".join(
        [
            f"Costs; ours are {_means(scale.golden_seeds)}.",
            costs_table,
            "Seconds.",
            times_table,
            "\n".join([*_remarks(names), *_our_gaps(names, ours, titles)]),
            "\n".join(f"- {source}: {reference}." for source, reference in sources().items()),
        ]
    )


def missing(lines: Sequence[Line], scale: Scale, networks: Networks) -> list[str]:
    """Name the columns without runs."""
    found = []
    for place, title in enumerate(("our network", "the paper's network", "hybrid")):
        for name in table2()[PAPER]:
            if _ours(lines, name, scale, networks)[place] is None:
                found.append(f"{title}, {name}")
    return found


def _means(num_seeds: int) -> str:
    return "of one seed" if num_seeds == 1 else f"means over {num_seeds} seeds"


def gaps_of(source: str) -> dict[str, float]:
    """Return the gap of a source to the best cost among all sources, by instance, in percent."""
    published = table2()
    return {
        name: 100.0 * (cell.cost / min(one[name].cost for one in published.values()) - 1.0)
        for name, cell in published[source].items()
    }


def _remarks(names: Sequence[str]) -> list[str]:
    """Return what the paper's own figures say when they are computed again."""
    published = table2()
    paper = gaps_of(PAPER)
    ratio = _ratio_of_averages()
    lowest = {
        name: min((one[name].cost, source) for source, one in published.items()) for name in names
    }
    remarks = [
        f"- The paper's average gap of {TABLE2_AVERAGE_GAP:.2f} % is a ratio of averages: its mean "
        f"cost {TABLE2_AVERAGE_COST:.2f} is {ratio:.2f} % above the lowest mean cost of another "
        f"column. The mean of the gaps in its rows is {fmean(paper.values()):.2f} %."
    ]
    for name, (cost, source) in lowest.items():
        known = library.best_known(name)
        assert known is not None
        if known.status == "optimal" and cost < known.cost - 0.01:
            remarks.append(
                f"- {cost:.2f} for {name} ({source}) lies below the proven optimum "
                f"{known.cost:.2f}, so no plan of that cost exists."
            )
    return remarks


def _ratio_of_averages() -> float:
    published = table2()
    others = [
        fmean(cell.cost for cell in cells.values())
        for source, cells in published.items()
        if source != PAPER
    ]
    mine = fmean(cell.cost for cell in published[PAPER].values())
    return 100.0 * (mine / min(others) - 1.0)


def _our_gaps(
    names: Sequence[str],
    ours: dict[str, list[tuple[float, float] | None]],
    titles: Sequence[str],
) -> list[str]:
    """Return the mean gaps to the reference values: of the paper, and of every column of ours."""
    references = {name: library.best_known(name).cost for name in names}  # type: ignore[union-attr]
    paper = table2()[PAPER]
    theirs = fmean(100.0 * (paper[name].cost / references[name] - 1.0) for name in names)
    parts = [f"the paper's {theirs:.2f}"]
    for place, title in enumerate(titles):
        found = {name: cells[place] for name, cells in ours.items()}
        gaps = [
            100.0 * (cell[0] / references[name] - 1.0)
            for name, cell in found.items()
            if cell is not None
        ]
        if gaps:
            on = "" if len(gaps) == len(names) else f" on {len(gaps)}"
            parts.append(f"{title} {fmean(gaps):.2f}{on}")
    return [f"- Mean gaps to the reference values, in percent: {'; '.join(parts)}."]


def _contenders(scale: Scale, networks: Networks, size: int) -> Iterator[Contender]:
    for network in (OURS, *NETWORKS):
        found = networks.for_size(network, size)
        if found is not None and network in (OURS, "paper"):
            yield decoded(network, *found, DECODING, scale.samples, size)
    yield heuristic("hybrid", scale.golden_seconds)


def _ours(
    lines: Sequence[Line], name: str, scale: Scale, networks: Networks
) -> list[tuple[float, float] | None]:
    """Return mean cost and seconds of our columns; None where there is no run."""
    size = library.load(name).num_customers
    names: list[str | None] = []
    for network in (OURS, "paper"):
        found = networks.for_size(network, size)
        names.append(policy_name(*found, DECODING, scale.samples) if found else None)
    cells: list[tuple[float, float] | None] = []
    for method in (*names, "hybrid"):
        runs = [
            line
            for line in lines
            if (line["suite"], line["instance"], line["method"]) == (SUITE, name, method)
            and line["cost"] is not None
            and line["time_limit"] in (None, scale.golden_seconds)
        ]
        cells.append(
            (fmean(one["cost"] for one in runs), fmean(one["seconds"] for one in runs))
            if runs
            else None
        )
    return cells
