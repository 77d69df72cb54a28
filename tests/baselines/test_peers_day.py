"""PyVRP with a working day: what it returns is valid, and what it cannot take is refused."""

import pytest

from day_instances import PARTS, day_instance
from fripn import Budget, solve
from fripn.errors import Unsupported
from fripn.features import WORKING_DAY, Feature, features_of
from fripn.problem import evaluate
from fripn.solve import get_method

pytest.importorskip("pyvrp")

#: Everything that the adapter passes on.
SUPPORTED_PARTS = set(PARTS) - {"several_windows"}


@pytest.mark.parametrize("seed", range(24))
def test_plans_keep_every_limit(seed):
    """Rounding to integers never makes a plan of PyVRP's break a limit of ours."""
    import numpy as np

    rng = np.random.default_rng(seed)
    parts = {part for part in sorted(SUPPORTED_PARTS) if rng.random() < 0.5}
    instance = day_instance(seed, 8, parts)
    result = solve(instance, "pyvrp", budget=Budget(iterations=60, seconds=20), seed=seed)
    assert result.solution is not None, features_of(instance)
    assert evaluate(instance, result.solution).violations == ()


def test_several_windows_are_refused():
    """The sentence names what PyVRP does not get."""
    for seed in range(50):
        instance = day_instance(seed, 5, {"several_windows"})
        if Feature.SEVERAL_WINDOWS in features_of(instance):
            break
    with pytest.raises(Unsupported, match="several time windows per stop"):
        solve(instance, "pyvrp", budget=Budget(iterations=1))


@pytest.mark.parametrize("name", ["ortools", "vroom"])
def test_others_support_no_working_day(name):
    """They refuse rather than leave a limit out."""
    pytest.importorskip(name)
    assert not get_method(name).supports & WORKING_DAY
