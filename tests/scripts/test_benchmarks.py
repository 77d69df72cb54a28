"""Benchmarks go on working; what they measure is not looked at here."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from fripn.problem import library

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.mark.parametrize(
    ("script", "call", "expected"),
    [
        ("day_first_plan.py", ["--customers", 30, "--repeats", 1], "several windows  median "),
        ("first_plan.py", ["--largest", 20, "--repeats", 1], "    20 customers: median "),
        ("large_instance.py", ["--customers", 30], "peak memory "),
        ("route_by_route.py", ["--instances", 1, "--samples", 2], "wide distribution, n = 100, "),
        ("short_limits.py", ["--methods", "savings", "--types", 9], "savings  dominated "),
        ("wide_thousand.py", ["--count", 2, "--largest", 9], "2 instances, "),
    ],
)
def test_a_small_run_ends_with_its_figures(script, call, expected, run_script):
    """Exit code 1 stands for a run that was late, which a busy machine may be."""
    ended = run_script(FOLDER / script, *call)
    assert ended.code in (0, 1)
    assert expected in ended.out


@pytest.mark.pure
def test_the_bound_of_huge_instances_is_below_every_optimum():
    """Also where it is nearest: it is within a few percent of some of them."""
    script = runpy.run_path(str(FOLDER / "huge_instance.py"))
    ratios = []
    for index in range(30):
        name = f"paper:20:{index}"
        optimum = library.best_known(name)
        assert optimum is not None
        assert optimum.status == "optimal"
        ratios.append(script["radial_bound"](library.load(name)) / optimum.cost)
    assert max(ratios) <= 1.0
    assert max(ratios) > 0.95
