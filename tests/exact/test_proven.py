"""The bound never exceeds an optimum that was proven by other means."""

from __future__ import annotations

import csv
from importlib import resources

import pytest

from fripn import Budget, Run, Status
from fripn.exact import Exact
from fripn.problem import library
from fripn.problem.inputs import open_instance

#: Optima are rounded to so many decimals.
DIGITS = {"paper": 5, "golden": 2}


def proven():
    """Return the optima by the name of the instance: paper-20, then golden."""
    table = resources.files("fripn") / "data" / "paper-20-optima.csv"
    with table.open(encoding="utf-8") as lines:
        optima = {f"paper:20:{row['index']}": float(row["cost"]) for row in csv.DictReader(lines)}
    for name in library.names():
        known = library.best_known(name) if name.startswith("golden") else None
        if known is not None and known.status == "optimal":
            optima[name] = known.cost
    return optima


OPTIMA = proven()

#: In every run of the tests: some of each set.
SAMPLE = [f"paper:20:{index}" for index in range(3, 1000, 199)]
SAMPLE += [name for name in OPTIMA if name.startswith(("golden-03", "golden-04"))]


def check(name, seconds):
    """Bound one instance and compare every bound with the optimum."""
    optimum = OPTIMA[name]
    tolerance = 0.51 * 10.0 ** -DIGITS[name.split(":")[0].split("-")[0]] + 1e-9 * optimum
    result = Exact()(open_instance(name), Run(Budget(seconds=seconds)))
    assert result.lower_bound is not None
    for point in result.bound_curve:
        assert point.lower_bound <= optimum + tolerance, name
    if result.status is Status.OPTIMAL:
        assert result.cost == pytest.approx(optimum, abs=2 * tolerance), name
    return result


@pytest.mark.parametrize("name", SAMPLE)
def test_sampled_optima_are_not_exceeded(name):
    """Twenty customers: the proof ends, too."""
    assert check(name, 120.0).status is Status.OPTIMAL


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("part", range(20))
def test_no_optimum_is_exceeded(part):
    """All proven instances; the larger ones with a limit that leaves a gap."""
    for name in list(OPTIMA)[part::20]:
        check(name, 20.0)
