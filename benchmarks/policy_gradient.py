"""The fused gradient of the decoder against torch's autograd: same weights, same trajectories.

    python benchmarks/policy_gradient.py [--pair-width 32]

Seconds are those of one core; the encoder, which both share, is timed apart.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import torch

from fripn.bench.script import ScriptParser, integer, run
from fripn.policy import PolicyConfig
from fripn.problem.generate import paper_instance
from fripn.train.encoded import Encoded, FoldedPolicy, encode
from fripn.train.fused import fused_log_probs
from fripn.train.native import native_sampler
from fripn.train.network import Policy
from fripn.train.state import Batch
from fripn.train.teacher import DecisionLogProbs, decision_log_probs

#: Customers, types, instances, trajectories of each.
CASES = ((20, 4, 64, 1), (20, 4, 32, 16), (50, 5, 16, 16), (100, 5, 8, 8))


def best(work: Callable[[], None], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return min(times)


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("--pair-width", type=integer(0), default=0)
    settings = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    policy = Policy(PolicyConfig(features="cover", pair_width=settings.pair_width))
    for n, num_types, num_instances, trajectories in CASES:
        batch = Batch.of([paper_instance(n, seed, num_types) for seed in range(num_instances)])
        actions = native_sampler(encode(policy, batch), trajectories, 1).actions
        # Both sides share the encoder, which is timed apart.
        nodes = policy.encode(batch).detach().requires_grad_()
        weights = (actions >= 0).float()

        def decoder(
            log_probs: DecisionLogProbs,
            nodes: torch.Tensor = nodes,
            batch: Batch = batch,
            actions: torch.Tensor = actions,
            weights: torch.Tensor = weights,
        ) -> None:
            # Folding is part of the work, so nothing is kept from one turn to the next.
            logs = log_probs(Encoded(FoldedPolicy(policy), batch, nodes), actions, weights=weights)
            (weights * logs).sum().backward()

        def encoder(batch: Batch = batch) -> None:
            policy.encode(batch).sum().backward()

        plain = best(lambda work=decoder: work(decision_log_probs), 2)
        fused = best(lambda work=decoder: work(fused_log_probs), 5)
        print(
            f"n = {n:3d}, {num_types} types, {num_instances} x {trajectories} trajectories: "
            f"torch {plain * 1e3:.0f} ms, fused {fused * 1e3:.0f} ms, ratio {plain / fused:.1f}, "
            f"{fused / float(weights.sum()) * 1e6:.1f} us per decision; "
            f"encoder {best(encoder, 5) * 1e3:.0f} ms",
            flush=True,
        )


if __name__ == "__main__":
    run(main)
