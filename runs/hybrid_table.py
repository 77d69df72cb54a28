"""Policy, engine, both together, and PyVRP at every budget: a table and a figure.

    python runs/hybrid_table.py [--budgets 0.05,0.2,1,5,20] [--sizes 20,50,…] [--instances 20]
    python runs/hybrid_table.py --suite xh
    python runs/hybrid_table.py --budgets 0.05,0.2,1 --methods policy,hgs,hybrid --seeds 5
    python runs/hybrid_table.py --report --update-docs

Instances follow the paper's distribution (seeded); --suite xh takes the fleet size and mix
instances of xh instead. Every method has one thread, and --beside runs go side by side. Raw lines
go to out/hybrid.jsonl, from where the same command goes on after a stop, instance by instance, so
that half a table is fair too. Short runs differ much by seed: more seeds for them cost little.
From these lines and the published ones in docs/results/ the table (mean gaps to the best cost any
run found, and what the hybrid has lost or gained against the better of its parts) is printed, and
the gap over time is drawn beside the new lines. --update-docs writes the table into
docs/benchmarks.md and the figure into docs/hybrid.svg.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import numpy as np

from fripn.bench.lines import Line
from fripn.bench.markdown import markdown_table
from fripn.bench.page import Block
from fripn.bench.publish import Lines, parse_options, present
from fripn.bench.run import bench_item
from fripn.bench.script import ScriptParser, integer, list_of, one_of, positive, run
from fripn.bench.suites import Case
from fripn.budget import Budget
from fripn.problem import library
from fripn.problem.generate import paper_instance
from fripn.problem.io import write_instance

ROOT = Path(__file__).resolve().parents[1]
METHODS = ("policy", "hgs", "hybrid", "pyvrp")
#: Engine and hybrid side by side: a run beside PyVRP gets a few percent less of the machine.
ORDER = ("hgs", "hybrid", "policy", "pyvrp")
SIZES = (20, 50, 100, 200, 500, 1000)
BUDGETS = (0.05, 0.2, 1.0, 5.0, 20.0)
#: From here on a cell shows the time of its longest run, as a multiple of the limit.
LATE = 1.05
#: The figure shows these runs; how the others went from plan to plan is not kept.
CURVE_BUDGET = 20.0


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("--budgets", type=list_of(positive), default=list(BUDGETS))
    parser.add_argument("--sizes", type=list_of(integer(1)), default=list(SIZES))
    parser.add_argument("--instances", type=integer(1), default=20)
    parser.add_argument("--methods", type=list_of(one_of(ORDER)), default=list(ORDER))
    parser.add_argument("--seeds", type=integer(1), default=1)
    parser.add_argument("--suite", choices=("paper", "xh"), default="paper")
    parser.add_argument("--beside", type=integer(1), default=2, help="runs at the same time")
    options = parse_options(parser, ROOT / "out" / "hybrid.jsonl")
    lines = Lines(ROOT / "docs" / "results" / "hybrid.jsonl", options.lines)
    if not options.report:
        cases = (
            paper_cases(options.sizes, options.instances, options.lines.parent / "hybrid_instances")
            if options.suite == "paper"
            else xh_cases(options.instances)
        )
        items = [
            bench_item(
                case,
                method,
                seed,
                1,
                Budget(seconds=seconds),
                keep_curve=seed == 0 and seconds == CURVE_BUDGET,
            )
            for seed in range(options.seeds)
            for case in cases
            for seconds in options.budgets
            for method in options.methods
        ]
        lines.run(items, options.beside)
    measured = lines.all()
    blocks = [
        Block(ROOT / "docs" / "benchmarks.md", "hybrid_table", table(measured)),
    ]
    present(options, blocks, missing_cells(measured), lines)
    draw(measured, (ROOT / "docs" if options.update_docs else options.lines.parent) / "hybrid.svg")


def paper_suite(size: int) -> str:
    return f"paper distribution {size}"


def missing_cells(lines: list[Line]) -> list[str]:
    """Name the cells of the published table without a line."""
    cells = {(line["suite"], line["time_limit"], line["method"]) for line in lines}
    return [
        f"{suite}, {seconds:g} s with {method}"
        for suite in (*map(paper_suite, SIZES), "xh")
        for seconds in BUDGETS
        for method in METHODS
        if (suite, seconds, method) not in cells
    ]


def paper_cases(sizes: list[int], count: int, folder: Path) -> list[Case]:
    """Write seeded instances of the paper's distribution, so that every run reads the same."""
    folder.mkdir(parents=True, exist_ok=True)
    cases = []
    for number in range(count):
        for size in sizes:
            path = folder / f"paper-distribution-{size}-{number}.json"
            if not path.exists():
                write_instance(paper_instance(size, 10_000 + number), path)
            cases.append(Case(paper_suite(size), path.stem, path, None))
    return cases


def xh_cases(count: int) -> list[Case]:
    """Return instances of xh with unlimited fleets."""
    names = [name for name in library.names("xh") if "FSM" in name]
    return [Case("xh", name, None, library.best_known(name).cost) for name in names[:count]]


def best_costs(lines: list[Line]) -> dict[str, float]:
    """Return the best cost of each instance over all methods and budgets, and the best known."""
    best: dict[str, float] = {}
    for line in lines:
        if line["cost"] is not None:
            known = min(line["cost"], line["best_known"] or np.inf)
            best[line["instance"]] = min(known, best.get(line["instance"], np.inf))
    return best


def suites_of(lines: list[Line]) -> list[str]:
    """Return the sets of instances, small instances first."""
    sizes = {line["suite"]: line["n"] for line in lines}
    return sorted(sizes, key=lambda suite: (suite == "xh", sizes[suite]))


def draw(lines: list[Line], path: Path) -> None:
    """Draw the mean gap over time of the runs with a curve, one picture per set of instances."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    best = best_costs(lines)
    suites = suites_of(lines)
    columns = min(3, len(suites))
    rows = -(-len(suites) // columns)
    figure = Figure(figsize=(4.2 * columns, 3.2 * rows), layout="constrained")
    for place, suite in enumerate(suites, start=1):
        mine = [line for line in lines if line["suite"] == suite and line["cost"] is not None]
        times = np.geomspace(0.01, CURVE_BUDGET, 80)
        axes = figure.add_subplot(rows, columns, place)
        for method in METHODS:
            runs = [run for run in mine if run["method"] == method and "curve" in run]
            gaps = [[gap_at(run, time, best[run["instance"]]) for time in times] for run in runs]
            if gaps:  # A mean means something once every run has a plan.
                axes.plot(times, np.mean(gaps, axis=0), label=method)
        axes.set(xscale="log", title=suite, xlabel="seconds", ylabel="gap in %")
        axes.set_yscale("symlog", linthresh=0.05)
        axes.set_ylim(bottom=0)
        if axes.lines:
            axes.legend(frameon=False)
    with rc_context({"svg.hashsalt": "fripn"}):
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, metadata={"Date": None})


def gap_at(run: Line, time: float, best: float) -> float:
    """Return the gap of the best plan so many seconds into a run; NaN before there is one."""
    costs = [cost for seconds, cost in run["curve"] if seconds <= time]
    return 100 * (min(costs) / best - 1) if costs else np.nan


Cell = tuple[str, float, str]


def table(lines: list[Line]) -> str:
    """Mean gap in percent to the best cost over all methods and budgets, by size and budget."""
    gaps = gaps_of_instances(lines)
    methods = [name for name in METHODS if any(line["method"] == name for line in lines)]
    rows = []
    for suite in suites_of(lines):
        for seconds in sorted({key[1] for key in gaps if key[0] == suite}):
            cells = [gaps.get((suite, seconds, method), {}) for method in methods]
            count = max(map(len, cells))
            late = [latest_end(lines, (suite, seconds, method)) for method in methods]
            shown = [mean_gap(cell, count, end) for cell, end in zip(cells, late, strict=True)]
            difference = less_the_better_part(dict(zip(methods, cells, strict=True)))
            runs = sum(
                (line["suite"], line["time_limit"], line["method"]) == (suite, seconds, "hybrid")
                for line in lines
            )
            seeds = f", {runs // count} seeds" if runs > count else ""
            rows.append([f"{suite} ({count}{seeds})", f"{seconds:g} s", *shown, difference])
    header = ["instances", "budget", *methods, "hybrid less the better part"]
    return "\n".join([markdown_table(header, rows, num_left=2), "", *notes(lines)])


def notes(lines: list[Line]) -> list[str]:
    """Return what the brackets mean, which instances of xh these are, and what ran."""
    found = [
        f"Latest end: the longest run of a cell, where it took {LATE:g} times its limit or more, "
        "is in brackets as a multiple of the limit."
    ]
    if xh := sorted({(line["n"], line["instance"]) for line in lines if line["suite"] == "xh"}):
        found.append(
            f"xh: the {len(xh)} smallest with unlimited fleets, {xh[0][1]} to {xh[-1][1]} "
            f"({xh[0][0]} to {xh[-1][0]} customers)."
        )
    commits = sorted({line["commit"] or "unknown" for line in lines})
    return [*found, f"Commits: {', '.join(commits)}."]


def mean_gap(cell: dict[str, float], count: int, latest_end: float) -> str:
    """Return the mean of a cell, with its instances where fewer than the row's, and late ends."""
    if not cell:
        return "–"
    remarks = [f"{len(cell)} instances"] if len(cell) < count else []
    remarks += [f"{latest_end:.2f} × limit"] if latest_end >= LATE else []
    brackets = f" ({', '.join(remarks)})" if remarks else ""
    return f"{np.mean(list(cell.values())):z.3f}{brackets}"


def latest_end(lines: list[Line], cell: Cell) -> float:
    """Return how long the longest run of a cell took, as a multiple of its limit."""
    return max(
        (
            line["seconds"] / line["time_limit"]
            for line in lines
            if (line["suite"], line["time_limit"], line["method"]) == cell
            and line["seconds"] is not None
        ),
        default=0.0,
    )


def gaps_of_instances(lines: list[Line]) -> dict[Cell, dict[str, float]]:
    """Return the gap of every instance, the mean over its seeds, in every cell of the table."""
    best = best_costs(lines)
    runs: dict[Cell, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for line in lines:
        gap = np.nan
        if line["cost"] is not None:
            gap = 100 * (line["cost"] / best[line["instance"]] - 1)
        runs[line["suite"], line["time_limit"], line["method"]][line["instance"]].append(gap)
    return {
        cell: {name: float(np.mean(gaps)) for name, gaps in by_instance.items()}
        for cell, by_instance in runs.items()
    }


def less_the_better_part(cells: dict[str, dict[str, float]]) -> str:
    """Return how far the hybrid is off the better of policy and engine, with its standard error."""
    parts = [cells[method] for method in ("policy", "hgs") if cells.get(method)]
    mine = cells.get("hybrid", {})
    common = sorted(set(mine).intersection(*parts))
    if not parts or len(common) < 2:
        return "–"
    differences = [np.array([mine[name] - part[name] for name in common]) for part in parts]
    worst = max(differences, key=np.mean)
    return f"{np.mean(worst):+z.3f} ± {np.std(worst, ddof=1) / np.sqrt(len(worst)):.3f}"


if __name__ == "__main__":
    run(main)
