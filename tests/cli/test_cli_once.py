"""Options given twice: values add up, or the call is refused; none is dropped without a word."""

from __future__ import annotations

import json

import pytest
from typer.main import get_command

from fripn.cli.main import app
from fripn.cli.once import Command, Group

pytestmark = pytest.mark.pure


def tree(command, words=()):
    """Return every command and group with the words that call it."""
    found = [(words, command)]
    for name, inner in getattr(command, "commands", {}).items():
        found += tree(inner, (*words, name))
    return found


ALL = [
    (words, option.opts[0])
    for words, command in tree(get_command(app))
    for option in command.params
    if option.param_type_name == "option" and not option.is_flag and not option.multiple
]


def test_every_command_looks():
    """No command or group with options of its own is left out."""
    for words, command in tree(get_command(app)):
        if any(one.param_type_name == "option" and not one.is_flag for one in command.params):
            assert isinstance(command, Command | Group), words
    assert (("bench", "run"), "--seeds") in ALL
    assert ((), "--max-size") in ALL
    assert (("train",), "--out") in ALL


@pytest.mark.parametrize(("words", "flag"), dict(reversed(ALL)).items())
def test_an_option_with_one_value(refused, words, flag):
    """Given twice, it is named, and nothing runs; the first option of every command."""
    message = refused(*words, flag, "1", flag, "2")
    assert f"fripn: {flag} is given twice, and only one value can count; give it once" in message


def test_long_and_short_names_are_one_option(refused, tmp_path):
    """``-t`` and ``--time-limit`` are the same, however the value is attached."""
    call = ("solve", "golden-20", "-t", "1", "--time-limit=2", "-t3")
    assert "--time-limit is given 3 times" in refused(*call)


def test_methods_of_a_benchmark_add_up(fripn, tmp_path):
    """``-m a -m b`` runs both, as ``-m a,b`` does."""
    lines = tmp_path / "lines.jsonl"
    call = ("bench", "run", "--suite", "golden", "--limit", 1, "-o", lines)
    assert fripn(*call, "-m", "savings", "--method", "sweep,savings").code == 0
    methods = [json.loads(line)["method"] for line in lines.read_text("utf-8").splitlines()]
    assert sorted(methods) == ["savings", "sweep"]


def test_settings_stay_with_their_method(refused, tmp_path):
    """A setting does not go to the method of the option before."""
    call = ("bench", "run", "--suite", "golden", "--limit", 1, "-o", tmp_path / "lines.jsonl")
    message = refused(*call, "-t", 1, "-m", "policy:decode=greedy", "-m", "samples=3")
    assert "samples=3" in message


@pytest.mark.parametrize(
    ("call", "key"),
    [
        (
            ("train", "--config", "paper", "--out", "x", "--set", "steps=1", "--set", "steps=2"),
            "steps",
        ),
        (("check", "stops.csv", "--map", "Menge=demand", "--map", "Menge=keep"), "Menge"),
        (("fleet", "golden-20", "--set", "A.capacity=9", "--set", "A.capacity=8"), "A.capacity"),
        (("fleet", "golden-20", "--set", "A.capacity=+9%", "--set", "A.capacity=8"), "A.capacity"),
    ],
)
def test_keys_that_are_set_twice(refused, call, key):
    """Options that may be repeated refuse a second value for the same thing."""
    assert f"sets '{key}' twice, and only one value can count; set it once" in refused(*call)


def test_percentages_follow_each_other(fripn):
    """A change in percent starts from the change before."""
    call = ("fleet", "golden-20", "--method", "savings", "--json", "--set")
    one = fripn(*call, "*.fixed_cost=+21%")
    two = fripn(*call, "*.fixed_cost=+10%", "--set", "*.fixed_cost=+10%")
    assert one.code == two.code == 0
    assert json.loads(one.out)["cost"] == pytest.approx(json.loads(two.out)["cost"])
