"""Advantages, and which trajectories are learned from."""

from collections import Counter

import numpy as np
import pytest
import torch
from train_helpers import make_policy

from fripn.errors import InvalidFile, InvalidInput, Unsupported
from fripn.problem.generate import paper_instance
from fripn.problem.io import write_instance
from fripn.train.config import InstanceConfig, ReinforceConfig
from fripn.train.encoded import encode
from fripn.train.instances import draw_instances, instance_source
from fripn.train.reinforce import advantages, reinforce_loss, top_and_bottom
from fripn.train.rollout import rollout
from fripn.train.state import Batch
from fripn.train.teacher import decision_log_probs


def test_advantages_are_positive_for_cheap_trajectories():
    """Mean minus cost; in spreads and at most two of them when normalised."""
    costs = torch.tensor([[1.0, 2.0, 3.0], [5.0, 5.0, 5.0]])
    assert advantages(costs, normalise=False).tolist() == [[1, 0, -1], [0, 0, 0]]
    scaled = advantages(costs, normalise=True)
    assert scaled[0].tolist() == pytest.approx([1.5**0.5, 0, -(1.5**0.5)])
    assert scaled[1].tolist() == [0, 0, 0]
    outlier = advantages(torch.tensor([[1.0] * 9 + [100.0]]), normalise=True)
    assert outlier.min() == -2


def test_groups_are_compared_within_themselves():
    """An expensive group does not lower advantages of its cheaper half; a single one has none."""
    costs = torch.tensor([[1.0, 11.0, 3.0, 13.0, 50.0]])
    groups = torch.tensor([[0, 1, 0, 1, 2]])
    advantage = advantages(costs, normalise=False, groups=groups)
    assert advantage.tolist() == [[1, 1, -1, -1, 0]]
    scaled = advantages(costs, normalise=True, groups=groups)
    assert scaled[0].tolist() == pytest.approx(
        [1.25**0.5, 1.25**0.5, -(1.25**0.5), -(1.25**0.5), 0]
    )


def test_top_and_bottom_keep_the_best_and_the_worst():
    """Actions stay with their advantages."""
    actions = torch.arange(10).reshape(1, 5, 2)
    kept, advantage = top_and_bottom(actions, torch.tensor([[0.1, -3.0, 2.0, 0.0, -1.0]]), 4)
    assert advantage[0].tolist() == pytest.approx([-3, -1, 0.1, 2])
    assert kept[0].tolist() == [[2, 3], [8, 9], [0, 1], [4, 5]]


def test_a_step_against_the_gradient_prefers_the_cheaper_trajectory():
    """The sign: cheaper than the mean becomes more probable, a costlier one less."""
    policy = make_policy("paper", True, False)
    batch = Batch.of([paper_instance(6, 0, 3)])
    actions = rollout(encode(policy, batch), 2, torch.Generator().manual_seed(3)).actions
    advantage = torch.tensor([[1.0, -1.0]])

    def log_ratio() -> float:
        logs = decision_log_probs(encode(policy, batch), actions, first_type_given=True).sum(-1)
        return float(logs.detach()[0, 0] - logs.detach()[0, 1])

    before = log_ratio()
    loss = reinforce_loss(encode(policy, batch), actions, advantage)
    gradients = torch.autograd.grad(loss, list(policy.parameters()))
    with torch.no_grad():
        for parameter, gradient in zip(policy.parameters(), gradients, strict=True):
            parameter -= 1e-4 * gradient
    assert log_ratio() > before


def test_drawn_instances_follow_their_distribution():
    """Sizes, types and the wide share as set; batches limited by customers."""
    rng = np.random.default_rng(0)
    settings = ReinforceConfig(batch_size=8, batch_customers=60)
    seen = set()
    for _ in range(40):
        drawn = draw_instances(InstanceConfig((5, 20), (1.0, 1.0), 3, 4), settings, rng)
        assert len(drawn) == (8 if drawn[0].num_customers == 5 else 3)
        seen |= {(one.num_customers, one.num_types) for one in drawn}
    assert seen == {(5, 3), (5, 4), (20, 3), (20, 4)}
    wide = InstanceConfig((5,), (), 3, 4, wide_share=1.0)
    types = {draw_instances(wide, settings, rng)[0].num_types for _ in range(60)}
    assert min(types) < 3
    assert max(types) > 4


def test_instances_of_a_folder_are_used_equally_often(tmp_path):
    """Batches of one size from files, limited by customers; one file as often as another."""
    for seed in range(6):
        size = 10 if seed < 4 else 20
        write_instance(paper_instance(size, seed, 3), tmp_path / f"{seed}.json")
    (tmp_path / "notes.txt").write_text("no instance")
    source = instance_source(
        InstanceConfig(folder=str(tmp_path)), ReinforceConfig(batch_size=4, batch_customers=40)
    )
    assert set(source.sizes) == {10, 20}
    rng = np.random.default_rng(0)
    seen: Counter[bytes] = Counter()
    for _ in range(1500):
        batch = source.draw(rng)
        assert {one.num_customers * len(batch) for one in batch} == {40}
        seen.update(one.demands.tobytes() for one in batch)
    assert len(seen) == 6
    assert max(seen.values()) < 1.25 * min(seen.values())


def test_folders_that_cannot_be_learned_from_are_refused(tmp_path):
    """No file, a damaged file, a limited fleet; each with its place."""
    config, settings = InstanceConfig(folder=str(tmp_path)), ReinforceConfig()
    with pytest.raises(InvalidFile, match=r"no \.json or \.vrp files"):
        instance_source(config, settings)
    instance = paper_instance(5, 0, 1)
    limited = tuple(one.replace(available=9) for one in instance.vehicle_types)
    write_instance(instance.replace(vehicle_types=limited), tmp_path / "a.json")
    with pytest.raises(Unsupported, match=r"a\.json has at most 9 vehicles"):
        instance_source(config, settings)
    (tmp_path / "a.json").write_text("{")
    with pytest.raises(InvalidInput, match=r"a\.json"):
        instance_source(config, settings)
