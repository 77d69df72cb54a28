"""Trajectories by stepping the torch policy: on any device; the reference for the core."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from fripn.train.encoded import Encoded
from fripn.train.state import Batch, reset, step, total_cost
from fripn.train.teacher import log_probs


@dataclass(frozen=True, slots=True)
class Samples:
    """Trajectories and what they cost.

    Parameters
    ----------
    actions
        (B, S, T) flat actions, −1 after the end of the shorter trajectories.
    costs
        (B, S), in the units of the batch.
    """

    actions: Tensor
    costs: Tensor


class Sampler(Protocol):
    """Anything that builds plans with a policy."""

    def __call__(
        self,
        encoded: Encoded,
        num_trajectories: int,
        seed: int | None,
        *,
        draw_first_type: bool = True,
        first_stream: int = 0,
    ) -> Samples:
        """Build S trajectories per instance; greedy ones when the seed is None.

        When sampling, the first types are drawn uniformly, or else by the policy. The seed has a
        random stream for each trajectory; the first one of this batch uses `first_stream`.
        """
        ...


def torch_sampler(
    encoded: Encoded,
    num_trajectories: int,
    seed: int | None,
    *,
    draw_first_type: bool = True,
    first_stream: int = 0,
) -> Samples:
    """Sample with the torch policy, on the batch's device; all trajectories share one stream."""
    generator = None
    if seed is not None:
        generator = torch.Generator(encoded.nodes.device).manual_seed(seed + first_stream)
    return rollout(encoded, num_trajectories, generator, draw_first_type=draw_first_type)


@torch.no_grad()
def rollout(
    encoded: Encoded,
    num_trajectories: int,
    generator: torch.Generator | None,
    *,
    draw_first_type: bool = True,
) -> Samples:
    """Build plans step by step.

    Parameters
    ----------
    encoded
        The instances with their embedded nodes.
    num_trajectories
        S, per instance.
    generator
        For sampling; None for greedy decoding.
    draw_first_type
        Whether the first type of each sampled trajectory is drawn uniformly among those that can
        serve a customer, instead of by the policy.
    """
    policy, batch, nodes = encoded.policy, encoded.batch, encoded.nodes
    state = reset(batch, num_trajectories)
    B, S = state.cost.shape
    actions: list[Tensor] = []
    while not bool(state.is_done.all()):
        logs = log_probs(policy, nodes, batch, state)
        if generator is None:
            action = logs.argmax(-1)
        else:
            if draw_first_type and not actions:
                logs = _restrict_to_random_type(logs, batch, generator)
            # A finished trajectory has no action left; any weights will do, its draw is dropped.
            weights = torch.where(state.is_done[..., None], 1.0, logs.exp())
            draws = torch.multinomial(weights.flatten(0, 1), 1, generator=generator)
            action = draws.reshape(B, S)
        action = torch.where(state.is_done, -1, action)
        state = step(batch, state, action)
        actions.append(action)
    return Samples(torch.stack(actions, -1), total_cost(batch, state))


def _restrict_to_random_type(logs: Tensor, batch: Batch, generator: torch.Generator) -> Tensor:
    by_type = logs.reshape(*logs.shape[:2], batch.num_types, -1)
    usable = torch.isfinite(by_type).any(-1).to(torch.float32)
    first_type = torch.multinomial(usable.flatten(0, 1), 1, generator=generator).reshape(
        logs.shape[:2]
    )
    others = torch.arange(batch.num_types, device=logs.device) != first_type[..., None]
    restricted: Tensor = by_type.masked_fill(others[..., None], -torch.inf).flatten(2)
    return restricted - restricted.logsumexp(-1, keepdim=True)
