"""The programs of docs/training.md work as printed."""

import re
from pathlib import Path

import pytest

from fripn.policy.weights import load_weights

PAGE = Path(__file__).parents[2] / "docs" / "training.md"


@pytest.mark.slow
def test_the_example_of_an_own_distribution_runs(tmp_path, monkeypatch, capsys):
    """Its programs, one after the other: labels, imitation, a plan, and REINFORCE."""
    monkeypatch.chdir(tmp_path)
    first, second = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.S)
    names: dict[str, object] = {}
    exec(first, names)
    assert float(capsys.readouterr().out.splitlines()[-1]) > 0
    imitated = load_weights("towns/run/best.safetensors").provenance
    assert imitated["labels"] == {"15x2": 32}
    exec(second, names)
    made = load_weights("towns/reinforced/best.safetensors").provenance
    assert made["settings"]["instances"]["folder"] == "towns/instances"
    assert made["started_from"]["instances"] == imitated["instances"] == 10 * 16
    assert made["instances"] == 10 * 16 + 10 * (16 + 8)
