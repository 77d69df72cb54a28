"""Trajectories by the native decoder on the current torch weights: the fast sampler on a CPU."""

from __future__ import annotations

import numpy as np
import torch

from fripn.policy.rollout import rollout_tables
from fripn.train.encoded import Encoded
from fripn.train.rollout import Samples


def native_sampler(
    encoded: Encoded,
    num_trajectories: int,
    seed: int | None,
    *,
    draw_first_type: bool = True,
    first_stream: int = 0,
) -> Samples:
    """Sample (greedily when the seed is None) like `rollout.torch_sampler`, but in the core."""
    made = rollout_tables(
        encoded.weights.decoder(),
        encoded.tables.detach().numpy(),
        encoded.problems,
        trajectories=num_trajectories,
        greedy=seed is None,
        draw_first_type=draw_first_type and seed is not None,
        seed=seed or 0,
        first_stream=first_stream,
        threads=torch.get_num_threads(),
    )
    longest = int((made.actions >= 0).sum(-1).max())
    return Samples(
        actions=torch.from_numpy(made.actions[:, :, :longest].astype(np.int64)),
        costs=torch.from_numpy(made.costs),
    )
