"""Imitation of near-optimal plans.

A plan does not determine the order of its routes, nor their direction where distances are
symmetric. So at the depot the target is a set: any (type, end customer) of any route not
yet served. On the road it is the route's next customer, or the depot after its last.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from fripn.policy.session import NUM_SYMMETRIES, mirrored
from fripn.train.encoded import Encoded
from fripn.train.labels import Labels
from fripn.train.state import Batch
from fripn.train.teacher import DecisionLogProbs, decision_log_probs


def draw_examples(
    labels: Labels, orders: int, rng: np.random.Generator, device: torch.device | str = "cpu"
) -> tuple[Batch, Tensor, Tensor]:
    """Turn labels into trajectories: random symmetry, order of routes and directions.

    Parameters
    ----------
    labels
        The labelled instances of this step.
    orders
        Trajectories per instance, each with an order of its own.
    rng
        Source of random numbers.
    device
        Where the tensors go.

    Returns
    -------
    batch
        The B instances, mirrored.
    actions
        (B, orders, T) flat actions, −1 after the end.
    counts
        (B, orders, T), whether a decision is the engine's and counts in the loss.
    """
    num_customers, _ = labels.size
    num_nodes = num_customers + 1
    longest = num_customers + int((labels.starts >= 0).sum(1).max()) - 1
    actions = np.full((len(labels), orders, longest), -1, dtype=np.int64)
    counts = np.zeros(actions.shape, dtype=bool)
    for index in range(len(labels)):
        begins = np.flatnonzero(labels.starts[index] >= 0)
        route_types = labels.starts[index, begins].astype(np.int64)
        routes = np.split(labels.customers[index].astype(np.int64), begins[1:])
        lead = int(np.searchsorted(begins, labels.given[index]))
        for order in range(orders):
            sequence = [*rng.permutation(lead), *(lead + rng.permutation(len(routes) - lead))]
            parts = []
            for number in sequence:
                route = routes[number] if rng.random() < 0.5 else routes[number][::-1]
                parts.append(route_types[number] * num_nodes + np.append(route, 0))
            flat = np.concatenate(parts)[:-1]
            actions[index, order, : len(flat)] = flat
            counts[index, order, labels.given[index] + lead : len(flat)] = True
    symmetries = rng.integers(NUM_SYMMETRIES, size=len(labels))
    coordinates = np.stack(
        [mirrored(labels.coordinates[i], int(s)) for i, s in enumerate(symmetries)]
    )
    batch = labelled_batch(dataclasses.replace(labels, coordinates=coordinates), device)
    return batch, torch.as_tensor(actions, device=device), torch.as_tensor(counts, device=device)


def labelled_batch(labels: Labels, device: torch.device | str = "cpu") -> Batch:
    """Return the instances of labels as a batch of the decision process."""
    return Batch.from_arrays(
        labels.coordinates.astype(np.float64),
        labels.demands,
        labels.capacities,
        labels.fixed_costs,
        labels.unit_costs,
        load_units=labels.load_units,
        load_cells=labels.load_cells.astype(np.int32),
        device=device,
    )


def route_ends(labels: Labels) -> npt.NDArray[np.bool_]:
    """(L, K, N): whether a route of this type begins or ends at this node."""
    num_labels, num_customers = labels.customers.shape
    begins = labels.starts >= 0
    ends = np.append(begins[:, 1:], np.ones((num_labels, 1), dtype=bool), axis=1)
    type_at = np.zeros_like(labels.starts)
    for column in range(num_customers):
        here, before = labels.starts[:, column], type_at[:, max(0, column - 1)]
        type_at[:, column] = np.where(here >= 0, here, before)
    table = np.zeros((num_labels, labels.size[1], num_customers + 1), dtype=bool)
    row, position = np.nonzero(begins | ends)
    table[row, type_at[row, position], labels.customers[row, position]] = True
    return table


def imitation_loss(
    encoded: Encoded,
    actions: Tensor,
    counts: Tensor,
    ends: Tensor,
    log_probs: DecisionLogProbs = decision_log_probs,
) -> Tensor:
    """Sum over the decisions that count of −log of the probability of the target set.

    Parameters
    ----------
    encoded
        The instances with their embedded nodes.
    actions, counts
        From `draw_examples`.
    ends
        (B, K, N) from `route_ends`.
    log_probs
        How the decoder is computed.
    """
    hits = log_probs(encoded, actions, ends=ends, weights=counts)
    return -torch.where(counts, hits, 0.0).sum()
