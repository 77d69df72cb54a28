"""REINFORCE steps per second: native rollout and teacher forcing against stepping with autograd.

    python benchmarks/train_throughput.py [--sizes 20,50] [--keep 12] [--threads 1]

Both sides learn from the same instances with the same network and as many trajectories per instance
as customers. The plain side is what a straightforward implementation does: it steps the unfolded
network through the rollout and keeps every step for the backward pass. Ours is measured with the
same gradient, and with that of our recipe, which samples as many trajectories but learns from the
`--keep` best and worst of each instance only: another, cheaper estimate of the same thing.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor
from torch.utils.flop_counter import FlopCounterMode

from fripn.policy.config import PolicyConfig
from fripn.problem import Instance
from fripn.problem.generate import paper_instance
from fripn.train.fused import fused_log_probs
from fripn.train.native import native_sampler
from fripn.train.network import Policy
from fripn.train.reinforce import advantages, extremes, reinforce_loss
from fripn.train.state import Batch, reset, step, total_cost, trajectory_cost


def plain_step(policy: Policy, batch: Batch, trajectories: int, seed: int) -> Tensor:
    """Loss by stepping with autograd."""
    generator = torch.Generator().manual_seed(seed)
    nodes = policy.encode(batch)
    state = reset(batch, trajectories)
    total = torch.zeros(state.cost.shape)
    while not bool(state.is_done.all()):
        logs = policy(nodes, batch, state)
        weights = torch.where(state.is_done[..., None], 1.0, logs.detach().exp())
        action = torch.multinomial(weights.flatten(0, 1), 1, generator=generator)
        action = action.reshape(state.cost.shape)
        chosen = logs.gather(-1, action[..., None])[..., 0]
        total = total + torch.where(state.is_done, 0.0, chosen)
        state = step(batch, state, torch.where(state.is_done, -1, action))
    better = advantages(total_cost(batch, state), normalise=False).float()
    return -(better * total).mean(1).sum()


def fast_step(
    policy: Policy, batch: Batch, trajectories: int, seed: int, keep: int | None = None
) -> Tensor:
    """Loss as in `fripn train`, of all trajectories or of the best and worst only."""
    actions = native_sampler(policy, batch, trajectories, seed)
    costs = trajectory_cost(batch, actions)
    better = advantages(costs, normalise=False)
    if keep is not None:
        actions, better = extremes(actions, better, keep)
    return reinforce_loss(policy, batch, actions, better, fused_log_probs)


def seconds_of(
    loss: Callable[[Policy, Batch, int, int], Tensor],
    policy: Policy,
    batch: Batch,
    trajectories: int,
    repeats: int,
) -> float:
    """Best time of a whole step, gradients included."""
    best = float("inf")
    for seed in range(repeats):
        policy.zero_grad()
        began = time.perf_counter()
        loss(policy, batch, trajectories, seed).backward()
        best = min(best, time.perf_counter() - began)
    return best


def peak_flops() -> float:
    """Largest rate of a matrix product of the shapes that occur here."""
    left, right = torch.randn(4096, 128), torch.randn(128, 512)
    best = float("inf")
    for _ in range(30):
        began = time.perf_counter()
        left @ right
        best = min(best, time.perf_counter() - began)
    return 2 * 4096 * 128 * 512 / best


def step_flops(policy: Policy, instances: list[Instance], trajectories: int) -> float:
    """Operations of the products of one gradient in torch, folded; the rollout is not counted.

    Counted on one instance, since torch keeps every decision of every trajectory at once.
    """
    batch = Batch.of(instances[:1])
    actions = native_sampler(policy, batch, trajectories, 0)
    better = advantages(trajectory_cost(batch, actions), normalise=False)
    with FlopCounterMode(display=False) as counter:
        reinforce_loss(policy, batch, actions, better).backward()
    return float(counter.get_total_flops()) * len(instances)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="20,50")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument(
        "--plain-batch", type=int, default=4, help="instances on the plain side; it is slow"
    )
    parser.add_argument("--keep", type=int, default=12, help="trajectories our recipe learns from")
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    peak = peak_flops()
    print(f"peak of a matrix product: {peak / 1e9:.0f} GFLOP/s on {options.threads} thread(s)")
    for size in map(int, options.sizes.split(",")):
        policy = Policy(PolicyConfig(num_layers=options.layers))
        instances = [paper_instance(size, seed, 5) for seed in range(options.batch)]
        batch = Batch.of(instances)
        plain_batch = Batch.of(instances[: options.plain_batch])
        plain = options.plain_batch / seconds_of(plain_step, policy, plain_batch, size, 2)
        spent = seconds_of(fast_step, policy, batch, size, 3)
        fast = options.batch / spent
        recipe_step = partial(fast_step, keep=options.keep)
        recipe = options.batch / seconds_of(recipe_step, policy, batch, size, 3)
        share = step_flops(policy, instances, size) / spent / peak
        print(
            f"n = {size}: plain {plain:.2f} instances/s, ours {fast:.2f} instances/s, "
            f"ratio {fast / plain:.1f}, {100 * share:.0f} % of the peak; learning from "
            f"{options.keep} of {size}: {recipe:.2f} instances/s, ratio {recipe / plain:.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
