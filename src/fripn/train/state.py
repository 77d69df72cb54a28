"""The decision process as pure functions over named tensors: reset, availability, step, replay.

Axes: B instances, M states per instance (trajectories, or all steps of all trajectories),
K vehicle types, N = n + 1 nodes. A batch holds instances with one n and one K, so nothing is
padded. An action is flat, ``type * N + node``; −1 means that the trajectory is over.
Loads, distances and costs are float64: masks and totals must agree with `evaluate`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
import torch
from torch import Tensor

from fripn import _core
from fripn.policy.cells import CellArray
from fripn.policy.scale import scale, straight_lines
from fripn.problem import Instance
from fripn.problem.instance import SEARCH_LOAD_TOLERANCE, FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class Batch:
    """Instances of one size, already scaled to the network's ranges (see `policy.scale`).

    Parameters
    ----------
    coordinates
        (B, N, 2), depot first.
    demands
        (B, N).
    distances
        (B, N, N).
    capacities, fixed_costs, unit_costs
        (B, K).
    available
        (B, K) vehicles that can be hired; `_core.UNLIMITED` where the instance sets no limit.
    cover
        (B, C) table G: least fixed cost to cover a demand of so many cells; shorter rows
        repeat their last value.
    cover_step
        (B,) width of one cell.
    plateau
        (B, C) the largest demand that costs no more than each cell; infinity where the table ends.
    load_units
        (B,) width of a cell of load, see `fripn.policy.cells`.
    load_cells
        (B, N) demands in whole cells of load, int32.
    """

    coordinates: Tensor
    demands: Tensor
    distances: Tensor
    capacities: Tensor
    fixed_costs: Tensor
    unit_costs: Tensor
    available: Tensor
    cover: Tensor
    cover_step: Tensor
    plateau: Tensor
    load_units: Tensor
    load_cells: Tensor

    @classmethod
    def of(cls, instances: Sequence[Instance], device: torch.device | str = "cpu") -> Batch:
        """Scale and stack instances with the same numbers of customers and of types."""
        sizes = {(instance.num_customers, instance.num_types) for instance in instances}
        if len(sizes) != 1:
            raise ValueError(f"a batch needs instances of one size, but got {sorted(sizes)}")
        scaled = [scale(instance) for instance in instances]
        matrices = None
        if any(one.matrix is not None for one in scaled):
            matrices = np.stack(
                [
                    straight_lines(one.coordinates) if one.matrix is None else one.matrix
                    for one in scaled
                ]
            )
        return cls.from_arrays(
            np.stack([one.coordinates for one in scaled]),
            np.stack([one.demands for one in scaled]),
            np.stack([one.capacities for one in scaled]),
            np.stack([one.fixed_costs for one in scaled]),
            np.stack([one.unit_costs for one in scaled]),
            available=np.stack([one.available for one in scaled]),
            load_units=np.array([one.load_unit for one in scaled]),
            load_cells=np.stack([one.load_cells for one in scaled]),
            matrices=matrices,
            device=device,
        )

    @classmethod
    def from_arrays(
        cls,
        coordinates: FloatArray,
        demands: FloatArray,
        capacities: FloatArray,
        fixed_costs: FloatArray,
        unit_costs: FloatArray,
        *,
        load_units: FloatArray,
        load_cells: CellArray,
        available: IntArray | None = None,
        matrices: FloatArray | None = None,
        device: torch.device | str = "cpu",
    ) -> Batch:
        """Build from stacked arrays that are already scaled; −1 in `available` is no limit.

        Cells of load are those of the demands before scaling, see `fripn.policy.cells`.
        """

        def send(array: FloatArray) -> Tensor:
            return torch.as_tensor(array, dtype=torch.float64, device=device)

        if available is None:
            available = np.full(capacities.shape, _core.UNLIMITED, dtype=np.int64)
        widths, tables = _core.cover_table(
            np.ascontiguousarray(capacities),
            np.ascontiguousarray(fixed_costs),
            np.ascontiguousarray(demands.sum(1)),
            # What lies beyond the total is for the slack at the start.
            _core.LARGEST_SLACK,
        )
        return cls(
            coordinates=send(coordinates),
            demands=send(demands),
            distances=send(straight_lines(coordinates) if matrices is None else matrices),
            capacities=send(capacities),
            fixed_costs=send(fixed_costs),
            unit_costs=send(unit_costs),
            available=torch.as_tensor(available, device=device),
            cover=send(tables),
            cover_step=send(widths),
            plateau=send(_core.cover_plateaus(widths, tables)),
            load_units=send(load_units),
            load_cells=torch.as_tensor(load_cells, device=device),
        )

    @property
    def num_instances(self) -> int:
        """B."""
        return self.demands.shape[0]

    @property
    def num_nodes(self) -> int:
        """N, customers and depot."""
        return self.demands.shape[1]

    @property
    def num_types(self) -> int:
        """K."""
        return self.capacities.shape[1]

    def __getitem__(self, index: slice | Tensor) -> Batch:
        """Select instances."""
        return Batch(**{field.name: getattr(self, field.name)[index] for field in fields(self)})


@dataclass(frozen=True, slots=True)
class State:
    """Where the vehicles are and what is left to do, for M states of each instance.

    Parameters
    ----------
    location
        (B, M, K) node of each type's current vehicle; 0 means it is a candidate at the depot.
    carried
        (B, M, K) load so far of the vehicle on the road; 0 for a candidate.
    hired
        (B, M, K) vehicles hired so far.
    visited
        (B, M, N); the depot is never visited.
    cost
        (B, M) fixed and travel cost so far, without the return to the depot.
    """

    location: Tensor
    carried: Tensor
    hired: Tensor
    visited: Tensor
    cost: Tensor

    @property
    def is_done(self) -> Tensor:
        """(B, M) whether every customer is served."""
        return self.visited[:, :, 1:].all(-1)


def reset(batch: Batch, num_states: int) -> State:
    """Return the empty state, `num_states` times per instance."""
    shape = (batch.num_instances, num_states)
    device = batch.demands.device

    def zeros(*last: int, dtype: torch.dtype) -> Tensor:
        return torch.zeros(*shape, *last, dtype=dtype, device=device)

    return State(
        location=zeros(batch.num_types, dtype=torch.int64),
        carried=zeros(batch.num_types, dtype=torch.float64),
        hired=zeros(batch.num_types, dtype=torch.int64),
        visited=zeros(batch.num_nodes, dtype=torch.bool),
        cost=zeros(dtype=torch.float64),
    )


def availability(batch: Batch, state: State) -> Tensor:
    """(B, M, K, N): which nodes each type may go to next. Nothing, once all are served."""
    limit = batch.capacities * (1.0 + SEARCH_LOAD_TOLERANCE)
    room = (limit[:, None] - state.carried)[..., None]
    open_customer = ~state.visited
    open_customer[:, :, 0] = False
    can_go = open_customer[:, :, None] & (batch.demands[:, None, None] <= room)
    employed = state.location > 0
    available = batch.available[:, None]
    has_left = (available == _core.UNLIMITED) | (state.hired < available)
    can_go &= (employed | has_left)[..., None]
    can_go[..., 0] = employed & ~state.is_done[..., None]
    return can_go


def acting(state: State) -> Tensor:
    """(B, M, K): types that can be chosen route by route: those on the road, or all if none is."""
    employed = state.location > 0
    return employed | ~employed.any(-1, keepdim=True)


def step(batch: Batch, state: State, action: Tensor) -> State:
    """Move one vehicle per state.

    Parameters
    ----------
    batch
        The instances.
    state
        The current states.
    action
        (B, M) flat actions that are available; −1 leaves the state as it is.
    """
    acts = action >= 0
    vehicle_type, node = _split(batch, action)
    here = state.location.gather(-1, vehicle_type[..., None])[..., 0]
    rows = torch.arange(batch.num_instances, device=action.device)[:, None]
    leaves = acts & (here == 0)
    price = batch.distances[rows, here, node] * batch.unit_costs[rows, vehicle_type]
    price = price + batch.fixed_costs[rows, vehicle_type] * leaves
    carried = state.carried.gather(-1, vehicle_type[..., None])[..., 0] + batch.demands[rows, node]
    carried = torch.where(node == 0, 0.0, carried)

    def put(old: Tensor, new: Tensor) -> Tensor:
        current = old.gather(-1, vehicle_type[..., None])
        return old.scatter(
            -1, vehicle_type[..., None], torch.where(acts[..., None], new[..., None], current)
        )

    serves = (acts & (node > 0))[..., None]
    return State(
        location=put(state.location, node),
        carried=put(state.carried, carried),
        hired=state.hired.scatter_add(
            -1, vehicle_type[..., None], leaves[..., None].to(torch.int64)
        ),
        visited=state.visited.scatter(
            -1, node[..., None], serves | state.visited.gather(-1, node[..., None])
        ),
        cost=state.cost + torch.where(acts, price, 0.0),
    )


def total_cost(batch: Batch, state: State) -> Tensor:
    """(B, M): cost so far, with every vehicle still out driving home."""
    to_depot = batch.distances[:, None, :, 0].expand(-1, state.location.shape[1], -1)
    prices = to_depot.gather(-1, state.location) * batch.unit_costs[:, None]
    # The diagonal of a matrix may be anything: a vehicle at the depot drives nowhere.
    return state.cost + torch.where(state.location > 0, prices, 0.0).sum(-1)


def replay(batch: Batch, actions: Tensor) -> State:
    """Return the state before each action of whole trajectories, without stepping through them.

    Parameters
    ----------
    batch
        The instances.
    actions
        (B, S, T) flat actions, −1 after the end.

    Returns
    -------
    State
        With M = S·T states per instance, in the order of the actions; costs are those so far.
    """
    B, S, T = actions.shape
    K, N = batch.num_types, batch.num_nodes
    acts = actions >= 0
    vehicle_type, node = _split(batch, actions)
    rows = torch.arange(B, device=actions.device)[:, None, None]

    mine = acts[..., None] & (vehicle_type[..., None] == torch.arange(K, device=actions.device))
    when = torch.arange(1, T + 1, device=actions.device)[:, None]
    # Time of each type's last move (its last arrival at the depot) before every step; 0 for none.
    last_move = _before((mine * when).cummax(2).values)
    last_rest = _before((mine * when * (node == 0)[..., None]).cummax(2).values)

    def at(values: Tensor, times: Tensor) -> Tensor:
        """Look up values (B, S, T or T and K) at 1-based times (B, S, T, K); 0 at time 0."""
        if values.dim() == 3:
            values = values[..., None].expand(B, S, T, K)
        return torch.cat([torch.zeros_like(values[:, :, :1]), values], 2).gather(2, times)

    location = at(node, last_move)
    loads = (mine * batch.demands[rows, node][..., None]).cumsum(2)
    carried = at(loads, last_move) - at(loads, last_rest)
    carried = torch.where(location == 0, 0.0, carried)
    here = location.gather(-1, vehicle_type[..., None])[..., 0]
    leaves = acts & (here == 0)
    visited = torch.zeros(B, S, T, N, dtype=torch.bool, device=actions.device)
    visited.scatter_(-1, node[..., None], (acts & (node > 0))[..., None])
    price = batch.distances[rows, here, node] * batch.unit_costs[rows, vehicle_type]
    price = torch.where(acts, price + batch.fixed_costs[rows, vehicle_type] * leaves, 0.0)
    return State(
        location=location.reshape(B, S * T, K),
        carried=carried.reshape(B, S * T, K),
        hired=_before((mine & leaves[..., None]).cumsum(2)).reshape(B, S * T, K),
        visited=_before(visited.to(torch.int64).cumsum(2)).reshape(B, S * T, N) > 0,
        cost=_before(price.cumsum(2)).reshape(B, S * T),
    )


def _split(batch: Batch, actions: Tensor) -> tuple[Tensor, Tensor]:
    """Type and node of flat actions; (0, 0) for −1."""
    clamped = actions.clamp(min=0)
    return clamped // batch.num_nodes, clamped % batch.num_nodes


def _before(values: Tensor) -> Tensor:
    """Shift along the steps (axis 2), so that entry t holds the value before step t."""
    return torch.cat([torch.zeros_like(values[:, :, :1]), values[:, :, :-1]], 2)
