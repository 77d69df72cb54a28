"""FRIPN stepped the way the authors' published training code steps it, for speed comparisons.

The network and its weights are those of `fripn.train.network`; what differs is how three things are
computed at every step. The probabilities are the same too, given the same `PolicyConfig.attention`:
the authors' own are those of ``joint``, where one softmax runs over all pairs of a query and a key;
the paper's text and our default normalise per query. The authors give each trajectory and type a
copy of all embeddings, of which those that are not available are set to 0 before the mean is taken;
they give each trajectory its own copy of the keys of the pointer; and attention has an axis of
trajectories along which keys and values are expanded. The definition in `fripn.train.network` uses
one matrix product over all trajectories for each of the three.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from fripn.policy.config import PolicyConfig
from fripn.train.features import vehicle_scalars
from fripn.train.network import MASKED, Decoder, Policy, VehicleEncoder
from fripn.train.state import Batch, State


class PublishedPolicy(Policy):
    """The same network with the same names of weights, computed the authors' way."""

    def __init__(self, config: PolicyConfig) -> None:
        if config.pair_width:
            raise ValueError("the published network has no pair term; give pair_width = 0")
        super().__init__(config)
        self.vehicle = PublishedVehicleEncoder(config)
        self.decoder = PublishedDecoder(config)


class PublishedVehicleEncoder(VehicleEncoder):
    """The mean over what is available, from a copy of the nodes for each trajectory and type."""

    def forward(self, nodes: Tensor, batch: Batch, state: State, allowed: Tensor) -> Tensor:
        """(B, M, K, D) from nodes (B, N, D) and the nodes available to each type."""
        B, M, K = state.location.shape
        D = nodes.shape[-1]
        copies = nodes[:, None].repeat(1, M, 1, 1)
        last = copies.gather(2, state.location[..., None].expand(B, M, K, D))
        inputs = [last, vehicle_scalars(self.config, batch, state)]
        if self.config.remaining_graph:
            customers = allowed.clone()
            customers[..., 0] = False
            graph = nodes[:, None, None].repeat(1, M, K, 1, 1)
            graph = torch.where(customers[..., None], graph, 0.0).mean(-2)
            inputs.append(torch.where((state.location == 0)[..., None], graph, 0.0))
        own = self.input(torch.cat(inputs, -1))
        heads = self.config.num_heads
        vehicles: Tensor = self.output(
            per_trajectory_attention(
                self.query(own),
                self.key(own),
                self.value(own),
                heads,
                mask=None,
                is_joint=self.config.is_joint,
            )
        )
        return vehicles + own if self.config.vehicle_residual else vehicles


class PublishedDecoder(Decoder):
    """Attention and pointer with an axis of trajectories."""

    def forward(
        self, nodes: Tensor, vehicles: Tensor, allowed: Tensor, extra: Tensor | None
    ) -> Tensor:
        """Scores (B, M, K, N) from nodes (B, N, D), vehicles (B, M, K, D) and (B, M, K, N)."""
        M, D = vehicles.shape[1], vehicles.shape[-1]
        keys, values = self.key(nodes)[:, None], self.value(nodes)[:, None]
        mask = torch.where(allowed, 0.0, MASKED)
        attended = per_trajectory_attention(
            self.query(vehicles), keys, values, self.config.num_heads, mask, self.config.is_joint
        )
        glimpse = self.output(attended * allowed.any(-1, keepdim=True))
        pointer = self.pointer_key(nodes).transpose(1, 2)[:, None].repeat(1, M, 1, 1)
        return torch.matmul(glimpse, pointer) / math.sqrt(D)


def per_trajectory_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    num_heads: int,
    mask: Tensor | None,
    is_joint: bool,
) -> Tensor:
    """Attention of (B, M, Q, D) to (B, M or 1, N, D) with an additive mask (B, M, Q, N)."""

    def heads(tensor: Tensor) -> Tensor:
        return tensor.reshape(*tensor.shape[:3], num_heads, -1).transpose(2, 3)

    scores = torch.matmul(heads(query), heads(key).transpose(3, 4))
    scores = scores / math.sqrt(query.shape[-1] // num_heads)
    if mask is not None:
        scores = scores + mask[:, :, None]
    weights = (
        scores.flatten(3).softmax(-1).reshape(scores.shape) if is_joint else scores.softmax(-1)
    )
    return torch.matmul(weights, heads(value)).transpose(2, 3).flatten(3)
