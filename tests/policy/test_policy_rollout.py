"""The native decoder against the plain path, and properties of every trajectory."""

import math
from dataclasses import replace

import numpy as np
import pytest
from plain_policy import PlainPolicy, PlainState
from policy_helpers import prepared

from fripn import _core
from fripn.policy import PolicyConfig, scale
from fripn.policy.encoder import encode
from fripn.policy.rollout import core_problems, follow, read_plan, rollout
from fripn.problem import Instance, VehicleType, evaluate
from fripn.problem.generate import paper_instance
from networks import SHALLOW_NETWORKS

SMALL = PolicyConfig(width=24, num_layers=2, num_heads=3, ff_width=20, features="cover")


@pytest.mark.slow
@pytest.mark.parametrize("name", SHALLOW_NETWORKS)
@pytest.mark.parametrize(("n", "K"), [(1, 1), (2, 3), (17, 4), (24, 10)])
def test_every_decision_equals_the_plain_path(name, n, K):
    """Log-probabilities of whole sampled trajectories agree to 1e-4."""
    instance = paper_instance(n, n + K, K)
    weights, problems, embeddings, decoder = prepared(SHALLOW_NETWORKS[name], [instance])
    plain, scaled = PlainPolicy(weights), scale(instance)
    h = plain.encode(scaled)
    assert np.abs(h - embeddings[0]).max() < 2e-5
    found = rollout(decoder, embeddings, problems, trajectories=1, seed=5)
    state = PlainState(scaled)
    for t, action in enumerate(found.actions[0, 0]):
        if action < 0:
            break
        vehicle_type, node = divmod(int(action), n + 1)
        logs = plain.log_probs(h, state)
        if t == 0:
            logs = logs - np.log(np.exp(logs[vehicle_type]).sum())
        assert found.log_probs[0, 0, t] == pytest.approx(logs[vehicle_type, node], abs=1e-4)
        state.step(vehicle_type, node)
    assert state.visited[1:].all()


def test_threads_do_not_change_the_embeddings():
    """Not by a bit: the groups are the same on any number of threads."""
    instances = [paper_instance(90, s, 2) for s in range(5)]
    weights, problems, embeddings, _ = prepared(SMALL, instances)
    args = (problems.coordinates, problems.demands)
    assert np.array_equal(encode(SMALL, weights.tensors, *args, 3), embeddings)


def test_greedy_takes_the_most_probable_action():
    """Each greedy step is the joint argmax of the plain path."""
    instance = paper_instance(12, 3, 3)
    weights, problems, embeddings, decoder = prepared(SMALL, [instance])
    plain, state = PlainPolicy(weights), PlainState(scale(instance))
    h = plain.encode(state.scaled)
    for action in rollout(decoder, embeddings, problems, greedy=True).actions[0, 0]:
        if action < 0:
            break
        assert np.argmax(plain.log_probs(h, state)) == action
        state.step(*divmod(int(action), 13))


def test_samples_follow_the_distribution():
    """First decisions occur as often as their probabilities, with the type drawn uniformly."""
    instance = paper_instance(4, 8, 2)
    weights, problems, embeddings, decoder = prepared(SMALL, [instance])
    plain, state = PlainPolicy(weights), PlainState(scale(instance))
    logs = plain.log_probs(plain.encode(state.scaled), state)
    expected = np.exp(logs) / np.exp(logs).sum(1, keepdims=True) / 2
    found = rollout(decoder, embeddings, problems, trajectories=20000, seed=11)
    share = np.bincount(found.actions[0, :, 0], minlength=10).reshape(2, 5) / 20000
    assert share == pytest.approx(expected, abs=0.015)


@pytest.mark.parametrize("seed", range(5))
def test_cost_equals_that_of_evaluate(seed):
    """The running cost equals that of `evaluate`, and every plan is valid."""
    rng = np.random.default_rng(seed)
    instances = [paper_instance(int(rng.integers(5, 40)), seed, 3)]
    instances.append(paper_instance(instances[0].num_customers, seed + 100, 3))
    _, problems, embeddings, decoder = prepared(SMALL, instances)
    found = rollout(decoder, embeddings, problems, trajectories=8, seed=seed)
    for b, instance in enumerate(instances):
        for j in range(8):
            evaluation = evaluate(instance, read_plan(found.actions[b, j], problems.num_nodes))
            assert evaluation.is_feasible
            assert found.costs[b, j] == pytest.approx(evaluation.cost, rel=1e-12)


def test_exact_loads_fit():
    """Customers that fill a vehicle to the last decimal are available to it."""
    demands = np.array([0.0, 0.1, 0.2, 0.3, 0.3, 0.3])
    instance = Instance(
        "full", np.random.default_rng(0).random((6, 2)), demands, (VehicleType("v", 0.6, 5, 1),)
    )
    _, problems, embeddings, decoder = prepared(SMALL, [instance])
    found = rollout(decoder, embeddings, problems, trajectories=200, seed=1)
    vehicles = [
        evaluate(instance, read_plan(row, problems.num_nodes)).num_vehicles
        for row in found.actions[0]
    ]
    assert min(vehicles) == 2


@pytest.mark.parametrize("kernels", ["baseline", "avx2", "avx512"])
def test_every_instruction_set_gives_the_same_numbers(kernels):
    """Kernels differ by rounding only."""
    if not _core.policy_kernels(kernels):
        pytest.skip(f"this processor has no {kernels}")
    config = SHALLOW_NETWORKS["pack, pairs"]
    _, problems, embeddings, decoder = prepared(config, [paper_instance(35, 4, 5)])
    found = rollout(decoder, embeddings, problems, trajectories=6, seed=2)
    _, _, _, other = prepared(config, [paper_instance(35, 4, 5)], kernels=kernels)
    assert other.kernels == kernels
    again = follow(other, embeddings, problems, found.actions, first_type_given=True)
    assert again.log_probs == pytest.approx(found.log_probs, abs=2e-5)
    assert again.costs == pytest.approx(found.costs, rel=1e-14)


def test_pairs_use_the_coordinates_even_with_a_matrix():
    """A matrix changes costs, not decisions."""
    instance = paper_instance(15, 4, 3)
    _, problems, embeddings, decoder = prepared(SHALLOW_NETWORKS["cover, pairs"], [instance])
    matrix = np.random.default_rng(1).random((16, 16))
    paid = core_problems([replace(scale(instance), matrix=matrix)])
    free, charged = (
        rollout(decoder, embeddings, one, trajectories=5, seed=2) for one in (problems, paid)
    )
    assert np.array_equal(free.log_probs, charged.log_probs)
    assert not np.allclose(free.costs, charged.costs)


def test_the_pair_term_is_the_same_under_symmetries():
    """Symmetric views of one problem share its distances: with equal embeddings, equal numbers."""
    instance = paper_instance(15, 4, 3)
    _, problems, embeddings, decoder = prepared(SHALLOW_NETWORKS["cover, pairs"], [instance])
    found = rollout(decoder, embeddings, problems, trajectories=5, seed=2)
    scaled = scale(instance)
    mirrored = core_problems([replace(scaled, coordinates=1.0 - scaled.coordinates[:, ::-1])])
    again = follow(decoder, embeddings, mirrored, found.actions, first_type_given=True)
    assert again.log_probs == pytest.approx(found.log_probs, abs=2e-5)


def test_threads_and_chunks_do_not_change_the_samples():
    """The same streams give the same trajectories, however they are spread."""
    instances = [paper_instance(15, s, 4) for s in range(3)]
    _, problems, embeddings, decoder = prepared(SMALL, instances)
    one = rollout(decoder, embeddings, problems, trajectories=10, seed=9)
    three = rollout(decoder, embeddings, problems, trajectories=10, seed=9, threads=3)
    assert np.array_equal(one.actions, three.actions)
    assert np.array_equal(one.log_probs, three.log_probs)
    part = rollout(
        decoder,
        embeddings[1:2],
        core_problems([scale(instances[1])]),
        trajectories=10,
        seed=9,
        first_stream=10,
    )
    assert np.array_equal(one.actions[1], part.actions[0])
    other = rollout(decoder, embeddings, problems, trajectories=10, seed=10)
    assert not np.array_equal(one.actions, other.actions)


def test_symmetries_share_their_problem():
    """Several encodings of one problem use the same distances."""
    instance = paper_instance(10, 2, 3)
    _, problems, embeddings, decoder = prepared(SMALL, [instance])
    twice = np.concatenate([embeddings, embeddings + 0.5])
    found = rollout(decoder, twice, problems, trajectories=3, seed=1)
    for b in range(2):
        evaluation = evaluate(instance, read_plan(found.actions[b, 0], 11))
        assert found.costs[b, 0] == pytest.approx(evaluation.cost, rel=1e-12)


def test_limited_fleet_is_honoured_and_dead_ends_are_not_plans():
    """Plans keep the limits; a trajectory that runs out of vehicles has infinite cost."""
    rng = np.random.default_rng(3)
    instance = Instance(
        "tight",
        rng.random((9, 2)),
        np.array([0, 0.5, 0.5, 0.5, 0.5, 0.4, 0.4, 0.4, 0.4]),
        (VehicleType("a", 1.0, 3, 1, available=3), VehicleType("b", 0.8, 2, 1, available=1)),
    )
    _, problems, embeddings, decoder = prepared(SMALL, [instance])
    found = rollout(decoder, embeddings, problems, trajectories=300, seed=4)
    valid = np.isfinite(found.costs[0])
    assert valid.any()
    assert not valid.all()
    for j in np.flatnonzero(valid):
        assert evaluate(instance, read_plan(found.actions[0, j], 9)).is_feasible


def test_given_actions_that_are_not_available_are_refused():
    """Visiting a customer twice ends the trajectory."""
    _, problems, embeddings, decoder = prepared(SMALL, [paper_instance(5, 1, 2)])
    actions = np.array([[[1, 1, 2, 3, 4, 5]]])
    assert np.isinf(follow(decoder, embeddings, problems, actions).costs).all()


def test_route_by_route_a_vehicle_comes_home_before_the_next_leaves():
    """All samples do so, and other actions are refused; without the setting routes interleave."""
    instance = paper_instance(30, 6, 4)

    def turns(actions):
        """Count moves of a type while a vehicle of another one is out."""
        out, count = set(), 0
        for action in actions[actions >= 0].tolist():
            vehicle_type, node = divmod(action, 31)
            count += bool(out - {vehicle_type})
            (out.discard if node == 0 else out.add)(vehicle_type)
        return count

    _, problems, embeddings, free = prepared(SHALLOW_NETWORKS["local, pairs"], [instance])
    _, _, _, strict = prepared(SHALLOW_NETWORKS["route by route"], [instance])
    mixed = rollout(free, embeddings, problems, trajectories=20, seed=4)
    found = rollout(strict, embeddings, problems, trajectories=20, seed=4)
    assert all(turns(actions) > 0 for actions in mixed.actions[0])
    assert not any(turns(actions) for actions in found.actions[0])
    assert np.isinf(follow(strict, embeddings, problems, mixed.actions).costs).all()
    for actions, cost in zip(found.actions[0], found.costs[0], strict=True):
        evaluation = evaluate(instance, read_plan(actions, 31))
        assert evaluation.is_feasible
        assert cost == pytest.approx(evaluation.cost, rel=1e-12)


@pytest.mark.parametrize("config", [SMALL, replace(SMALL, route_by_route=True)])
def test_top_1_is_greedy_and_cold_is_nearly(config):
    """Drawing from the best action only is deterministic."""
    _, problems, embeddings, decoder = prepared(config, [paper_instance(20, 6, 3)])
    greedy = rollout(decoder, embeddings, problems, greedy=True).actions
    top = rollout(decoder, embeddings, problems, top_k=1, draw_first_type=False, seed=3).actions
    cold = rollout(
        decoder, embeddings, problems, temperature=1e-4, draw_first_type=False, seed=3
    ).actions
    assert np.array_equal(greedy, top)
    assert np.array_equal(greedy, cold)


@pytest.mark.parametrize("temperature", [0.0, 1e-38, 1e-300, math.nan])
def test_scores_beyond_floats_are_refused(temperature):
    """Instead of probabilities that are not numbers, with which no action could be drawn."""
    _, problems, embeddings, decoder = prepared(SMALL, [paper_instance(5, 1, 2)])
    with pytest.raises(ValueError, match="in the range of floats"):
        rollout(decoder, embeddings, problems, temperature=temperature)


def test_top_k_draws_only_the_best():
    """No decision has a rank beyond k."""
    instance = paper_instance(8, 2, 2)
    weights, problems, embeddings, decoder = prepared(SMALL, [instance])
    plain, state = PlainPolicy(weights), PlainState(scale(instance))
    logs = plain.log_probs(plain.encode(state.scaled), state).ravel()
    found = rollout(
        decoder, embeddings, problems, trajectories=500, top_k=3, draw_first_type=False, seed=3
    )
    assert set(found.actions[0, :, 0]) == set(np.argsort(logs)[-3:])


@pytest.mark.parametrize("config", [SMALL, SHALLOW_NETWORKS["pack, pairs"]])
def test_zero_demand_at_the_end_is_no_division_by_zero(config):
    """Customers without demand may be the last ones left."""
    instance = Instance(
        "letters",
        np.random.default_rng(0).random((6, 2)),
        np.array([0, 0.3, 0.0, 0.0, 0.0, 0.2]),
        (VehicleType("a", 0.6, 3, 1), VehicleType("b", 0.5, 2, 1)),
    )
    _, problems, embeddings, decoder = prepared(config, [instance])
    found = rollout(decoder, embeddings, problems, trajectories=50, seed=4)
    assert np.isfinite(found.costs).all()
    assert np.isfinite(found.log_probs).all()
