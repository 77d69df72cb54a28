"""Log-probabilities of given trajectories, all steps at once, with the linear parts folded.

Everything between the inputs of the vehicle encoder and the queries, keys and values of the
attention among types is linear, so it is applied to the nodes once per instance instead of to
every type at every step; what remains per step is one batched product with (place, available
customers, scalars). Likewise the decoder's output map is folded into its pointer keys. The
numbers are those of `network.Policy`, step by step.
"""

from __future__ import annotations

import math
from typing import Protocol

import torch
from torch import Tensor

from fripn.train.encoded import Encoded, is_foldable
from fripn.train.features import vehicle_scalars
from fripn.train.network import Policy, attention, masked_log_softmax
from fripn.train.state import Batch, State, availability, replay


def log_probs(policy: Policy, nodes: Tensor, batch: Batch, state: State) -> Tensor:
    """Return ``policy(nodes, batch, state)``, (B, M, K·N), folded where its modules allow it."""
    if is_foldable(policy):
        return folded_log_probs(policy, nodes, batch, state)
    logs: Tensor = policy(nodes, batch, state)
    return logs


def folded_log_probs(policy: Policy, nodes: Tensor, batch: Batch, state: State) -> Tensor:
    """Return what ``policy(nodes, batch, state)`` returns, (B, M, K·N), with less work."""
    allowed = availability(batch, state)
    queries = _node_queries(policy, nodes, batch, state, allowed)
    allowed = policy.choices(state, allowed)
    decoder = policy.decoder
    mask = allowed.flatten(1, 2)
    attended = attention(
        queries,
        decoder.key(nodes),
        decoder.value(nodes),
        policy.config.num_heads,
        mask,
        batch.num_types if policy.config.is_joint else 1,
    )
    # (W_o a + b)·p = a·(W_oᵀ p) + b·p. A type with nowhere to go needs no zero vector here: all
    # its scores are masked.
    pointer = decoder.pointer_key(nodes) / math.sqrt(policy.config.width)
    scores = torch.baddbmm(
        (pointer @ decoder.output.bias)[:, None],
        attended,
        (pointer @ decoder.output.weight).transpose(1, 2),
    )
    scores = scores.reshape(allowed.shape)
    if policy.pair is not None:
        scores = scores + policy.pair(nodes, batch, state)
    logits = policy.clip * torch.tanh(scores)
    return masked_log_softmax(logits.flatten(2), allowed.flatten(2))


class DecisionLogProbs(Protocol):
    """`decision_log_probs` or another implementation of it, such as a fused native one."""

    def __call__(
        self,
        encoded: Encoded,
        actions: Tensor,
        *,
        ends: Tensor | None = None,
        first_type_given: bool = False,
        weights: Tensor | None = None,
    ) -> Tensor:
        """Return (B, S, T) log-probabilities, differentiable in the parameters and the nodes.

        `weights` (B, S, T) are proportional to what the loss will multiply them by; an
        implementation may return 0 where they are 0, and prepare the gradient.
        """
        ...


def decision_log_probs(
    encoded: Encoded,
    actions: Tensor,
    *,
    ends: Tensor | None = None,
    first_type_given: bool = False,
    weights: Tensor | None = None,
) -> Tensor:
    """(B, S, T): log-probability of every decision of whole trajectories, 0 after their end.

    This is the interface of the losses: they need nothing else of the decoder.

    Parameters
    ----------
    encoded
        The instances with their embedded nodes.
    actions
        (B, S, T) flat actions, −1 after the end.
    ends
        (B, K, N) for set-valued targets: where all vehicles are at the depot, the probability is
        that of any of these pairs whose customer is still open, not of the action alone.
    first_type_given
        Whether the first type was drawn from outside, so that the first decision is among
        that type's nodes only.
    weights
        Not needed here, see `DecisionLogProbs`.
    """
    B, S, T = actions.shape
    batch = encoded.batch
    state = replay(batch, actions)
    logs = log_probs(encoded.policy, encoded.nodes, batch, state).reshape(B, S, T, -1)
    chosen = logs.gather(-1, actions.clamp(min=0)[..., None])[..., 0]
    if ends is not None:
        at_depot = (state.location == 0).all(-1).reshape(B, S, T) & (actions >= 0)
        target = (ends[:, None] & ~state.visited[:, :, None]).reshape(logs.shape)[at_depot]
        hit = logs[at_depot].masked_fill(~target, -torch.inf).logsumexp(-1)
        chosen = chosen.masked_scatter(at_depot, hit)
    if first_type_given:
        by_type = logs[:, :, :1].reshape(B, S, 1, batch.num_types, -1).logsumexp(-1)
        first_type = actions[:, :, :1] // batch.num_nodes
        first = chosen[:, :, :1] - by_type.gather(-1, first_type[..., None])[..., 0]
        chosen = torch.cat([first, chosen[:, :, 1:]], -1)
    return torch.where(actions >= 0, chosen, 0.0)


def _node_queries(
    policy: Policy, nodes: Tensor, batch: Batch, state: State, allowed: Tensor
) -> Tensor:
    """(B, M·K, D): the decoder's queries, from the vehicle encoder without its own products."""
    config, vehicle = policy.config, policy.vehicle
    B, M, K = state.location.shape
    N, D = batch.num_nodes, config.width
    maps = [vehicle.query.weight, vehicle.key.weight, vehicle.value.weight]
    if config.vehicle_residual:
        maps.append(policy.decoder.query.weight)
    stacked = torch.cat(maps)
    folded = stacked @ vehicle.input.weight
    last, scalar, graph = torch.split(
        folded, [D, config.num_scalars, D if config.remaining_graph else 0], 1
    )
    left = [torch.nn.functional.one_hot(state.location, N).to(nodes.dtype)]
    right = [nodes @ last.T + stacked @ vehicle.input.bias]
    if config.remaining_graph:
        customers = allowed & (state.location == 0)[..., None]
        customers[..., 0] = False
        left.append(customers.to(nodes.dtype))
        right.append((nodes @ graph.T) / N)
    left.append(vehicle_scalars(config, batch, state))
    right.append(scalar.T.expand(B, -1, -1))
    projected = torch.bmm(torch.cat(left, -1).flatten(1, 2), torch.cat(right, 1))
    query, key, value, *own = torch.split(projected.reshape(B * M, K, -1), D, -1)
    group = K if config.is_joint else 1
    attended = attention(query, key, value, config.num_heads, None, group).reshape(B, M * K, D)
    # decoder.query(vehicle.output(a) + x) in one product.
    to_query = policy.decoder.query.weight
    queries = attended @ (to_query @ vehicle.output.weight).T + to_query @ vehicle.output.bias
    if own:
        queries = queries + own[0].reshape(B, M * K, D)
    return queries
