"""Continuing a run, and the integrity of its files."""

import dataclasses
import itertools
import os
import shutil
from pathlib import Path

import pytest
import torch
from train_helpers import copy_of, make_config

from fripn.errors import CheckpointMismatch, InvalidFile
from fripn.policy.weights import load_weights
from fripn.train import loop as loop_module
from fripn.train.curve import read_curve
from fripn.train.loop import CHECKPOINT, train
from fripn.train.resume import CONTENT, load_checkpoint, require_same_settings


def test_a_folder_with_a_run_is_not_overwritten(labels, one_step, tmp_path):
    """Without --resume an existing run is refused; so are other settings with it."""
    config = make_config(labels)
    folder = copy_of(one_step, tmp_path)
    with pytest.raises(InvalidFile, match="--resume"):
        train(config, folder, report=lambda _: None)
    other = make_config(labels, seed=9, optimiser={"learning_rate": 1e-3, "schedule": "cosine"})
    with pytest.raises(CheckpointMismatch) as mismatch:
        train(other, folder, resume=True, report=lambda _: None)
    assert str(mismatch.value) == (
        f"the run in {folder} has other settings: seed is 1234 in the run, 9 now and "
        "optimiser.learning_rate is 0.01 in the run, 0.001 now and optimiser.average is 0.9 in the "
        "run, 0.0 now; keep those of the run, or start another one with --set init=FILE"
    )


def test_labels_may_move_and_the_first_weights_may_go(labels, tmp_path):
    """A checkpoint has its own weights; paths locate labels and do not define them."""
    train(make_config(labels, steps=1), tmp_path / "old", report=lambda _: None)
    init = tmp_path / "old" / "last.safetensors"
    config = make_config(labels, init=str(init))
    train(dataclasses.replace(config, steps=1), tmp_path / "run", report=lambda _: None)
    init.unlink()
    moved = shutil.copytree(labels, tmp_path / "moved")
    elsewhere = make_config(moved, init=str(init), steps=2)
    train(elsewhere, tmp_path / "run", resume=True, report=lambda _: None)
    assert load_checkpoint(tmp_path / "run" / CHECKPOINT)["step"] == 2
    without = make_config(moved, init=str(init), steps=3, validation={"instances": 4, "samples": 4})
    with pytest.raises(
        CheckpointMismatch, match=r"validation\.labels is '.*validation' in the run"
    ):
        train(without, tmp_path / "run", resume=True, report=lambda _: None)


def test_stages_count_the_instances_of_all(labels, tmp_path):
    """Weights know what they started from, also when the run was resumed in between."""
    stages = [tmp_path / name for name in ("first", "second", "third")]
    train(make_config(labels, steps=2), stages[0], report=lambda _: None)
    for before, out in itertools.pairwise(stages):
        config = make_config(labels, steps=1, init=str(before / "last.safetensors"))
        train(config, out, report=lambda _: None)
        longer = dataclasses.replace(config, steps=2)
        train(longer, out, resume=True, report=lambda _: None)
    weights = [load_weights(out / "last.safetensors") for out in stages]
    seen = [one.provenance["instances"] for one in weights]
    assert seen == [seen[0], 2 * seen[0], 3 * seen[0]]
    assert "started_from" not in weights[0].provenance
    assert weights[2].provenance["started_from"] == {
        "weights": weights[1].fingerprint,
        "instances": seen[1],
        "started_from": {"weights": weights[0].fingerprint, "instances": seen[0]},
    }
    assert [row.instances for row in read_curve(stages[1] / "curve.csv")][-1] == seen[1]


def test_damaged_and_foreign_checkpoints_are_refused(labels, tmp_path):
    """Half a file and another program's file get a message each."""
    config = make_config(labels)
    with pytest.raises(InvalidFile, match="no checkpoint"):
        train(config, tmp_path, resume=True, report=lambda _: None)
    train(dataclasses.replace(config, steps=1), tmp_path, report=lambda _: None)
    path = tmp_path / CHECKPOINT
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InvalidFile, match="damaged"):
        train(config, tmp_path, resume=True, report=lambda _: None)
    torch.save({"model": 1}, path)
    with pytest.raises(CheckpointMismatch, match="format"):
        train(config, tmp_path, resume=True, report=lambda _: None)


def test_a_few_wrong_bytes_in_a_checkpoint_are_found(labels, one_step, tmp_path):
    """Torch would load damaged weights; the file is kept, so that it can be repaired."""
    config = make_config(labels)
    folder = copy_of(one_step, tmp_path)
    path = folder / CHECKPOINT
    weights = load_checkpoint(path)["average"]["vehicle.input.weight"].numpy().tobytes()
    content = path.read_bytes()
    at = content.index(weights)
    damaged = content[:at] + bytes(8) + content[at + 8 :]
    path.write_bytes(damaged)
    with pytest.raises(InvalidFile, match=r"checkpoint .* is damaged"):
        train(config, folder, resume=True, report=lambda _: None)
    assert path.read_bytes() == damaged


@pytest.mark.parametrize(
    ("part", "message"),
    [
        *((name, f"no {name} that fits") for name in CONTENT),
        ("policy/vehicle.output.bias", r"of vehicle\.output\.bias it has none.*shape \(16,\)"),
        ("average/vehicle.output.bias", r"of vehicle\.output\.bias it has none"),
        ("optimiser/param_groups", "no optimiser that fits"),
        ("optimiser/state/0/exp_avg", "no optimiser that fits"),
    ],
)
def test_a_checkpoint_that_lacks_something_is_refused(labels, one_step, tmp_path, part, message):
    """Or has None in its place; one message, and the file is unchanged."""
    config = make_config(labels)
    folder = copy_of(one_step, tmp_path)
    path = folder / CHECKPOINT
    content = load_checkpoint(path)
    place = content
    *parents, last = part.split("/")
    for parent in parents:
        place = place[int(parent) if parent.isdigit() else parent]
    if last == "exp_avg":
        place[last] = None
    else:
        del place[last]
    torch.save(content, path)
    before = path.read_bytes()
    with pytest.raises(CheckpointMismatch, match=message):
        train(config, folder, resume=True, report=lambda _: None)
    assert path.read_bytes() == before


def test_saved_settings_that_are_invalid_are_refused(labels, tmp_path):
    """JSON with other content, or not JSON at all."""
    config = make_config(labels)
    for saved in ("[1]", "{", '{"policy": 3}'):
        with pytest.raises(CheckpointMismatch, match="no settings that fit"):
            require_same_settings(tmp_path / CHECKPOINT, saved, config)


@pytest.mark.parametrize("line", ["1,2,3", "one" + 9 * ",1", "\x00"])
def test_an_invalid_curve_is_refused(labels, one_step, tmp_path, line):
    """The message names the last row that can be read."""
    config = make_config(labels)
    folder = copy_of(one_step, tmp_path)
    curve = folder / "curve.csv"
    curve.write_text(curve.read_text() + line + "\n")
    with pytest.raises(InvalidFile, match=r"curve\.csv is not .* after its row 1; fix it"):
        train(config, folder, resume=True, report=lambda _: None)


@pytest.mark.parametrize("name", ["settings.json", "curve.csv", "curve.png", "last.safetensors"])
def test_a_full_disk_is_reported_and_loses_no_step(labels, tmp_path, monkeypatch, name):
    """The checkpoint comes before what may fail; a resumed run repeats the validation."""
    config = make_config(labels, steps=2)
    whole = tmp_path / "whole"
    train(config, whole, report=lambda _: None)
    replace = Path.replace

    def fail(self, target):
        if Path(target).name == name:
            raise OSError(28, "No space left on device")
        return replace(self, target)

    folder = tmp_path / "run"
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", fail)
        with pytest.raises(InvalidFile, match=f"{name} cannot be written: no space left"):
            train(config, folder, report=lambda _: None)
    resume = name != "settings.json"
    assert (folder / CHECKPOINT).exists() == resume
    train(config, folder, resume=resume, report=lambda _: None)
    assert [row.step for row in read_curve(folder / "curve.csv")] == [2]
    first, second = (load_weights(run / "best.safetensors") for run in (whole, folder))
    assert first.fingerprint == second.fingerprint


def test_checkpoints_go_by_wall_clock_time(labels, tmp_path, monkeypatch):
    """On a busy machine a minute of processor time takes long; a crash must not lose more."""
    monkeypatch.setattr(loop_module._Run, "_clock", lambda _: 0.0)
    minutes = itertools.count()
    monkeypatch.setattr(loop_module.time, "monotonic", lambda: 60.0 * next(minutes))
    saved = []
    monkeypatch.setattr(loop_module, "save_checkpoint", lambda _, c: saved.append(c["step"]))
    train(make_config(labels, steps=7, checkpoint_minutes=3.0), tmp_path, report=lambda _: None)
    assert saved == [2, 5, 7, 7]


def test_a_full_disk_keeps_the_last_checkpoint(labels, one_step, tmp_path, monkeypatch):
    """Writing fails half-way: the old checkpoint is intact, no debris, a clear message."""
    config = make_config(labels)
    folder = copy_of(one_step, tmp_path)
    before = (folder / CHECKPOINT).read_bytes()

    def fail(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(InvalidFile, match="no space left"):
        train(config, folder, resume=True, report=lambda _: None)
    assert (folder / CHECKPOINT).read_bytes() == before
    assert not list(folder.glob(".checkpoint*"))
