"""Problems in the core: copied, checked once, and never read beyond their arrays."""

import dataclasses

import numpy as np
import pytest
from policy_helpers import prepared

from fripn import _core
from fripn.policy import PolicyConfig, scale
from fripn.policy.rollout import core_problems
from fripn.policy.session import scaled_to_core
from fripn.problem.generate import paper_instance

SMALL = PolicyConfig(width=24, num_layers=1, num_heads=3, ff_width=20, features="pack")


def arrays_of(instance):
    scaled = scale(instance)
    names = ("coordinates", "demands", "capacities", "fixed_costs", "unit_costs", "available")
    arrays = {name: getattr(scaled, name)[None].copy() for name in names}
    arrays["load_units"] = np.array([scaled.load_unit])
    arrays["load_cells"] = scaled.load_cells[None].copy()
    return arrays


def test_problems_have_sizes_and_are_copies():
    """Later changes of the arrays have no effect, and views cannot be written to."""
    arrays = arrays_of(paper_instance(6, 1, 3))
    problems = _core.PolicyProblems(**arrays)
    assert (problems.num_problems, problems.num_nodes, problems.num_types) == (1, 7, 3)
    demands = arrays["demands"].copy()
    arrays["demands"][:] = np.nan
    assert np.array_equal(problems.demands, demands)
    with pytest.raises(ValueError, match="read-only"):
        problems.coordinates[0, 0, 0] = 1.0


@pytest.mark.parametrize(
    "name",
    [
        *("coordinates", "capacities", "fixed_costs", "unit_costs", "available"),
        *("load_units", "load_cells"),
    ],
)
def test_arrays_of_another_shape_are_refused(name):
    """The message names the array and the shape it must have."""
    arrays = arrays_of(paper_instance(6, 1, 3))
    arrays[name] = np.concatenate([arrays[name], arrays[name]])
    with pytest.raises(ValueError, match=f"{name} must have shape"):
        _core.PolicyProblems(**arrays)


def test_a_matrix_of_another_shape_is_refused():
    """One that fits is accepted."""
    arrays = arrays_of(paper_instance(6, 1, 3))
    _core.PolicyProblems(**arrays, matrix=np.ones((1, 7, 7)))
    with pytest.raises(ValueError, match=r"matrix must have shape \(1, 7, 7\)"):
        _core.PolicyProblems(**arrays, matrix=np.ones((1, 6, 6)))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("coordinates", np.inf),
        ("demands", -0.5),
        ("demands", np.nan),
        ("capacities", 0.0),
        ("fixed_costs", -1.0),
        ("unit_costs", np.nan),
        ("available", -2),
        ("load_units", 0.0),
        ("load_cells", -1),
        ("load_cells", _core.NUM_LOAD_CELLS),
    ],
)
def test_values_out_of_range_are_refused(name, value):
    """The message names array, problem, value and range."""
    arrays = arrays_of(paper_instance(6, 1, 3))
    arrays[name].flat[-1] = value
    with pytest.raises(ValueError, match=f"{name} of problem 0 is .* it must be"):
        _core.PolicyProblems(**arrays)


@pytest.mark.parametrize("customers", [0, 1])
def test_a_problem_needs_a_customer_and_a_type(customers):
    """There is nothing to decide otherwise."""
    arrays = arrays_of(paper_instance(6, 1, 3))
    for name in ("coordinates", "demands", "load_cells"):
        arrays[name] = np.ascontiguousarray(arrays[name][:, : customers + 1])
    if customers:
        assert _core.PolicyProblems(**arrays).num_nodes == 2
    else:
        with pytest.raises(ValueError, match="at least one"):
            _core.PolicyProblems(**arrays)


def test_straight_lines_stand_beside_a_matrix():
    """Instances with and without a matrix share a set of problems."""
    plain = scale(paper_instance(6, 1, 3))
    paid = dataclasses.replace(plain, matrix=np.ones((7, 7)))
    assert core_problems([plain, paid]).num_problems == 2


@pytest.mark.parametrize("action", [-2, 21, 2**31 - 1])
def test_actions_out_of_range_are_refused(action):
    """In rollouts, gradients and repair alike, before any array is indexed."""
    instance = paper_instance(6, 1, 3)
    _, problems, embeddings, decoder = prepared(SMALL, [instance])
    tables = decoder.tables(embeddings)
    actions = np.full((1, 1, 11), action, dtype=np.int32)
    weights = np.ones((1, 1, 11), dtype=np.float32)
    calls = [
        lambda: decoder.rollout(
            tables, problems, trajectories=1, greedy=True, draw_first_type=False, forced=actions
        ),
        lambda: decoder.log_probs(tables, problems, actions=actions),
        lambda: decoder.gradient(tables, problems, actions=actions, weights=weights),
        lambda: _core.repair_trajectories(scaled_to_core(scale(instance)), actions[0]),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=r"from 0 to K \* N - 1"):
            call()


def test_a_customer_served_twice_cannot_be_repaired():
    """A giant tour has each customer once."""
    instance = scaled_to_core(scale(paper_instance(3, 1, 2)))
    actions = np.array([[1, 2, 1, 3, 2]], dtype=np.int32)
    with pytest.raises(ValueError, match="serves a customer twice"):
        _core.repair_trajectories(instance, actions)


def test_tables_must_belong_to_the_problems():
    """Tables of other nodes, or not a multiple of the problems, are refused."""
    _, problems, embeddings, decoder = prepared(SMALL, [paper_instance(6, s, 3) for s in range(2)])
    tables = decoder.tables(embeddings)
    for wrong in (tables[:1], np.ascontiguousarray(tables[:, :5])):
        with pytest.raises(ValueError, match="multiple of the number of problems"):
            decoder.rollout(wrong, problems, trajectories=1, greedy=True, draw_first_type=False)
