"""The decision process against `evaluate`."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from train_helpers import trajectory_cost

from fripn.policy.rollout import read_plan
from fripn.problem import Instance, VehicleType, evaluate
from fripn.problem.generate import paper_instance
from fripn.train.state import (
    Batch,
    availability,
    replay,
    reset,
    step,
    total_cost,
)


def random_trajectories(batch: Batch, num: int, seed: int) -> torch.Tensor:
    """Sample uniformly among the available actions."""
    generator = torch.Generator().manual_seed(seed)
    state = reset(batch, num)
    actions = []
    while not bool(state.is_done.all()):
        weights = availability(batch, state).flatten(2).float()
        weights[state.is_done] = 1.0
        draw = torch.multinomial(weights.flatten(0, 1), 1, generator=generator)
        action = torch.where(state.is_done, -1, draw.reshape(state.cost.shape))
        state = step(batch, state, action)
        actions.append(action)
    return torch.stack(actions, -1)


@settings(deadline=None, max_examples=40)
@given(
    num_customers=st.integers(1, 25),
    num_types=st.integers(1, 7),
    seed=st.integers(0, 2**31),
    limited=st.booleans(),
)
def test_cost_of_a_trajectory_equals_that_of_evaluate(num_customers, num_types, seed, limited):
    """Every finished random trajectory is a valid plan with exactly the cost of `evaluate`."""
    instances = [paper_instance(num_customers, seed + j, num_types) for j in range(3)]
    if limited:
        instances = [
            one.replace(
                vehicle_types=(
                    *(one_type.replace(available=1) for one_type in one.vehicle_types),
                    VehicleType("spare", 3.0, 80.0, 1.0),
                )
            )
            for one in instances
        ]
    batch = Batch.of(instances)
    actions = random_trajectories(batch, 4, seed)
    costs = trajectory_cost(batch, actions)
    for b, instance in enumerate(instances):
        for s in range(4):
            verdict = evaluate(instance, read_plan(actions[b, s].numpy(), num_customers + 1))
            assert verdict.is_feasible, verdict.violations
            assert costs[b, s].item() == pytest.approx(verdict.cost, rel=1e-12)


def test_replay_gives_the_states_of_stepping():
    """All fields before every action agree with stepping through the trajectory."""
    batch = Batch.of([paper_instance(12, seed, 4) for seed in range(5)])
    actions = random_trajectories(batch, 3, 7)
    replayed = replay(batch, actions)
    state = reset(batch, 3)
    steps = actions.shape[-1]
    for t in range(steps):
        for name in ("location", "hired", "visited"):
            seen = getattr(replayed, name).unflatten(1, (3, steps))[:, :, t]
            assert torch.equal(seen, getattr(state, name)), (name, t)
        for name in ("carried", "cost"):
            seen = getattr(replayed, name).unflatten(1, (3, steps))[:, :, t]
            assert torch.allclose(seen, getattr(state, name), atol=1e-12, rtol=1e-12), (name, t)
        state = step(batch, state, actions[:, :, t])


def test_availability_by_hand():
    """A full vehicle may only return; a used-up type may not leave; a candidate may not stay."""
    instance = Instance(
        name="hand",
        coordinates=np.array([[0.0, 0], [1, 0], [0, 1], [1, 1]]),
        demands=np.array([0, 1.0, 0.5, 1.5]),
        vehicle_types=(VehicleType("small", 1.0, 1.0, 1.0, available=1), VehicleType("big", 2, 3)),
    )
    batch = Batch.of([instance])
    state = reset(batch, 1)
    assert availability(batch, state)[0, 0].tolist() == [
        [False, True, True, False],
        [False, True, True, True],
    ]
    state = step(batch, state, torch.tensor([[1]]))  # small serves customer 1 and is full
    assert availability(batch, state)[0, 0].tolist() == [
        [True, False, False, False],
        [False, False, True, True],
    ]
    state = step(batch, state, torch.tensor([[0]]))  # small goes home; no second one
    assert not availability(batch, state)[0, 0, 0].any()
    for action in (4 + 3, 4 + 2):
        state = step(batch, state, torch.tensor([[action]]))
    assert bool(state.is_done)
    assert not availability(batch, state).any()
    assert total_cost(batch, state).item() == pytest.approx(1 + 2 + 3 + 1 + 1 + 2**0.5)


def test_batches_refuse_mixed_sizes():
    """One n and one K per batch."""
    with pytest.raises(ValueError, match="one size"):
        Batch.of([paper_instance(5, 0, 3), paper_instance(6, 0, 3)])
