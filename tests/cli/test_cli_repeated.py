"""Options given twice: values add up, or the last one counts, or the call is refused."""

from __future__ import annotations

import json

import pytest

pytestmark = pytest.mark.pure


def test_the_last_value_counts(fripn):
    """As everywhere on a command line: an alias may set what is usual."""
    call = ("solve", "golden-20", "-m", "savings", "-t", "1x", "--json")
    assert fripn(*call).code == 2
    assert fripn(*call, "--time-limit", "1").code == 0


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
