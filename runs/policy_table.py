"""The policy alone on the paper's rebuilt test sets: greedy and sampling, with and without ×8.

    python runs/policy_table.py --weights FILE --out runs/policy_table/lines.jsonl [--instances 200]

Appends one JSON line per instance and decoding, skips those already there, and prints the table.
No split, no search: the cost of each plan is that of `evaluate`.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from pathlib import Path

import numpy as np

from fripn import _core
from fripn.policy.encoder import encode
from fripn.policy.fold import fold
from fripn.policy.rollout import Problems, read_plan, rollout
from fripn.policy.scale import scale
from fripn.policy.weights import PolicyWeights, default_weights, load_weights
from fripn.problem import Instance, evaluate, library
from fripn.train.labels import SYMMETRIES, mirrored

#: The paper's table, to stand beside ours; that it was computed on these very instances is
#: plausible but not proven (see docs/experiments.md).
PAPER = {
    "greedy": {20: 66.66, 50: 155.54, 75: 227.84, 100: 300.58},
    "greedy x8": {20: 65.27, 50: 153.50, 75: 225.64, 100: 298.13},
    "sampling": {20: 64.55, 50: 152.01, 75: 224.13, 100: 296.22},
    "sampling x8": {20: 64.05, 50: 151.36, 75: 223.25, 100: 295.32},
}


def decode(
    weights: PolicyWeights,
    decoder: _core.PolicyDecoder,
    instance: Instance,
    decoding: str,
    samples: int,
    threads: int,
) -> float:
    """Cost of the best plan of one decoding of one instance."""
    scaled = scale(instance)
    symmetries = range(len(SYMMETRIES)) if decoding.endswith("x8") else range(1)
    views = np.stack([mirrored(scaled.coordinates, s) for s in symmetries])
    demands = np.broadcast_to(scaled.demands, (len(views), len(scaled.demands)))
    made = rollout(
        decoder,
        encode(weights.config, weights.tensors, views, demands),
        Problems.of([scaled]),
        trajectories=1 if decoding.startswith("greedy") else samples,
        greedy=decoding.startswith("greedy"),
        seed=1,
        threads=threads,
    )
    view, number = np.unravel_index(np.argmin(made.costs), made.costs.shape)
    verdict = evaluate(instance, read_plan(made.actions[view, number], len(scaled.demands)))
    assert verdict.is_feasible
    return verdict.cost


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weights", type=Path, help="default: the shipped ones")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--sizes", default="20,50,75,100")
    parser.add_argument("--instances", default="1000", help="per size, one number or one each")
    parser.add_argument("--decodings", default=",".join(PAPER))
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    weights = load_weights(options.weights) if options.weights else default_weights()
    decoder = fold(weights.config, weights.tensors)
    sizes = [int(part) for part in options.sizes.split(",")]
    counts = [int(part) for part in options.instances.split(",")]
    counts = counts * len(sizes) if len(counts) == 1 else counts
    options.out.parent.mkdir(parents=True, exist_ok=True)
    lines = []
    if options.out.exists():
        lines = [json.loads(line) for line in options.out.read_text().splitlines()]
    done = {(line["instance"], line["decoding"], line["samples"]) for line in lines}
    with options.out.open("a") as file:
        for size, count in zip(sizes, counts, strict=True):
            for index in range(count):
                name = f"paper:{size}:{index}"
                instance = library.load(name)
                for decoding in options.decodings.split(","):
                    samples = 1 if decoding.startswith("greedy") else options.samples
                    if (name, decoding, samples) in done:
                        continue
                    began = time.perf_counter()
                    cost = decode(weights, decoder, instance, decoding, samples, options.threads)
                    line = {
                        "instance": name,
                        "size": size,
                        "decoding": decoding,
                        "samples": samples,
                        "cost": cost,
                        "seconds": round(time.perf_counter() - began, 4),
                    }
                    lines.append(line)
                    file.write(json.dumps(line) + "\n")
            file.flush()
            print_table(lines, size)


def print_table(lines: list[dict], size: int) -> None:
    for decoding, paper in PAPER.items():
        for samples in sorted({line["samples"] for line in lines if line["decoding"] == decoding}):
            costs = {
                line["instance"]: line["cost"]
                for line in lines
                if (line["size"], line["decoding"], line["samples"]) == (size, decoding, samples)
            }
            if not costs:
                continue
            known = [library.best_known(name) for name in costs]
            gap = ""
            if all(best is not None for best in known):
                gaps = [c / best.cost - 1 for c, best in zip(costs.values(), known, strict=True)]
                gap = f", {100 * statistics.mean(gaps):+.2f} % on the best known values"
            print(
                f"n = {size}, {decoding}, {samples} samples: {statistics.mean(costs.values()):.2f} "
                f"on {len(costs)} instances{gap} (paper, 1,000 instances: {paper[size]})",
                flush=True,
            )


if __name__ == "__main__":
    main()
