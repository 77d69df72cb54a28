"""Settings: strict, with the nearest valid key in the message."""

from pathlib import Path

import pytest

from fripn.errors import InvalidFile, InvalidSetting
from fripn.train.config import load_config, parse_config
from fripn.train.presets import preset_names


@pytest.mark.parametrize("name", preset_names())
def test_presets_are_valid(name):
    """Every preset that ships can be read by its name."""
    assert load_config(name) != parse_config({})


def test_a_file_comes_before_a_preset(tmp_path, monkeypatch):
    """The name of a preset is a file if there is one; unknown names get the nearest."""
    monkeypatch.chdir(tmp_path)
    assert load_config(Path("paper-20")).steps == 625_000
    Path("paper-20").write_text("steps = 7\n")
    assert load_config(Path("paper-20")).steps == 7
    with pytest.raises(InvalidFile, match=r"no configuration paper-21, .* the preset paper-20"):
        load_config("paper-21")
    with pytest.raises(InvalidFile, match="did you mean the preset ten-minutes"):
        load_config("configs/ten-minutes.toml")
    with pytest.raises(InvalidFile, match="presets: fripn, paper-100,"):
        load_config("zzz")


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"optimiser": {"learning_rat": 1}}, "did you mean 'optimiser.learning_rate'"),
        ({"stepz": 1}, "did you mean 'steps'"),
        ({"steps": "many"}, "steps is 'many'; give a value of type int"),
        ({"steps": True}, "type int"),
        ({"steps": 0}, "1 or more"),
        ({"policy": 3}, "table"),
        ({"policy": {"features": "all"}}, "features"),
        ({"instances": {"sizes": 20}}, "list"),
        ({"imitation": {"weight": 1.0}}, "imitation.labels"),
        ({"reinforce": {"weight": 0.0}}, "nothing to learn from"),
        ({"reinforce": {"trajectories": 1}}, "baseline"),
        ({"instances": {"folder": "x"}}, "validation.labels is '';"),
        ({"instances": {"folder": "x", "sizes": [5]}}, "this or the other keys"),
        ({"optimiser": {"schedule": "linear"}}, "one of constant, halve, cosine"),
    ],
)
def test_wrong_settings_are_refused(table, message):
    """One sentence with place, value and remedy."""
    with pytest.raises(InvalidSetting, match=message):
        parse_config(table)


def test_overrides_win_over_the_file(tmp_path):
    """Flags change nested keys; bare words are texts; whole numbers pass as floats."""
    path = tmp_path / "run.toml"
    path.write_text("steps = 5\n[optimiser]\nlearning_rate = 1e-3\n")
    config = load_config(
        path, ["optimiser.learning_rate=2", "policy.features=cover", "instances.sizes=[10, 20]"]
    )
    assert config.steps == 5
    assert config.optimiser.learning_rate == 2.0
    assert config.policy.features == "cover"
    assert config.instances.sizes == (10, 20)
    with pytest.raises(InvalidSetting, match="no '='"):
        load_config(path, ["steps"])
    path.write_text("steps = = 5")
    with pytest.raises(InvalidFile, match="not valid TOML"):
        load_config(path)
    with pytest.raises(InvalidFile, match="no configuration"):
        load_config(tmp_path / "none.toml")
