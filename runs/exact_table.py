"""What the exact method proves, and how soon: one row per group of instances.

    python runs/exact_table.py [--groups paper-20,golden-13,…] [--limit 20] [--threads 2]
    python runs/exact_table.py --report [--update-docs]

Every group has a time limit of its own. Appends a raw line per run to out/exact.jsonl; the same
command goes on after a stop. The table made from these lines and the published ones in
docs/results/ is printed; --update-docs writes it into docs/exact.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from fripn.bench.lines import Line
from fripn.bench.markdown import markdown_table
from fripn.bench.page import Block
from fripn.bench.publish import Lines, parse_options, present
from fripn.bench.run import bench_item
from fripn.bench.script import ScriptParser, integer, list_of, one_of, run
from fripn.bench.suites import Case
from fripn.budget import Budget
from fripn.problem import library
from fripn.result import saving_percent

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True)
class Group:
    """Instances that share a row and a time limit in seconds."""

    names: tuple[str, ...]
    seconds: float


def paper(size: int, count: int) -> tuple[str, ...]:
    return tuple(f"paper:{size}:{index}" for index in range(count))


def golden(first: int, last: int) -> tuple[str, ...]:
    """Return the instances with fixed costs and unlimited fleets."""
    return tuple(f"golden-{number:02}" for number in range(first, last + 1))


#: At most six customers fit the largest vehicle, about.
SHORT_ROUTES = (
    "X101-FSMFD", "X106-FSMD", "X162-FSMD", "X209-FSMFD", "X242-FSMFD", "X251-FSMD", "X298-FSMD",
)  # fmt: skip

GROUPS = {
    "paper-20": Group(paper(20, 1000), 60.0),
    "golden-03": Group(golden(3, 6), 60.0),
    "golden-13": Group(golden(13, 16), 120.0),
    "golden-17": Group(golden(17, 20), 600.0),
    "paper-50": Group(paper(50, 100), 60.0),
    "paper-100": Group(paper(100, 30), 300.0),
    "xh-short": Group(SHORT_ROUTES, 600.0),
}

HEADER = ["instances", "limit", "proven", "mean s", "worst s", "mean gap %", "worst gap %"]


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("--groups", type=list_of(one_of(GROUPS)), default=list(GROUPS))
    parser.add_argument("--limit", type=integer(1), default=1000, help="instances per group")
    parser.add_argument("--threads", type=integer(1), default=2)
    options = parse_options(parser, ROOT / "out" / "exact.jsonl")
    lines = Lines(ROOT / "docs" / "results" / "exact.jsonl", options.lines)
    if not options.report:
        for name in options.groups:
            group = GROUPS[name]
            cases = [Case(name, one, None, known(one)) for one in group.names[: options.limit]]
            items = [
                bench_item(case, "exact", 0, options.threads, Budget(seconds=group.seconds))
                for case in cases
            ]
            lines.run(items, 1)
    measured = lines.all()
    missing = [name for name in GROUPS if all(line["suite"] != name for line in measured)]
    present(
        options, [Block(ROOT / "docs" / "exact.md", "exact_table", table(measured))], missing, lines
    )


def known(name: str) -> float | None:
    best = library.best_known(name)
    return best.cost if best else None


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
                f"{fmean(gaps):.3f}",
                f"{max(gaps):.3f}",
            ]
        )
    commits = sorted({line["commit"] or "unknown" for line in lines})
    threads = sorted({line["threads"] for line in lines})
    note = f"Threads: {', '.join(map(str, threads))}. Commits: {', '.join(commits)}."
    return "\n".join([markdown_table(HEADER, rows, num_left=1), "", note])


if __name__ == "__main__":
    run(main)
