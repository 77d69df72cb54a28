"""The exact model with a working day: proven optima are those of the enumeration."""

import numpy as np
import pytest

from day_instances import PARTS, day_instance
from day_optimum import day_optimum
from fripn import Budget, Instance, Run, Status, VehicleType, evaluate, solve
from fripn.baselines.milp import Milp, Strengthening, build_model
from fripn.errors import Unsupported

#: The work is done by HiGHS: nothing of ours for a sanitizer to see.
pytestmark = pytest.mark.pure

STRENGTHENINGS = {"plain": Strengthening.none(), "all": Strengthening()}


def assert_optimal(instance, result):
    """Assert that a result is the proven optimum, and that there is none where it has no plan."""
    optimum = day_optimum(instance)
    if optimum is None:
        assert result.status is Status.NO_PLAN
        return
    assert evaluate(instance, result.solution).violations == ()
    assert result.status is Status.OPTIMAL
    assert result.cost == pytest.approx(float(optimum[0]), rel=1e-9, abs=1e-9)
    assert result.lower_bound == pytest.approx(float(optimum[0]), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("name", STRENGTHENINGS)
def test_each_part_alone(name, part):
    """Every part on its own, with vehicles paid by the hour, started without a plan."""
    instance = day_instance(3, 4, {part, "cost_per_hour"})
    method = Milp(strengthening=STRENGTHENINGS[name], start_plan=False)
    assert_optimal(instance, method(instance, Run()))


@pytest.mark.timeout(300)
@pytest.mark.parametrize("seed", range(20))
def test_random_combinations(seed):
    """Whatever an instance combines."""
    instance = day_instance(500 + seed, 3 + seed % 2)
    assert_optimal(instance, Milp()(instance, Run(seed=1)))


@pytest.mark.parametrize("name", STRENGTHENINGS)
@pytest.mark.parametrize("seed", range(20))
def test_valid_plan_satisfies_every_row(name, seed):
    """A plan written as values keeps all constraints, costs the same, and reads back."""
    instance = day_instance(800 + seed, 8)
    plan = solve(instance, "hgs", budget=Budget(iterations=20), seed=1).solution
    if plan is None:
        pytest.skip("no plan")
    model = build_model(instance, STRENGTHENINGS[name])
    values = model.values_of(plan)
    assert np.all(values >= model.variables.lower - 1e-6)
    assert np.all(values <= model.variables.upper + 1e-6)
    for rows in model.rows:
        activity = (rows.values * values[rows.columns]).sum(axis=1)
        assert np.all(activity >= rows.lower - 1e-6), rows.name
        assert np.all(activity <= rows.upper + 1e-6), rows.name
    assert model.costs @ values == pytest.approx(evaluate(instance, plan).cost, rel=1e-9)
    assert sorted(model.solution_of(values).pairs()) == sorted(plan.pairs())


def test_columns_have_names():
    """Times, waiting and its cost come after the columns of the plain model."""
    instance = day_instance(3, 4, {"windows", "cost_per_hour"})
    variables = build_model(instance).variables
    names = [variables.name(column) for column in range(variables.count)]
    assert len(set(names)) == len(names)
    assert {"x[0,0,1]", "y[1]", "t[4]", "w[1]", "c[4]"} <= set(names)


def test_limits_that_conflict_leave_no_plan():
    """One van cannot be at both customers before they close, though at each alone."""
    instance = Instance(
        "late",
        [[0, 0], [3, 4], [-3, -4]],
        [0.0, 1.0, 1.0],
        (VehicleType("van", 2, 1.0, 1.0, 1),),
        time_windows=[[], [(0, 9)], [(0, 9)]],
    )
    assert day_optimum(instance) is None
    assert Milp()(instance, Run()).status is Status.NO_PLAN


def test_paper_model_refuses():
    """Its equations know loads and distances alone."""
    instance = day_instance(3, 4, {"windows"})
    with pytest.raises(
        Unsupported, match=r"has a working day, which the paper's model does not kno"
    ):
        Milp(model="paper")(instance, Run())
