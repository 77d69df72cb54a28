"""Configuration and weight files of the policy."""

import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from fripn.errors import CheckpointMismatch, InvalidFile, InvalidSetting
from fripn.policy import (
    PolicyConfig,
    PolicyWeights,
    default_weights,
    load_weights,
    random_weights,
    save_weights,
    shipped_weights,
)

SMALL = PolicyConfig(width=16, num_layers=2, num_heads=2, ff_width=24, features="cover")


def test_file_gives_back_what_was_saved(tmp_path):
    """Config and provenance survive exactly, numbers to the precision of float16."""
    weights = random_weights(SMALL, 1)
    path = tmp_path / "w.safetensors"
    save_weights(PolicyWeights(SMALL, weights.tensors, {"run": "a", "steps": 3}), path)
    loaded = load_weights(path)
    assert loaded.config == SMALL
    assert loaded.provenance == {"run": "a", "steps": 3}
    for name, array in weights.tensors.items():
        assert loaded.tensors[name].dtype == np.float32
        assert np.array_equal(loaded.tensors[name], array.astype(np.float16).astype(np.float32))


def test_a_full_disk_leaves_the_old_weights(tmp_path, monkeypatch):
    """Writing fails half-way: the old file is intact and nothing is left beside it."""
    path = tmp_path / "weights.safetensors"
    save_weights(random_weights(SMALL, 1), path)
    before = path.read_bytes()

    def fail(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(InvalidFile, match="no space left"):
        save_weights(random_weights(SMALL, 2), path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_files_from_before_the_pair_term_have_none(tmp_path):
    """A header without the setting means a network without the term."""
    weights = random_weights(SMALL, 1)
    config = weights.config.to_dict()
    del config["pair_width"]
    path = tmp_path / "old.safetensors"
    save_file(
        dict(weights.tensors),
        str(path),
        metadata={"format": "fripn-policy-1", "config": json.dumps(config)},
    )
    assert load_weights(path).config == SMALL


def test_a_pair_term_is_part_of_the_file(tmp_path):
    """Its parameters are saved, required, and refused without the setting."""
    config = replace(SMALL, pair_width=16)
    weights = random_weights(config, 1)
    save_weights(weights, tmp_path / "w.safetensors")
    assert load_weights(tmp_path / "w.safetensors").config == config
    with pytest.raises(CheckpointMismatch, match=r"lack pair\.node\.weight.*pair width 16"):
        PolicyWeights(config, random_weights(SMALL, 1).tensors)
    with pytest.raises(CheckpointMismatch, match=r"hold pair\."):
        PolicyWeights(SMALL, weights.tensors)


def test_arrays_are_frozen_copies():
    """Weights in use cannot be changed."""
    weights = random_weights(SMALL, 1)
    with pytest.raises(ValueError, match="read-only"):
        weights.tensors["encoder.depot.bias"][0] = 1.0


def test_parameter_count_of_the_paper():
    """The paper's sizes give about 1.4 million numbers."""
    count = sum(int(np.prod(shape)) for shape in PolicyConfig().shapes().values())
    assert count == 6 * (4 * 128**2 + 128 + 2 * 512 * 128 + 512 + 128 + 4 * 128) + (
        3 * 128 + 4 * 128 + (2 * 128 + 4) * 128 + 128 + 9 * 128**2 + 2 * 128
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.pop("vehicle.key.weight"), "lack vehicle.key.weight"),
        (lambda t: t.update(extra=np.zeros(2, np.float32)), "hold extra"),
        (lambda t: t.update({"encoder.depot.bias": np.zeros(3, np.float32)}), r"has shape \(3,\)"),
        (
            lambda t: t.update({"encoder.depot.bias": np.full(16, np.nan, np.float32)}),
            "not finite",
        ),
    ],
)
def test_weights_that_do_not_fit_are_refused(change, message):
    """Missing, left-over, misshapen and diverged parameters are named."""
    tensors = dict(random_weights(SMALL, 1).tensors)
    change(tensors)
    with pytest.raises(CheckpointMismatch, match=message):
        PolicyWeights(SMALL, tensors)


def test_the_page_describes_the_shipped_weights():
    """docs/policy.md names the settings of the shipped weights."""
    page = (Path(__file__).parents[2] / "docs" / "policy.md").read_text(encoding="utf-8")
    config = default_weights().config
    assert config.remaining_graph
    assert config.vehicle_residual
    assert (
        f'`num_layers = {config.num_layers}`, `features = "{config.features}"`, '
        f"`vehicle_residual = true`, `pair_width = {config.pair_width}`"
    ) in " ".join(page.split())


def test_weights_of_another_network_are_refused():
    """A wider input map is found although most shapes agree."""
    paper = PolicyConfig(width=16, num_layers=2, num_heads=2, ff_width=24)
    with pytest.raises(CheckpointMismatch, match=r"vehicle\.input\.weight has shape"):
        PolicyWeights(paper, random_weights(SMALL, 1).tensors)


def test_files_that_hold_no_policy_are_refused(tmp_path):
    """Missing file, other format, foreign safetensors, unknown setting: one sentence each."""
    with pytest.raises(InvalidFile, match="no weights file"):
        load_weights(tmp_path / "none.safetensors")
    text = tmp_path / "text.safetensors"
    text.write_text("hello, this is no tensor file")
    with pytest.raises(InvalidFile, match="cannot be read as safetensors"):
        load_weights(text)
    foreign = tmp_path / "foreign.safetensors"
    save_file({"a": np.zeros(2, np.float32)}, str(foreign))
    with pytest.raises(CheckpointMismatch, match="has format None"):
        load_weights(foreign)
    newer = tmp_path / "newer.safetensors"
    save_file(
        {"a": np.zeros(2, np.float32)},
        str(newer),
        metadata={"format": "fripn-policy-1", "config": '{"widht": 3}'},
    )
    with pytest.raises(CheckpointMismatch, match="did you mean 'width'"):
        load_weights(newer)


def test_values_beyond_float16_are_refused(tmp_path):
    """Saving never turns a number into infinity."""
    tensors = dict(random_weights(SMALL, 1).tensors)
    tensors["encoder.depot.bias"] = np.full(16, 1e6, np.float32)
    with pytest.raises(CheckpointMismatch, match="65504"):
        save_weights(PolicyWeights(SMALL, tensors), tmp_path / "w.safetensors")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"width": 20, "num_heads": 8}, "cannot be shared"),
        ({"num_layers": 0}, "num_layers is 0"),
        ({"clip": -1.0}, "clip is -1"),
        ({"clip": 1e39}, "clip is 1e\\+39"),
        ({"features": "all"}, "features is 'all'"),
        ({"vehicle_residual": 1}, "vehicle_residual is 1"),
        ({"pair_width": 12}, "pair_width is 12; give a multiple of 8"),
        ({"pair_width": -8}, "pair_width is -8"),
    ],
)
def test_settings_out_of_range_are_refused(settings, message):
    """The message names setting and value."""
    with pytest.raises(InvalidSetting, match=message):
        PolicyConfig(**settings)


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        ({"config": "[" * 100_000}, "does not describe a network"),
        ({"config": "1" * 5000}, "does not describe a network"),
        ({"config": "[]"}, "does not describe a network"),
        ({"config": '{"num_layers": 2147483647}'}, "1 tensors, but .* 2147483647 layers"),
        ({"config": "{}", "provenance": "[1]"}, "the provenance is not a table"),
    ],
)
def test_headers_that_claim_something_else_are_refused(tmp_path, metadata, message):
    """At once: a header costs no more than its own size."""
    path = tmp_path / "a.safetensors"
    tensors = {"a": np.zeros(2, np.float32)}
    save_file(tensors, str(path), metadata={"format": "fripn-policy-1", **metadata})
    with pytest.raises(CheckpointMismatch, match=message):
        load_weights(path)


def test_parameters_of_another_type_are_refused(tmp_path):
    """Integers are no parameters of a network."""
    path = tmp_path / "a.safetensors"
    header = {"format": "fripn-policy-1", "config": '{"num_layers": 1}'}
    save_file({"a": np.zeros(2, np.int64)}, str(path), metadata=header)
    with pytest.raises(CheckpointMismatch, match="holds a as int64 instead of float16 or float32"):
        load_weights(path)


def test_shipped_weights_go_by_name(tmp_path, monkeypatch):
    """A name stands for the file in the package; a file of that name comes first."""
    assert "fripn" in shipped_weights()
    assert load_weights("fripn").fingerprint == default_weights().fingerprint
    monkeypatch.chdir(tmp_path)
    save_weights(random_weights(SMALL, 1), tmp_path / "fripn")
    assert load_weights("fripn").config == SMALL
    with pytest.raises(InvalidFile, match=r"no weights file nothing; .* shipped weights: fripn"):
        load_weights("nothing")


def test_weights_can_be_written_unrounded(tmp_path):
    """float32 keeps every bit, and values beyond the range of float16."""
    drawn = random_weights(SMALL, 4)
    tensors = dict(drawn.tensors)
    tensors["encoder.depot.bias"] = tensors["encoder.depot.bias"] + 1e6
    weights = PolicyWeights(SMALL, tensors)
    save_weights(weights, tmp_path / "w.safetensors", half=False)
    assert load_weights(tmp_path / "w.safetensors").fingerprint == weights.fingerprint
