"""FRIPN: the readable definition of the policy network, as torch modules.

Axes: B instances, M states per instance, K vehicle types, N nodes, D width, H heads. The native
decoder in `fripn.policy` and the folded form in `train.teacher` compute the same numbers.

Reference: Wan, Chen, Xu, "Deep Reinforcement Learning for Solving the Fleet Size and Mix Vehicle
Routing Problem".
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn

from fripn.policy.config import NUM_LOCAL_INPUTS, NUM_RAW_INPUTS, PolicyConfig
from fripn.train.features import (
    node_inputs,
    pair_inputs,
    pair_near,
    pair_waste,
    surroundings,
    vehicle_scalars,
)
from fripn.train.state import Batch, State, acting, availability

#: Stands for −∞ inside softmax: a row without any available node stays finite, and so does
#: its gradient.
MASKED = -1e9


class Policy(nn.Module):
    """Node encoder, vehicle encoder, decoder and, if the configuration has one, the pair term.

    Parameters
    ----------
    config
        Sizes, feature set, and whether the remaining graph embedding is an input.
    """

    def __init__(self, config: PolicyConfig) -> None:
        super().__init__()
        self.config = config
        self.clip = config.clip
        self.encoder = Encoder(config)
        self.vehicle = VehicleEncoder(config)
        self.decoder = Decoder(config)
        # Last, so that the other weights are drawn alike with and without it.
        self.pair = PairTerm(config) if config.pair_width else None

    def encode(self, batch: Batch) -> Tensor:
        """Embed the nodes, once per instance: (B, N, D)."""
        embeddings: Tensor = self.encoder(batch.coordinates.float(), batch.demands.float())
        return embeddings

    def forward(self, nodes: Tensor, batch: Batch, state: State) -> Tensor:
        """Log-probabilities of all actions: (B, M, K·N), −∞ where unavailable.

        Parameters
        ----------
        nodes
            (B, N, D) from `encode`.
        batch, state
            The instances and their states.
        """
        allowed = availability(batch, state)
        vehicles = self.vehicle(nodes, batch, state, allowed)
        allowed = self.choices(state, allowed)
        extra = None if self.pair is None else self.pair(nodes, batch, state)
        scores = self.decoder(nodes, vehicles, allowed, extra)
        logits = self.clip * torch.tanh(scores)
        return masked_log_softmax(logits.flatten(2), allowed.flatten(2))

    def choices(self, state: State, allowed: Tensor) -> Tensor:
        """Of the nodes available to each type, (B, M, K, N), those that can be chosen now."""
        return allowed & acting(state)[..., None] if self.config.route_by_route else allowed

    @contextmanager
    def at_temperature(self, temperature: float) -> Iterator[None]:
        """Divide all logits by a temperature within the context: a larger clip is just that."""
        self.clip = self.config.clip / temperature
        try:
            yield
        finally:
            self.clip = self.config.clip


class Encoder(nn.Module):
    """Depot and customers through linear maps of their own, then attention layers."""

    def __init__(self, config: PolicyConfig) -> None:
        super().__init__()
        self.depot = nn.Linear(2, config.width)
        self.customer = nn.Linear(3, config.width)
        self.layers = nn.ModuleList(EncoderLayer(config) for _ in range(config.num_layers))

    def forward(self, coordinates: Tensor, demands: Tensor) -> Tensor:
        """(B, N, 2) and (B, N) to (B, N, D)."""
        depot = self.depot(coordinates[:, :1])
        customers = self.customer(torch.cat([coordinates, demands[..., None]], -1)[:, 1:])
        nodes = torch.cat([depot, customers], 1)
        for layer in self.layers:
            nodes = layer(nodes)
        return nodes


class EncoderLayer(nn.Module):
    """n = IN(MHA(h) + h), then IN(FF(n) + n)."""

    def __init__(self, config: PolicyConfig) -> None:
        super().__init__()
        width = config.width
        self.num_heads = config.num_heads
        self.is_joint = config.is_joint
        self.query = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(width, width, bias=False)
        self.value = nn.Linear(width, width, bias=False)
        self.output = nn.Linear(width, width)
        self.norm1 = InstanceNorm(width)
        self.ff1 = nn.Linear(width, config.ff_width)
        self.ff2 = nn.Linear(config.ff_width, width)
        self.norm2 = InstanceNorm(width)

    def forward(self, nodes: Tensor) -> Tensor:
        """(B, N, D) to (B, N, D)."""
        group = nodes.shape[1] if self.is_joint else 1
        attended = attention(
            self.query(nodes), self.key(nodes), self.value(nodes), self.num_heads, None, group
        )
        nodes = self.norm1(self.output(attended) + nodes)
        hidden: Tensor = self.norm2(self.ff2(torch.relu(self.ff1(nodes))) + nodes)
        return hidden


class InstanceNorm(nn.Module):
    """Normalise each channel over the nodes of one instance; biased variance, affine."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))

    def forward(self, nodes: Tensor) -> Tensor:
        """(B, N, D) to (B, N, D)."""
        # torch.var_mean over an inner axis takes four times as long on a CPU.
        centred = nodes - nodes.mean(1, keepdim=True)
        variance = centred.square().mean(1, keepdim=True)
        return centred * (self.weight * torch.rsqrt(variance + 1e-5)) + self.bias


class VehicleEncoder(nn.Module):
    """One vector per type from its place, its scalars and the graph it could serve."""

    def __init__(self, config: PolicyConfig) -> None:
        super().__init__()
        width = config.width
        self.config = config
        inputs = width + config.num_scalars + (width if config.remaining_graph else 0)
        self.input = nn.Linear(inputs, width)
        self.query = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(width, width, bias=False)
        self.value = nn.Linear(width, width, bias=False)
        self.output = nn.Linear(width, width)

    def forward(self, nodes: Tensor, batch: Batch, state: State, allowed: Tensor) -> Tensor:
        """(B, M, K, D) from nodes (B, N, D) and the nodes available to each type."""
        B, M, K = state.location.shape
        rows = torch.arange(B, device=nodes.device)[:, None, None]
        inputs = [nodes[rows, state.location], vehicle_scalars(self.config, batch, state)]
        if self.config.remaining_graph:
            candidate = (state.location == 0).to(nodes.dtype)
            customers = allowed.to(nodes.dtype)
            customers[..., 0] = 0.0
            graph = torch.einsum("bmkn,bnd->bmkd", customers, nodes) / batch.num_nodes
            inputs.append(candidate[..., None] * graph)
        own: Tensor = self.input(torch.cat(inputs, -1)).flatten(0, 1)
        group = K if self.config.is_joint else 1
        attended = attention(
            self.query(own), self.key(own), self.value(own), self.config.num_heads, None, group
        )
        vehicles: Tensor = self.output(attended)
        if self.config.vehicle_residual:
            vehicles = vehicles + own
        return vehicles.reshape(B, M, K, -1)


class Decoder(nn.Module):
    """Each type attends to the nodes available to it, then scores them."""

    def __init__(self, config: PolicyConfig) -> None:
        super().__init__()
        width = config.width
        self.config = config
        self.query = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(width, width, bias=False)
        self.value = nn.Linear(width, width, bias=False)
        self.output = nn.Linear(width, width)
        self.pointer_key = nn.Linear(width, width, bias=False)

    def forward(
        self, nodes: Tensor, vehicles: Tensor, allowed: Tensor, extra: Tensor | None
    ) -> Tensor:
        """Scores (B, M, K, N) from nodes (B, N, D), vehicles (B, M, K, D) and (B, M, K, N).

        `extra` (B, M, K, N) from the pair term, if there is one, is added.
        """
        B, M, K, D = vehicles.shape
        mask = allowed.reshape(B, M * K, -1)
        attended = attention(
            self.query(vehicles).reshape(B, M * K, D),
            self.key(nodes),
            self.value(nodes),
            self.config.num_heads,
            mask,
            K if self.config.is_joint else 1,
        )
        # A type with nowhere to go attends to nothing: its attention is the zero vector.
        attended = attended * mask.any(-1, keepdim=True)
        glimpse = self.output(attended)
        products: Tensor = glimpse @ self.pointer_key(nodes).transpose(1, 2)
        scores = products.reshape(B, M, K, -1) / math.sqrt(D)
        if extra is not None:
            scores = scores + extra
        return scores


class PairTerm(nn.Module):
    """A small network per (type, node) for what neither embedding nor attention can express.

    Instance normalisation hides how large a demand is, and a dot product of embeddings is a poor
    measure of the distance between vehicle and node; both enter here as they are. The hidden
    layer is a sum over node, type and pair, so all but the pair's own part is computed once per
    node or once per type. The output starts at 0: the term has no effect until it is trained.
    """

    def __init__(self, config: PolicyConfig) -> None:
        super().__init__()
        width, hidden = config.width, config.pair_width
        self.config = config
        self.node = nn.Linear(width, hidden, bias=False)
        self.raw = nn.Linear(NUM_RAW_INPUTS, hidden, bias=False)
        self.location = nn.Linear(width, hidden, bias=False)
        self.scalars = nn.Linear(config.num_scalars, hidden)
        self.distance = nn.Linear(2, hidden, bias=False)
        self.fill = nn.Linear(1, hidden, bias=False)
        self.output = nn.Linear(hidden, 1, bias=False)
        nn.init.zeros_(self.output.weight)
        self.waste = nn.Linear(1, hidden, bias=False) if config.has_pack else None
        self.near = nn.Linear(1, hidden, bias=False) if config.has_near else None
        self.local = nn.Linear(NUM_LOCAL_INPUTS, hidden, bias=False) if config.has_local else None

    def forward(self, nodes: Tensor, batch: Batch, state: State) -> Tensor:
        """(B, M, K, N), to be added to the scores before the tanh, from nodes (B, N, D)."""
        scores: Tensor = self.output(torch.relu(self.hidden(nodes, batch, state)))[..., 0]
        return scores

    def hidden(self, nodes: Tensor, batch: Batch, state: State) -> Tensor:
        """(B, M, K, N, P): the hidden layer before its relu."""
        rows = torch.arange(len(nodes), device=nodes.device)[:, None, None]
        of_node = self.node(nodes) + self.raw(node_inputs(batch))
        of_type = self.location(nodes)[rows, state.location] + self.scalars(
            vehicle_scalars(self.config, batch, state)
        )
        distance, root, fill = pair_inputs(batch, state)
        per_distance = self.distance(torch.stack([torch.ones_like(root), root], -1))
        of_pair = distance[..., None] * per_distance[:, :, None, None]
        of_pair = of_pair + self.fill(fill[..., None])[:, None]
        if self.waste is not None:
            of_pair = of_pair + self.waste(pair_waste(batch, state)[..., None])
        if self.near is not None:
            of_pair = of_pair + self.near(pair_near(batch, state)[..., None])
        if self.local is not None:
            of_pair = of_pair + self.local(surroundings(batch, state))[:, :, None]
        hidden: Tensor = of_node[:, None, None] + of_type[:, :, :, None] + of_pair
        return hidden


def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    num_heads: int,
    mask: Tensor | None,
    group: int = 1,
) -> Tensor:
    """Multi-head attention without its output map.

    Parameters
    ----------
    query
        (B, Q, D).
    key, value
        (B, N, D).
    num_heads
        H, a divisor of D.
    mask
        (B, Q, N), true where a query may attend; None for everywhere.
    group
        This many consecutive queries share one softmax over all their pairs of a query and a key
        (`PolicyConfig.attention`); a divisor of Q.
    """

    def heads(tensor: Tensor) -> Tensor:
        return tensor.reshape(*tensor.shape[:2], num_heads, -1).transpose(1, 2)

    query = query / math.sqrt(query.shape[-1] // num_heads)
    scores = heads(query) @ heads(key).transpose(-1, -2)
    if mask is not None:
        # Adding is twice as fast as filling, forward and backward.
        scores = scores + torch.where(mask, 0.0, MASKED)[:, None]
    B, H, Q, N = scores.shape
    weights = scores.reshape(B, H, Q // group, group * N).softmax(-1).reshape(B, H, Q, N)
    return (weights @ heads(value)).transpose(1, 2).flatten(2)


def masked_log_softmax(scores: Tensor, allowed: Tensor) -> Tensor:
    """Log-softmax over the last axis where allowed; −∞ elsewhere."""
    logs = scores.masked_fill(~allowed, MASKED).log_softmax(-1)
    return logs.masked_fill(~allowed, -math.inf)
