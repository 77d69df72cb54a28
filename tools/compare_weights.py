"""Compare policies on fresh random instances, so that no benchmark has a part in the choice.

    python tools/compare_weights.py A.safetensors B.safetensors … [--sizes 20,50,75,100]
        [--distribution paper] [--instances 200] [--decodings "greedy,greedy x8,sampling"]
        [--samples 100]

Prints the mean cost with the first weights and, for the others, the mean difference in percent to
the first, instance by instance, with its standard error. "shipped" stands for the shipped weights.
"""

from __future__ import annotations

import numpy as np

from fripn.bench.decodings import best_plans
from fripn.bench.script import ScriptParser, integer, list_of, one_of, run
from fripn.policy.weights import PolicyWeights, default_weights, load_weights
from fripn.problem import Instance, evaluate
from fripn.problem.generate import paper_instance, wide_instance

DISTRIBUTIONS = {"paper": paper_instance, "wide": wide_instance}
DECODINGS = ("greedy", "greedy x8", "sampling", "sampling x8")

#: Far from the seeds of labels, validation and the hybrid's table.
FIRST_SEED = 700_000


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("weights", nargs="+")
    parser.add_argument("--sizes", type=list_of(integer(1)), default=[20, 50, 75, 100])
    parser.add_argument("--distribution", choices=tuple(DISTRIBUTIONS), default="paper")
    parser.add_argument("--instances", type=integer(2), default=200)
    parser.add_argument(
        "--decodings", type=list_of(one_of(DECODINGS)), default=["greedy", "greedy x8", "sampling"]
    )
    parser.add_argument("--samples", type=integer(1), default=100)
    parser.add_argument("--threads", type=integer(1), default=1)
    options = parser.parse_args()
    policies = [
        default_weights() if name == "shipped" else load_weights(name) for name in options.weights
    ]
    draw = DISTRIBUTIONS[options.distribution]
    for size in options.sizes:
        instances = [draw(size, FIRST_SEED + number) for number in range(options.instances)]
        for decoding in options.decodings:
            costs = np.array(
                [
                    [
                        cost_of(one, policy, decoding, options.samples, options.threads)
                        for one in instances
                    ]
                    for policy in policies
                ]
            )
            differences = 100 * (costs[1:] / costs[0] - 1)
            errors = differences.std(1, ddof=1) / np.sqrt(len(instances))
            shown = [
                f"{mean:+z.2f} ± {error:.2f} %"
                for mean, error in zip(differences.mean(1), errors, strict=True)
            ]
            print(
                f"{options.distribution} n = {size}, {decoding}: {costs[0].mean():.2f}",
                *shown,
                flush=True,
            )


def cost_of(
    instance: Instance, policy: PolicyWeights, decoding: str, samples: int, threads: int
) -> float:
    plans = best_plans(instance, policy, [decoding], samples, threads)
    return evaluate(instance, plans[decoding]).cost


if __name__ == "__main__":
    run(main)
