"""What the exact method proves, and how soon: one row per group of instances.

    python runs/exact_table.py [--groups paper-20,golden-13,…] [--limit 20] [--stop-gap 0.7]
    python runs/exact_table.py --ingredients
    python runs/exact_table.py --report [--update-docs]

Every group has a time limit of its own. With --stop-gap a run also ends as soon as no plan can save
more than so many percent; its line says so, and so does the table. With --ingredients, what each
part of the method adds is measured instead: runs without it, on instances that are not in the
groups. Appends a raw line per run to out/exact.jsonl; the same command goes on after a stop. The
tables made from these lines and the published ones in docs/results/ are printed; --update-docs
writes them into docs/exact.md. Lines of a checkout with changes are not published: commit first.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

from fripn.batch import WorkItem
from fripn.bench.lines import Line
from fripn.bench.markdown import markdown_table
from fripn.bench.page import Block
from fripn.bench.publish import Lines, is_clean, parse_options, present
from fripn.bench.run import bench_item
from fripn.bench.script import ScriptParser, integer, list_of, one_of, positive, run
from fripn.bench.suites import Case
from fripn.budget import Budget
from fripn.exact import Exact
from fripn.problem import library
from fripn.problem.generate import paper_instance
from fripn.problem.io import write_instance
from fripn.result import saving_percent

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True)
class Group:
    """Instances that share a row and a time limit in seconds."""

    names: tuple[str, ...]
    seconds: float


def paper(size: int, count: int) -> tuple[str, ...]:
    return tuple(f"paper:{size}:{index}" for index in range(count))


def random_file(name: str) -> Path:
    """Return the file of a random instance (random-200-1: size, seed); make it when missing."""
    path = ROOT / "out" / "exact-large" / f"{name}.json"
    if not path.exists():
        size, seed = map(int, name.split("-")[1:])
        path.parent.mkdir(parents=True, exist_ok=True)
        write_instance(paper_instance(size, seed).replace(name=name), path)
    return path


def golden(first: int, last: int) -> tuple[str, ...]:
    """Return the instances with fixed costs and unlimited fleets."""
    return tuple(f"golden-{number:02}" for number in range(first, last + 1))


#: At most six customers fit the largest vehicle, about.
SHORT_ROUTES = (
    "X101-FSMFD", "X106-FSMD", "X162-FSMD", "X209-FSMFD", "X242-FSMFD", "X251-FSMD", "X298-FSMD",
)  # fmt: skip

#: X instances with 200 to 1,000 customers: every third, limited fleets among them.
LARGE_X = (
    "X204-FSMD", "X242-FSMFD", "X256-FSMF", "X294-HD", "X308-FSMF", "X351-HVRP", "X420-FSMD",
    "X449-FSMFD", "X536-FSMFD", "X573-HVRP", "X685-FSMD", "X716-FSMFD", "X856-HVRP", "X895-FSMFD",
)  # fmt: skip

#: The paper's distribution.
RANDOM = tuple(f"random-{size}-{seed}" for size in (200, 500, 1000) for seed in (1, 2))

GROUPS = {
    "paper-20": Group(paper(20, 1000), 60.0),
    "golden-03": Group(golden(3, 6), 60.0),
    "golden-13": Group(golden(13, 16), 120.0),
    "golden-17": Group(golden(17, 20), 600.0),
    "paper-50": Group(paper(50, 100), 60.0),
    "paper-100": Group(paper(100, 30), 300.0),
    "xh-short": Group(SHORT_ROUTES, 600.0),
    "random-large": Group(RANDOM, 120.0),
    "xh-large": Group(LARGE_X, 120.0),
}

#: Parts of the method that can be left out, on instances that the groups do not have.
INGREDIENTS = (
    "fleet_cuts", "capacity_cuts", "subset_cuts", "smoothing", "fixing", "enumeration", "branching",
    "strong_branching",
)  # fmt: skip
INGREDIENT_CASES = tuple(f"paper:50:{index}" for index in range(900, 906))
INGREDIENT_SECONDS = 60.0

HEADER = ["instances", "limit", "proven", "mean s", "worst s", "mean gap %", "worst gap %"]


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("--groups", type=list_of(one_of(GROUPS)), default=list(GROUPS))
    parser.add_argument("--limit", type=integer(1), default=1000, help="instances per group")
    parser.add_argument("--threads", type=integer(1), default=2)
    parser.add_argument(
        "--stop-gap", type=positive, metavar="PERCENT", help="end a run when this gap is proven"
    )
    parser.add_argument("--ingredients", action="store_true", help="what each part adds")
    options = parse_options(parser, ROOT / "out" / "exact.jsonl")
    published = ROOT / "docs" / "results" / "exact.jsonl"
    lines = Lines(published, options.lines, is_publishable=is_clean)
    if options.ingredients and not options.report:
        lines.run(list(ingredient_items(options.threads)), 1)
    elif not options.report:
        for name in options.groups:
            lines.run(list(group_items(name, options)), 1)
    measured = lines.all()
    missing = [name for name in GROUPS if all(line["suite"] != name for line in measured)]
    page = ROOT / "docs" / "exact.md"
    blocks = [
        Block(page, "exact_table", table(measured)),
        Block(page, "exact_ingredients", ingredient_table(measured)),
    ]
    present(options, blocks, missing, lines)


def group_items(name: str, options: Namespace) -> Iterator[WorkItem]:
    group = GROUPS[name]
    budget = Budget(seconds=group.seconds, gap=options.stop_gap)
    for one in group.names[: options.limit]:
        path = random_file(one) if one in RANDOM else None
        case = Case(name, one, path, known(one) if path is None else None)
        item = bench_item(case, "exact", 0, options.threads, budget)
        yield replace(item, fields={**item.fields, "stop_gap": options.stop_gap})


def ingredient_items(threads: int) -> Iterator[WorkItem]:
    budget = Budget(seconds=INGREDIENT_SECONDS)
    for name in INGREDIENT_CASES:
        case = Case("ingredients", name, None, None)
        yield bench_item(case, "exact", 0, threads, budget)
        for part in INGREDIENTS:
            without = Exact(**{part: False})
            yield bench_item(case, f"exact without {part}", 0, threads, budget, chosen=without)


def known(name: str) -> float | None:
    best = library.best_known(name)
    return best.cost if best else None


def ingredient_table(lines: list[Line]) -> str:
    """Return what is proven and which gap stays, with everything and without each part."""
    mine = [line for line in lines if line["suite"] == "ingredients" and line["cost"] is not None]
    if not mine:
        return "No lines are published yet."
    rows = []
    for method in ["exact", *(f"exact without {part}" for part in INGREDIENTS)]:
        runs = [line for line in mine if line["method"] == method]
        if not runs:
            continue
        gaps = [saving_percent(line["cost"], line["lower_bound"] or 0.0) for line in runs]
        rows.append(
            [
                method.replace("_", " "),
                f"{sum(line['status'] == 'optimal' for line in runs)} of {len(runs)}",
                f"{fmean(line['seconds'] for line in runs):.1f}",
                f"{fmean(gaps):z.3f}",
            ]
        )
    header = ["method", "proven", f"mean s (limit {INGREDIENT_SECONDS:g})", "mean gap %"]
    return markdown_table(header, rows, num_left=1)


def table(lines: list[Line]) -> str:
    """Return the number proven, seconds of these, and gaps of all, group by group."""
    rows = []
    for name, group in GROUPS.items():
        mine = [line for line in lines if line["suite"] == name and line["cost"] is not None]
        if not mine:
            continue
        seconds = [line["seconds"] for line in mine if line["status"] == "optimal"]
        gaps = [saving_percent(line["cost"], line["lower_bound"] or 0.0) for line in mine]
        rows.append(
            [
                f"{name} ({len(mine)} of {len(group.names)})",
                f"{group.seconds:g} s",
                f"{len(seconds)} ({100 * len(seconds) / len(mine):.0f} %)",
                f"{fmean(seconds):.2f}" if seconds else "–",
                f"{max(seconds):.2f}" if seconds else "–",
                f"{fmean(gaps):z.3f}",
                f"{max(gaps):z.3f}",
            ]
        )
    commits = sorted({line["commit"] or "unknown" for line in lines})
    threads = sorted({line["threads"] for line in lines})
    note = f"Threads: {', '.join(map(str, threads))}. Commits: {', '.join(commits)}."
    for name in GROUPS:
        stops = {
            line["stop_gap"] for line in lines if line["suite"] == name and line.get("stop_gap")
        }
        if stops:
            stop = " or ".join(f"{gap:g} %" for gap in sorted(stops))
            note += f" Runs of {name} end at a gap of {stop}."
    return "\n".join([markdown_table(HEADER, rows, num_left=1), "", note])


if __name__ == "__main__":
    run(main)
