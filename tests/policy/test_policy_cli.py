"""``fripn solve --method policy`` and its flags."""

import json

import pytest

from fripn.cli import main
from fripn.policy import PolicyConfig, random_weights, save_weights


@pytest.fixture
def weights(tmp_path):
    path = tmp_path / "small.safetensors"
    config = PolicyConfig(width=16, num_layers=1, num_heads=2, ff_width=16)
    save_weights(random_weights(config, 1), path)
    return str(path)


def run(capsys, *arguments):
    with pytest.raises(SystemExit) as end:
        main(["solve", "paper:20:1", "--method", "policy", *arguments])
    return end.value.code, capsys.readouterr()


@pytest.mark.parametrize(
    ("flags", "trajectories"),
    [
        (["--decode", "greedy"], 8),
        (["--decode", "greedy", "--no-augment", "--no-split"], 1),
        (["--samples", "5"], 40),
        (["--decode", "sampling", "--samples", "5", "--no-augment", "--split"], 5),
    ],
)
def test_flags_reach_the_policy(capsys, weights, flags, trajectories):
    """Each combination of decoding and symmetries makes the trajectories it should."""
    code, printed = run(capsys, "--weights", weights, "--json", *flags)
    assert code == 0
    record = json.loads(printed.out)
    assert record["method"] == "policy"
    assert record["iterations"] == trajectories


def test_bad_flags_stop_with_a_sentence(capsys, weights, tmp_path):
    """Exit code 2 and one line that names the value."""
    code, printed = run(capsys, "--decode", "beam")
    assert code == 2
    assert "decode is 'beam'" in printed.err
    code, printed = run(capsys, "--weights", str(tmp_path / "none.safetensors"))
    assert code == 2
    assert "there is no weights file" in printed.err
