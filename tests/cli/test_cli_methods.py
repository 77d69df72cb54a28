"""Flags that are settings of a method."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

import pytest

from fripn.cli.methods import MethodOptions, make_method, make_methods
from fripn.errors import InvalidSetting
from fripn.policy import Policy
from fripn.solve import DEFAULT_METHOD
from helpers import OneByOne


def test_settings_reach_the_method(register):
    """A flag that was given becomes a field; one that was not keeps the default."""

    @dataclass
    class Tuned(OneByOne):
        samples: int = 1
        greedy: bool = False

    register("fake", Tuned)
    method = make_method("fake", {"samples": 7, "greedy": None})
    assert (method.samples, method.greedy) == (7, False)


def test_a_flag_of_another_method_is_refused(register, refused):
    """Settings that would be ignored are errors."""
    register("fake", OneByOne)
    with pytest.raises(InvalidSetting, match="--num-samples is not an option of method 'fake'"):
        make_method("fake", {"num_samples": 7})
    assert "--samples" in refused("solve", "golden-03", "-m", "savings", "--samples", 5)


def test_paper_decoding_is_a_short_form():
    """Temperature 1, no split, 1,000 samples unless the caller names a number or greedy."""
    paper = {"decoding": "paper"}
    assert make_method("policy", {"samples": None, **paper}) == Policy.paper()
    assert make_method("policy", {"samples": 5, **paper}) == replace(Policy.paper(), samples=5)
    assert make_method("policy:samples=5", paper) == replace(Policy.paper(), samples=5)
    assert make_method("policy", {"decode": "greedy", **paper}) == Policy.paper("greedy")
    assert make_method("policy:decode=greedy", paper) == Policy.paper("greedy")
    assert make_method("policy:temperature=1,split=false", paper) == Policy.paper()


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("policy", {"split": True}, r"--split contradicts .* means --no-split; leave one"),
        ("policy", {"temperature": 0.5}, r"--temperature 0\.5 contradicts --decoding paper"),
        ("policy", {"temperature": 1.0000001}, r"--temperature 1\.0000001 contradicts"),
        ("policy:top_k=4", {}, r"top_k=4 contradicts --decoding paper, which means top_k=0"),
        ("policy:split=true", {}, r"split=true contradicts .* means split=false; leave one"),
        ("policy:temperature=2", {}, r"temperature=2 contradicts .* means temperature=1"),
        ("policy", {"decoding": "ours"}, "--decoding is 'ours'; choose one of paper"),
        ("hgs", {}, "--decoding is not an option of method 'hgs'"),
        ("hgs", {"decoding": None, "temperature": 1.0}, "--temperature is not an option of"),
    ],
)
def test_what_contradicts_the_paper_decoding_is_refused(name, settings, message):
    """As a flag or behind the method's name; the message names what was given."""
    with pytest.raises(InvalidSetting, match=message):
        make_method(name, {"decoding": "paper", **settings})


def test_runs_of_a_benchmark_are_named_by_their_settings():
    """--decoding by what it stands for, a number with all its digits; other methods have none."""
    settings = {**asdict(MethodOptions(samples=5)), "decoding": "paper"}
    name, other = make_methods(["policy", "savings"], settings)
    assert name == "policy --samples 5 --no-split --temperature 1"
    assert other == "savings"
    (name,) = make_methods(["policy"], asdict(MethodOptions(temperature=0.1234567)))
    assert name == "policy --temperature 0.1234567"
    with pytest.raises(InvalidSetting, match="--decoding is not an option of hgs"):
        make_methods(["hgs"], settings | {"samples": None})


def test_the_default_is_the_best_registered():
    """Without a name, the best method there is."""
    assert make_method(None, {}).name == DEFAULT_METHOD
