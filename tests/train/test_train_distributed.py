"""Two processes as one."""

import dataclasses
import json
import os
import subprocess
import sys

import torch
from test_train_loop import labels, make_config  # noqa: F401  (a fixture)

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


def test_two_processes_give_the_gradients_of_one(labels, tmp_path):  # noqa: F811
    """Half the batch each, summed: the same first moments; then one process resumes alone."""
    config = make_config(labels, steps=1, reinforce={"weight": 0.0})
    train(config, tmp_path / "one", report=lambda _: None)
    settings = tmp_path / "run.toml"
    settings.write_text(to_toml(config.to_dict()))
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    command += ["--nproc-per-node=2", "-m", "fripn", "train"]
    command += ["--config", str(settings), "--out", str(tmp_path / "two")]
    subprocess.run(
        command,
        check=True,
        timeout=120,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
    )
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
