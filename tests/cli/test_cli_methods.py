"""Flags that are settings of a method."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from fripn.cli.methods import make_method
from fripn.errors import InvalidSetting
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


def test_the_default_is_the_best_registered():
    """Without a name, the best method there is."""
    assert make_method(None, {}).name == DEFAULT_METHOD
