"""The policy alone on the paper's rebuilt test sets: greedy and sampling, with and without ×8.

    python runs/policy_table.py [--weights FILE] [--instances 1000,1000,1000,1000] [--threads 2]

Appends one line per instance and decoding to docs/results/policy_table.jsonl (`--out`) and skips
those already there for the same weights. A line's seconds are those of the run it came from, which
may be shared with the line of ×8. Sampling has the default temperature. No split, no search:
the cost of each plan is that of `evaluate`. With the shipped weights the tables of
docs/benchmarks.md and README.md are written anew, with others it is printed.

The paper's figures are means over 1,000 instances. Where a decoding was run on fewer, the mean over
all is estimated by a ratio: the mean of greedy ×8 over all 1,000, times the sum of the decoding's
costs over that of greedy ×8 on the instances it was run on.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from script import list_of, run

from fripn import _core
from fripn.bench.page import replace_block
from fripn.jsonl import AMOUNT, SOME, TEXT, Kind, Line, append, mend, read_objects
from fripn.policy.decode import Policy
from fripn.policy.encoder import encode
from fripn.policy.fold import fold
from fripn.policy.rollout import Problems, read_plan, rollout
from fripn.policy.scale import scale
from fripn.policy.session import NUM_SYMMETRIES, mirrored
from fripn.policy.weights import PolicyWeights, default_weights, load_weights
from fripn.problem import Instance, evaluate, library

OUT = Path(__file__).parent.parent / "docs" / "results" / "policy_table.jsonl"
PAGES = (OUT.parents[1] / "benchmarks.md", OUT.parents[2] / "README.md")
KIND = Kind(
    "runs/policy_table.py",
    {
        "instance": TEXT,
        "size": SOME,
        "decoding": TEXT,
        "samples": SOME,
        "weights": TEXT,
        "cost": AMOUNT,
    },
)

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
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weights", type=Path, help="default: the shipped ones")
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--sizes", type=list_of(int, SIZES), default=list(SIZES))
    parser.add_argument(
        "--instances",
        type=list_of(int),
        default=[ALL],
        help="per size, one number or one each",
    )
    parser.add_argument("--decodings", type=list_of(str, PAPER), default=list(PAPER))
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    weights = load_weights(options.weights) if options.weights else default_weights()
    decoder = fold(weights.config, weights.tensors)
    counts = options.instances * (len(options.sizes) if len(options.instances) == 1 else 1)
    if len(counts) != len(options.sizes):
        parser.error(f"--instances has {len(counts)} numbers for {len(options.sizes)} sizes")
    if not 0 <= min(counts) <= max(counts) <= ALL:
        parser.error(f"--instances {options.instances}: give 0 to {ALL}")
    options.out.parent.mkdir(parents=True, exist_ok=True)
    mend(options.out, KIND)
    lines = [line for _, line in read_objects(options.out, KIND)] if options.out.exists() else []
    lines = [line for line in lines if line["weights"] == weights.fingerprint]
    done = {(line["instance"], line["decoding"], line["samples"]) for line in lines}
    for size, count in zip(options.sizes, counts, strict=True):
        for index in range(count):
            name = f"paper:{size}:{index}"
            for is_greedy in (True, False):
                samples = 1 if is_greedy else options.samples
                wanted = [
                    decoding
                    for decoding in options.decodings
                    if decoding.startswith("greedy") == is_greedy
                    and (name, decoding, samples) not in done
                ]
                if not wanted:
                    continue
                began = time.perf_counter()
                costs = decode(
                    weights, decoder, library.load(name), wanted, samples, options.threads
                )
                seconds = time.perf_counter() - began
                for decoding, cost in zip(wanted, costs, strict=True):
                    line = {
                        "instance": name,
                        "size": size,
                        "decoding": decoding,
                        "samples": samples,
                        "temperature": round(Policy().temperature_for(size), 4),
                        "weights": weights.fingerprint,
                        "cost": cost,
                        "seconds": round(seconds, 4),
                    }
                    lines.append(line)
                    append(options.out, line)
        print(f"n = {size}: done", flush=True)
    shown = table([line for line in lines if line["samples"] in (1, options.samples)])
    print(shown)
    if options.weights is None:
        for page in PAGES:
            replace_block(page, "policy_table", shown)


def decode(
    weights: PolicyWeights,
    decoder: _core.PolicyDecoder,
    instance: Instance,
    decodings: Sequence[str],
    samples: int,
    threads: int,
) -> list[float]:
    """Cost of the best plan of one instance by each decoding; all greedy, or all sampling.

    What a decoding without ×8 gives is the first view of the one with it: no need to run it again.
    """
    scaled = scale(instance)
    is_greedy = decodings[0].startswith("greedy")
    symmetries = range(NUM_SYMMETRIES if any(map(is_augmented, decodings)) else 1)
    views = np.stack([mirrored(scaled.coordinates, s) for s in symmetries])
    demands = np.broadcast_to(scaled.demands, (len(views), len(scaled.demands)))
    made = rollout(
        decoder,
        encode(weights.config, weights.tensors, views, demands),
        Problems.of([scaled]),
        trajectories=1 if is_greedy else samples,
        temperature=Policy().temperature_for(instance.num_customers),
        greedy=is_greedy,
        seed=1,
        threads=threads,
    )
    costs = []
    for decoding in decodings:
        among = made.costs if is_augmented(decoding) else made.costs[:1]
        view, number = np.unravel_index(np.argmin(among), among.shape)
        verdict = evaluate(instance, read_plan(made.actions[view, number], len(scaled.demands)))
        assert verdict.is_feasible
        costs.append(verdict.cost)
    return costs


def is_augmented(decoding: str) -> bool:
    return decoding.endswith("x8")


def table(lines: list[Line]) -> str:
    """Mean costs by decoding and size, the paper's in brackets."""
    sizes = sorted({line["size"] for line in lines})
    rows = [
        "| decoding | " + " | ".join(f"n = {size}" for size in sizes) + " |",
        "| --- |" + " ---: |" * len(sizes),
    ]
    for decoding, paper in PAPER.items():
        cells = [f"{cell(lines, size, decoding)} ({paper[size]:.2f})" for size in sizes]
        rows.append(f"| {decoding} | " + " | ".join(cells) + " |")
    return "\n".join(rows)


def cell(lines: list[Line], size: int, decoding: str) -> str:
    """Give the mean over all instances, or an estimate of it with its standard error."""
    costs = costs_of(lines, size, decoding)
    if not costs:
        return "–"
    if len(costs) == ALL:
        return f"{np.mean(list(costs.values())):.2f}"
    others = costs_of(lines, size, "greedy x8")
    if len(others) < ALL or len(costs) < 2:  # one alone has no spread
        return f"{np.mean(list(costs.values())):.2f} on the first {len(costs)}"
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
