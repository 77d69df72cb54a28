"""REINFORCE steps per second: native rollout and teacher forcing against stepping with autograd.

    python benchmarks/train_throughput.py [--sizes 20,50] [--keep 12] [--threads 1]

All sides learn from the same instances with the same network and as many trajectories per instance
as customers. Two of them step the unfolded network through the rollout and keep every step for the
backward pass: `published` computes a step as the authors' published code does (see
`published_way.py`), `plain` as the definition in `fripn.train.network` does, which spares the
copies. Ours is measured with the same gradient, and with that of our recipe, which samples as many
trajectories but learns from the `--keep` best and worst of each instance only: another, cheaper
estimate of the same thing. Before anything is timed, all three must give the same probabilities.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import get_args

import torch
from published_way import PublishedPolicy
from torch import Tensor
from torch.utils.flop_counter import FlopCounterMode

from fripn.bench.script import ScriptParser, integer, list_of, run
from fripn.policy.config import Attention, PolicyConfig
from fripn.problem import Instance
from fripn.problem.generate import paper_instance
from fripn.train.encoded import encode
from fripn.train.fused import fused_log_probs
from fripn.train.native import native_sampler
from fripn.train.network import Policy
from fripn.train.reinforce import advantages, reinforce_loss, top_and_bottom
from fripn.train.state import Batch, reset, step, total_cost


def check_same(policies: list[Policy], batch: Batch) -> None:
    """Stop unless stepping with each policy and the fused pass give the same probabilities."""
    with torch.no_grad():
        encoded = encode(policies[0], batch)
        actions, nodes = native_sampler(encoded, 3, 0).actions, encoded.nodes
        wanted = fused_log_probs(encoded, actions)
        for policy in policies:
            state = reset(batch, actions.shape[1])
            for number, action in enumerate(actions.unbind(-1)):
                chosen = action.clamp(min=0)[..., None]
                logs = policy(nodes, batch, state).gather(-1, chosen)[..., 0]
                torch.testing.assert_close(
                    torch.where(action < 0, 0.0, logs),
                    torch.where(action < 0, 0.0, wanted[..., number]),
                    atol=1e-4,
                    rtol=1e-4,
                )
                state = step(batch, state, action)


def plain_step(policy: Policy, batch: Batch, trajectories: int, seed: int) -> Tensor:
    """Loss by stepping with autograd, the policy's way."""
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
    advantage = advantages(total_cost(batch, state), normalise=False).float()
    return -(advantage * total).mean(1).sum()


def fast_step(
    policy: Policy, batch: Batch, trajectories: int, seed: int, keep: int | None = None
) -> Tensor:
    """Loss as in `fripn train`, of all trajectories or of the best and worst only."""
    encoded = encode(policy, batch)
    samples = native_sampler(encoded, trajectories, seed)
    actions, advantage = samples.actions, advantages(samples.costs, normalise=False)
    if keep is not None:
        actions, advantage = top_and_bottom(actions, advantage, keep)
    return reinforce_loss(encoded, actions, advantage, fused_log_probs)


def seconds_of(
    loss: Callable[[Policy, Batch, int, int], Tensor],
    policy: Policy,
    batch: Batch,
    trajectories: int,
    seed: int,
) -> float:
    """Time of a whole step, gradients included."""
    policy.zero_grad()
    began = time.perf_counter()
    loss(policy, batch, trajectories, seed).backward()
    return time.perf_counter() - began


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
    samples = native_sampler(encode(policy, batch), trajectories, 0)
    advantage = advantages(samples.costs, normalise=False)
    with FlopCounterMode(display=False) as counter:
        reinforce_loss(encode(policy, batch), samples.actions, advantage).backward()
    return float(counter.get_total_flops()) * len(instances)


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("--sizes", type=list_of(integer(2)), default=[20, 50])
    parser.add_argument("--batch", type=integer(2), default=32)
    parser.add_argument(
        "--plain-batch", type=integer(1), default=32, help="instances of the slow sides"
    )
    parser.add_argument(
        "--keep", type=integer(2), default=12, help="trajectories our recipe learns from"
    )
    parser.add_argument("--layers", type=integer(1), default=6)
    parser.add_argument("--threads", type=integer(1), default=1)
    parser.add_argument(
        "--turns", type=integer(1), default=3, help="the quickest of so many counts"
    )
    parser.add_argument(
        "--attention",
        choices=get_args(Attention),
        default="per_query",
        help="joint is what the authors' code computes",
    )
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    peak = peak_flops()
    print(f"peak of a matrix product: {peak / 1e9:.0f} GFLOP/s on {options.threads} thread(s)")
    for size in options.sizes:
        config = PolicyConfig(num_layers=options.layers, attention=options.attention)
        policy, published = Policy(config), PublishedPolicy(config)
        published.load_state_dict(policy.state_dict())
        instances = [paper_instance(size, seed, 5) for seed in range(options.batch)]
        batch = Batch.of(instances)
        few = Batch.of(instances[: options.plain_batch])
        check_same([policy, published], Batch.of(instances[:2]))
        # The sides take turns, so that a busy moment of the machine meets all of them.
        seconds = {name: float("inf") for name in ("published", "plain", "ours", "recipe")}
        for turn in range(options.turns):
            for name, side, one, loss in (
                ("published", published, few, plain_step),
                ("plain", policy, few, plain_step),
                ("ours", policy, batch, fast_step),
                ("recipe", policy, batch, partial(fast_step, keep=options.keep)),
            ):
                seconds[name] = min(seconds[name], seconds_of(loss, side, one, size, turn))
        rates = {
            name: (len(few.demands) if name in ("published", "plain") else options.batch) / spent
            for name, spent in seconds.items()
        }
        share = step_flops(policy, instances, size) / seconds["ours"] / peak
        print(
            f"n = {size}, instances/s: published {rates['published']:.2f}, "
            f"plain {rates['plain']:.2f}, ours {rates['ours']:.2f} ({100 * share:.0f} % of the "
            f"peak), learning from {options.keep} of {size} {rates['recipe']:.2f}; "
            f"ours to published {rates['ours'] / rates['published']:.1f}, "
            f"to plain {rates['ours'] / rates['plain']:.1f}; learning from {options.keep} to "
            f"published {rates['recipe'] / rates['published']:.1f}, "
            f"to plain {rates['recipe'] / rates['plain']:.1f}",
            flush=True,
        )


if __name__ == "__main__":
    run(main)
