"""Where learning helps: policy, engine, both together, and PyVRP by number of vehicle types.

    python runs/learning_table.py [--types few,15,30] [--sizes 100,200,300] [--budgets 0.2,1,5]
        [--instances 20] [--seeds 3]
    python runs/learning_table.py --report --update-docs

Instances follow the paper's distribution (seeded), with 3 to 6 types as there, or with more. Every
method has one thread, and --beside runs go side by side; the whole grid takes about 3.7 hours of
one core. Raw lines go to out/learning.jsonl, from where the same command goes on after a stop,
instance by instance, so that half a table is fair too. The table (mean gaps to the best cost any
run found) is made from these lines and the published ones in docs/results/ and printed, and the
gaps over the time are drawn beside the new lines. --update-docs writes the table into docs/paper.md
and the figure into docs/learning.svg.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from statistics import fmean

from fripn.bench.lines import Line
from fripn.bench.markdown import markdown_table
from fripn.bench.page import Block
from fripn.bench.publish import Lines, parse_options, present
from fripn.bench.run import bench_item
from fripn.bench.script import ScriptParser, integer, list_of, one_of, positive, run
from fripn.bench.suites import Case
from fripn.budget import Budget
from fripn.problem import Instance
from fripn.problem.generate import paper_instance
from fripn.render.line_chart import Panel, draw_panels

ROOT = Path(__file__).resolve().parents[1]

#: Numbers of vehicle types by name; None draws 3 to 6, as the paper does.
TYPES = {"few": None, "15": 15, "30": 30}
TITLES = {"few": "3 to 6", "15": "15", "30": "30"}
SIZES = (100, 200, 300)
BUDGETS = (0.2, 1.0, 5.0)
METHODS = {"policy": "policy", "hgs": "engine", "hybrid": "hybrid", "pyvrp": "PyVRP"}

#: Runs of every cell of the published table: instances times seeds.
NUM_INSTANCES, NUM_SEEDS = 20, 3

#: The first seed of the instances; other tables and the choice of settings use other ones.
FIRST_SEED = 40_000


class DrawnCase(Case):
    """An instance of the paper's distribution, drawn where it is solved."""

    def load(self) -> Instance:
        """Draw the instance."""
        _, types, size, seed = self.name.split("-")
        drawn = paper_instance(int(size), int(seed), TYPES[types])
        return drawn.replace(name=self.name)


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("--types", type=list_of(one_of(TYPES)), default=list(TYPES))
    parser.add_argument("--sizes", type=list_of(integer(1)), default=list(SIZES))
    parser.add_argument("--budgets", type=list_of(positive), default=list(BUDGETS))
    parser.add_argument("--methods", type=list_of(one_of(METHODS)), default=list(METHODS))
    parser.add_argument("--instances", type=integer(1), default=NUM_INSTANCES, help="per cell")
    parser.add_argument("--seeds", type=integer(1), default=NUM_SEEDS)
    parser.add_argument("--beside", type=integer(1), default=2, help="runs at the same time")
    options = parse_options(parser, ROOT / "out" / "learning.jsonl")
    lines = Lines(ROOT / "docs" / "results" / "learning.jsonl", options.lines)
    if not options.report:
        items = [
            bench_item(case_of(types, size, number), method, seed, 1, Budget(seconds=seconds))
            for number in range(options.instances)
            for types in options.types
            for size in options.sizes
            for seconds in options.budgets
            for seed in range(options.seeds)
            for method in options.methods
        ]
        lines.run(items, options.beside)
    measured = lines.all()
    block = Block(ROOT / "docs" / "paper.md", "learning_table", table(measured))
    present(options, [block], missing_cells(measured), lines)
    if measured:
        folder = ROOT / "docs" if options.update_docs else options.lines.parent
        draw(measured, folder / "learning.svg")


def suite_of(types: str, size: int) -> str:
    return f"{TITLES[types]} types, {size} customers"


def case_of(types: str, size: int, number: int) -> Case:
    name = f"learning-{types}-{size}-{FIRST_SEED + number}"
    return DrawnCase(suite_of(types, size), name, None, None)


def gaps_of(lines: list[Line]) -> dict[tuple[str, float, str], list[float]]:
    """Return the gaps of every cell to the best cost of each instance over all runs, in percent."""
    best: dict[str, float] = {}
    for line in lines:
        if line["cost"] is not None:
            best[line["instance"]] = min(line["cost"], best.get(line["instance"], line["cost"]))
    gaps: defaultdict[tuple[str, float, str], list[float]] = defaultdict(list)
    for line in lines:
        if line["cost"] is not None:
            gap = 100.0 * (line["cost"] / best[line["instance"]] - 1.0)
            gaps[line["suite"], line["time_limit"], line["method"]].append(gap)
    return gaps


def missing_cells(lines: list[Line]) -> list[str]:
    """Name the cells of the published table with too few runs."""
    gaps = gaps_of(lines)
    return [
        f"{suite_of(types, size)}, {seconds:g} s, {METHODS[method]}"
        for types in TYPES
        for size in SIZES
        for seconds in BUDGETS
        for method in METHODS
        if len(gaps.get((suite_of(types, size), seconds, method), ())) < NUM_INSTANCES * NUM_SEEDS
    ]


def table(lines: list[Line]) -> str:
    """Return mean gaps by types, customers and seconds; the number of runs in the last column."""
    gaps = gaps_of(lines)
    if not gaps:
        return "Not measured."
    rows = []
    for types in TYPES:
        for size in sorted({line["n"] for line in lines}):
            suite = suite_of(types, size)
            for seconds in sorted({seconds for name, seconds, _ in gaps if name == suite}):
                cells = [gaps.get((suite, seconds, method)) for method in METHODS]
                means = ["–" if not cell else f"{fmean(cell):z.2f}" for cell in cells]
                count = max(len(cell) for cell in cells if cell)
                rows.append([TITLES[types], str(size), f"{seconds:g}", *means, str(count)])
    header = ["types", "customers", "s", *METHODS.values(), "runs"]
    commits = ", ".join(sorted({line["commit"] for line in lines if line.get("commit")}))
    return f"{markdown_table(header, rows)}\n\nCommits: {commits or 'unknown'}."


def draw(lines: list[Line], path: Path) -> None:
    """Draw the mean gaps over the seconds, one chart per number of types and customers."""
    gaps = gaps_of(lines)
    panels = []
    for types in TYPES:
        for size in sorted({line["n"] for line in lines}):
            suite = suite_of(types, size)
            series = {}
            for method, title in METHODS.items():
                seconds = sorted(s for name, s, one in gaps if (name, one) == (suite, method))
                if seconds:
                    means = [fmean(gaps[suite, one, method]) for one in seconds]
                    series[title] = (seconds, means)
            if series:
                panels.append(Panel(suite, "seconds", "mean gap, %", series, logarithmic=True))
    path.parent.mkdir(parents=True, exist_ok=True)
    draw_panels(panels, path)


if __name__ == "__main__":
    run(main)
