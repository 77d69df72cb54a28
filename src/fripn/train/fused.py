"""The losses with the decoder's forward and backward pass fused in the core; CPU only.

Torch folds the weights and encodes the nodes, so that its autograd carries the gradient on to the
parameters; between the folded tables and the loss lies one native pass over each trajectory.
`train.teacher` is the readable form, and the tests tie the two together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from fripn import _core
from fripn.policy.config import PolicyConfig
from fripn.policy.fold import BIAS_COLUMNS
from fripn.train.network import Policy
from fripn.train.reinforce import advantages
from fripn.train.state import UNLIMITED, Batch


def fused_imitation_loss(
    policy: Policy, batch: Batch, actions: Tensor, counts: Tensor, ends: Tensor
) -> Tensor:
    """Do what `imitation.imitation_loss` does."""
    return decision_loss(
        policy, policy.encode(batch), batch, actions, counts.to(torch.float32), ends=ends
    )


def fused_reinforce_loss(
    policy: Policy, batch: Batch, actions: Tensor, costs: Tensor, *, normalise: bool
) -> Tensor:
    """Do what `reinforce.reinforce_loss` does."""
    better = advantages(costs, normalise=normalise).to(torch.float32) / costs.shape[1]
    weights = torch.where(actions >= 0, better[..., None], 0.0)
    return decision_loss(
        policy, policy.encode(batch), batch, actions, weights, first_type_given=True
    )


def decision_loss(
    policy: Policy,
    nodes: Tensor,
    batch: Batch,
    actions: Tensor,
    weights: Tensor,
    *,
    ends: Tensor | None = None,
    first_type_given: bool = False,
) -> Tensor:
    """Minus the sum over decisions of weight times log-probability.

    Parameters
    ----------
    policy, nodes, batch
        The network, its node embeddings (B, N, D), the instances.
    actions
        (B, S, T) flat actions, −1 after the end.
    weights
        (B, S, T); decisions of weight 0 cost nothing.
    ends
        (B, K, N) bool: while all vehicles are at the depot, the target is the set of all available
        actions marked here instead of the action alone.
    first_type_given
        Whether the first decision is among its type's nodes only.
    """
    folded = _fold(policy)
    tables = nodes @ folded[0]
    call = _Call(policy.config, batch, actions, weights, ends, first_type_given)
    loss: Tensor = _Fused.apply(call, tables, *folded)  # type: ignore[no-untyped-call]
    return loss


@torch.no_grad()
def fold_policy(policy: Policy) -> _core.PolicyDecoder:
    """Fold the current weights for the native decoder."""
    return _core_decoder(policy.config, _fold(policy))


class _Call:
    """What does not carry a gradient."""

    def __init__(
        self,
        config: PolicyConfig,
        batch: Batch,
        actions: Tensor,
        weights: Tensor,
        ends: Tensor | None,
        first_type_given: bool,
    ) -> None:
        self.config = config
        available = batch.available.numpy()
        self.problems = (
            batch.demands.numpy(),
            batch.capacities.numpy(),
            batch.fixed_costs.numpy(),
            batch.unit_costs.numpy(),
            np.where(available == UNLIMITED, -1, available),
            batch.coordinates.numpy(),
        )
        self.actions = actions.to(torch.int32).contiguous().numpy()
        self.weights = weights.detach().to(torch.float32).contiguous().numpy()
        self.ends = None if ends is None else ends.to(torch.uint8).contiguous().numpy()
        self.first_type_given = first_type_given


class _Fused(torch.autograd.Function):
    """Loss and gradient come from the same pass, so `forward` keeps the gradient."""

    @staticmethod
    def forward(
        ctx: torch.autograd.function.FunctionCtx, call: _Call, tables: Tensor, *folded: Tensor
    ) -> Tensor:
        core = _core_decoder(call.config, folded)
        logs, *gradients = core.gradient(
            tables.detach().contiguous().numpy(),
            *call.problems,
            actions=call.actions,
            weights=call.weights,
            ends=call.ends,
            first_type_given=call.first_type_given,
            threads=torch.get_num_threads(),
        )
        ctx.save_for_backward(*(torch.from_numpy(array) for array in gradients))
        # Summed in float64: long batches add up many small terms.
        loss = -float((call.weights * logs).sum(dtype=np.float64))
        return tables.new_tensor(loss)

    @staticmethod
    def backward(
        ctx: torch.autograd.function.FunctionCtx, *outer: Tensor
    ) -> tuple[Tensor | None, ...]:
        saved: tuple[Tensor, ...] = ctx.saved_tensors  # type: ignore[attr-defined]
        d_tables, *d_folded = (outer[0] * gradient for gradient in saved)
        # The node matrix has had its part in the tables.
        return (None, d_tables, None, *d_folded)


def _core_decoder(config: PolicyConfig, folded: Sequence[Tensor]) -> _core.PolicyDecoder:
    nodes, scalars, bias, query, query_bias = (
        part.detach().contiguous().numpy() for part in folded
    )
    return _core.PolicyDecoder(
        num_heads=config.num_heads,
        head_width=config.head_width,
        clip=config.clip,
        has_cover=config.features == "cover",
        has_graph=config.remaining_graph,
        has_residual=config.vehicle_residual,
        nodes=nodes,
        scalars=scalars,
        bias=bias,
        query=query,
        query_bias=query_bias,
    )


def _fold(policy: Policy) -> tuple[Tensor, ...]:
    """Do what `fripn.policy.fold.fold` does, with gradients.

    Gives nodes, scalars, bias, query and query_bias for the core.
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
    return (
        torch.cat(columns).T,
        scalars.T,
        stacked @ vehicle.input.bias,
        _by_channel(vehicle.output.weight.T, H) @ node_query.T,
        node_query @ vehicle.output.bias,
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
