"""Figures over runs with several seeds."""

from __future__ import annotations

import pytest

from fripn.bench.seeds import fixed, over_seeds

pytestmark = pytest.mark.pure


def runs(*costs):
    return [{"seed": seed, "cost": cost} for seed, cost in costs]


def test_mean_spread_and_worst_seed():
    """Seeds have the means 1 and 3: their standard deviation is the root of 2."""
    summary = over_seeds(runs((1, 0.0), (1, 2.0), (2, 3.0), (2, 3.0)), lambda run: run["cost"])
    assert (summary.num_runs, summary.num_seeds) == (4, 2)
    assert (summary.mean, summary.worst) == (2.0, 3.0)
    assert summary.spread == pytest.approx(2**0.5)
    assert summary.text(2) == "2.00 ± 1.41, worst 3.00"


def test_one_seed_has_no_spread():
    """And its text is the mean alone; without runs there is nothing to summarize."""
    summary = over_seeds(runs((7, 1.5)), lambda run: run["cost"])
    assert summary.spread is None
    assert summary.text(1) == "1.5"
    assert over_seeds([], lambda run: run["cost"]) is None


@pytest.mark.parametrize(
    ("value", "expected"), [(-0.0004, "0.00"), (0.0, "0.00"), (-0.005001, "-0.01"), (0.006, "0.01")]
)
def test_zero_has_no_minus(value, expected):
    """Rounded values just below 0, of costs just below a rounded best-known one."""
    assert fixed(value, 2) == expected
