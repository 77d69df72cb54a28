"""The default method and PyVRP side by side: suites, budgets and mean gaps over several seeds.

    python runs/engine_table.py [--rows golden-1.5,xh-fsm-10,…] [--beside 2]
    python runs/engine_table.py --scaling
    python runs/engine_table.py --report --update-docs

Every run has one thread, the methods take turns on each instance, and --beside runs go at the same
time. Each run appends a raw line to out/engine.jsonl and is not repeated by the next call; with
--again published runs of these rows are. All rows take about 48 processor minutes, so 25 minutes
with two runs at a time. --scaling measures what an improvement costs from 100 to 10,000 customers,
in one minute. The tables are made from these lines and the published ones in docs/results/ and
printed; --update-docs writes them into docs/benchmarks.md, and four of the rows into README.md.
There the policy's rows come from the lines of runs/policy_table.py, the paper's figures from its
tables 1 and 2. Lines of a checkout with changes are not published: commit first.
"""

from __future__ import annotations

import multiprocessing
import resource
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from fripn import Budget, Instance, VehicleType, solve
from fripn.batch.lines import LineFormat, append, iter_lines
from fripn.batch.runner import WorkItem
from fripn.bench.lines import Key, Line, key_of
from fripn.bench.markdown import markdown_table
from fripn.bench.page import Block
from fripn.bench.publish import Lines, is_clean, parse_options, present
from fripn.bench.run import bench_item, current_commit
from fripn.bench.script import ScriptParser, integer, list_of, one_of, run
from fripn.bench.seeds import SeedSummary, over_seeds
from fripn.bench.suites import open_suite
from fripn.problem import library
from fripn.result import gap_percent
from fripn.settings import NonNegative, PositiveCount

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "docs" / "results"
SCALING_LINES = LineFormat(
    "runs/engine_table.py --scaling",
    {"customers": PositiveCount},
    {"threads": PositiveCount, "commit": str | None},
)
POLICY_LINES = LineFormat(
    "runs/policy_table.py", {"size": PositiveCount, "decoding": str, "cost": NonNegative}
)

METHODS = {"hybrid": "hybrid", "pyvrp": "PyVRP 0.14.1"}

SIZES = (100, 300, 1000, 3000, 10_000)

#: The paper's costs on golden (its table 2, column "Ours", sampling with augmentation).
PAPER_GOLDEN = {
    "golden-03": 979.22, "golden-04": 6442.22, "golden-05": 1008.59, "golden-06": 6518.13,
    "golden-13": 2496.12, "golden-14": 9137.82, "golden-15": 2644.28, "golden-16": 2774.28,
    "golden-17": 1786.66, "golden-18": 2457.30, "golden-19": 8760.59, "golden-20": 4145.65,
}  # fmt: skip

#: The paper's mean costs (its table 1, "Ours", sampling with augmentation), by customers.
PAPER_MEAN = {20: 64.05, 100: 295.32}
POLICY_DECODING = "sampling x8"


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Parameters
    ----------
    title
        What it is called.
    suite, takes, most, every
        Its instances: those taken of the first so many of a suite, every so-many-th of them.
    seconds, seeds
        Budget of a run, and how many runs an instance has, with seeds from 1.
    aim
        The gap in percent that we aim at.
    """

    title: str
    suite: str
    seconds: float
    seeds: int
    aim: str = ""
    takes: Callable[[str], bool] = lambda name: True
    most: int = 1000
    every: int = 1

    def items(self) -> list[WorkItem]:
        """Return the runs, seed by seed; the methods take turns, so both see the same machine."""
        cases = [case for case in open_suite(self.suite) if self.takes(case.name)]
        return [
            bench_item(case, method, seed, 1, Budget(seconds=self.seconds))
            for seed in range(1, self.seeds + 1)
            for case in cases[: self.most : self.every]
            for method in METHODS
        ]


ROWS = {
    "golden-1.5": Row("golden, 1.5 s", "golden", 1.5, 3, "0.10"),
    "golden-10": Row("golden, 10 s", "golden", 10.0, 5, "0.01"),
    "xh-fsm-10": Row(
        "X, unlimited fleets, 10 s", "xh", 10.0, 2, "0.80", lambda name: "FSM" in name, every=3
    ),
    "xh-limited-10": Row(
        "X, limited fleets, 10 s", "xh", 10.0, 2, "1.50", lambda name: "FSM" not in name, every=2
    ),
    "brandao-10": Row("brandao (limited), 10 s", "brandao", 10.0, 2, "1.50"),
    "li-10": Row("li (limited), 10 s", "li", 10.0, 2, "1.50"),
    "paper-20-0.05": Row("paper-20, 0.05 s", "paper-20", 0.05, 2, "0.01"),
    "paper-100-1": Row("paper-100, 1 s", "paper-100", 1.0, 2, most=50),
}

#: Rows of the README.
README_ROWS = ("golden-10", "xh-fsm-10", "xh-limited-10", "paper-100-1")

#: Lines of the rows, by name.
Measured = Mapping[str, Sequence[Line]]


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("--rows", type=list_of(one_of(ROWS)), default=list(ROWS))
    parser.add_argument("--beside", type=integer(1), default=2, help="runs at the same time")
    parser.add_argument("--again", action="store_true", help="repeat published runs of these rows")
    parser.add_argument("--scaling", action="store_true")
    options = parse_options(parser, ROOT / "out" / "engine.jsonl")
    items = {name: row.items() for name, row in ROWS.items()}
    keys = {name: {key_of(item.fields) for item in mine} for name, mine in items.items()}
    known = set().union(*keys.values())
    lines = Lines(
        RESULTS / "engine.jsonl",
        options.lines,
        is_publishable=lambda line: is_clean(line) and key_of(line) in known,
    )
    scaling = Lines(
        RESULTS / "engine_scaling.jsonl",
        options.lines.with_name(f"{options.lines.stem}_scaling.jsonl"),
        lambda path: [line for _, _, line in iter_lines(path, SCALING_LINES)],
        lambda line: line["customers"],
        is_publishable=lambda line: is_clean(line) and line.get("threads") == 1,
    )
    if options.scaling and not options.report:
        measure_scaling(scaling.new)
    elif not options.report:
        for name in options.rows:
            lines.run(items[name], options.beside, again=options.again)
    found = lines.all()
    measured = {name: [line for line in found if key_of(line) in keys[name]] for name in ROWS}
    sizes = scaling.all()
    benchmarks = ROOT / "docs" / "benchmarks.md"
    blocks = [
        Block(benchmarks, "engine_table", table(measured)),
        Block(benchmarks, "engine_scaling", scaling_table(sizes)),
        Block(ROOT / "README.md", "readme_table", readme_table(measured, policy_costs())),
    ]
    present(options, blocks, missing_cells(measured, keys, sizes), lines, scaling)


def of_method(method: str, lines: Sequence[Line]) -> list[Line]:
    """Return the lines of a method."""
    return [line for line in lines if line["method"] == method]


def missing_cells(
    measured: Measured, keys: Mapping[str, set[Key]], sizes: Sequence[Line]
) -> list[str]:
    """Name the cells of the tables that lack lines."""
    missing = []
    for name, row in ROWS.items():
        num_runs = len(keys[name]) // len(METHODS)
        for method in METHODS:
            num_lines = len(of_method(method, measured[name]))
            if num_lines < num_runs:
                missing.append(f"{row.title} with {method} ({num_lines} of {num_runs})")
    found = {line["customers"] for line in sizes}
    return missing + [f"scaling, {n} customers" for n in SIZES if n not in found]


def summary_of(lines: Sequence[Line]) -> tuple[SeedSummary | None, bool]:
    """Summarize the gaps of the runs with a plan; their costs where no best-known value exists."""
    solved = [line for line in lines if line["cost"] is not None]
    has_gaps = all(line["gap_percent"] is not None for line in solved)
    field = "gap_percent" if has_gaps else "cost"
    return over_seeds(solved, lambda line: float(line[field])), has_gaps


def figure_of(lines: Sequence[Line]) -> str:
    """Return mean, spread over the seeds and worst seed; what has no plan is counted."""
    summary, has_gaps = summary_of(lines)
    if summary is None:
        return "–"
    text = summary.text(3) if has_gaps else f"cost {summary.text(2)}"
    num_failed = len(lines) - summary.num_runs
    return f"{text} ({num_failed} without a plan)" if num_failed else text


def extent_of(lines: Sequence[Line]) -> tuple[str, str]:
    """Return how many instances and seeds lines are of."""
    instances = {line["instance"] for line in lines}
    return f"{len(instances):,}", f"{len({line['seed'] for line in lines})}"


def table(measured: Measured) -> str:
    """Return the table, and below it what was run and on which commits."""
    header = ["suite, time", "instances", "seeds", "runs each", "aim", *METHODS.values()]
    rows = []
    for name, row in ROWS.items():
        cells = [of_method(method, measured[name]) for method in METHODS]
        num_runs = f"{max(map(len, cells)):,}"
        figures = map(figure_of, cells)
        rows.append([row.title, *extent_of(measured[name]), num_runs, row.aim, *figures])
    every = [line for lines in measured.values() for line in lines]
    ends = [f"{title} {latest_end(of_method(method, every))}" for method, title in METHODS.items()]
    commits = sorted({line["commit"] or "unknown" for line in every})
    return "\n".join(
        [
            markdown_table(header, rows),
            "",
            "Mean gap in percent, or mean cost, ± the standard deviation of the means of the",
            "seeds, and the mean of the worst seed. One thread each; the methods took turns.",
            f"{sizes_of_xh(every)}Latest end after the limit: {', '.join(ends)}.",
            f"Commits: {', '.join(commits)}.",
        ]
    )


def latest_end(lines: Sequence[Line]) -> str:
    """Return how long after its limit the latest run ended."""
    late = [line["seconds"] - line["time_limit"] for line in lines if line["seconds"] is not None]
    return f"{1000 * max(0.0, *late):.0f} ms" if late else "–"


def sizes_of_xh(lines: Sequence[Line]) -> str:
    """Return which share of the suite was run; nothing when none was."""
    sizes = {line["instance"]: line["n"] for line in lines if line["suite"] == "xh"}
    if not sizes:
        return ""
    share = f"{len(sizes)} of {len(open_suite('xh'))} instances"
    return f"X: {share}, {min(sizes.values())} to {max(sizes.values())} customers. "


def readme_table(measured: Measured, policy: Mapping[int, Sequence[float]]) -> str:
    """Return the short table: some rows, the policy alone, and the paper's figures."""
    header = ["test", "instances", "seeds", "`fripn`", "PyVRP 0.14.1", "the paper"]
    rows = []
    for name in README_ROWS:
        # On paper-100 the paper has all 1,000 instances, so its mean is not that of these.
        paper = f"+{paper_gap():.2f} %" if name == "golden-10" else "–"
        figures = [short_figure(of_method(method, measured[name])) for method in METHODS]
        rows.append([ROWS[name].title, *extent_of(measured[name]), *figures, paper])
    for size, costs in policy.items():
        mean = f"cost {fmean(costs):.2f}" if costs else "–"
        title = f"paper-{size}, the policy alone"
        rows.append([title, f"{len(costs):,}", "1", mean, "–", f"cost {PAPER_MEAN[size]:.2f}"])
    return markdown_table(header, rows)


def short_figure(lines: Sequence[Line]) -> str:
    """Return the mean and its spread over the seeds."""
    summary, has_gaps = summary_of(lines)
    if summary is None:
        return "–"
    spread = "" if summary.spread is None else f" ± {summary.spread:.2f}"
    if not has_gaps:
        return f"cost {summary.mean:.2f}{spread}"
    return f"{summary.mean:+.2f}{spread} %".replace("-", "−")


def policy_costs() -> dict[int, list[float]]:
    """Return the policy's costs on the paper's test sets."""
    path = RESULTS / "policy_table.jsonl"
    found: dict[int, list[float]] = {size: [] for size in PAPER_MEAN}
    for placed in iter_lines(path, POLICY_LINES) if path.exists() else ():
        line = placed.line
        if line["size"] in found and line["decoding"] == POLICY_DECODING:
            found[line["size"]].append(line["cost"])
    return found


def paper_gap() -> float:
    """Return the mean of the gaps of the paper's costs on golden to the best-known values."""
    known = {name: library.best_known(name) for name in PAPER_GOLDEN}
    return fmean(
        gap_percent(cost, known[name].cost) for name, cost in PAPER_GOLDEN.items() if known[name]
    )


def measure_scaling(path: Path, seconds: float = 10.0) -> None:
    """Run every size in a process of its own, so that each has its own peak of memory."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    context = multiprocessing.get_context("spawn")
    for n in SIZES:
        with context.Pool(1) as pool:
            line = pool.apply(scaling_line, (n, seconds))
        append(path, line)
        print(line, file=sys.stderr)


def scaling_line(n: int, seconds: float) -> dict[str, Any]:
    """Solve one random instance and say how the cost fell."""
    result = solve(scaling_instance(n), "hgs", time_limit=seconds, threads=1)
    first, last = result.curve[0], result.curve[-1]
    middle = (first.cost + last.cost) / 2
    return {
        "customers": n,
        "threads": 1,
        "commit": current_commit(),
        "seconds": result.seconds,
        "first_plan": first.seconds,
        "iterations": result.iterations,
        "improvements": len(result.curve) - 1,
        "gain_percent": 100 * (1 - last.cost / first.cost),
        "half_gain": next(point.seconds for point in result.curve if point.cost <= middle),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def scaling_table(lines: Sequence[Line]) -> str:
    """Return, by size: first plan, iterations, and the time to half of the final gain."""
    header = [
        "customers",
        "first plan, s",
        "iterations/s",
        "gain in 10 s, %",
        "half the gain by, s",
        "ended after, s",
        "peak, MB",
    ]
    rows = [
        [
            f"{line['customers']:,}",
            f"{line['first_plan']:.2f}",
            f"{line['iterations'] / line['seconds']:,.0f}",
            f"{line['gain_percent']:.2f}",
            f"{line['half_gain']:.2f}",
            f"{line['seconds']:.2f}",
            f"{line['peak_mb']:.0f}",
        ]
        for line in lines
    ]
    return markdown_table(header, rows, num_left=0)


def scaling_instance(n: int) -> Instance:
    rng = np.random.default_rng(n)
    return Instance(
        name=f"scaling-{n}",
        coordinates=rng.random((n + 1, 2)) * 1000,
        demands=[0.0, *rng.integers(1, 100, n)],
        vehicle_types=(
            VehicleType("small", 300, 200, 1.0),
            VehicleType("medium", 800, 450, 1.3),
            VehicleType("large", 1500, 700, 1.6),
        ),
    )


if __name__ == "__main__":
    run(main)
