"""Checkpoints of the published code: the same probabilities, or one sentence."""

from __future__ import annotations

import pickle

import numpy as np
import published_network as theirs
import pytest
import torch

from fripn import solve
from fripn.errors import CheckpointMismatch, InvalidFile
from fripn.policy import Policy as NativePolicy
from fripn.policy import load_weights, save_weights
from fripn.problem.generate import paper_instance
from fripn.train.encoded import encode
from fripn.train.network import Policy
from fripn.train.published import PUBLISHED, import_checkpoint, published_shapes
from fripn.train.rollout import rollout
from fripn.train.state import Batch, availability, reset, step


@pytest.fixture(scope="module")
def tensors():
    return theirs.random_state_dict(3)


@pytest.fixture
def file(tensors, tmp_path):
    path = tmp_path / "checkpoint-2000.pt"
    torch.save(theirs.checkpoint(tensors), path)
    return path


def torch_policy(weights):
    policy = Policy(weights.config)
    policy.load_state_dict({name: torch.tensor(one) for name, one in weights.tensors.items()})
    return policy


def test_names_and_shapes_are_those_of_the_published_network(tensors):
    """104 tensors, of which 94 are used."""
    assert {name: tuple(one.shape) for name, one in tensors.items()} == published_shapes()
    assert len(published_shapes()) == 104


def test_probabilities_are_those_of_the_published_network(file, tensors):
    """In every state of sampled trajectories, from the imported weights and from theirs."""
    policy = torch_policy(import_checkpoint(file))
    double = {name: one.double() for name, one in tensors.items()}
    instances = [paper_instance(7, seed, 3) for seed in range(2)]
    batch = Batch.of(instances)
    with torch.inference_mode():
        actions = rollout(encode(policy, batch), 2, torch.Generator().manual_seed(1)).actions
        nodes = policy.encode(batch)
        state = reset(batch, 2)
        compared = 0
        for t in range(actions.shape[-1]):
            ours = policy(nodes, batch, state).exp()
            allowed = availability(batch, state)
            for b in range(2):
                embedded = theirs.encode(double, batch.coordinates[b], batch.demands[b])
                for m in range(2):
                    if bool(state.is_done[b, m]):
                        continue
                    expected = theirs.probabilities(
                        double,
                        embedded,
                        state.location[b, m],
                        batch.capacities[b] - state.carried[b, m],
                        batch.capacities[b],
                        batch.fixed_costs[b],
                        batch.unit_costs[b],
                        allowed[b, m],
                    )
                    assert torch.allclose(ours[b, m].double(), expected.flatten(), atol=2e-5)
                    compared += 1
            state = step(batch, state, actions[:, :, t])
    assert compared > 20


def test_the_file_keeps_the_weights_and_says_where_they_come_from(file, tmp_path):
    """float32, joint attention, provenance; and the policy solves with it."""
    weights = import_checkpoint(file)
    path = tmp_path / "authors.safetensors"
    save_weights(weights, path, half=False)
    read = load_weights(path)
    assert read.config == PUBLISHED
    assert read.config.attention == "joint"
    assert read.fingerprint == weights.fingerprint
    assert read.provenance["epoch"] == 2000
    assert read.provenance["file"] == "checkpoint-2000.pt"
    assert len(read.provenance["sha256"]) == 64
    assert solve(paper_instance(10, 1), NativePolicy(samples=2, weights=path)).solution is not None


def test_a_state_dict_alone_is_enough(file, tensors, tmp_path):
    """Also without the layers that are never used; the weights are the same."""
    path = tmp_path / "alone.pt"
    unused = ("Wq_last", "context_layer", "layers.0.feed_forward", "layers.0.add_n")
    kept = {
        name: one
        for name, one in tensors.items()
        if name.startswith("encoder") or not any(part in name for part in unused)
    }
    assert len(kept) == 94
    torch.save(kept, path)
    weights = import_checkpoint(path)
    assert weights.fingerprint == import_checkpoint(file).fingerprint
    assert "epoch" not in weights.provenance


def test_trainable_and_double_tensors_are_taken(file, tensors, tmp_path):
    """A file of `named_parameters` instead of a state dict, and one in double precision."""
    path = tmp_path / "parameters.pt"
    torch.save({name: torch.nn.Parameter(one) for name, one in tensors.items()}, path)
    expected = import_checkpoint(file).fingerprint
    assert import_checkpoint(path).fingerprint == expected
    torch.save({name: one.double() for name, one in tensors.items()}, path)
    assert import_checkpoint(path).fingerprint == expected


class Evil:
    """Would run code when unpickled."""

    def __reduce__(self):
        """Make a list instead of running anything harmful."""
        return (print, ("unpickled",))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda t: t.pop("decoder.Wk.weight"), r"lacks decoder\.Wk\.weight, which"),
        (lambda t: t.update(extra=torch.ones(1)), r"holds extra, which the published network does"),
        (
            lambda t: t.update({"encoder.embedding_node.weight": torch.ones(128, 4)}),
            r"embedding_node\.weight in .* has shape \(128, 4\), but .* has \(128, 3\)",
        ),
        (
            lambda t: t.update({"decoder.Wq_last.weight": torch.ones(3)}),
            r"Wq_last\.weight in .* has shape \(3,\)",
        ),
        (
            lambda t: t.update({"decoder.Wv.weight": torch.ones(128, 128, dtype=torch.int64)}),
            r"decoder\.Wv\.weight in .* holds torch\.int64 instead of decimals",
        ),
        (
            lambda t: t.update({"decoder.Wv.weight": torch.full((128, 128), torch.nan)}),
            r"values that are not finite",
        ),
        (
            lambda t: t.update({"decoder.Wk.weight": torch.ones(128, 128).to_sparse()}),
            r"decoder\.Wk\.weight in .* is not a dense tensor with its values; give",
        ),
        (
            lambda t: t.update({"decoder.Wk.weight": torch.ones(128, 128, device="meta")}),
            r"decoder\.Wk\.weight in .* is not a dense tensor with its values; give",
        ),
        (
            lambda t: [t.update({f"module.{name}": t.pop(name)}) for name in list(t)],
            r"holds module\.encoder\.embedding_depot\.weight instead of encoder.*, as DataParallel",
        ),
        (lambda t: t.update(number=3), r"holds neither a model_state_dict nor tensors by name"),
    ],
)
def test_other_networks_are_refused(tensors, tmp_path, change, sentence):
    """The first tensor that does not fit is named."""
    changed = dict(tensors)
    change(changed)
    path = tmp_path / "other.pt"
    torch.save(theirs.checkpoint(changed), path)
    with pytest.raises(CheckpointMismatch, match=sentence):
        import_checkpoint(path)


def test_files_that_cannot_be_read_are_refused(tensors, tmp_path, capsys):
    """No code of a file is run; what to give instead is said."""
    with pytest.raises(InvalidFile, match=r"there is no checkpoint .*none\.pt; check the path"):
        import_checkpoint(tmp_path / "none.pt")
    path = tmp_path / "bad.pt"
    torch.save({"model_state_dict": tensors, "result_log": Evil()}, path)
    with pytest.raises(InvalidFile, match="could run code; save its model_state_dict alone"):
        import_checkpoint(path)
    assert "unpickled" not in capsys.readouterr().out
    path.write_bytes(pickle.dumps({"a": 1}))
    with pytest.raises(InvalidFile, match=r"damaged or not a file of torch\.save; give"):
        import_checkpoint(path)
    torch.save(np.zeros(3).tolist(), path)
    with pytest.raises(CheckpointMismatch, match="neither a model_state_dict"):
        import_checkpoint(path)


def test_the_command_writes_weights(file, tmp_path, capsys):
    """`fripn weights import FILE.pt`, and the sentences of a wrong call."""
    from fripn.cli import main

    def call(*words):
        with pytest.raises(SystemExit) as end:
            main(["weights", "import", *map(str, words)])
        return end.value.code, capsys.readouterr().err

    code, said = call(file)
    assert code == 0
    weights = load_weights(tmp_path / "checkpoint-2000.safetensors")
    assert f"checkpoint-2000.safetensors, weights {weights.fingerprint}" in said
    code, said = call(file, "-o", tmp_path / "mine.pt")
    assert code == 2
    assert "ends in '.pt'; choose one of .safetensors" in said
    code, said = call(tmp_path / "none.pt")
    assert code == 2
    assert "there is no checkpoint" in said
