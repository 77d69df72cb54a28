"""``fripn train`` on the command line."""

import dataclasses
import inspect
import signal
import sys

import pytest
from train_helpers import interrupt_after

from fripn.cli import main
from fripn.cli.train import label
from fripn.train.labelling import LabelSettings


def run(*words: object) -> int:
    with pytest.raises(SystemExit) as exit_info:
        main([str(word) for word in words])
    return int(exit_info.value.code or 0)


@pytest.mark.slow
def test_label_then_train_then_resume(tmp_path, capsys):
    """The two commands of the docs, tiny: labels, a run, and the same run continued."""
    labels = tmp_path / "labels"
    assert run(
        "train", "label", "--out", labels, "--shards", 2, "--sizes", "5", "--wide-share", 0,
        "--effort", 1, "--customers", 40,
    ) == 0  # fmt: skip
    said = capsys.readouterr().err
    assert "2 of 2 made" in said
    assert "all 2 shards are there" in said
    config = tmp_path / "run.toml"
    config.write_text(
        f"""steps = 2
[policy]
width = 16
num_layers = 1
num_heads = 2
ff_width = 32
[imitation]
weight = 1.0
labels = "{labels}"
[reinforce]
weight = 0.0
[validation]
sizes = [5]
samples = 2
instances = 2
"""
    )
    assert run("train", "--config", config, "--out", tmp_path / "run") == 0
    assert "finished: 2 steps" in capsys.readouterr().err
    assert run("train", "--config", config, "--out", tmp_path / "run") == 2
    assert "--resume" in capsys.readouterr().err
    words = ["--config", config, "--out", tmp_path / "run", "--resume", "--set", "steps=3"]
    assert run("train", *words) == 0
    assert "finished: 3 steps" in capsys.readouterr().err


SMALL = """
[policy]
width = 16
num_layers = 1
num_heads = 2
ff_width = 32
[instances]
sizes = [5]
[reinforce]
batch_size = 2
[validation]
samples = 2
instances = 2
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_run_names_how_to_continue(tmp_path, capsys, monkeypatch, number):
    """Exit code 130, so that a script can distinguish it from a finished one."""
    config = tmp_path / "run.toml"
    config.write_text(f"steps = 3\n{SMALL}")
    words = ["train", "--config", config, "--out", tmp_path / "run"]
    with monkeypatch.context() as patch:
        interrupt_after(patch, 2, number)
        assert run(*words) == 130
    announced, stopped = capsys.readouterr().err.splitlines()
    assert announced.startswith("network: ")
    assert stopped == "fripn: stopped after step 2; continue with the same command and --resume"
    assert run(*words, "--resume") == 0
    said = capsys.readouterr().err
    assert "finished: 3 steps" in said
    assert "nan" not in said


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["train"], "--config is not given"),
        (["train", "--config", "none.toml"], "--out is not given"),
        (["train", "--config", "none.toml", "--out", "x"], "no configuration none.toml"),
        (["train", "--config", "ten-minute", "--out", "x"], "the preset ten-minutes?"),
        (["train", "--config", "ten-minutes", "--out", "x"], "no labels in out/first-labels;"),
        (["train", "label", "--out", "x", "--sizes", "many"], "--sizes is 'many'"),
        (["train", "label", "--out", "x", "--shards", "0"], "shards is 0"),
        (["train", "label", "--out", "x", "--threads", "0"], "threads is 0"),
        (["train", "label", "--out", "x", "--sizes", "0"], "sizes is [0]"),
        (["train", "label", "--out", "x", "--sizes", "40000"], "1 to 32767"),
        (["train", "label", "--out", "x", "--effort", "0"], "effort is 0; give"),
        (["train", "label", "--out", "x", "--customers", "0"], "customers is 0; give"),
        (["train", "label", "--out", "x", "--seed", "-1"], "seed is -1; give"),
        (["train", "label", "--out", "x", "--seed", "9" * 23], "seed is 999"),
        (["train", "--config", "none.toml", "label", "--out", "x"], "--config stands before"),
        (["train", "--resume", "label", "--out", "x"], "--resume stands before"),
        (["train", "--set", "steps=3", "label", "--out", "x"], "--set stands before"),
        (["train", "label", "--out", "x", "--wide-share", "2"], "wide_share is 2"),
        (["train", "label", "--out", "x", "--policy", "none"], "no weights file none"),
    ],
)
def test_wrong_calls_get_one_sentence(words, message, capsys, tmp_path, monkeypatch):
    """Exit code 2, place, value and remedy; nothing is written."""
    monkeypatch.chdir(tmp_path)
    assert run(*words) == 2
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (["--seed", "77"], "seed = 0, but now it is 77; give the same settings or name another"),
        (["--sizes", "6"], "sizes = [5], but now it is [6]"),
        (["--effort", "2"], "effort = 1, but now it is 2"),
    ],
)
@pytest.mark.parametrize("shards", ["1", "2"])
def test_a_folder_keeps_its_settings(change, message, shards, tmp_path, capsys):
    """Other settings are refused whether or not shards are missing; the same ones continue."""
    words = ["train", "label", "--out", tmp_path / "labels", "--sizes", "5", "--effort", "1"]
    words += ["--customers", "10", "--wide-share", "0"]
    assert run(*words, "--shards", 1) == 0
    capsys.readouterr()
    assert run(*words, "--shards", shards, *change) == 2
    assert message in capsys.readouterr().err
    assert len(list((tmp_path / "labels").glob("*.npz"))) == 1
    assert run(*words, "--shards", shards, "--threads", 2) == 0
    assert f"all {shards} shards are there" in capsys.readouterr().err


def test_labelling_has_one_set_of_defaults():
    """The command's defaults are those of the settings."""
    options = inspect.signature(label).parameters
    for field in dataclasses.fields(LabelSettings):
        if field.name not in ("sizes", "policy"):  # unset on the command line
            assert options[field.name].default == field.default


def test_a_file_is_refused_as_a_folder_for_labels(tmp_path, capsys):
    """One sentence, no traceback."""
    (tmp_path / "labels").write_text("")
    assert run("train", "label", "--out", tmp_path / "labels") == 2
    assert "labels cannot be made: file exists; name another one" in capsys.readouterr().err


def test_training_without_torch_names_the_extra(capsys, monkeypatch):
    """No traceback where torch is not installed."""
    monkeypatch.setitem(sys.modules, "torch", None)
    assert run("train", "--config", "x.toml", "--out", "y") == 2
    assert "fripn[train]" in capsys.readouterr().err
