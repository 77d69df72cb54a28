"""Slack and waste as inputs of the network, against all subsets."""

import itertools

import numpy as np
import pytest
import torch

from fripn import _core
from fripn.policy.config import PolicyConfig
from fripn.problem.generate import paper_instance
from fripn.train.encoded import encode
from fripn.train.features import cover_slack, pair_near, pair_waste, type_waste
from fripn.train.native import native_sampler
from fripn.train.network import Policy
from fripn.train.state import Batch, availability, replay, reset

TINY = PolicyConfig(width=8, num_layers=1, num_heads=1, ff_width=8)


def fullest(demands, room):
    """Largest sum of any subset that fits; 0 if none."""
    subsets = itertools.chain.from_iterable(
        itertools.combinations(demands, size) for size in range(len(demands) + 1)
    )
    return max(total for total in map(sum, subsets) if total <= room + 1e-9)


def sampled(n, num_types=3):
    batch = Batch.of([paper_instance(n, seed, num_types) for seed in range(2)])
    with torch.random.fork_rng():
        torch.manual_seed(0)
        actions = native_sampler(encode(Policy(TINY), batch), 2, 1).actions
    return batch, replay(batch, actions)


def test_waste_equals_a_brute_force_over_subsets():
    """For every state of whole trajectories, type and available node."""
    batch, state = sampled(7)
    of_type, of_pair, allowed = (f(batch, state) for f in (type_waste, pair_waste, availability))
    rooms = (batch.capacities[:, None] - state.carried).numpy()
    demands = batch.demands.numpy()
    for b, m in np.ndindex(*state.cost.shape):
        left = [i for i in range(1, 8) if not state.visited[b, m, i]]
        for k, room in enumerate(rooms[b, m]):
            if left:
                best = fullest(demands[b, left], room)
                assert float(of_type[b, m, k]) == pytest.approx(min(1, room - best), abs=1e-9)
            assert float(of_pair[b, m, k, 0]) == pytest.approx(min(1, room))
            for i in left:
                if allowed[b, m, k, i]:
                    rest = [j for j in left if j != i]
                    after = room - demands[b, i]
                    expected = min(1, after - fullest(demands[b, rest], after))
                    assert float(of_pair[b, m, k, i]) == pytest.approx(expected, abs=1e-6)


def test_many_customers_waste_nothing():
    """Subset sums are computed from 24 unserved customers on."""
    batch, state = sampled(26)
    left = (~state.visited[..., 1:]).sum(-1)
    is_many = left > _core.MAX_PACKED_CUSTOMERS
    assert is_many.any()
    assert not type_waste(batch, state)[is_many].any()
    assert not pair_waste(batch, state)[is_many][..., 1:].any()
    assert pair_waste(batch, state)[is_many][..., 0].all()
    assert pair_waste(batch, state)[left == _core.MAX_PACKED_CUSTOMERS][..., 1:].any()


def test_near_waste_equals_a_brute_force():
    """For every state, vehicle on the road and available customer: the nearest eight unserved."""
    batch, state = sampled(21)
    found, allowed = pair_near(batch, state), availability(batch, state)
    demands, places = batch.demands.numpy(), batch.coordinates.numpy()
    told = 0
    for b, m, k in np.ndindex(*state.carried.shape):
        room = float(batch.capacities[b, k] - state.carried[b, m, k])
        is_out = bool(state.location[b, m, k] > 0)
        assert float(found[b, m, k, 0]) == pytest.approx(min(1, 10 * room) if is_out else 0)
        for i in range(1, 22):
            if not allowed[b, m, k, i]:
                continue
            others = [j for j in range(1, 22) if j != i]
            others.sort(key=lambda j: np.hypot(*(places[b, j] - places[b, i])))
            near = [j for j in others[:16] if not state.visited[b, m, j]][:8]
            after = room - demands[b, i]
            expected = 0.0
            if is_out and after <= 1 and demands[b, near].sum() > after + 1e-9:
                expected = min(1, 10 * (after - fullest(demands[b, near], after)))
                told += 1
            assert float(found[b, m, k, i]) == pytest.approx(expected, abs=1e-5)
    assert told > 50


def test_slack_is_what_the_cheapest_cover_has_to_spare():
    """By listing fleets: that much more demand costs no more, a little more than that does."""
    batch = Batch.of([paper_instance(6, seed, 3) for seed in range(8)])
    found = cover_slack(batch, reset(batch, 1))[:, 0, 0]
    checked = 0
    for b in range(8):
        capacities, prices = batch.capacities[b].tolist(), batch.fixed_costs[b].tolist()
        total = float(batch.demands[b].sum())
        fleets = list(itertools.product(range(9), repeat=3))

        def cheapest(demand, capacities=capacities, prices=prices, fleets=fleets):
            return min(
                sum(map(float.__mul__, map(float, fleet), prices))
                for fleet in fleets
                if sum(map(float.__mul__, map(float, fleet), capacities)) >= demand
            )

        slack, step = float(found[b]), float(batch.cover_step[b])
        # Capacities are rounded to the grid, half a step for each vehicle.
        blur = 4 * step
        if slack > blur:
            assert cheapest(total + slack - blur) == pytest.approx(cheapest(total + blur))
        if slack < 1:
            assert cheapest(total + slack + blur) > cheapest(total - blur)
            checked += 1
    assert checked > 2


def test_slack_on_the_road_is_free_room():
    """Where the vehicles on the road have more room than is needed."""
    batch, state = sampled(7)
    rooms = torch.where(state.location > 0, batch.capacities[:, None] - state.carried, 0.0).sum(-1)
    left = torch.where(state.visited, 0.0, batch.demands[:, None]).sum(-1)
    spare = rooms - left
    is_enough = spare > 0.01
    assert is_enough.any()
    found = cover_slack(batch, state)[..., 0]
    assert torch.allclose(found[is_enough], spare[is_enough].clamp(max=1.0))
