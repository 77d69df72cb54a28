"""Trajectories by the native decoder on the current torch weights: the fast sampler on a CPU."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from fripn.policy.rollout import Problems, rollout
from fripn.train.fused import fold_policy
from fripn.train.network import Policy
from fripn.train.state import UNLIMITED, Batch


@torch.no_grad()
def native_sampler(
    policy: Policy,
    batch: Batch,
    num_trajectories: int,
    seed: int | None,
    *,
    draw_first_type: bool = True,
    first_stream: int = 0,
) -> Tensor:
    """Sample (greedily when the seed is None) like `rollout.torch_sampler`, but in the core."""
    available = batch.available.numpy()
    problems = Problems(
        coordinates=batch.coordinates.numpy(),
        demands=batch.demands.numpy(),
        capacities=batch.capacities.numpy(),
        fixed_costs=batch.fixed_costs.numpy(),
        unit_costs=batch.unit_costs.numpy(),
        available=np.where(available == UNLIMITED, -1, available),
        load_units=batch.load_units.numpy(),
        load_cells=batch.load_cells.numpy(),
    )
    made = rollout(
        fold_policy(policy),
        policy.encode(batch).numpy(),
        problems,
        trajectories=num_trajectories,
        greedy=seed is None,
        draw_first_type=draw_first_type and seed is not None,
        seed=seed or 0,
        first_stream=first_stream,
        threads=torch.get_num_threads(),
    )
    longest = int((made.actions >= 0).sum(-1).max())
    return torch.from_numpy(made.actions[:, :, :longest].astype(np.int64))
