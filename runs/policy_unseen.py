"""The policy alone on instances it was never trained on: golden, xh, and larger ones.

    python runs/policy_unseen.py [--weights FILE] [--sets golden,xh,large] [--samples 1000]
    python runs/policy_unseen.py --report

golden is the native variant (fixed costs, one price per distance), xh the instances with unlimited
fleets and up to 300 customers; both are compared with the best-known values. `large` draws
instances with 200, 500 and 1,000 customers from the paper's law and compares with 10 s of the
engine on as many threads. Decodings: greedy ×8, and sampling ×8 without and with split. Raw lines
go to docs/results/policy_unseen.jsonl (`--out`), known by instance, decoding and a hash of the
weights, and are not repeated by the next call; a line's seconds are those of the run it came from,
which those with and without split share. With the shipped weights the table of
docs/benchmarks.md is written anew from them, with others it is printed; `--report` does only that.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

from script import list_of, run

from fripn import Instance, solve
from fripn.bench.page import replace_block
from fripn.jsonl import NUMBER, POSITIVE, SOME, TEXT, Kind, Line, append, mend, read_objects
from fripn.policy import Policy, PolicyWeights
from fripn.policy.encoder import encode
from fripn.policy.rollout import Problems, rollout
from fripn.policy.scale import scale
from fripn.policy.session import (
    NUM_SYMMETRIES,
    Drafts,
    core_instance,
    folded,
    make_drafts,
    mirrored,
)
from fripn.policy.weights import default_weights, load_weights
from fripn.problem import Solution, evaluate, library
from fripn.problem.generate import paper_instance
from fripn.source import best_known

OUT = Path(__file__).parent.parent / "docs" / "results" / "policy_unseen.jsonl"
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
    "large": "large: the paper's law with so many customers, against 10 s of the engine.",
}
ENGINE_SECONDS = 10.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weights", type=Path, help="default: the shipped ones")
    parser.add_argument("--sets", type=list_of(str, SETS), default=list(SETS))
    parser.add_argument("--samples", type=int, default=1000, help="per symmetry")
    parser.add_argument("--large", type=int, default=5, help="instances per size of the set large")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--report", action="store_true", help="only write the table")
    options = parser.parse_args()
    weights = load_weights(options.weights) if options.weights else default_weights()
    mark = weights.fingerprint
    mend(options.out, KIND)
    lines = [line for _, line in read_objects(options.out, KIND)] if options.out.exists() else []
    done = {
        (line["instance"], line["decoding"], line["samples"], line["weights"]) for line in lines
    }
    references = {
        line["instance"]: line["reference"] for line in lines if line["set"].startswith("large")
    }
    for name in [] if options.report else options.sets:
        for group, instance in instances_of(name, options.large):
            left = [
                decoding
                for decoding in DECODINGS
                if (instance.name, decoding, samples_of(decoding, options.samples), mark)
                not in done
            ]
            if not left:
                continue
            reference = references.get(instance.name) or reference_cost(instance, options.threads)
            for is_greedy in (True, False):
                wanted = [one for one in left if one.startswith("greedy") == is_greedy]
                if not wanted:
                    continue
                samples = samples_of(wanted[0], options.samples)
                began = time.perf_counter()
                plans = decode(instance, weights, samples, options.threads, is_greedy=is_greedy)
                seconds = time.perf_counter() - began
                for decoding in wanted:
                    verdict = evaluate(instance, plans[decoding])
                    assert verdict.is_feasible
                    line = {
                        "set": group,
                        "instance": instance.name,
                        "customers": instance.num_customers,
                        "decoding": decoding,
                        "samples": samples,
                        "temperature": round(Policy().temperature_for(instance.num_customers), 4),
                        "weights": mark,
                        "cost": verdict.cost,
                        "reference": reference,
                        "gap_percent": 100 * (verdict.cost / reference - 1),
                        "threads": options.threads,
                        "seconds": round(seconds, 3),
                    }
                    append(options.out, line)
                    lines.append(line)
                    print(f"{instance.name} {decoding}: {line['gap_percent']:+.2f} %", flush=True)
    shown = table([line for line in lines if line["weights"] == mark])
    print(shown)
    if options.weights is None:
        replace_block(OUT.parents[1] / "benchmarks.md", "policy_unseen", shown)


def instances_of(name: str, per_size: int) -> Iterator[tuple[str, Instance]]:
    """Give the instances of a set with the row of the table they belong to."""
    if name == "large":
        for size in LARGE_SIZES:
            for number in range(per_size):
                drawn = paper_instance(size, 20_000 + number)
                yield f"large {size}", drawn.replace(name=f"paper-law-{size}-{20_000 + number}")
        return
    for known in library.names(name):
        is_wanted = known.count("-") == 1 if name == "golden" else "FSM" in known
        if is_wanted and (instance := library.load(known)).num_customers <= 300:
            yield name, instance


def reference_cost(instance: Instance, threads: int) -> float:
    """Give the best-known cost, or that of the engine where there is none."""
    known = best_known(instance)
    if known is not None:
        return known.cost
    return solve(instance, "hgs", time_limit=ENGINE_SECONDS, threads=threads).cost


def samples_of(decoding: str, samples: int) -> int:
    return 1 if decoding.startswith("greedy") else samples


def decode(
    instance: Instance, weights: PolicyWeights, samples: int, threads: int, *, is_greedy: bool
) -> dict[str, Solution]:
    """Give the best plan of each decoding; those with and without split have the same samples."""
    scaled = scale(instance)
    problems = Problems.of([scaled])
    core = core_instance(scaled)
    best: dict[str, Drafts] = {}
    for view in range(NUM_SYMMETRIES):  # one after the other, for the memory of long trajectories
        coordinates = mirrored(scaled.coordinates, view)[None]
        made = rollout(
            folded(weights),
            encode(weights.config, weights.tensors, coordinates, problems.demands, threads),
            problems,
            trajectories=samples,
            temperature=Policy().temperature_for(instance.num_customers),
            greedy=is_greedy,
            seed=1,
            first_stream=view * samples,
            threads=threads,
        )
        for name in DECODINGS:
            if name.startswith("greedy") != is_greedy:
                continue
            repairs = core if name.endswith("split") else None
            found = make_drafts(scaled, repairs, made.actions[0], made.costs[0], threads)
            if name not in best or found.costs.min() < best[name].costs.min():
                best[name] = found
    return {name: drafts.plan(int(drafts.costs.argmin())) for name, drafts in best.items()}


def table(lines: list[Line]) -> str:
    """Mean gap in percent by set and decoding, and what the sets are."""
    gaps: dict[tuple[str, str], list[float]] = defaultdict(list)
    for line in lines:
        gaps[line["set"], line["decoding"]].append(line["gap_percent"])
    rows = [f"| set | {' | '.join(DECODINGS)} |", "| --- |" + " ---: |" * len(DECODINGS)]
    for group in dict.fromkeys(line["set"] for line in lines):
        cells = [gaps.get((group, decoding), []) for decoding in DECODINGS]
        shown = " | ".join(f"{fmean(cell):+.2f} ({len(cell)})" if cell else "" for cell in cells)
        rows.append(f"| {group} | {shown} |")
    present = {line["set"].split()[0] for line in lines}
    marks = sorted({line["weights"] for line in lines})
    notes = [meaning for name, meaning in MEANINGS.items() if name in present]
    return "\n".join([*rows, "", *notes, f"Weights: {', '.join(marks)}."])


if __name__ == "__main__":
    run(main)
