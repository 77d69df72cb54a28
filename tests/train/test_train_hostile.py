"""Files of labels, checkpoints and weights that are not what they claim to be."""

import io
import pickle
import zipfile
from dataclasses import replace

import hostile_files
import numpy as np
import pytest
import torch
from hostile_files import FILES, check, mutated, originals
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from train_helpers import make_labels_of, one_each

from fripn.errors import CheckpointMismatch, InvalidFile, Unsupported
from fripn.problem.generate import paper_instance
from fripn.train.labels import label, load_settings, load_shard, save_shard
from fripn.train.resume import load_checkpoint, require_fit


class Trap:
    """A pickle of it runs code when it is loaded."""

    sprung = False

    def __reduce__(self):
        """Return the code that a careless reader would run."""
        return setattr, (Trap, "sprung", True)


@pytest.mark.parametrize("file", FILES)
def test_correct_files_are_accepted(file, tmp_path):
    """Else mutating them would test nothing."""
    (tmp_path / "file.npz").write_bytes(originals()[file])
    assert check(file, tmp_path / "file.npz")


@pytest.mark.parametrize("file", FILES)
@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(number=st.integers(0, 2**31))
@example(number=888)  # a checkpoint in which one moment was missing
@example(number=6018)  # one in which a list stood for the moments
def test_mutated_files_end_in_a_sentence_or_can_be_used(file, number, tmp_path):
    """Nothing of theirs reaches the core, and no foreign exception reaches the user."""
    (tmp_path / "file.npz").write_bytes(mutated(file, number))
    check(file, tmp_path / "file.npz")


def test_the_long_run_says_what_it_saw(capsys):
    """A line per sort of file."""
    assert hostile_files.main(["--inputs", "30"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(FILES)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("coordinates", 2.0, r"coordinates at \(0, 0, 0\) is 2.0 instead of"),
        ("coordinates", np.nan, "coordinates .* is nan"),
        ("demands", -1.0, "demands .* is -1.0"),
        ("demands", 0.25, "a depot has a demand"),
        ("capacities", 0.0, "capacities .* is 0.0"),
        ("fixed_costs", np.inf, "fixed_costs .* is inf"),
        ("unit_costs", -1.0, "unit_costs .* is -1.0"),
        ("costs", np.nan, "costs .* is nan"),
        ("load_units", 0.0, "load_units .* is 0.0"),
        ("load_units", 1e-9, "load_cells are not the demands"),
        ("load_cells", 1024, "load_cells .* is 1024"),
        ("given", 1, "the customers that are given end within a route"),
    ],
)
def test_numbers_out_of_range_are_refused(tmp_path, name, value, message):
    """The message names the file, the array and the number."""
    _, labels = make_labels_of(2)
    getattr(labels, name).flat[0] = value
    save_shard(tmp_path / "shard.npz", [labels])
    with pytest.raises(InvalidFile, match=rf"shard\.npz: the labels 6x3 are damaged: {message}"):
        load_shard(tmp_path / "shard.npz")


def test_a_route_beyond_the_capacity_is_refused(tmp_path):
    """The core would find its customers not available."""
    _, labels = make_labels_of(2)
    labels.capacities[0] = 0.01
    save_shard(tmp_path / "shard.npz", [labels])
    with pytest.raises(InvalidFile, match=r"a route of plan 0 carries .* takes 0\.01"):
        load_shard(tmp_path / "shard.npz")


def test_numbers_of_another_type_are_refused(tmp_path):
    """Numbers of customers are integers."""
    _, labels = make_labels_of(2)
    save_shard(tmp_path / "a.npz", [replace(labels, customers=labels.customers + 0.5)])
    with pytest.raises(InvalidFile, match="customers has the type float64 instead of int16"):
        load_shard(tmp_path / "a.npz")
    save_shard(tmp_path / "b.npz", [labels[:0]])
    with pytest.raises(InvalidFile, match="the labels 6x3 are damaged: there are none"):
        load_shard(tmp_path / "b.npz")


def test_what_could_not_be_read_back_is_not_labelled():
    """Costs that are far apart leave the range of the numbers once they are scaled."""
    instance = paper_instance(6, 0, 3)
    types = [kind.replace(fixed_cost=1e15, unit_cost=1e-3) for kind in instance.vehicle_types]
    with pytest.raises(Unsupported, match="once it is scaled: fixed_costs"):
        label([instance.replace(vehicle_types=types)], [one_each(instance)])


@pytest.mark.parametrize("text", ["[1]", "{", "[" * 100_000, "1" * 5000])
def test_settings_of_labels_that_are_not_a_table_are_refused(tmp_path, text):
    """Valid JSON or not."""
    path = tmp_path / "a.npz"
    save_shard(path, [make_labels_of(2)[1]])
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    np.savez(path, **{**arrays, "settings": np.frombuffer(text.encode(), np.uint8)})
    with pytest.raises(InvalidFile, match=r"a\.npz: the settings are damaged"):
        load_settings(path)


def test_names_of_arrays_that_are_not_sizes_are_ignored_or_refused(tmp_path):
    """No array is indexed out of range."""
    path = tmp_path / "a.npz"
    save_shard(path, [make_labels_of(2)[1]])
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    np.savez(path, **{**arrays, "a/b": np.zeros(1)})
    assert len(load_shard(path)) == 1


def test_an_array_that_claims_more_than_it_has_costs_no_memory(tmp_path):
    """Numpy would allocate what the header says before it reads."""
    path = tmp_path / "a.npz"
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "<f8", "fortran_order": False, "shape": (10**10,)}
    )
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("6x3/costs.npy", header.getvalue())
    with pytest.raises(InvalidFile, match=r"has the shape \(10000000000,\), but \d+ bytes"):
        load_shard(path)


def test_no_pickle_is_loaded(tmp_path):
    """Neither as an array of objects, nor as the whole file, nor inside of a checkpoint."""
    path = tmp_path / "a.npz"
    np.savez(path, **{"6x3/costs": np.array([Trap()], dtype=object)})
    with pytest.raises(InvalidFile, match="holds objects"):
        load_shard(path)
    path.write_bytes(pickle.dumps(Trap()))
    with pytest.raises(InvalidFile, match="not a file of labels"):
        load_shard(path)
    torch.save({"format": Trap()}, path)
    with pytest.raises(InvalidFile, match="damaged or not a checkpoint"):
        load_checkpoint(path)
    assert not Trap.sprung


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("step", -1),
        ("step", True),
        ("instances", 2**70),
        ("seconds", float("nan")),
        ("seconds", float("inf")),
        ("origin", "{"),
        ("origin", "[]"),
        ("origin", '{"instances": "many"}'),
        ("best", float("nan")),
        ("sums", {"cost": ["x"]}),
        ("policy", {"x": 1}),
        ("average", {3: torch.zeros(1)}),
    ],
)
def test_values_of_a_checkpoint_out_of_range_are_refused(tmp_path, key, value):
    """By name."""
    path = tmp_path / "checkpoint.pt"
    content = torch.load(io.BytesIO(originals()["checkpoint"]), weights_only=True)
    torch.save({**content, key: value}, path)
    with pytest.raises(CheckpointMismatch, match=f"has no {key} that fits"):
        load_checkpoint(path)


def test_parameters_of_a_checkpoint_that_are_not_finite_are_refused(tmp_path):
    """They would make every later step NaN."""
    tensors = hostile_files.network().state_dict()
    spoiled = {name: tensor.clone() for name, tensor in tensors.items()}
    spoiled["vehicle.output.bias"][3] = torch.nan
    with pytest.raises(CheckpointMismatch, match=r"numbers in vehicle\.output\.bias .* not finite"):
        require_fit(tmp_path, spoiled, tensors)


@pytest.mark.parametrize(
    ("name", "value"), [("exp_avg", torch.nan), ("exp_avg_sq", -1.0), ("step", torch.inf)]
)
def test_moments_out_of_range_are_refused(tmp_path, name, value):
    """The root of a negative one would be NaN."""
    path = tmp_path / "checkpoint.pt"
    content = torch.load(io.BytesIO(originals()["checkpoint"]), weights_only=True)
    content["optimiser"]["state"][0][name].fill_(value)
    torch.save(content, path)
    assert not check("checkpoint", path)


@pytest.mark.parametrize("name", ["exp_avg", "exp_avg_sq", "step"])
def test_a_missing_moment_is_refused(tmp_path, name):
    """The next step would end in a traceback."""
    path = tmp_path / "checkpoint.pt"
    content = torch.load(io.BytesIO(originals()["checkpoint"]), weights_only=True)
    del content["optimiser"]["state"][0][name]
    torch.save(content, path)
    assert not check("checkpoint", path)


def test_a_checkpoint_does_not_change_how_steps_are_taken(tmp_path):
    """Rates and decays are those of the settings, whatever the file says."""
    path = tmp_path / "checkpoint.pt"
    content = torch.load(io.BytesIO(originals()["checkpoint"]), weights_only=True)
    content["optimiser"]["param_groups"][0]["betas"] = (2.0, 3.0)
    torch.save(content, path)
    assert check("checkpoint", path)
