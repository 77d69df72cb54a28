"""The network's plain and folded forms, and the decision process with them."""

import itertools
from dataclasses import replace

import pytest
import torch
from train_helpers import SMALL, make_policy, trajectory_cost

from fripn.errors import InvalidSetting
from fripn.policy.config import PolicyConfig
from fripn.problem.generate import paper_instance
from fripn.train import encoded as encoded_module
from fripn.train.encoded import FoldedPolicy, encode
from fripn.train.fused import fused_log_probs
from fripn.train.native import native_sampler
from fripn.train.network import Decoder, Policy
from fripn.train.rollout import rollout, torch_sampler
from fripn.train.state import Batch, reset, step
from fripn.train.teacher import decision_log_probs, folded_log_probs

SAMPLERS = (native_sampler, torch_sampler)
VARIANTS = list(itertools.product(("paper", "cover"), (True, False), (True, False), (0, 8)))
VARIANTS += [("pack", True, True, 8), ("pack", False, False, 0)]


@pytest.mark.parametrize(("features", "graph", "residual", "pair_width"), VARIANTS)
def test_teacher_forcing_equals_stepping(features, graph, residual, pair_width):
    """Plain network step by step and folded network all at once have equal log-probabilities."""
    policy = make_policy(features, graph, residual, pair_width)
    batch = Batch.of([paper_instance(9, seed, 4) for seed in range(3)])
    encoded = encode(policy, batch)
    actions = rollout(encoded, 5, torch.Generator().manual_seed(1)).actions
    nodes = encoded.nodes
    state = reset(batch, 5)
    total = torch.zeros(3, 5)
    for t in range(actions.shape[-1]):
        logs = policy(nodes, batch, state)
        folded = folded_log_probs(policy, nodes, batch, state)
        assert torch.allclose(logs.exp(), folded.exp(), atol=1e-5)
        action = actions[:, :, t]
        chosen = logs.gather(-1, action.clamp(min=0)[..., None])[..., 0]
        if t == 0:
            by_type = logs.unflatten(-1, (4, -1)).logsumexp(-1)
            chosen = chosen - by_type.gather(-1, (action // 10)[..., None])[..., 0]
        total = total + torch.where(action >= 0, chosen, 0.0)
        state = step(batch, state, action)
    assert bool(state.is_done.all())
    forced = decision_log_probs(encoded, actions, first_type_given=True).sum(-1)
    assert torch.allclose(forced, total, atol=1e-4)


@pytest.mark.parametrize("settings", [{}, {"vehicle_residual": True, "route_by_route": True}])
def test_joint_attention_folded_and_plain(settings):
    """Probabilities and gradients of the network that has one softmax per attention."""
    torch.manual_seed(3)
    policy = Policy(PolicyConfig(**SMALL, attention="joint", **settings))
    batch = Batch.of([paper_instance(7, seed, 3) for seed in range(2)])
    encoded = encode(policy, batch)
    actions = rollout(encoded, 3, torch.Generator().manual_seed(1)).actions
    forced = decision_log_probs(encoded, actions).sum()
    nodes, state = policy.encode(batch), reset(batch, 3)
    stepped = torch.zeros(())
    for t in range(actions.shape[-1]):
        action = actions[:, :, t]
        logs = policy(nodes, batch, state).gather(-1, action.clamp(min=0)[..., None])[..., 0]
        stepped = stepped + torch.where(action >= 0, logs, 0.0).sum()
        state = step(batch, state, action)
    assert torch.allclose(forced, stepped, atol=1e-3)
    parameters = list(policy.parameters())
    for folded, plain in zip(
        torch.autograd.grad(forced, parameters),
        torch.autograd.grad(stepped, parameters),
        strict=True,
    ):
        assert torch.allclose(folded, plain, atol=1e-3)


class FlatDecoder(Decoder):
    """A decoder of a reader's own: all that is available is equally probable."""

    def forward(self, nodes, vehicles, allowed, extra):
        """Scores that are all 0."""
        return 0.0 * super().forward(nodes, vehicles, allowed, extra)


def test_modules_of_your_own_are_computed_as_they_are():
    """Rollout and losses take a decoder that is not the folded one; the core refuses it."""
    policy = make_policy("paper", True, False, 0)
    batch = Batch.of([paper_instance(6, 1, 3)])
    policy.decoder = FlatDecoder(policy.config)
    encoded = encode(policy, batch)
    actions = rollout(encoded, 4, torch.Generator().manual_seed(1)).actions
    first = decision_log_probs(encoded, actions, first_type_given=True)[:, :, 0]
    assert torch.allclose(first.exp(), torch.full((1, 4), 1 / 6))
    with pytest.raises(InvalidSetting, match="and the policy has others of its own; use"):
        native_sampler(encoded, 4, 1)


def test_gradients_of_the_folded_form():
    """Every parameter's gradient agrees with the plain network's."""
    policy = make_policy("pack", True, True, 8)
    batch = Batch.of([paper_instance(7, seed, 3) for seed in range(2)])
    encoded = encode(policy, batch)
    actions = rollout(encoded, 3, torch.Generator().manual_seed(1)).actions
    forced = decision_log_probs(encoded, actions).sum()
    folded_gradients = torch.autograd.grad(forced, list(policy.parameters()))
    nodes, state = policy.encode(batch), reset(batch, 3)
    total = torch.zeros(())
    for t in range(actions.shape[-1]):
        logs = policy(nodes, batch, state)
        chosen = logs.gather(-1, actions[:, :, t].clamp(min=0)[..., None])[..., 0]
        total = total + torch.where(actions[:, :, t] >= 0, chosen, 0.0).sum()
        state = step(batch, state, actions[:, :, t])
    plain_gradients = torch.autograd.grad(total, list(policy.parameters()))
    largest = max(float(plain.abs().max()) for plain in plain_gradients)
    for (name, _), folded, plain in zip(
        policy.named_parameters(), folded_gradients, plain_gradients, strict=True
    ):
        # Biases before a norm have no true gradient, only rounding: hence the share of the largest.
        scale = plain.abs().max().clamp(min=1e-2 * largest)
        assert torch.allclose(folded / scale, plain / scale, atol=2e-4), name


def test_a_fresh_pair_term_changes_nothing():
    """Its output starts at 0, and the other weights are drawn as without it."""
    batch = Batch.of([paper_instance(7, seed, 3) for seed in range(2)])
    logs = []
    for pair_width in (0, 16):
        with torch.random.fork_rng():
            torch.manual_seed(4)
            policy = Policy(PolicyConfig(**SMALL, pair_width=pair_width))
        logs.append(policy(policy.encode(batch), batch, reset(batch, 1)))
    assert torch.equal(*logs)


def test_pairs_use_the_coordinates_even_with_a_matrix():
    """Distances are those of the encoder's coordinates."""
    policy = make_policy("cover", True, True, 16)
    batch = Batch.of([paper_instance(9, 5, 3)])
    paid = replace(batch, distances=1.0 + 2.0 * batch.distances)
    samples = [native_sampler(encode(policy, one), 8, 3) for one in (batch, paid)]
    assert torch.equal(samples[0].actions, samples[1].actions)
    assert (samples[0].costs < samples[1].costs).all()
    actions = samples[0].actions
    logs = [decision_log_probs(encode(policy, one), actions) for one in (batch, paid)]
    assert torch.equal(*logs)


def test_probabilities_sum_to_one_over_all_pairs():
    """The softmax is joint over types and nodes."""
    policy = make_policy("cover", True, False)
    batch = Batch.of([paper_instance(6, 3, 5)])
    logs = policy(policy.encode(batch), batch, reset(batch, 1))
    assert logs.shape == (1, 1, 5 * 7)
    assert logs.exp().sum().item() == pytest.approx(1.0, abs=1e-5)
    assert (logs.unflatten(-1, (5, 7))[..., 0] == -torch.inf).all()


def test_sampling_is_repeatable_and_greedy_is_deterministic():
    """Same generator seed, same trajectories."""
    policy = make_policy("paper", True, False)
    batch = Batch.of([paper_instance(8, 0, 3)])
    encoded = encode(policy, batch)
    first, again = (rollout(encoded, 6, torch.Generator().manual_seed(5)).actions for _ in range(2))
    assert torch.equal(first, again)
    greedy = rollout(encoded, 2, None).actions
    assert torch.equal(greedy[:, 0], greedy[:, 1])


def test_native_and_torch_samplers_draw_from_one_distribution():
    """Greedy plans cost the same, and so do sampled ones on average."""
    policy = make_policy("cover", True, True, 16)
    batch = Batch.of([paper_instance(8, seed, 3) for seed in range(4)])
    encoded = encode(policy, batch)
    greedy = [sampler(encoded, 1, None).costs for sampler in SAMPLERS]
    assert torch.allclose(*greedy)
    native, plain = (sampler(encoded, 2000, 1).costs for sampler in SAMPLERS)
    error = (native.var(1) / 2000 + plain.var(1) / 2000).sqrt()
    assert ((native.mean(1) - plain.mean(1)).abs() < 4.5 * error).all()


@pytest.mark.parametrize("is_matrix", [False, True])
@pytest.mark.parametrize("sampler", SAMPLERS)
def test_costs_of_samples_are_those_of_their_actions(sampler, is_matrix):
    """Reported costs equal those of stepping through the trajectories."""
    policy = make_policy("cover", True, True)
    instances = [paper_instance(10, s, 4) for s in range(3)]
    if is_matrix:
        instances = [
            one.replace(metric="matrix", matrix=1.0 + one.distance_matrix()) for one in instances
        ]
    batch = Batch.of(instances)
    samples = sampler(encode(policy, batch), 7, 2)
    assert samples.costs.shape == (3, 7)
    assert torch.allclose(samples.costs, trajectory_cost(batch, samples.actions), rtol=1e-12)


def test_a_step_encodes_and_folds_once(monkeypatch):
    """Sampling and both losses share what they need of the weights."""
    policy = make_policy("cover", True, True)
    batch = Batch.of([paper_instance(6, s, 3) for s in range(2)])
    counts = {"encode": 0, "fold": 0}
    original_encode, original_fold = Policy.encode, encoded_module.fold_arrays

    def counted_encode(self, batch):
        counts["encode"] += 1
        return original_encode(self, batch)

    def counted_fold(*arguments):
        counts["fold"] += 1
        return original_fold(*arguments)

    monkeypatch.setattr(Policy, "encode", counted_encode)
    monkeypatch.setattr(encoded_module, "fold_arrays", counted_fold)
    weights = FoldedPolicy(policy)
    encoded = weights.encode(batch)
    actions = native_sampler(encoded, 4, 1).actions
    fused_log_probs(encoded, actions).sum().backward()
    assert counts == {"encode": 1, "fold": 1}
    native_sampler(weights.encode(batch), 4, 1)
    assert counts == {"encode": 2, "fold": 1}


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_the_policy_can_choose_the_first_type_itself(sampler):
    """Nearly greedy, it begins like greedy decoding; with first types drawn it uses them all."""
    policy = make_policy("cover", True, True)
    batch = Batch.of([paper_instance(10, s, 4) for s in range(3)])
    encoded = encode(policy, batch)
    greedy = sampler(encoded, 1, None).actions[:, :, 0]
    with policy.at_temperature(1e-4):
        own = sampler(encoded, 40, 1, draw_first_type=False).actions[:, :, 0]
        drawn = sampler(encoded, 40, 1).actions[:, :, 0]
    assert (own == greedy).all()
    assert [len(set(row.tolist())) for row in drawn // batch.num_nodes] == [4, 4, 4]


def test_a_temperature_divides_the_logits():
    """Log-probabilities are those of the divided logits, and as before afterwards."""
    policy = make_policy("cover", True, True)
    batch = Batch.of([paper_instance(6, 0, 3)])
    nodes, state = policy.encode(batch), reset(batch, 1)
    plain = policy(nodes, batch, state)
    with policy.at_temperature(0.5):
        sharp = policy(nodes, batch, state)
    assert torch.allclose(sharp, (2 * plain).log_softmax(-1), atol=1e-5)
    assert torch.equal(policy(nodes, batch, state), plain)
