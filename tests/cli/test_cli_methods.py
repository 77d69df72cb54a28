"""Flags that are settings of a method."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from fripn.cli.methods import make_method, with_decoding
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
    meant = {"temperature": 1.0, "split": False}
    assert with_decoding({"samples": None}, "paper") == {**meant, "samples": 1000}
    assert with_decoding({"samples": 5}, "paper") == {**meant, "samples": 5}
    assert with_decoding({"decode": "greedy"}, "paper") == {**meant, "decode": "greedy"}
    assert with_decoding({"split": True}, None) == {"split": True}
    assert make_method("policy", with_decoding({"samples": None}, "paper")) == Policy.paper()
    with pytest.raises(InvalidSetting, match=r"--split contradicts .* means --no-split; leave one"):
        with_decoding({"split": True}, "paper")
    with pytest.raises(InvalidSetting, match=r"--temperature 0\.5 contradicts --decoding paper"):
        with_decoding({"temperature": 0.5}, "paper")
    with pytest.raises(InvalidSetting, match="--decoding is 'ours'; choose one of paper"):
        with_decoding({}, "ours")
    with pytest.raises(InvalidSetting, match="--temperature is not an option of method 'hgs'"):
        make_method("hgs", {"temperature": 1.0})


def test_the_default_is_the_best_registered():
    """Without a name, the best method there is."""
    assert make_method(None, {}).name == DEFAULT_METHOD
