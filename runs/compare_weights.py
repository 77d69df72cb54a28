"""Compare policies on fresh random instances, so that no benchmark has a part in the choice.

    python runs/compare_weights.py A.safetensors B.safetensors … [--sizes 20,50,75,100]
        [--law paper] [--instances 200] [--decodings "greedy,greedy x8,sampling"] [--samples 100]

Prints the mean cost with the first weights and, for the others, the mean difference in percent to
the first, instance by instance, with its standard error. "shipped" stands for the shipped weights.
"""

from __future__ import annotations

import argparse

import numpy as np
from policy_table import PAPER, decode
from script import list_of, run

from fripn.policy.fold import fold
from fripn.policy.weights import default_weights, load_weights
from fripn.problem.generate import paper_instance, wide_instance

#: Far from the seeds of labels, validation and the hybrid's table.
FIRST_SEED = 700_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("weights", nargs="+")
    parser.add_argument("--sizes", type=list_of(int), default=[20, 50, 75, 100])
    parser.add_argument("--law", choices=("paper", "wide"), default="paper")
    parser.add_argument("--instances", type=int, default=200)
    parser.add_argument(
        "--decodings", type=list_of(str, PAPER), default=["greedy", "greedy x8", "sampling"]
    )
    parser.add_argument("--samples", type=int, default=100)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    policies = [
        default_weights() if name == "shipped" else load_weights(name) for name in options.weights
    ]
    decoders = [fold(policy.config, policy.tensors) for policy in policies]
    draw = paper_instance if options.law == "paper" else wide_instance
    for size in options.sizes:
        instances = [draw(size, FIRST_SEED + number) for number in range(options.instances)]
        for decoding in options.decodings:
            costs = np.array(
                [
                    [
                        decode(policy, decoder, one, [decoding], options.samples, options.threads)[
                            0
                        ]
                        for one in instances
                    ]
                    for policy, decoder in zip(policies, decoders, strict=True)
                ]
            )
            differences = 100 * (costs[1:] / costs[0] - 1)
            errors = differences.std(1, ddof=1) / np.sqrt(len(instances))
            shown = [
                f"{mean:+.2f} ± {error:.2f} %"
                for mean, error in zip(differences.mean(1), errors, strict=True)
            ]
            print(
                f"{options.law} n = {size}, {decoding}: {costs[0].mean():.2f}", *shown, flush=True
            )


if __name__ == "__main__":
    run(main)
