"""Inputs of the network about each vehicle type at each step, besides the node embeddings.

The scalars are data, not parameters: they are computed in float64 and handed over in float32.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from fripn import _core
from fripn.policy.config import NUM_LOCAL_INPUTS, PolicyConfig
from fripn.train.state import Batch, State

#: Bounds the memory that subset sums take: a megabyte or two per thousand states and 1024 cells.
STATES_AT_ONCE = 2048


def vehicle_scalars(config: PolicyConfig, batch: Batch, state: State) -> Tensor:
    """(B, M, K, S): the scalars of ``config.scalar_names``, in their order."""
    remaining = batch.capacities[:, None] - state.carried
    candidate = (state.location == 0).to(torch.float64)
    scalars = {
        "remaining_load": remaining,
        "capacity": batch.capacities[:, None].expand_as(remaining),
        "unit_cost": batch.unit_costs[:, None].expand_as(remaining),
        "fixed_cost": candidate * batch.fixed_costs[:, None],  # the paper's AF1
    }
    if config.has_cover:
        scalars |= cover_scalars(batch, state)
    if config.has_pack:
        scalars |= {"slack": cover_slack(batch, state), "waste": type_waste(batch, state)}
    return torch.stack([scalars[name] for name in config.scalar_names], -1).to(torch.float32)


def node_inputs(batch: Batch) -> Tensor:
    """(B, N, 3): inputs of the pair term about each node itself.

    Distance to the depot, demand, and whether it is the depot.
    """
    gaps = batch.coordinates - batch.coordinates[:, :1]
    is_depot = torch.zeros_like(batch.demands)
    is_depot[:, 0] = 1.0
    inputs = [torch.hypot(gaps[..., 0], gaps[..., 1]), batch.demands, is_depot]
    return torch.stack(inputs, -1).to(torch.float32)


def pair_inputs(batch: Batch, state: State) -> tuple[Tensor, Tensor, Tensor]:
    """Return the inputs of the pair term about types and nodes together.

    Returns
    -------
    tuple
        Distances (B, M, K, N) from each type's place to each node, in the coordinates of
        the encoder even where a matrix determines costs; the square root (B, M) of the number of
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


def cover_scalars(batch: Batch, state: State) -> dict[str, Tensor]:
    """(B, M, K) tensors by name about how far the available fleet covers what is left.

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
    return {
        "unserved": (0.1 * u).expand(B, M, K),
        "net_demand": (0.1 * net).expand(B, M, K),
        "unserved_per_capacity": (u / capacity).clamp(max=3.0),
        "free_per_unserved": (free / safe_u).clamp(max=2.0).expand(B, M, K),
        "regret": candidate * regret_u,
        "net_regret": candidate * regret_net,
        "relative_regret": candidate * regret_u / level,
        "relative_net_regret": candidate * regret_net / level,
        "value": employed * value,
        "relative_value": employed * (value / level - remaining),
        "is_candidate": candidate,
        "share_unserved": num_open.expand(B, M, K),
        "load_per_unserved": employed * (remaining / safe_u).clamp(max=1.0),
    }


def cover_slack(batch: Batch, state: State) -> Tensor:
    """(B, M, K), equal for all types: how much more demand the cheapest cover would take.

    That is how far the demand that is left for vehicles not yet hired lies from where G rises next
    (below 0, where vehicles on the road have room to spare); at most 1.
    """
    B, M, K = state.location.shape
    remaining = batch.capacities[:, None] - state.carried
    free = torch.where(state.location > 0, remaining, 0.0).sum(-1)
    net = torch.where(state.visited, 0.0, batch.demands[:, None]).sum(-1) - free
    cell = torch.ceil(net / batch.cover_step[:, None] - 1e-6).to(torch.int64)
    end = batch.plateau.gather(1, cell.clamp(0, batch.plateau.shape[1] - 1))
    slack = (end - net).clamp(0.0, _core.LARGEST_SLACK)
    return slack[..., None].expand(B, M, K)


def type_waste(batch: Batch, state: State) -> Tensor:
    """(B, M, K): room of each type's vehicle that no subset of the unserved customers fills.

    At most 1; 0 while more than `_core.MAX_PACKED_CUSTOMERS` customers are unserved.
    """
    waste = torch.zeros_like(state.carried)
    for part in _packable(batch, state):
        sums = part.extended(part.no_sums(), 0, part.cells.shape[1])
        waste[part.index] = part.unfilled(part.room, sums)
    return waste


def pair_waste(batch: Batch, state: State) -> Tensor:
    """(B, M, K, N), float32: `type_waste` as it will be after going to each node.

    For a customer it is what the other unserved customers cannot fill of the room that is then
    left; it is undefined where the customer does not fit. For the depot it is the room given up
    by returning, however many customers are left.
    """
    waste = torch.zeros(*state.carried.shape, batch.num_nodes).to(state.carried)
    for part in _packable(batch, state):
        after = torch.zeros(*part.room.shape, batch.num_nodes).to(waste)
        for place, sums in part.leave_one_out(part.no_sums(), 0, part.cells.shape[1]):
            found = part.unfilled(part.room - part.demands[:, place, None], sums)
            nodes = part.nodes[:, place, None, None].expand(*part.room.shape, 1)
            after.scatter_(2, nodes, (found * part.is_open[:, place, None])[..., None])
        waste[part.index] = after
    waste[..., 0] = (batch.capacities[:, None] - state.carried).clamp(max=1.0)
    return waste.to(torch.float32)


def pair_near(batch: Batch, state: State) -> Tensor:
    """(B, M, K, N), float32: what stays empty if a vehicle ends near each node after going there.

    Of the room that is then left, what no subset of the nearest unserved customers fills: the first
    `_core.NUM_NEAR_USED` of the `_core.NUM_NEAR_LISTED` nearest. 0 where all of them fit or the
    room is larger than `_core.LARGEST_NEAR_ROOM`; it is undefined where the customer does not fit.
    For the depot it is the room given up by returning, and for a vehicle not yet hired 0. In tenths
    of a unit of load, at most 1.
    """
    room = batch.capacities[:, None] - state.carried
    rest = room[..., None] - batch.demands[:, None, None]
    rows = torch.arange(batch.num_instances, device=rest.device)[:, None, None]
    is_open = ~state.visited & (torch.arange(batch.num_nodes, device=rest.device) > 0)
    near = _nearest(batch)
    is_open = is_open.transpose(1, 2)[rows, near].permute(0, 3, 1, 2)  # (B, M, N, listed)
    is_used = is_open & (is_open.cumsum(-1) <= _core.NUM_NEAR_USED)
    # Those used come first, in the order of the list.
    first, places = is_used.to(torch.int8).sort(dim=-1, descending=True, stable=True)
    cells = batch.load_cells[rows, near][:, None].expand(*is_used.shape).gather(-1, places)
    cells = torch.where(first > 0, cells, 0)[..., : _core.NUM_NEAR_USED].to(torch.int64)
    numbers = torch.arange(2 ** cells.shape[-1], device=rest.device)
    subsets = numbers[:, None] >> torch.arange(cells.shape[-1], device=rest.device) & 1
    sums = (cells.to(torch.float64) @ subsets.T.to(torch.float64)).to(torch.int64)
    unit = batch.load_units[:, None, None]
    empty = torch.zeros_like(rest)
    for k in range(batch.num_types):
        after = rest[:, :, k]
        cell = torch.floor(after / unit + 1e-6).to(torch.int64).clamp(min=0)[..., None]
        largest = torch.where(sums <= cell, sums, 0).amax(-1)
        counts = (cells.sum(-1) > cell[..., 0]) & (after <= _core.LARGEST_NEAR_ROOM)
        empty[:, :, k] = torch.where(counts, after - unit * largest, 0.0)
    empty[..., 0] = room
    empty = torch.where(state.location[..., None] > 0, empty, 0.0)
    return (_core.NEAR_SCALE * empty).clamp(0.0, 1.0).to(torch.float32)


def surroundings(batch: Batch, state: State) -> Tensor:
    """(B, M, N, 6), float32: what is still unserved around each customer; 0 for the depot.

    Distances to the nearest and to the second nearest unserved customer; which share of the
    `_core.NUM_NEAR_LISTED` nearest is unserved, and their demand; how many unserved customers have
    this one as their nearest, and how much farther these would have to go to their second nearest,
    all together. Distances are multiplied by the root of the number of customers, demands and
    numbers in units of `_core.SURROUNDING_LOAD` and `_core.SURROUNDING_FOLLOWERS`. Where a list has
    no more unserved customers, the distance is that of its last one. All this is undefined for
    customers that are served.
    """
    near = _nearest(batch)
    inputs = torch.zeros(*state.visited.shape, NUM_LOCAL_INPUTS).to(batch.coordinates)
    if near.shape[-1] == 0:
        return inputs.to(torch.float32)
    rows = torch.arange(batch.num_instances, device=near.device)[:, None, None]
    gaps = batch.coordinates[:, :, None] - batch.coordinates[rows, near]
    distances = gaps.square().sum(-1).sqrt() * (batch.num_nodes - 1) ** 0.5
    is_open = ~state.visited.transpose(1, 2)[rows, near].permute(0, 3, 1, 2)  # (B, M, N, listed)
    distances = distances[:, None].expand(is_open.shape)
    place = is_open.to(torch.int8).argmax(-1, keepdim=True)  # of the first one
    others = is_open.scatter(-1, place, False)
    for column, left in enumerate((is_open, others)):
        first = distances.gather(-1, left.to(torch.int8).argmax(-1, keepdim=True))
        is_any = left.any(-1, keepdim=True)
        inputs[..., column] = torch.where(is_any, first, distances[..., -1:])[..., 0]
    inputs[..., 2] = is_open.to(inputs).mean(-1)
    inputs[..., 3] = (is_open * batch.demands[rows, near][:, None]).sum(-1) / _core.SURROUNDING_LOAD
    follows = (is_open.any(-1) & ~state.visited).to(inputs)
    follows[..., 0] = 0.0
    nearest = near[:, None].expand(is_open.shape).gather(-1, place)[..., 0]
    zeros = torch.zeros_like(follows)
    followers = zeros.scatter_add(2, nearest, follows)
    inputs[..., 4] = followers / _core.SURROUNDING_FOLLOWERS
    inputs[..., 5] = zeros.scatter_add(2, nearest, follows * (inputs[..., 1] - inputs[..., 0]))
    inputs[:, :, 0] = 0.0
    return inputs.to(torch.float32)


def _nearest(batch: Batch) -> Tensor:
    """(B, N, L): the customers nearest to each node, equals in the order of their numbers."""
    gaps = batch.coordinates[:, :, None] - batch.coordinates[:, None]
    distances = gaps.square().sum(-1)
    distances[..., 0] = torch.inf
    distances.diagonal(dim1=1, dim2=2).fill_(torch.inf)
    count = min(_core.NUM_NEAR_LISTED, batch.num_nodes - 2)
    return distances.sort(dim=-1, stable=True).indices[..., :count]


@dataclass(frozen=True, slots=True)
class _Packable:
    """S states with few customers left, which are at the first of P places.

    `index` finds the states among all; `room` is (S, K), `unit` (S,), `nodes`, `is_open`, `demands`
    and `cells` (0 where there is no customer) are (S, P).
    """

    index: tuple[Tensor, Tensor]
    room: Tensor
    unit: Tensor
    nodes: Tensor
    is_open: Tensor
    demands: Tensor
    cells: Tensor

    def no_sums(self) -> Tensor:
        """(S, cells): which sums the subsets of no demands have."""
        last = int(self._cell(self.room).max())
        sums = torch.zeros(len(self.room), last + 1, dtype=torch.bool, device=self.room.device)
        sums[:, 0] = True
        return sums

    def extended(self, sums: Tensor, first: int, last: int) -> Tensor:
        """Extend the subsets behind sums (S, cells) by customers at places first … last − 1."""
        sizes = torch.arange(sums.shape[1], device=sums.device)
        for place in range(first, last):
            source = sizes - self.cells[:, place, None]
            sums = sums | (sums.gather(1, source.clamp(min=0)) & (source >= 0))
        return sums

    def leave_one_out(self, sums: Tensor, first: int, last: int) -> Iterator[tuple[int, Tensor]]:
        """Yield each place from first to last − 1 with the sums of all customers but that one.

        `sums` are those of the customers at all other places.
        """
        if last - first == 1:
            yield first, sums
            return
        middle = (first + last) // 2
        yield from self.leave_one_out(self.extended(sums, middle, last), first, middle)
        yield from self.leave_one_out(self.extended(sums, first, middle), middle, last)

    def unfilled(self, room: Tensor, sums: Tensor) -> Tensor:
        """(S, K): what the largest of the sums (S, cells) that fits leaves of the room (S, K)."""
        sizes = torch.arange(sums.shape[1], device=sums.device)
        largest = torch.where(sums, sizes, 0).cummax(1).values.gather(1, self._cell(room))
        return (room - self.unit[:, None] * largest).clamp(0.0, 1.0)

    def _cell(self, room: Tensor) -> Tensor:
        return torch.floor(room / self.unit[:, None] + 1e-6).to(torch.int64).clamp(min=0)


def _packable(batch: Batch, state: State) -> Iterator[_Packable]:
    """Gather the states where subset sums are computed, a few thousand at a time."""
    is_open = ~state.visited
    is_open[..., 0] = False
    count = is_open.sum(-1)
    found = ((count > 0) & (count <= _core.MAX_PACKED_CUSTOMERS)).nonzero(as_tuple=True)
    for b, m in zip(*(torch.split(at, STATES_AT_ONCE) for at in found), strict=True):
        open_first, nodes = is_open[b, m].to(torch.int8).sort(dim=1, descending=True, stable=True)
        places = int(count[b, m].max())
        open_first, nodes = open_first[:, :places] > 0, nodes[:, :places]
        yield _Packable(
            index=(b, m),
            room=batch.capacities[b] - state.carried[b, m],
            unit=batch.load_units[b],
            nodes=nodes,
            is_open=open_first,
            demands=batch.demands[b].gather(1, nodes),
            cells=torch.where(open_first, batch.load_cells[b].gather(1, nodes), 0),
        )
