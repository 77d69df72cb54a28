"""The policy alone on the paper's rebuilt test sets: greedy and sampling, with and without ×8.

    python runs/policy_table.py [--weights FILE] [--instances 1000,1000,1000,1000] [--threads 2]
    python runs/policy_table.py --temperature 1
    python runs/policy_table.py --report --update-docs

Appends one line per instance and decoding to out/policy_table.jsonl and skips those that are there,
or published in docs/results/, for the same weights. A line's seconds are those of the run it came
from, which may be shared with the line of ×8. Sampling has the default temperature, with
--temperature 1 the paper's. No split, no search: the cost of each plan is that of `evaluate`. The
table of these weights is printed; --update-docs, with the shipped weights and the default
temperature, writes it into docs/benchmarks.md.

The paper's figures are means over 1,000 instances. Where a decoding was run on fewer, the mean over
all is estimated by a ratio: the mean of greedy ×8 over all 1,000, times the sum of the decoding's
costs over that of greedy ×8 on the instances it was run on.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from fripn.batch.lines import Line
from fripn.bench.decoding_runs import DecodingRuns, parse_decoding_options
from fripn.bench.markdown import markdown_table
from fripn.bench.page import Block
from fripn.bench.publish import present
from fripn.bench.script import ScriptParser, integer, list_of, one_of, run
from fripn.problem import library
from fripn.settings import NonNegative, PositiveCount

ROOT = Path(__file__).resolve().parents[1]
FIELDS = {"instance": str, "size": PositiveCount, "cost": NonNegative}

#: Instances per size behind each of the paper's figures.
ALL = 1000

#: The paper's table, to stand beside ours; that it was computed on these very instances is
#: plausible but not proven (see docs/experiments.md).
PAPER = {
    "greedy": {20: 66.66, 50: 155.54, 75: 227.84, 100: 300.58},
    "greedy x8": {20: 65.27, 50: 153.50, 75: 225.64, 100: 298.13},
    "sampling": {20: 64.55, 50: 152.01, 75: 224.13, 100: 296.22},
    "sampling x8": {20: 64.05, 50: 151.36, 75: 223.25, 100: 295.32},
}

SIZES = tuple(PAPER["greedy"])


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("--sizes", type=list_of(integer(1)), default=list(SIZES))
    parser.add_argument(
        "--instances",
        type=list_of(integer(0, ALL)),
        default=[ALL],
        help="per size, one number or one each",
    )
    parser.add_argument("--decodings", type=list_of(one_of(PAPER)), default=list(PAPER))
    options = parse_decoding_options(parser, ROOT / "out" / "policy_table.jsonl")
    if unknown := set(options.sizes).difference(SIZES):
        parser.error(f"--sizes: the paper has {', '.join(map(str, SIZES))}, not {min(unknown)}")
    counts = options.instances * (len(options.sizes) if len(options.instances) == 1 else 1)
    if len(counts) != len(options.sizes):
        parser.error(f"--instances has {len(counts)} numbers for {len(options.sizes)} sizes")
    published = ROOT / "docs" / "results" / "policy_table.jsonl"
    runs = DecodingRuns(options, published, "runs/policy_table.py", FIELDS)
    for size, count in [] if options.report else zip(options.sizes, counts, strict=True):
        for _ in runs.record(decoded(runs, size, count, options.decodings)):
            pass
        print(f"n = {size}: done", file=sys.stderr)
    measured = runs.measured()
    blocks = [Block(ROOT / "docs" / "benchmarks.md", "policy_table", table(measured))]
    present(options, blocks, missing_cells(measured), runs.lines)


def decoded(runs: DecodingRuns, size: int, count: int, decodings: list[str]) -> Iterator[Line]:
    """Decode the first instances of a size, where lines are missing."""
    for name in (f"paper:{size}:{index}" for index in range(count)):
        if missing := runs.missing(name, size, decodings):
            for line in runs.decode(library.load(name), missing):
                yield {"instance": name, "size": size} | line


def missing_cells(lines: list[Line]) -> list[str]:
    """Name the cells of the published table that no estimate over all instances fills."""
    return [
        f"{decoding}, n = {size}"
        for decoding in PAPER
        for size in SIZES
        if not covers_all(lines, size, decoding)
    ]


def covers_all(lines: list[Line], size: int, decoding: str) -> bool:
    """Whether all instances were run, or some beside all of greedy ×8."""
    num_run = len(costs_of(lines, size, decoding))
    # One alone has no spread to estimate with.
    return num_run == ALL or (num_run >= 2 and len(costs_of(lines, size, "greedy x8")) == ALL)


def table(lines: list[Line]) -> str:
    """Mean costs by decoding and size, the paper's in brackets."""
    sizes = sorted({line["size"] for line in lines})
    rows = [
        [decoding, *(f"{cell(lines, size, decoding)} ({paper[size]:.2f})" for size in sizes)]
        for decoding, paper in PAPER.items()
    ]
    return markdown_table(["decoding", *(f"n = {size}" for size in sizes)], rows)


def cell(lines: list[Line], size: int, decoding: str) -> str:
    """Return the mean over all instances, or an estimate of it with its standard error."""
    costs = costs_of(lines, size, decoding)
    if not costs:
        return "–"
    if len(costs) == ALL:
        return f"{np.mean(list(costs.values())):.2f}"
    if not covers_all(lines, size, decoding):
        return f"{np.mean(list(costs.values())):.2f} on the first {len(costs)}"
    others = costs_of(lines, size, "greedy x8")
    mine = np.array(list(costs.values()))
    beside = np.array([others[name] for name in costs])
    ratio = mine.sum() / beside.sum()
    scale_up = np.mean(list(others.values())) / beside.mean()
    error = scale_up * np.std(mine - ratio * beside, ddof=1) / math.sqrt(len(mine))
    return f"≈ {ratio * np.mean(list(others.values())):.2f} ± {error:.2f}, from {len(mine)}"


def costs_of(lines: list[Line], size: int, decoding: str) -> dict[str, float]:
    return {
        line["instance"]: line["cost"]
        for line in lines
        if (line["size"], line["decoding"]) == (size, decoding)
    }


if __name__ == "__main__":
    run(main)
