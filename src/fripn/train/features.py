"""What the network is told about each vehicle type at each step, besides the node embeddings.

The scalars are data, not parameters: they are computed in float64 and handed over in float32.
"""

from __future__ import annotations

import torch
from torch import Tensor

from fripn.policy.config import PolicyConfig
from fripn.train.state import Batch, State


def vehicle_scalars(config: PolicyConfig, batch: Batch, state: State) -> Tensor:
    """(B, M, K, S) in the order of the columns of ``vehicle.input``.

    Remaining load, capacity, unit cost, the fixed cost while a candidate (the paper's AF1), then
    the cover scalars if the configuration has them.
    """
    remaining = batch.capacities[:, None] - state.carried
    candidate = (state.location == 0).to(torch.float64)
    scalars = [
        remaining,
        batch.capacities[:, None].expand_as(remaining),
        batch.unit_costs[:, None].expand_as(remaining),
        candidate * batch.fixed_costs[:, None],
    ]
    if config.features == "cover":
        scalars += cover_scalars(batch, state)
    return torch.stack(scalars, -1).to(torch.float32)


def node_inputs(batch: Batch) -> Tensor:
    """(B, N, 3): what the pair term is told about each node itself.

    Distance to the depot, demand, and whether it is the depot.
    """
    gaps = batch.coordinates - batch.coordinates[:, :1]
    is_depot = torch.zeros_like(batch.demands)
    is_depot[:, 0] = 1.0
    inputs = [torch.hypot(gaps[..., 0], gaps[..., 1]), batch.demands, is_depot]
    return torch.stack(inputs, -1).to(torch.float32)


def pair_inputs(batch: Batch, state: State) -> tuple[Tensor, Tensor, Tensor]:
    """Give what the pair term is told about types and nodes together.

    Returns
    -------
    tuple
        Distances (B, M, K, N) from each type's place to each node, in the coordinates that the
        encoder sees even where a matrix is what is paid; the square root (B, M) of the number of
        unserved customers, as distances between neighbours shrink with it; and the share (B, K, N)
        of each type's capacity that a customer fills.
    """
    rows = torch.arange(batch.num_instances, device=batch.demands.device)[:, None, None]
    here = batch.coordinates[rows, state.location][:, :, :, None]
    gaps = here - batch.coordinates[:, None, None]
    distances = torch.hypot(gaps[..., 0], gaps[..., 1]).to(torch.float32)
    num_open = (~state.visited[:, :, 1:]).sum(-1)
    fill = batch.demands[:, None] / batch.capacities[..., None]
    return distances, num_open.to(torch.float32).sqrt(), fill.to(torch.float32)


def cover_scalars(batch: Batch, state: State) -> list[Tensor]:
    """Thirteen (B, M, K) tensors that say how far the fleet on offer covers what is left.

    `u` is the unserved demand, `free` the room of the vehicles on the road, `net` what of `u` must
    go to vehicles not yet hired. G(w), the least fixed cost of vehicles whose capacities
    together cover w, prices both hiring a type (its regret) and the room of a vehicle on the road.
    """
    B, M, K = state.location.shape
    candidate = (state.location == 0).to(torch.float64)
    employed = 1.0 - candidate
    capacity = batch.capacities[:, None].expand(B, M, K)
    price = batch.fixed_costs[:, None]
    remaining = capacity - state.carried
    open_demand = torch.where(state.visited, 0.0, batch.demands[:, None])
    u = open_demand.sum(-1, keepdim=True)
    free = (employed * remaining).sum(-1, keepdim=True)
    net = (u - free).clamp(min=0.0)
    num_open = (~state.visited[:, :, 1:]).sum(-1, keepdim=True) / (batch.num_nodes - 1)

    def least_cost(demand: Tensor) -> Tensor:
        """Look G up for demands (B, M, any)."""
        cell = torch.ceil(demand / batch.cover_step[:, None, None] - 1e-6).to(torch.int64)
        cell = cell.clamp(0, batch.cover.shape[1] - 1)
        return batch.cover.gather(1, cell.reshape(B, -1)).reshape(cell.shape)

    total = batch.demands.sum(-1)[:, None, None]
    level = least_cost(total) / torch.where(total > 0, total, 1.0)
    level = torch.where(level > 0, level, 1.0)
    g_u = least_cost(u)
    regret_u = price + least_cost(u - capacity) - g_u
    regret_net = price + least_cost(net - capacity) - least_cost(net)
    value = g_u - least_cost(u - remaining)
    # All demand served: the ratios below stand for "more than enough" of everything.
    safe_u = torch.where(u > 0, u, 1e-9)
    return [
        (0.1 * u).expand(B, M, K),
        (0.1 * net).expand(B, M, K),
        (u / capacity).clamp(max=3.0),
        (free / safe_u).clamp(max=2.0).expand(B, M, K),
        candidate * regret_u,
        candidate * regret_net,
        candidate * regret_u / level,
        candidate * regret_net / level,
        employed * value,
        employed * (value / level - remaining),
        candidate,
        num_open.expand(B, M, K),
        employed * (remaining / safe_u).clamp(max=1.0),
    ]
