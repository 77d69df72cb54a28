"""The decoder's forward and backward pass over given trajectories, fused in the core; CPU only.

Torch folds the weights and encodes the nodes, so that its autograd carries the gradient on to the
parameters; between the folded tables and the log-probabilities lies one native pass over each
trajectory, without any tensor per step. `train.teacher` is the readable form, and the tests tie
the two together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from fripn import _core
from fripn.policy.config import NUM_LOCAL_INPUTS, PolicyConfig
from fripn.policy.fold import BIAS_COLUMNS, NUM_PAIR_ROWS
from fripn.train.network import Policy
from fripn.train.state import UNLIMITED, Batch


def fused_log_probs(
    policy: Policy,
    nodes: Tensor,
    batch: Batch,
    actions: Tensor,
    *,
    ends: Tensor | None = None,
    first_type_given: bool = False,
    weights: Tensor | None = None,
) -> Tensor:
    """Do what `teacher.decision_log_probs` does.

    With `weights`, the gradient is computed in the same pass as the log-probabilities, which are
    then 0 where the weight is. Should the loss turn out to weigh the decisions otherwise, the
    gradient is computed again.
    """
    folded = _fold(policy)
    call = _Call(policy, batch, actions, weights, ends, first_type_given)
    logs: Tensor = _Fused.apply(call, nodes @ folded[0], *folded)  # type: ignore[no-untyped-call]
    return logs


@torch.no_grad()
def fold_policy(policy: Policy) -> _core.PolicyDecoder:
    """Fold the current weights for the native decoder."""
    return _core_decoder(policy.config, policy.clip, _fold(policy))


class _Call:
    """What carries no gradient."""

    def __init__(
        self,
        policy: Policy,
        batch: Batch,
        actions: Tensor,
        weights: Tensor | None,
        ends: Tensor | None,
        first_type_given: bool,
    ) -> None:
        self.config = policy.config
        self.clip = policy.clip
        available = batch.available.numpy()
        self.problems = (
            batch.demands.numpy(),
            batch.capacities.numpy(),
            batch.fixed_costs.numpy(),
            batch.unit_costs.numpy(),
            np.where(available == UNLIMITED, -1, available),
            batch.coordinates.numpy(),
            batch.load_units.numpy(),
            batch.load_cells.numpy(),
        )
        self.weights = None if weights is None else weights.detach().to(torch.float32)
        self.options: dict[str, Any] = {
            "actions": actions.to(torch.int32).contiguous().numpy(),
            "ends": None if ends is None else ends.to(torch.uint8).contiguous().numpy(),
            "first_type_given": first_type_given,
            "threads": torch.get_num_threads(),
        }

    def gradient(
        self, tables: Tensor, folded: Sequence[Tensor], weights: Tensor
    ) -> tuple[Tensor, ...]:
        """Log-probabilities, and the gradients of the sum of weights times log-probabilities."""
        core = _core_decoder(self.config, self.clip, folded)
        logs, *gradients = core.gradient(
            tables.detach().contiguous().numpy(),
            *self.problems,
            weights=(-weights).contiguous().numpy(),
            **self.options,
        )
        return (torch.from_numpy(logs), *(torch.from_numpy(array) for array in gradients))

    def log_probs(self, tables: Tensor, folded: Sequence[Tensor]) -> Tensor:
        core = _core_decoder(self.config, self.clip, folded)
        found = core.log_probs(tables.detach().contiguous().numpy(), *self.problems, **self.options)
        return torch.from_numpy(found)


class _Fused(torch.autograd.Function):
    """Log-probabilities of decisions from tables and folded weights."""

    @staticmethod
    def forward(ctx: Any, call: _Call, tables: Tensor, *folded: Tensor) -> Tensor:
        ctx.call = call
        ctx.num_folded = len(folded)
        if call.weights is None:
            ctx.save_for_backward(tables, *folded)
            return call.log_probs(tables, folded)
        logs, *gradients = call.gradient(tables, folded, call.weights)
        ctx.save_for_backward(tables, *folded, *gradients)
        return logs

    @staticmethod
    def backward(ctx: Any, *outer: Tensor) -> tuple[Tensor | None, ...]:
        call: _Call = ctx.call
        tables, *saved = ctx.saved_tensors
        folded, gradients = saved[: ctx.num_folded], saved[ctx.num_folded :]
        weights = outer[0].to(torch.float32)
        factor = None if call.weights is None else _factor(weights, call.weights)
        if factor is None:
            _, *gradients = call.gradient(tables, folded, weights)
            factor = 1.0
        d_tables, *d_folded = (factor * gradient for gradient in gradients)
        # The first of the folded weights has had its part in the tables.
        return (None, d_tables, None, *d_folded)


def _factor(weights: Tensor, expected: Tensor) -> float | None:
    """By what number the expected weights have to be multiplied; None if there is none."""
    square = float((expected * expected).sum())
    factor = float((weights * expected).sum()) / square if square > 0 else 0.0
    difference = float((weights - factor * expected).abs().max())
    return factor if difference <= 1e-6 * float(weights.abs().max()) else None


def _core_decoder(
    config: PolicyConfig, clip: float, folded: Sequence[Tensor]
) -> _core.PolicyDecoder:
    nodes, scalars, bias, query, query_bias, pairs = (
        part.detach().contiguous().numpy() for part in folded
    )
    return _core.PolicyDecoder(
        num_heads=config.num_heads,
        head_width=config.head_width,
        clip=clip,
        has_cover=config.has_cover,
        has_pack=config.has_pack,
        has_near=config.has_near,
        has_local=config.has_local,
        has_graph=config.remaining_graph,
        has_residual=config.vehicle_residual,
        route_by_route=config.route_by_route,
        nodes=nodes,
        scalars=scalars,
        bias=bias,
        query=query,
        query_bias=query_bias,
        pairs=pairs,
    )


def _fold(policy: Policy) -> tuple[Tensor, ...]:
    """Do what `fripn.policy.fold.fold` does, with gradients.

    Gives nodes, scalars, bias, query, query_bias and pairs for the core.
    """
    config, vehicle, decoder = policy.config, policy.vehicle, policy.decoder
    D, H = config.width, config.num_heads
    to_log2 = math.log2(math.e) / math.sqrt(config.head_width)
    to_tanh = 2 * math.log2(math.e) / math.sqrt(D)
    node_query = _by_head(decoder.query.weight * to_log2, H)
    rows = [
        _by_channel(vehicle.query.weight * to_log2, H),
        _by_channel(vehicle.key.weight, H),
        _by_channel(vehicle.value.weight, H),
    ]
    if config.vehicle_residual:
        rows.append(node_query)
    stacked = torch.cat(rows)
    folded = stacked @ vehicle.input.weight
    bias = stacked @ vehicle.input.bias
    if policy.pair is not None:
        own = torch.cat([policy.pair.location.weight, policy.pair.scalars.weight], 1)
        own = torch.nn.functional.pad(own, (0, folded.shape[1] - own.shape[1]))
        folded = torch.cat([folded, _padded(own)])
        bias = torch.cat([bias, _padded(policy.pair.scalars.bias[:, None])[:, 0]])
    graph_width = D if config.remaining_graph else 0
    location, scalars, graph = torch.split(folded, [D, config.num_scalars, graph_width], 1)
    pointer_key = decoder.pointer_key.weight * to_tanh
    bias_row = (decoder.output.bias @ pointer_key)[None]
    columns = [
        location,
        graph,
        _by_head(decoder.key.weight, H),
        _by_head(decoder.value.weight, H),
        _by_head(decoder.output.weight.T, H) @ pointer_key,
        torch.nn.functional.pad(bias_row, (0, 0, 0, BIAS_COLUMNS - 1)),
    ]
    if not config.remaining_graph:
        del columns[1]
    pairs = stacked.new_zeros((NUM_PAIR_ROWS, 0))
    if policy.pair is not None:
        pair = policy.pair
        columns.append(_padded(pair.node.weight))
        to_pairs = [pair.raw.weight, pair.distance.weight, pair.fill.weight]
        none = torch.zeros_like(pair.fill.weight)
        for part in (pair.waste, pair.near):
            to_pairs.append(none if part is None else part.weight)
        none = none.expand(-1, NUM_LOCAL_INPUTS)
        to_pairs.append(none if pair.local is None else pair.local.weight)
        to_pairs.append(pair.output.weight.T * (2 * math.log2(math.e)))
        pairs = _padded(torch.cat(to_pairs, 1)).T
    return (
        torch.cat(columns).T,
        scalars.T,
        bias,
        _by_channel(vehicle.output.weight.T, H) @ node_query.T,
        node_query @ vehicle.output.bias,
        pairs,
    )


def _by_channel(weight: Tensor, num_heads: int) -> Tensor:
    """Rows (D, inputs) in the order channel, head; heads padded to 8, all to 16."""
    heads = weight.reshape(num_heads, -1, weight.shape[1]).transpose(0, 1)
    padded = torch.nn.functional.pad(heads, (0, 0, 0, -num_heads % 8)).flatten(0, 1)
    return torch.nn.functional.pad(padded, (0, 0, 0, -len(padded) % 16))


def _by_head(weight: Tensor, num_heads: int) -> Tensor:
    """Rows (D, inputs) in the order head, channel; channels padded to 16."""
    heads = weight.reshape(num_heads, -1, weight.shape[1])
    return torch.nn.functional.pad(heads, (0, 0, 0, -heads.shape[1] % 16)).flatten(0, 1)


def _padded(weight: Tensor) -> Tensor:
    """Rows (P, inputs) of the pair term; padded to 16."""
    return torch.nn.functional.pad(weight, (0, 0, 0, -len(weight) % 16))
