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
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

from fripn import Instance, solve
from fripn.bench.decodings import (
    add_decoding_options,
    chosen_weights,
    decoding_key,
    decoding_lines,
    num_samples,
)
from fripn.bench.markdown import markdown_table
from fripn.bench.page import Block
from fripn.bench.publish import (
    Lines,
    add_lines_option,
    add_table_options,
    parse_table_options,
    present,
)
from fripn.bench.script import ScriptParser, integer, list_of, one_of, run
from fripn.jsonl import NUMBER, POSITIVE, SOME, TEXT, Kind, Line, append, mend, read_objects
from fripn.problem import library
from fripn.problem.generate import paper_instance
from fripn.source import best_known

ROOT = Path(__file__).resolve().parents[1]
KIND = Kind(
    "runs/policy_unseen.py",
    {
        "set": TEXT,
        "instance": TEXT,
        "decoding": TEXT,
        "samples": SOME,
        "weights": TEXT,
        "reference": POSITIVE,
        "gap_percent": NUMBER,
    },
)
DECODINGS = ("greedy x8", "sampling x8", "sampling x8, split")
SETS = ("golden", "xh", "large")
LARGE_SIZES = (200, 500, 1000)
#: What the page says of each set that has lines.
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
    add_decoding_options(parser)
    add_lines_option(parser, ROOT / "out" / "policy_unseen.jsonl")
    add_table_options(parser)
    options = parse_table_options(parser)
    weights = chosen_weights(parser, options)
    mark = weights.fingerprint
    lines = Lines(
        ROOT / "docs" / "results" / "policy_unseen.jsonl",
        options.lines,
        lambda path: [line for _, line in read_objects(path, KIND)],
        decoding_key,
        lambda line: line["weights"] == mark,
    )
    known = lines.all()
    done = set(map(decoding_key, known))
    references = {
        line["instance"]: line["reference"] for line in known if line["set"].startswith("large")
    }
    if not options.report:
        options.lines.parent.mkdir(parents=True, exist_ok=True)
        mend(options.lines, KIND)
    for name in [] if options.report else options.sets:
        for group, instance in instances_of(name, options.large):
            wanted = [
                one
                for one in DECODINGS
                if (instance.name, one, num_samples(one, options.samples), mark) not in done
            ]
            if not wanted:
                continue
            reference = references.get(instance.name) or reference_cost(instance, options.threads)
            for found in decoding_lines(
                instance, weights, wanted, options.samples, options.threads
            ):
                line = {
                    "set": group,
                    "instance": instance.name,
                    "customers": instance.num_customers,
                    **found,
                    "reference": reference,
                    "gap_percent": 100 * (found["cost"] / reference - 1),
                    "threads": options.threads,
                }
                append(options.lines, line)
                told = f"{instance.name} {line['decoding']}: {line['gap_percent']:+.2f} %"
                print(told, file=sys.stderr)
    measured = [
        line
        for line in lines.all()
        if line["weights"] == mark and line["samples"] in (1, options.samples)
    ]
    block = Block(ROOT / "docs" / "benchmarks.md", "policy_unseen", table(measured))
    present(options, [block], missing_cells(measured), lines)


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
    known = best_known(instance)
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
        shown = [f"{fmean(cell):+.2f} ({len(cell)})" if cell else "" for cell in cells]
        rows.append([group, *shown])
    present = {line["set"].split()[0] for line in lines}
    marks = sorted({line["weights"] for line in lines})
    notes = [meaning for name, meaning in MEANINGS.items() if name in present]
    shown_table = markdown_table(["set", *DECODINGS], rows)
    return "\n".join([shown_table, "", *notes, f"Weights: {', '.join(marks)}."])


if __name__ == "__main__":
    run(main)
