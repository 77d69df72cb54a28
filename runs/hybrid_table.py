"""Policy, engine, both together, and PyVRP at every budget: the table of docs/benchmarks.md.

    python runs/hybrid_table.py [--budgets 0.05,0.2,1,5,20] [--sizes 20,50,…] [--instances 20]
    python runs/hybrid_table.py --suite xh
    python runs/hybrid_table.py --budgets 0.05,0.2,1 --methods policy,hgs,hybrid --seeds 5
    python runs/hybrid_table.py --report

Instances follow the paper's law (seeded); `--suite xh` takes the fleet size and mix instances of xh
instead. Every method has one thread, and `--beside` runs go side by side. Raw lines go to
docs/results/hybrid.jsonl, from where the same command goes on after a stop, instance by instance,
so that half a table is fair too. Short runs differ much by seed: more seeds for them cost little.
From all lines the table of docs/benchmarks.md (mean gaps to the best cost any run found, and what
the hybrid has lost or gained against the better of its parts) and its excerpt in README.md are
written anew and the gap over time is drawn to docs/hybrid.svg; `--report` does only that.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Collection
from pathlib import Path

import numpy as np
from script import list_of, run

from fripn.bench.lines import Line, key_of, read_lines
from fripn.bench.page import replace_block
from fripn.bench.run import Job, run_jobs, unfinished
from fripn.bench.suites import Case
from fripn.budget import Budget
from fripn.problem import library
from fripn.problem.generate import paper_instance
from fripn.problem.io import write_instance

DOCS = Path(__file__).parent.parent / "docs"
LINES = DOCS / "results" / "hybrid.jsonl"
INSTANCES = Path(__file__).parent / "hybrid_instances"
METHODS = ("policy", "hgs", "hybrid", "pyvrp")
#: Engine and hybrid side by side: who shares the machine with PyVRP has a few percent less of it.
ORDER = ("hgs", "hybrid", "policy", "pyvrp")
README_BUDGETS = (0.2, 5.0)
#: From here on a cell says how long its longest run took, as a multiple of the limit.
LATE = 1.05
#: The figure shows these runs; how the others went from plan to plan is not kept.
CURVE_BUDGET = 20.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--budgets", type=list_of(float), default=[0.05, 0.2, 1.0, 5.0, 20.0])
    parser.add_argument("--sizes", type=list_of(int), default=[20, 50, 100, 200, 500, 1000])
    parser.add_argument("--instances", type=int, default=20)
    parser.add_argument("--methods", type=list_of(str, ORDER), default=list(ORDER))
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--suite", choices=("paper", "xh"), default="paper")
    parser.add_argument("--beside", type=int, default=2, help="runs at the same time")
    parser.add_argument("--report", action="store_true", help="only write table and figure")
    options = parser.parse_args()
    if not options.report:
        cases = (
            paper_cases(options.sizes, options.instances)
            if options.suite == "paper"
            else xh_cases(options.instances)
        )
        jobs = [
            Job(
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
        run_jobs(unfinished(jobs, LINES), LINES, options.beside, tell)
    lines = list({key_of(line): line for line in read_lines(LINES)}.values())
    replace_block(DOCS / "benchmarks.md", "hybrid_table", table(lines))
    replace_block(DOCS.parent / "README.md", "hybrid_table", table(lines, README_BUDGETS))
    draw(lines, DOCS / "hybrid.svg")


def paper_cases(sizes: list[int], count: int) -> list[Case]:
    """Write seeded instances of the paper's law, so that every run reads the same ones."""
    INSTANCES.mkdir(exist_ok=True)
    cases = []
    for number in range(count):
        for size in sizes:
            path = INSTANCES / f"paper-law-{size}-{number}.json"
            if not path.exists():
                write_instance(paper_instance(size, 10_000 + number), path)
            cases.append(Case(f"paper law {size}", path.stem, path, None))
    return cases


def xh_cases(count: int) -> list[Case]:
    """Give instances of xh with unlimited fleets."""
    names = [name for name in library.names("xh") if "FSM" in name]
    return [Case("xh", name, None, library.best_known(name).cost) for name in names[:count]]


def tell(line: Line) -> None:
    cost = "failed" if line["cost"] is None else f"{line['cost']:.4f}"
    print(f"{line['instance']} {line['method']} {line['time_limit']:g} s: {cost}", flush=True)


def best_costs(lines: list[Line]) -> dict[str, float]:
    """Give the best cost of each instance over all methods and budgets, and the best known."""
    best: dict[str, float] = {}
    for line in lines:
        if line["cost"] is not None:
            known = min(line["cost"], line["best_known"] or np.inf)
            best[line["instance"]] = min(known, best.get(line["instance"], np.inf))
    return best


def suites_of(lines: list[Line]) -> list[str]:
    """Give the sets of instances, small instances first."""
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
        axes.legend(frameon=False)
    with rc_context({"svg.hashsalt": "fripn"}):
        figure.savefig(path, metadata={"Date": None})
    print(f"wrote {path.name}")


def gap_at(run: Line, time: float, best: float) -> float:
    """Give the gap of the best plan so many seconds into a run; NaN before there is one."""
    costs = [cost for seconds, cost in run["curve"] if seconds <= time]
    return 100 * (min(costs) / best - 1) if costs else np.nan


Cell = tuple[str, float, str]


def table(lines: list[Line], budgets: Collection[float] = ()) -> str:
    """Mean gap in percent to the best cost over all methods and budgets, by size and budget.

    With `budgets` only those are shown.
    """
    gaps = gaps_of_instances(lines)
    methods = [name for name in METHODS if any(line["method"] == name for line in lines)]
    rows = [
        f"| instances | budget | {' | '.join(methods)} | hybrid less the better part |",
        "| --- | --- |" + " ---: |" * (len(methods) + 1),
    ]
    for suite in suites_of(lines):
        for seconds in sorted({key[1] for key in gaps if key[0] == suite}):
            if budgets and seconds not in budgets:
                continue
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
            rows.append(
                f"| {suite} ({count}{seeds}) | {seconds:g} s | {' | '.join(shown)} | {difference} |"
            )
    return "\n".join([*rows, "", *notes(lines)])


def notes(lines: list[Line]) -> list[str]:
    """Say what the brackets mean, which instances of xh these are, and what ran."""
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
    """Give the mean of a cell, with its instances where fewer than the row's, and late ends."""
    if not cell:
        return "–"
    remarks = [f"{len(cell)} instances"] if len(cell) < count else []
    remarks += [f"{latest_end:.2f} × limit"] if latest_end >= LATE else []
    brackets = f" ({', '.join(remarks)})" if remarks else ""
    return f"{np.mean(list(cell.values())):.3f}{brackets}"


def latest_end(lines: list[Line], cell: Cell) -> float:
    """Give how long the longest run of a cell took, as a multiple of its limit."""
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
    """Give the gap of every instance, the mean over its seeds, in every cell of the table."""
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
    """Say how far the hybrid is from the better of policy and engine, with its standard error."""
    parts = [cells[method] for method in ("policy", "hgs") if cells.get(method)]
    mine = cells.get("hybrid", {})
    common = sorted(set(mine).intersection(*parts))
    if not parts or len(common) < 2:
        return "–"
    differences = [np.array([mine[name] - part[name] for name in common]) for part in parts]
    worst = max(differences, key=np.mean)
    return f"{np.mean(worst):+.3f} ± {np.std(worst, ddof=1) / np.sqrt(len(worst)):.3f}"


if __name__ == "__main__":
    run(main)
