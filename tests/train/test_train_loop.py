"""Whole runs, tiny ones: learning, stopping, resuming, and failures."""

import dataclasses
import signal
from contextlib import nullcontext

import pytest
import torch
from train_helpers import NETWORK, interrupt_after, make_config

from fripn.errors import CheckpointMismatch, TrainingFailed
from fripn.policy.weights import load_weights
from fripn.problem.generate import paper_instance
from fripn.train import loop as loop_module
from fripn.train.config import parse_config
from fripn.train.curve import read_curve
from fripn.train.encoded import encode
from fripn.train.fused import fused_log_probs
from fripn.train.initial import first_policy
from fripn.train.loop import CHECKPOINT, learning_rate, train
from fripn.train.native import native_sampler
from fripn.train.resume import load_checkpoint
from fripn.train.state import Batch
from fripn.train.teacher import decision_log_probs

WITH_PAIRS = {**NETWORK, "pair_width": 8}
PACKED = {**NETWORK, "features": "pack"}
PACKED_PAIRS = {**WITH_PAIRS, "features": "pack"}
NEAR = {**WITH_PAIRS, "features": "near"}
LOCAL = {**WITH_PAIRS, "features": "local"}


def weights_of(folder):
    saved = load_checkpoint(folder / CHECKPOINT)
    return saved["policy"], saved["average"]


@pytest.mark.slow
@pytest.mark.parametrize("network", [NETWORK, WITH_PAIRS])
def test_resumed_run_equals_an_uninterrupted_one(labels, tmp_path, network):
    """Four steps, resume, four steps: bit for bit the weights of eight steps."""
    config = make_config(labels, policy=network)
    train(config, tmp_path / "whole", report=lambda _: None)

    with pytest.MonkeyPatch.context() as patch:
        interrupt_after(patch, 4, signal.SIGTERM)
        with pytest.raises(KeyboardInterrupt, match=r"stopped after step 4; .*--resume"):
            train(config, tmp_path / "pieces", report=lambda _: None)
    assert load_checkpoint(tmp_path / "pieces" / CHECKPOINT)["step"] == 4
    train(config, tmp_path / "pieces", resume=True, report=lambda _: None)

    for whole, pieces in zip(
        weights_of(tmp_path / "whole"), weights_of(tmp_path / "pieces"), strict=True
    ):
        for name, tensor in whole.items():
            assert torch.equal(tensor, pieces[name]), name


@pytest.mark.slow
def test_imitation_overfits_one_batch(labels, tmp_path):
    """The loss on a handful of labels falls far below that of the random start."""
    config = make_config(labels, reinforce={"weight": 0.0})
    for steps in (5, 115, 120):  # every piece ends with a row of the curve
        train(
            dataclasses.replace(config, steps=steps),
            tmp_path,
            resume=steps > 5,
            report=lambda _: None,
        )
    rows = read_curve(tmp_path / "curve.csv")
    assert [row.step for row in rows] == [5, 115, 120]
    assert rows[-1].imitation_loss < 0.6 * rows[0].imitation_loss
    assert (tmp_path / "curve.png").stat().st_size > 1000
    assert load_weights(tmp_path / "best.safetensors").provenance["steps"] <= 120


def start_from(labels, tmp_path, had, wanted):
    """Train one network a little and start another from its weights.

    Returns the file of weights, the new policy, and the log-probabilities of both on the same
    decisions, step by step in torch and fused.
    """
    train(make_config(labels, policy=had), tmp_path / "old", report=lambda _: None)
    init = str(tmp_path / "old" / "last.safetensors")
    old, new = (
        first_policy(make_config(labels, policy=network, init=init)) for network in (had, wanted)
    )
    batch = Batch.of([paper_instance(6, seed, 3) for seed in range(2)])
    actions = native_sampler(encode(old, batch), 4, 1).actions
    log_probs = [
        tuple(method(encode(policy, batch), actions) for policy in (old, new))
        for method in (decision_log_probs, fused_log_probs)
    ]
    return init, new, log_probs


def test_weights_without_a_pair_term_can_start_one(labels, tmp_path):
    """The first policy gives the same log-probabilities; then the new parameters change."""
    init, new, log_probs = start_from(labels, tmp_path, NETWORK, WITH_PAIRS)
    for before, after in log_probs:
        assert torch.equal(before, after)
    config = make_config(labels, policy=WITH_PAIRS, init=init)
    train(config, tmp_path / "new", report=lambda _: None)
    trained, _ = weights_of(tmp_path / "new")
    fresh = new.state_dict()
    for name in ("node", "raw", "location", "scalars", "distance", "fill", "output"):
        assert not torch.equal(trained[f"pair.{name}.weight"], fresh[f"pair.{name}.weight"]), name


@pytest.mark.parametrize(
    ("had", "wanted"),
    [
        (NETWORK, PACKED),
        (WITH_PAIRS, PACKED_PAIRS),
        (NETWORK, PACKED_PAIRS),
        (WITH_PAIRS, NEAR),
        (WITH_PAIRS, LOCAL),
        ({**NETWORK, "remaining_graph": False}, {**PACKED, "remaining_graph": False}),
    ],
)
def test_weights_with_cover_features_can_start_pack(labels, tmp_path, had, wanted):
    """The first policy gives the same log-probabilities; then the new weights change."""
    init, new, log_probs = start_from(labels, tmp_path, had, wanted)
    for before, after in log_probs:
        assert torch.allclose(before, after, atol=1e-6)
    config = make_config(labels, policy=wanted, init=init)
    train(config, tmp_path / "new", report=lambda _: None)
    trained, _ = weights_of(tmp_path / "new")
    columns = trained["vehicle.input.weight"][:, 16 + 17 : 16 + 19]
    assert not new.state_dict()["vehicle.input.weight"][:, 33:35].any()
    assert columns.any(0).all()
    if "pair_width" in wanted:
        assert not torch.equal(trained["pair.waste.weight"], new.state_dict()["pair.waste.weight"])


def test_weights_with_pack_features_can_start_near(labels, tmp_path):
    """The input of nearby waste starts with the weights of waste, and then they differ."""
    _, new, _ = start_from(labels, tmp_path, PACKED_PAIRS, NEAR)
    fresh = new.state_dict()
    assert fresh["pair.waste.weight"].any()
    assert torch.equal(fresh["pair.near.weight"], fresh["pair.waste.weight"])
    init = str(tmp_path / "old" / "last.safetensors")
    train(make_config(labels, policy=NEAR, init=init), tmp_path / "new", report=lambda _: None)
    trained, _ = weights_of(tmp_path / "new")
    assert not torch.equal(trained["pair.near.weight"], fresh["pair.near.weight"])


def test_weights_with_near_features_can_start_local(labels, tmp_path):
    """The first policy is the same; then the new weights change."""
    init, new, log_probs = start_from(labels, tmp_path, NEAR, LOCAL)
    for before, after in log_probs:
        assert torch.equal(before, after)
    assert not new.state_dict()["pair.local.weight"].any()
    train(make_config(labels, policy=LOCAL, init=init), tmp_path / "new", report=lambda _: None)
    trained, _ = weights_of(tmp_path / "new")
    assert trained["pair.local.weight"].any(0).all()


def test_weights_can_start_route_by_route(labels, tmp_path):
    """The parameters are unchanged; only the types that can be chosen differ."""
    network = {**LOCAL, "route_by_route": True}
    train(make_config(labels, policy=LOCAL), tmp_path / "old", report=lambda _: None)
    init = str(tmp_path / "old" / "last.safetensors")
    old, new = (
        first_policy(make_config(labels, policy=policy, init=init)) for policy in (LOCAL, network)
    )
    for name, parameter in old.state_dict().items():
        assert torch.equal(new.state_dict()[name], parameter), name
    train(make_config(labels, policy=network, init=init), tmp_path / "new", report=lambda _: None)
    assert load_weights(tmp_path / "new" / "last.safetensors").config.route_by_route


@pytest.mark.parametrize(
    ("had", "wanted"),
    [
        ({**NETWORK, "route_by_route": True}, NETWORK),
        (LOCAL, NEAR),
        (NEAR, PACKED_PAIRS),
        (WITH_PAIRS, NETWORK),
        (WITH_PAIRS, {**NETWORK, "pair_width": 16}),
        (NETWORK, {**WITH_PAIRS, "clip": 5.0}),
        (PACKED, NETWORK),
        ({**NETWORK, "features": "paper"}, PACKED),
        (NETWORK, {**PACKED, "clip": 5.0}),
    ],
)
def test_weights_of_another_policy_cannot_start_a_run(labels, tmp_path, had, wanted):
    """A pair term can be added to the same policy, and nothing else changed."""
    config = make_config(labels, policy=had, steps=1)
    train(config, tmp_path / "old", report=lambda _: None)
    other = make_config(labels, policy=wanted, init=str(tmp_path / "old" / "last.safetensors"))
    with pytest.raises(CheckpointMismatch, match=r"policy\.\w+ is .* in the file, .* now; make"):
        train(other, tmp_path / "new", report=lambda _: None)


def test_reinforce_lowers_the_cost(tmp_path):
    """The sign is right: the sampled cost falls on the same distribution."""
    config = parse_config(
        {
            "steps": 1,
            "policy": NETWORK,
            "instances": {"sizes": [6], "min_types": 4, "max_types": 4},
            "reinforce": {"batch_size": 16, "trajectories": 8, "normalise": True},
            "optimiser": {"learning_rate": 1e-2},
            "validation": {"sizes": [6], "instances": 32, "samples": 1},
        }
    )
    train(config, tmp_path, report=lambda _: None)
    train(dataclasses.replace(config, steps=40), tmp_path, resume=True, report=lambda _: None)
    first, last = read_curve(tmp_path / "curve.csv")
    assert last.sampled < 0.97 * first.sampled


def test_a_loss_that_is_not_finite_ends_the_run_and_keeps_the_checkpoint(labels, tmp_path):
    """The message names step and remedy; the last good checkpoint stays as it was."""
    config = make_config(labels)
    train(dataclasses.replace(config, steps=2), tmp_path, report=lambda _: None)
    before = (tmp_path / CHECKPOINT).read_bytes()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            loop_module, "imitation_loss", lambda *_: torch.tensor(float("nan"), requires_grad=True)
        )
        with pytest.raises(TrainingFailed, match=r"step 2.*learning_rate"):
            train(config, tmp_path, resume=True, report=lambda _: None)
    assert (tmp_path / CHECKPOINT).read_bytes() == before


@pytest.mark.parametrize("fused", [True, False])
def test_a_weight_that_is_nan_ends_the_run(labels, tmp_path, fused, monkeypatch):
    """Even where the native decoder's losses stay finite: nothing more is saved."""
    config = make_config(labels, steps=2, fused=fused, policy=NEAR)
    train(config, tmp_path, report=lambda _: None)
    before = (tmp_path / CHECKPOINT).read_bytes()
    original = loop_module._Run._one_step

    def poison(self):
        with torch.no_grad():
            next(self.policy.parameters()).view(-1)[0] = torch.nan
        original(self)

    monkeypatch.setattr(loop_module._Run, "_one_step", poison)
    with pytest.raises(TrainingFailed, match=r"step 2.*init=.*best\.safetensors"):
        train(
            dataclasses.replace(config, steps=9, checkpoint_minutes=1e-9),
            tmp_path,
            resume=True,
            report=lambda _: None,
        )
    assert (tmp_path / CHECKPOINT).read_bytes() == before


def test_a_run_in_short_pieces_is_validated(labels, tmp_path, monkeypatch):
    """The time since the last validation counts over all parts of a run."""
    seconds = 0.0

    def one_second(_):
        nonlocal seconds
        seconds += 1.0
        return seconds

    monkeypatch.setattr(loop_module._Run, "_clock", one_second)
    monkeypatch.setattr(loop_module, "_stop_signals", lambda: nullcontext(lambda: True))
    config = make_config(labels, steps=40, validate_minutes=0.099)
    for piece in range(14):
        with pytest.raises(KeyboardInterrupt):
            train(config, tmp_path, resume=piece > 0, report=lambda _: None)
    assert [row.step for row in read_curve(tmp_path / "curve.csv")] == [6, 12]


def test_learning_rate_schedules():
    """Warm-up rises, cosine ends at its fraction, halving halves."""
    settings = parse_config({"optimiser": {"schedule": "cosine", "warmup": 9}}).optimiser
    assert learning_rate(settings, 0, 0.0) == pytest.approx(1e-5)
    assert learning_rate(settings, 50, 0.0) == pytest.approx(1e-4)
    assert learning_rate(settings, 50, 1.0) == pytest.approx(2e-6)
    halving = parse_config(
        {"optimiser": {"schedule": "halve", "halve_at": [0.25, 0.5, 0.75]}}
    ).optimiser
    assert [learning_rate(halving, 0, p) for p in (0.2, 0.3, 0.6, 0.9)] == pytest.approx(
        [1e-4, 5e-5, 2.5e-5, 1.25e-5]
    )
