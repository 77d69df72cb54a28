"""REINFORCE with a shared baseline; the only place where the sign of the cost flips."""

from __future__ import annotations

import torch
from torch import Tensor

from fripn.train.encoded import Encoded
from fripn.train.teacher import DecisionLogProbs, decision_log_probs


def advantages(costs: Tensor, *, normalise: bool, groups: Tensor | None = None) -> Tensor:
    """How much cheaper each trajectory (B, S) is than the mean of its instance, or of its group.

    Parameters
    ----------
    costs
        (B, S) of the trajectories.
    normalise
        Divide by the spread within the instance, so that cheap and expensive instances weigh the
        same, and limit to two spreads: a plan can cost far more than the mean, but not far less.
    groups
        (B, S) numbers from 0: trajectories of an instance with the same number are compared with
        each other only, one alone with nothing. None for one group per instance.
    """
    advantage = (
        costs.mean(1, keepdim=True) if groups is None else _group_means(costs, groups)
    ) - costs
    if normalise:
        spread = advantage.square().mean(1, keepdim=True).sqrt()
        advantage = torch.where(spread > 1e-9, advantage / spread.clamp(min=1e-9), 0.0).clamp(
            -2.0, 2.0
        )
    return advantage


def _group_means(costs: Tensor, groups: Tensor) -> Tensor:
    """(B, S): the mean cost of each trajectory's group."""
    empty = costs.new_zeros(len(costs), int(groups.max()) + 1)
    sums = empty.scatter_add(1, groups, costs)
    counts = empty.scatter_add(1, groups, torch.ones_like(costs))
    return sums.gather(1, groups) / counts.gather(1, groups)


def top_and_bottom(actions: Tensor, advantage: Tensor, keep: int) -> tuple[Tensor, Tensor]:
    """Pick the `keep` trajectories of each instance with the largest and smallest advantages."""
    order = advantage.argsort(1)
    chosen = torch.cat([order[:, : keep // 2], order[:, -(keep // 2) :]], 1)
    kept = actions.gather(1, chosen[..., None].expand(-1, -1, actions.shape[-1]))
    return kept, advantage.gather(1, chosen)


def reinforce_loss(
    encoded: Encoded,
    actions: Tensor,
    advantage: Tensor,
    log_probs: DecisionLogProbs = decision_log_probs,
    *,
    first_type_given: bool = True,
) -> Tensor:
    """Sum over instances of the mean over trajectories of −advantage · log p.

    Parameters
    ----------
    encoded
        The instances with their embedded nodes.
    actions
        (B, S, T) sampled with the policy.
    advantage
        (B, S) advantages of these trajectories.
    log_probs
        How the decoder is computed.
    first_type_given
        Whether the first types were drawn uniformly, not by the policy.
    """
    weights = advantage.to(torch.float32)[..., None] * (actions >= 0)
    logs = log_probs(encoded, actions, first_type_given=first_type_given, weights=weights)
    return -(weights * logs).sum(-1).mean(1).sum()
