"""Table 1: costs, times and gaps on the random instances."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean

from fripn.bench.lines import Line
from fripn.bench.markdown import markdown_table
from fripn.bench.paper.protocol import (
    DECODINGS,
    NETWORKS,
    OURS,
    Networks,
    Planned,
    Scale,
    decoded,
    heuristic,
    line_name,
    policy_name,
)
from fripn.bench.paper.published import SIZES, Cell, seconds_text, table1
from fripn.bench.suites import Case
from fripn.problem import library

#: Heuristics of the paper by our methods.
HEURISTICS = {"CPLEX": "milp", "ALNS": "alns", "TS": "tabu", "GA": "genetic"}

#: Ours that the paper does not have.
OTHERS = {"hgs": "engine", "pyvrp": "PyVRP"}

#: The literal model is run at this size only, as in the paper.
MILP_SIZE = 20

#: Titles of the decodings.
TITLES = {
    "greedy": "greedy",
    "greedy x8": "greedy ×8",
    "sampling": "sampling",
    "sampling x8": "sampling ×8",
}

NOT_MEASURED = "not measured"


def policy_runs(scale: Scale, networks: Networks) -> Iterator[Planned]:
    """Yield the runs of policies, cells of short runs first."""
    cells = []
    for size in SIZES:
        cases = _cases(size, scale.policies)
        for network in (OURS, *NETWORKS):
            if (found := networks.for_size(network, size)) is None:
                continue
            for decoding in DECODINGS:
                contender = decoded(network, *found, decoding, scale.samples, size)
                cells.append((contender, cases))
    for contender, cases in sorted(cells, key=lambda cell: cell[0].expected):
        yield from (Planned(contender.item(case), contender.expected) for case in cases)


def heuristic_runs(scale: Scale) -> Iterator[Planned]:
    """Yield the runs of the other methods, instance by instance."""
    for size in SIZES:
        for case in _cases(size, scale.heuristics):
            for method in (*HEURISTICS.values(), *OTHERS):
                if method == "milp" and size != MILP_SIZE:
                    continue
                contender = heuristic(method, scale.limits[method])
                yield Planned(contender.item(case), contender.expected)


def text(lines: Sequence[Line], earlier: Sequence[Line], scale: Scale, networks: Networks) -> str:
    """Return the tables, one per size.

    Parameters
    ----------
    lines
        Of `policy_runs` and `heuristic_runs`.
    earlier
        Lines of ``runs/policy_table.py``: our network at its default temperature.
    scale, networks
        As for `policy_runs`.
    """
    parts = [
        _table(size, lines, earlier, scale, networks)
        for size in SIZES
        if scale.policies.get(size) or scale.heuristics.get(size)
    ]
    return "\n\n".join(parts)


def missing(lines: Sequence[Line], scale: Scale, networks: Networks) -> list[str]:
    """Name the rows that have too few runs, size by size."""
    costs = _costs(lines, scale)
    found = []
    for size in SIZES:
        names = [
            (title, name, scale.policies.get(size, 0))
            for title, name in _policy_rows(size, scale, networks)
        ]
        names += [
            (title, line_name(method), scale.heuristics.get(size, 0))
            for title, method in (*HEURISTICS.items(), *((v, k) for k, v in OTHERS.items()))
            if method != "milp" or size == MILP_SIZE
        ]
        found += [
            f"{title}, n = {size}"
            for title, name, wanted in names
            if len(costs.get((size, name or ""), {})) < wanted
        ]
    return found


def _table(
    size: int,
    lines: Sequence[Line],
    earlier: Sequence[Line],
    scale: Scale,
    networks: Networks,
) -> str:
    costs, seconds = _costs(lines, scale), _seconds(lines, scale)
    num_failed = Counter((line["n"], line["method"]) for line in lines if line["cost"] is None)
    default = {
        decoding: {
            line["instance"]: line["cost"]
            for line in earlier
            if (line["size"], line["decoding"]) == (size, decoding)
        }
        for decoding in DECODINGS
    }
    best = _best(size, [mine for (n, _), mine in costs.items() if n == size], default)
    paper = table1()
    whole = default["sampling x8"] or None
    rows: list[list[str]] = []

    def add(title: str, theirs: Cell | None, name: str | None, note: str = "") -> None:
        mine = costs.get((size, name or ""), {})
        time = fmean(seconds[size, name or ""]) if mine else None
        cells = _ours(mine, time, best, whole)
        if failed := num_failed[size, name or ""]:
            cells[-1] += f", {failed} without a plan"
        rows.append([title + note, *_theirs(theirs), *cells])

    for title, method in HEURISTICS.items():
        name = None if method == "milp" and size != MILP_SIZE else line_name(method)
        limit = f", {scale.limits[method]:g} s" if name else ""
        ours = "literal MILP, HiGHS" if method == "milp" else method
        add(title, paper[title, ""].get(size), name, f" / {ours}{limit}" if name else "")
    for network, title in reversed(NETWORKS.items()):
        found = networks.for_size(network, size)
        for decoding in DECODINGS:
            name = policy_name(*found, decoding, scale.samples) if found else None
            note = f" / {found[0]}" if found else ""
            add(f"{title}, {TITLES[decoding]}", paper[title, decoding][size], name, note)
    weights = networks.for_size(OURS, size)
    assert weights is not None
    for decoding in DECODINGS:
        name = policy_name(*weights, decoding, scale.samples)
        temperature = "" if decoding.startswith("greedy") else ", temperature 1"
        add(f"– / our network, {TITLES[decoding]}{temperature}", None, name)
    for decoding in DECODINGS:
        if not decoding.startswith("greedy"):
            title = f"– / our network, {TITLES[decoding]}, default temperature"
            rows.append([title, *_theirs(None), *_ours(default[decoding], None, best, whole)])
    for method, title in OTHERS.items():
        add(f"– / {title}, {scale.limits[method]:g} s", None, method)
    header = ["paper / ours", "paper: cost", "s", "gap, %", "ours: cost", "s", "gap, %", "runs"]
    return f"### n = {size}\n\n{markdown_table(header, rows)}"


def _policy_rows(size: int, scale: Scale, networks: Networks) -> Iterator[tuple[str, str | None]]:
    for network, title in (*NETWORKS.items(), (OURS, "our network, temperature 1")):
        found = networks.for_size(network, size)
        for decoding in DECODINGS:
            name = policy_name(*found, decoding, scale.samples) if found else None
            yield f"{title}, {TITLES[decoding]}", name


def _theirs(cell: Cell | None) -> list[str]:
    if cell is None:
        return ["–", "–", "–"]
    return [f"{cell.cost:.2f}", seconds_text(cell.seconds), f"{cell.gap_percent:.2f}"]


def _ours(
    mine: Mapping[str, float],
    seconds: float | None,
    best: Mapping[str, float],
    whole: Mapping[str, float] | None,
) -> list[str]:
    """Return cost, seconds, gap and number of runs; a mean over some is scaled to all."""
    if not mine:
        return [NOT_MEASURED, "", "", "0"]
    mean = fmean(mine.values())
    cost = f"{mean:.2f}"
    if whole is not None and mine.keys() < whole.keys():
        ratio = mean / fmean(whole[name] for name in mine)
        cost = f"≈ {ratio * fmean(whole.values()):.2f}"
    gap = 100.0 * (sum(mine.values()) / sum(best[name] for name in mine) - 1.0)
    return [cost, "–" if seconds is None else f"{seconds:.2f}", f"{gap:.2f}", f"{len(mine):,}"]


def _best(
    size: int, ours: Sequence[Mapping[str, float]], default: Mapping[str, Mapping[str, float]]
) -> dict[str, float]:
    """Return the proven optimum of each instance, or else the best cost that any row has."""
    best: dict[str, float] = {}
    for costs in (*ours, *default.values()):
        for name, cost in costs.items():
            best[name] = min(cost, best.get(name, cost))
    if size == MILP_SIZE:
        best |= {name: optimum for name in best if (optimum := _optimum(name)) is not None}
    return best


def _costs(lines: Sequence[Line], scale: Scale) -> dict[tuple[int, str], dict[str, float]]:
    costs: defaultdict[tuple[int, str], dict[str, float]] = defaultdict(dict)
    for line in _of_table(lines, scale):
        costs[line["n"], line["method"]][line["instance"]] = line["cost"]
    return costs


def _seconds(lines: Sequence[Line], scale: Scale) -> dict[tuple[int, str], list[float]]:
    seconds: defaultdict[tuple[int, str], list[float]] = defaultdict(list)
    for line in _of_table(lines, scale):
        seconds[line["n"], line["method"]].append(line["seconds"])
    return seconds


def _of_table(lines: Sequence[Line], scale: Scale) -> Iterator[Line]:
    suites = {f"paper-{size}" for size in SIZES}
    limits = {line_name(method): seconds for method, seconds in scale.limits.items()}
    return (
        line
        for line in lines
        if line["cost"] is not None
        and line["suite"] in suites
        and line["time_limit"] == limits.get(line["method"])
    )


def _cases(size: int, counts: Mapping[int, int]) -> list[Case]:
    names = (f"paper:{size}:{index}" for index in range(counts.get(size, 0)))
    return [Case(f"paper-{size}", name, None, _optimum(name)) for name in names]


def _optimum(name: str) -> float | None:
    known = library.best_known(name)
    return None if known is None else known.cost
