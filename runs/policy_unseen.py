"""The policy alone on instances it was never trained on: golden, xh, and larger ones.

    python runs/policy_unseen.py [--weights FILE] [--sets golden,xh,large] [--samples 1000]
    python runs/policy_unseen.py --report --update-docs

golden is the native variant (fixed costs, one price per distance), xh the instances with unlimited
fleets and up to 300 customers; both are compared with the best-known values. large draws instances
with 200, 500 and 1,000 customers from the paper's distribution and compares with 10 s of the engine
on as many threads. Decodings: greedy ×8, and sampling ×8 without and with split. Raw lines go to
out/policy_unseen.jsonl, known by instance, decoding and a hash of the weights, and are not repeated
by the next call, nor are those published in docs/results/; a line's seconds are those of the run it
came from, which those with and without split share. The table of these weights is printed;
--update-docs, with the shipped weights, writes it into docs/benchmarks.md.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

from fripn import Instance, solve
from fripn.batch.lines import Line
from fripn.bench.decoding_runs import DecodingRuns, parse_decoding_options
from fripn.bench.markdown import markdown_table
from fripn.bench.page import Block
from fripn.bench.publish import present
from fripn.bench.script import ScriptParser, integer, list_of, one_of, run
from fripn.problem import library
from fripn.problem.generate import paper_instance
from fripn.problem.library import best_known_of
from fripn.settings import Positive

ROOT = Path(__file__).resolve().parents[1]
FIELDS = {"set": str, "reference": Positive, "gap_percent": float}
DECODINGS = ("greedy x8", "sampling x8", "sampling x8, split")
SETS = ("golden", "xh", "large")
LARGE_SIZES = (200, 500, 1000)
#: Text of the page about each set that has lines.
MEANINGS = {
    "golden": "golden: the native variant, against the best-known values.",
    "xh": "xh: unlimited fleets, up to 300 customers, against the best-known values.",
    "large": "large: the paper's distribution with so many customers, against 10 s of the engine.",
}
ENGINE_SECONDS = 10.0


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("--sets", type=list_of(one_of(SETS)), default=list(SETS))
    parser.add_argument(
        "--large", type=integer(1), default=5, help="instances per size of the set large"
    )
    options = parse_decoding_options(parser, ROOT / "out" / "policy_unseen.jsonl")
    published = ROOT / "docs" / "results" / "policy_unseen.jsonl"
    runs = DecodingRuns(options, published, "runs/policy_unseen.py", FIELDS)
    for name in [] if options.report else options.sets:
        for line in runs.record(decoded(runs, name, options)):
            message = f"{line['instance']} {line['decoding']}: {line['gap_percent']:+z.2f} %"
            print(message, file=sys.stderr)
    measured = runs.measured()
    block = Block(ROOT / "docs" / "benchmarks.md", "policy_unseen", table(measured))
    present(options, [block], missing_cells(measured), runs.lines)


def decoded(runs: DecodingRuns, name: str, options: Namespace) -> Iterator[Line]:
    """Decode the instances of a set, where lines are missing."""
    references = {
        line["instance"]: line["reference"]
        for line in runs.lines.all()
        if line["set"].startswith("large")
    }
    for group, instance in instances_of(name, options.large):
        if not (missing := runs.missing(instance.name, instance.num_customers, DECODINGS)):
            continue
        reference = references.get(instance.name) or reference_cost(instance, options.threads)
        for line in runs.decode(instance, missing):
            yield {
                "set": group,
                "instance": instance.name,
                "customers": instance.num_customers,
                **line,
                "reference": reference,
                "gap_percent": 100 * (line["cost"] / reference - 1),
            }


def missing_cells(lines: list[Line]) -> list[str]:
    """Name the cells of the published table without a line."""
    cells = {(line["set"], line["decoding"]) for line in lines}
    groups = ("golden", "xh", *(f"large {size}" for size in LARGE_SIZES))
    return [
        f"{group}, {decoding}"
        for group in groups
        for decoding in DECODINGS
        if (group, decoding) not in cells
    ]


def instances_of(name: str, per_size: int) -> Iterator[tuple[str, Instance]]:
    """Return the instances of a set with the row of the table they belong to."""
    if name == "large":
        for size in LARGE_SIZES:
            for number in range(per_size):
                drawn = paper_instance(size, 20_000 + number)
                yield (
                    f"large {size}",
                    drawn.replace(name=f"paper-distribution-{size}-{20_000 + number}"),
                )
        return
    for known in library.names(name):
        is_wanted = known.count("-") == 1 if name == "golden" else "FSM" in known
        if is_wanted and (instance := library.load(known)).num_customers <= 300:
            yield name, instance


def reference_cost(instance: Instance, threads: int) -> float:
    """Return the best-known cost, or that of the engine where there is none."""
    known = best_known_of(instance)
    if known is not None:
        return known.cost
    return solve(instance, "hgs", time_limit=ENGINE_SECONDS, threads=threads).cost


def table(lines: list[Line]) -> str:
    """Mean gap in percent by set and decoding, and what the sets are."""
    gaps: dict[tuple[str, str], list[float]] = defaultdict(list)
    for line in lines:
        gaps[line["set"], line["decoding"]].append(line["gap_percent"])
    rows = []
    for group in dict.fromkeys(line["set"] for line in lines):
        cells = [gaps.get((group, decoding), []) for decoding in DECODINGS]
        shown = [f"{fmean(cell):+z.2f} ({len(cell)})" if cell else "" for cell in cells]
        rows.append([group, *shown])
    present = {line["set"].split()[0] for line in lines}
    marks = sorted({line["weights"] for line in lines})
    notes = [meaning for name, meaning in MEANINGS.items() if name in present]
    shown_table = markdown_table(["set", *DECODINGS], rows)
    return "\n".join([shown_table, "", *notes, f"Weights: {', '.join(marks)}."])


if __name__ == "__main__":
    run(main)
