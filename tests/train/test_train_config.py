"""Settings: strict, with the nearest valid key in the message."""

import tomllib
from pathlib import Path

import pytest

from fripn.errors import InvalidFile, InvalidSetting
from fripn.train.config import load_config, parse_config
from fripn.train.presets import preset_names

pytestmark = pytest.mark.pure


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
    with pytest.raises(InvalidFile, match=r"no configuration paper-2O, .* the preset paper-20"):
        load_config("paper-2O")
    with pytest.raises(InvalidFile, match="did you mean the preset ten-minutes"):
        load_config("presets/ten-minutes.toml")
    with pytest.raises(InvalidFile, match="presets: fripn, paper, paper-100,"):
        load_config("zzz")


#: The settings of the eight files that the names paper-20 to paper-100-without-graph once were.
PAPER_FILE = """
steps = 625_000
validate_minutes = 30.0
checkpoint_minutes = 10.0
policy.remaining_graph = {remaining_graph}
instances.sizes = [{size}]

[reinforce]
batch_size = 32
trajectories = {size}

[optimiser]
method = "adam"
learning_rate = 1e-4
schedule = "halve"
halve_at = [0.25, 0.5, 0.75]
weight_decay = 1e-6
clip_norm = 0.0
"""


@pytest.mark.parametrize("size", [20, 50, 75, 100])
@pytest.mark.parametrize("remaining_graph", [True, False])
def test_names_of_the_paper_keep_their_settings(size, remaining_graph):
    """Runs of earlier versions resume only if no setting has changed."""
    file = PAPER_FILE.format(size=size, remaining_graph=str(remaining_graph).lower())
    name = f"paper-{size}" if remaining_graph else f"paper-{size}-without-graph"
    assert load_config(name) == parse_config(tomllib.loads(file))


def test_names_of_the_paper_take_any_size_and_flags_win():
    """The name stands for changes of one file, and --set comes after them."""
    config = load_config("paper-33", ["reinforce.trajectories=8"])
    assert (config.instances.sizes, config.reinforce.trajectories) == ((33,), 8)
    assert load_config("paper").reinforce.num_trajectories(20) == 20
    with pytest.raises(InvalidSetting, match=r"^reinforce\.trajectories is 1;"):
        load_config("paper-1")


@pytest.mark.parametrize("name", preset_names())
def test_presets_of_the_paper_decay_as_the_paper_does(name):
    """Adam with the decay in the gradient; ours decays the weights separately."""
    assert load_config(name).optimiser.method == ("adam" if "paper" in name else "adamw")


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"optimiser": {"learning_rat": 1}}, "did you mean 'optimiser.learning_rate'"),
        ({"stepz": 1}, "did you mean 'steps'"),
        ({"clip_norm": 3.0}, "did you mean 'optimiser.clip_norm'"),
        ({"label": "x"}, "did you mean 'imitation.labels' or 'validation.labels'"),
        ({"zzz": 1}, "known: steps, hours"),
        ({"steps": "many"}, "steps is 'many'; give an integer, 1 or more"),
        ({"steps": True}, "an integer"),
        ({"hours": "long"}, "hours is 'long'; give a number"),
        ({"reinforce": {"normalise": "True"}}, "normalise is 'True'; give true or false"),
        ({"steps": 0}, "1 or more"),
        ({"policy": 3}, "table"),
        ({"policy": {"features": "all"}}, r"^policy\.features is 'all'"),
        ({"policy": {"features": "near"}}, r"^policy\.pair_width is 0; give more"),
        ({"instances": {"sizes": 20}}, r"instances\.sizes is 20; give a list, such as \[20\]"),
        ({"instances": {"sizes": "20,50"}}, r"give a list, such as \[20,50\]"),
        ({"instances": {"sizes": "many"}}, r"give a list, such as \[20, 50\]"),
        ({"instances": {"weights": [0]}}, r"^instances\.weights is \[0\.0\]; .*not all of them 0"),
        ({"seed": -1}, "^seed is -1; give an integer, 0 or more"),
        ({"seed": 10**23}, "^seed is 1000.*; give an integer from 0 to"),
        ({"threads": 0}, "^threads is 0"),
        (
            {"validation": {"sizes": [-5]}},
            r"^validation\.sizes is \[-5\]; .*1 or more",
        ),
        ({"imitation": {"weight": 1.0}}, "imitation.labels"),
        ({"reinforce": {"weight": 0.0}}, "nothing to learn from"),
        ({"reinforce": {"trajectories": 1}}, "baseline"),
        ({"instances": {"folder": "x"}}, "validation.labels is '';"),
        ({"instances": {"folder": "x", "sizes": [5]}}, "this or the other keys"),
        ({"reinforce": {"after": 9}}, r"^reinforce\.after is 9; give 0: without imitation"),
        ({"reinforce": {"trajectories": 4, "keep": 6}}, r"^reinforce\.keep is 6; give at most 4"),
        ({"reinforce": {"keep": 22}}, r"^reinforce\.keep is 22; give at most 20"),
        ({"reinforce": {"keep": 3}}, "even"),
        (
            {"reinforce": {"temperature": 0.0009}},
            r"^reinforce\.temperature is 0\.0009; give a number, 0\.001 or more",
        ),
        (
            {"imitation": {"weight": 1.0, "labels": "a"}, "validation": {"labels": "./a"}},
            r"^validation\.labels is './a'; give another folder",
        ),
        (
            {"optimiser": {"method": "sgd"}},
            r"^optimiser\.method is 'sgd'; choose one of adamw",
        ),
        ({"optimiser": {"schedule": "linear"}}, "one of constant, halve, cosine"),
        ({"optimiser": {"learning_rate": float("inf")}}, "learning_rate is inf; .*finite"),
        ({"optimiser": {"schedule": "halve"}}, r"^optimiser\.halve_at is \[\]; .*at least one"),
        (
            {"optimiser": {"schedule": "halve", "halve_at": [3, -1]}},
            r"halve_at is \[3, -1\]; give a number from above 0 to below 1",
        ),
    ],
)
def test_wrong_settings_are_refused(table, message):
    """One sentence with place, value and remedy."""
    with pytest.raises(InvalidSetting, match=message):
        parse_config(table)


def test_overrides_win_over_the_file(tmp_path):
    """Flags change nested keys; bare words are strings; integers pass as floats."""
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
