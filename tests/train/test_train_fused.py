"""The fused losses against autograd through the readable ones."""

import numpy as np
import pytest
import torch
from train_helpers import make_labels_of, random_policy

from fripn.policy.fold import fold
from fripn.problem.generate import paper_instance
from fripn.train.encoded import FoldedPolicy, encode
from fripn.train.fused import fused_log_probs
from fripn.train.imitation import draw_examples, imitation_loss, route_ends
from fripn.train.native import native_sampler
from fripn.train.reinforce import advantages, reinforce_loss
from fripn.train.state import Batch
from fripn.train.teacher import decision_log_probs
from networks import SHALLOW_NETWORKS


def gradients(policy, loss):
    policy.zero_grad()
    loss.backward()
    return {name: parameter.grad.clone() for name, parameter in policy.named_parameters()}


def assert_same(policy, fused, plain):
    """Losses agree, and every parameter's gradient to 1e-4 of its size (or of all together)."""
    # Hundreds of terms of both signs.
    assert fused.item() == pytest.approx(plain.item(), rel=1e-5, abs=5e-5)
    ours, theirs = gradients(policy, fused), gradients(policy, plain)
    total = float(torch.stack([gradient.norm() for gradient in theirs.values()]).norm())
    assert total > 0
    for name, expected in theirs.items():
        # Biases before a norm have no true gradient, only rounding: hence the share of the total.
        share = 0.0 if name.startswith("pair.") else 1e-2
        allowed = 1e-4 * (float(expected.norm()) + share * total)
        assert float((ours[name] - expected).norm()) < allowed, name


@pytest.mark.slow
@pytest.mark.parametrize("name", SHALLOW_NETWORKS)
@pytest.mark.parametrize(("n", "K"), [(2, 2), (19, 4), (34, 9)])
def test_reinforce_equals_autograd(name, n, K):
    """Sampled trajectories, first type given."""
    policy = random_policy(SHALLOW_NETWORKS[name])
    batch = Batch.of([paper_instance(n, s, K) for s in range(3)])
    samples = native_sampler(encode(policy, batch), 4, 5)
    # A little more than the costs, so that equal trajectories have an advantage too.
    advantage = advantages(samples.costs + torch.arange(4), normalise=True)
    assert_same(
        policy,
        reinforce_loss(encode(policy, batch), samples.actions, advantage, fused_log_probs),
        reinforce_loss(encode(policy, batch), samples.actions, advantage),
    )


@pytest.mark.parametrize("name", ["compared", "cover, pairs", "route by route"])
def test_reinforce_of_a_sharper_policy_equals_autograd(name):
    """First types by the policy itself, logits divided by a temperature, in both forms."""
    policy = random_policy(SHALLOW_NETWORKS[name])
    batch = Batch.of([paper_instance(12, s, 3) for s in range(3)])
    with policy.at_temperature(0.4):
        samples = native_sampler(encode(policy, batch), 4, 5, draw_first_type=False)
        advantage = advantages(samples.costs + torch.arange(4), normalise=True)
        losses = [
            reinforce_loss(
                encode(policy, batch), samples.actions, advantage, log_probs, first_type_given=False
            )
            for log_probs in (fused_log_probs, decision_log_probs)
        ]
    assert_same(policy, *losses)


@pytest.mark.parametrize("given", [0, 2])
@pytest.mark.parametrize(
    "name", ["compared", "cover, pairs", "route by route", "joint, route by route"]
)
def test_imitation_equals_autograd(name, given):
    """Set-valued targets at the depot; decisions that do not count are skipped."""
    policy = random_policy(SHALLOW_NETWORKS[name])
    _, labels = make_labels_of(4, size=9, given=given)
    batch, actions, counts = draw_examples(labels, 2, np.random.default_rng(0))
    ends = torch.as_tensor(route_ends(labels))
    assert_same(
        policy,
        imitation_loss(encode(policy, batch), actions, counts, ends, fused_log_probs),
        imitation_loss(encode(policy, batch), actions, counts, ends),
    )


@pytest.mark.parametrize("hint", [None, "right", "wrong"])
def test_weights_are_a_hint_only(hint):
    """Whatever weights are passed, the gradient is that of the loss."""
    policy = random_policy(SHALLOW_NETWORKS["cover, pairs"])
    batch = Batch.of([paper_instance(9, s, 3) for s in range(3)])
    encoded = encode(policy, batch)
    actions = native_sampler(encoded, 2, 5).actions
    weights = torch.rand(actions.shape, generator=torch.Generator().manual_seed(1))
    announced = {None: None, "right": 0.5 * weights, "wrong": torch.ones_like(weights)}[hint]
    logs = fused_log_probs(encoded, actions, weights=announced)
    plain = decision_log_probs(encode(policy, batch), actions)
    assert torch.allclose(logs, plain, atol=1e-4)
    assert_same(policy, (weights * logs).sum(), (weights * plain).sum())


def test_threads_do_not_change_a_bit(monkeypatch):
    """The core makes its sums in the same order on any number of threads."""
    policy = random_policy(SHALLOW_NETWORKS["cover, pairs"])
    batch = Batch.of([paper_instance(12, s, 3) for s in range(20)])
    actions = native_sampler(encode(policy, batch), 3, 5).actions
    weights = torch.rand(actions.shape, generator=torch.Generator().manual_seed(1))
    found = []
    for threads in (1, 3):
        # Torch itself stays on one thread: its products may differ on several.
        monkeypatch.setattr(torch, "get_num_threads", lambda threads=threads: threads)
        encoded = encode(policy, batch)
        loss = (weights * fused_log_probs(encoded, actions, weights=weights)).sum()
        found.append(gradients_of_decoder(policy, loss))
    for name, expected in found[0].items():
        assert torch.equal(expected, found[1][name]), name


def gradients_of_decoder(policy, loss):
    policy.zero_grad()
    loss.backward()
    return {
        name: parameter.grad.clone()
        for name, parameter in policy.named_parameters()
        if not name.startswith("encoder.")
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["paper", "cover, pairs", "pack, pairs", "near, pairs", "local, pairs", "joint"]
)
def test_limited_fleets_are_differentiated_too(name):
    """A type without vehicles left has no remaining graph."""
    policy = random_policy(SHALLOW_NETWORKS[name])
    instances = []
    for seed in range(3):
        instance = paper_instance(8, seed, 3)
        limited = tuple(one.replace(available=3) for one in instance.vehicle_types[:2])
        instances.append(instance.replace(vehicle_types=(*limited, instance.vehicle_types[2])))
    batch = Batch.of(instances)
    samples = native_sampler(encode(policy, batch), 6, 1)
    advantage = advantages(samples.costs + torch.arange(6), normalise=True)
    assert_same(
        policy,
        reinforce_loss(encode(policy, batch), samples.actions, advantage, fused_log_probs),
        reinforce_loss(encode(policy, batch), samples.actions, advantage),
    )


def test_actions_that_are_not_available_are_refused():
    """A trajectory that visits a customer twice is a bug of the caller."""
    policy = random_policy(SHALLOW_NETWORKS["paper"])
    batch = Batch.of([paper_instance(3, 1, 2)])
    actions = torch.tensor([[[1, 1, 2, 3]]])
    with pytest.raises(ValueError, match="not available"):
        fused_log_probs(encode(policy, batch), actions)


@pytest.mark.parametrize("name", SHALLOW_NETWORKS)
def test_torch_and_numpy_fold_alike(name):
    """One definition of the folded layouts, with and without gradients."""
    policy = random_policy(SHALLOW_NETWORKS[name])
    tensors = {key: value.detach().numpy() for key, value in policy.named_parameters()}
    batch = Batch.of([paper_instance(5, 1, 2)])
    embeddings = policy.encode(batch).detach().numpy()
    expected = fold(policy.config, tensors).tables(embeddings)
    assert FoldedPolicy(policy).decoder().tables(embeddings) == pytest.approx(expected, abs=1e-5)
