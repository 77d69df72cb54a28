"""Two processes as one."""

import dataclasses
import json
import os
import subprocess
import sys

import pytest
import torch
from train_helpers import make_config

from fripn.errors import InvalidSetting
from fripn.train import distributed
from fripn.train.loop import CHECKPOINT, train
from fripn.train.resume import load_checkpoint


def to_toml(table: dict, prefix: str = "") -> str:
    """Write nested settings as TOML; JSON spells our values the same way."""
    own = {key: value for key, value in table.items() if not isinstance(value, dict)}
    lines = [f"{key} = {json.dumps(value)}" for key, value in own.items()]
    for key, value in table.items():
        if isinstance(value, dict):
            lines += [f"[{prefix}{key}]", to_toml(value, f"{prefix}{key}.")]
    return "\n".join(lines)


def run_twice(program: list[str]) -> None:
    """Run a program in a group of two processes."""
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    ended = subprocess.run(
        [*command, "--nproc-per-node=2", *program],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stderr


@pytest.mark.slow
def test_two_processes_give_the_gradients_of_one(labels, tmp_path):
    """Half the batch each, summed: the same first moments; then one process resumes alone."""
    config = make_config(labels, steps=1)
    train(config, tmp_path / "one", report=lambda _: None)
    settings = tmp_path / "run.toml"
    settings.write_text(to_toml(config.to_dict()))
    run_twice(["-m", "fripn", "train", "--config", str(settings), "--out", str(tmp_path / "two")])
    moments = [
        load_checkpoint(tmp_path / run / CHECKPOINT)["optimiser"]["state"] for run in ("one", "two")
    ]
    assert len(moments[0]) == len(moments[1]) > 20
    for number, moment in moments[0].items():
        assert torch.allclose(
            moment["exp_avg"], moments[1][number]["exp_avg"], rtol=1e-4, atol=1e-6
        )
    longer = dataclasses.replace(config, steps=2)
    train(longer, tmp_path / "two", resume=True, report=lambda _: None)
    assert load_checkpoint(tmp_path / "two" / CHECKPOINT)["step"] == 2


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"reinforce": {"batch_customers": 11}}, r"reinforce\.batch_size is 32 .* 1 of the .* 12"),
        ({"reinforce": {"batch_size": 1}}, r"reinforce\.batch_size is 1 "),
        ({"imitation": {"batch_customers": 11}}, r"imitation\.batch_customers 11, .* 12, or"),
    ],
)
def test_batches_too_small_for_all_are_refused_at_the_start(
    labels,
    tmp_path,
    monkeypatch,
    changes,
    message,
):
    """However rarely the size is drawn; nothing is written."""
    tables = {
        "imitation": {"weight": 1.0, "labels": str(labels), "batch_size": 4},
        "instances": {"sizes": [2, 6], "weights": [1.0, 1e-9]},
    }
    tables |= {table: {**tables.get(table, {}), **keys} for table, keys in changes.items()}
    config = make_config(labels, **tables)
    monkeypatch.setattr(distributed, "world_size", lambda: 2)
    with pytest.raises(InvalidSetting, match=message):
        train(config, tmp_path / "run", report=lambda _: None)
    assert not (tmp_path / "run").exists()


UNEQUAL_CLOCKS = """
import sys
from pathlib import Path

import torch

from fripn.train import distributed, loop
from fripn.train.config import load_config

own_work, own_clock = loop._Run.work, loop._Run._clock


def work(self, stopped):
    own_work(self, stopped)
    torch.save(self.policy.state_dict(), self.out / f"{distributed.rank()}.pt")


loop._Run.work = work
loop._Run._clock = lambda self: own_clock(self) * (1 + distributed.rank())
loop.train(load_config(Path(sys.argv[1])), Path(sys.argv[2]), report=lambda _: None)
"""


@pytest.mark.slow
def test_processes_with_other_clocks_keep_the_same_weights(labels, tmp_path):
    """Where hours set the learning rate, all processes use the same time."""
    config = make_config(labels, steps=100_000, hours=0.0002)
    settings, program = tmp_path / "run.toml", tmp_path / "program.py"
    settings.write_text(to_toml(config.to_dict()))
    program.write_text(UNEQUAL_CLOCKS)
    run_twice([str(program), str(settings), str(tmp_path)])
    one, two = (torch.load(tmp_path / f"{rank}.pt") for rank in (0, 1))
    assert all(torch.equal(value, two[name]) for name, value in one.items())
