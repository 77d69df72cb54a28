"""The policy as a method: decoding strategies, split repair, budgets, batches."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from fripn.budget import Budget
from fripn.errors import InvalidFile, InvalidSetting, Unsupported
from fripn.policy import Policy, PolicyConfig, propose, random_weights, save_weights, solve_many
from fripn.policy.session import Session, mirrored
from fripn.policy.weights import load_weights
from fripn.problem import Instance, VehicleType, evaluate
from fripn.problem.generate import paper_instance
from fripn.result import Status
from fripn.run import Run

WEIGHTS = random_weights(
    PolicyConfig(width=32, num_layers=2, num_heads=4, ff_width=32, features="cover"), 3
)
NO_LIMIT = Budget()


def session(instance, *, symmetries=1, split=True, seed=0, threads=1):
    made = Session(
        WEIGHTS,
        instance,
        num_symmetries=symmetries,
        with_split=split,
        seed=seed,
        threads=threads,
    )
    made.encode(symmetries)
    return made


@pytest.mark.parametrize(
    ("decode", "augment"), list(itertools.product(("greedy", "sampling"), (False, True)))
)
def test_all_four_combinations_give_valid_plans(decode, augment):
    """Greedy and sampling, with and without the symmetries; trajectories are counted."""
    samples = 5 if decode == "sampling" else None
    policy = Policy(decode, samples, augment=augment, weights=WEIGHTS)
    result = policy(paper_instance(15, 1), Run(NO_LIMIT, seed=2))
    assert result.status is Status.FEASIBLE
    assert result.evaluation.is_feasible
    assert result.iterations == (samples or 1) * (8 if augment else 1)
    assert result.method == "policy"


def test_split_only_lowers_the_cost():
    """Trajectory by trajectory, and each plan costs what its draft says."""
    instance = paper_instance(20, 5)
    plain = session(instance, split=False).sample(40, temperature=1.0, top_k=0)
    repaired = session(instance).sample(40, temperature=1.0, top_k=0)
    assert np.array_equal(plain.actions, repaired.actions)
    assert (repaired.costs <= plain.costs).all()
    assert (repaired.costs < plain.costs).mean() > 0.5
    for index in range(40):
        for drafts in (plain, repaired):
            evaluation = evaluate(instance, drafts.plan(index))
            assert evaluation.is_feasible
            assert evaluation.cost == pytest.approx(drafts.costs[index], rel=1e-9)


def test_real_scales_are_charged_in_their_own_units():
    """Costs of drafts are those of the original instance, whatever its metric."""
    rng = np.random.default_rng(1)
    degrees = np.column_stack([rng.uniform(6, 7, 13), rng.uniform(49, 50, 13)])
    instance = Instance(
        "town",
        degrees,
        np.concatenate([[0], rng.integers(1, 30, 12)]),
        (VehicleType("van", 50, 100, 1.2), VehicleType("lorry", 120, 260, 1.9)),
        metric="great_circle",
    )
    drafts = session(instance, symmetries=8).sample(3, temperature=1.0, top_k=0)
    for index in range(len(drafts.costs)):
        evaluation = evaluate(instance, drafts.plan(index))
        assert evaluation.is_feasible
        assert evaluation.cost == pytest.approx(drafts.costs[index], rel=1e-9)


def test_same_seed_same_plan_whatever_the_threads():
    """Results depend on the seed and on nothing else."""
    instance = paper_instance(18, 9)
    policy = Policy(samples=20, weights=WEIGHTS)
    one = policy(instance, Run(NO_LIMIT, seed=4))
    two = policy(instance, Run(NO_LIMIT, seed=4, threads=3))
    assert one.solution == two.solution
    first = session(instance, seed=4).sample(5, temperature=1.0, top_k=0)
    other = session(instance, seed=5).sample(5, temperature=1.0, top_k=0)
    assert not np.array_equal(first.actions, other.actions)


def test_a_note_names_samples_that_were_not_drawn():
    """A note names a limit that ended sampling early; reaching the target is not such a limit."""
    instance = paper_instance(10, seed=3)
    policy = Policy(samples=20, weights=WEIGHTS)
    assert policy(instance, Run(NO_LIMIT)).notes == ()
    (note,) = policy(instance, Run(Budget(iterations=40))).notes
    assert "of 160 samples" in note
    assert policy(instance, Run(Budget(target=1e9))).notes == ()


def test_more_samples_are_never_worse():
    """The first samples are the same ones."""
    instance = paper_instance(18, 9)
    costs = [
        Policy(samples=count, weights=WEIGHTS)(instance, Run(NO_LIMIT, seed=4)).cost
        for count in (1, 3, 7, 15)
    ]
    assert costs == sorted(costs, reverse=True)


def test_symmetries_are_the_eight_of_the_square():
    """All different, the first is the identity, distances are kept."""
    points = np.random.default_rng(0).random((6, 2))
    views = [mirrored(points, s) for s in range(8)]
    assert np.array_equal(views[0], points)
    assert len({view.round(9).tobytes() for view in views}) == 8
    for view in views:
        assert view.min() >= 0
        assert view.max() <= 1
        assert np.hypot(*(view[0] - view[1])) == pytest.approx(np.hypot(*(points[0] - points[1])))


def test_time_limit_is_used_and_kept(monkeypatch):
    """Without a number of samples it goes on until the time is over, and starts nothing after."""
    clock = itertools.count(step=0.01)
    monkeypatch.setattr("time.perf_counter", lambda: next(clock))
    runs = [
        Policy(weights=WEIGHTS)(paper_instance(20, 2), Run(Budget(seconds=limit), seed=1))
        for limit in (0.3, 1.0)
    ]
    assert all(result.evaluation.is_feasible for result in runs)
    for result, limit in zip(runs, (0.3, 1.0), strict=True):
        # One reading of the clock is a hundredth; after the limit only a few are left.
        assert limit - 0.05 < result.seconds < limit + 0.1
        costs = [point.cost for point in result.curve]
        assert costs == sorted(costs, reverse=True)
    assert 9 < runs[0].iterations < runs[1].iterations
    assert runs[1].cost <= runs[0].cost


def test_iterations_stall_and_target_end_the_sampling():
    """Trajectories are the iterations; one of each symmetry is made whatever the limit."""
    instance = paper_instance(12, 2)
    policy = Policy(weights=WEIGHTS)
    assert policy(instance, Run(Budget(iterations=64), seed=1)).iterations == 64
    assert policy(instance, Run(Budget(iterations=1), seed=1)).iterations == 8
    stalled = policy(instance, Run(Budget(stall=200), seed=1))
    longer = policy(instance, Run(Budget(stall=2000), seed=1))
    assert 200 <= stalled.iterations < longer.iterations
    assert longer.cost <= stalled.cost
    easy = policy(instance, Run(Budget(target=1e9), seed=1))
    assert easy.iterations == 8


def test_start_is_never_made_worse():
    """A good start survives a bad trajectory and is the first thing reported."""
    instance = paper_instance(15, 3)
    good = Policy(samples=200, weights=WEIGHTS)(instance, Run(NO_LIMIT, seed=1))
    poor = Policy(decode="greedy", augment=False, split=False, weights=WEIGHTS)
    assert poor(instance, Run(NO_LIMIT)).cost > good.cost
    seen = []
    again = poor(
        instance,
        Run(NO_LIMIT, start=good.solution, on_progress=lambda news: seen.append(news.cost)),
    )
    assert again.solution == good.solution
    assert seen == [pytest.approx(good.cost)]


def test_limited_fleet_without_a_plan_says_so():
    """Dead ends are never returned; the split may still find a plan."""
    rng = np.random.default_rng(3)
    instance = Instance(
        "tight",
        rng.random((9, 2)),
        np.array([0, 0.5, 0.5, 0.5, 0.5, 0.4, 0.4, 0.4, 0.4]),
        (VehicleType("a", 1.0, 3, 1, available=3), VehicleType("b", 0.8, 2, 1, available=1)),
    )
    policy = Policy(samples=20, augment=False, split=False, weights=WEIGHTS)
    results = [policy(instance, Run(NO_LIMIT, seed=seed)) for seed in range(30)]
    without = [result for result in results if result.solution is None]
    assert 0 < len(without) < len(results)
    for result in results:
        is_without = result.solution is None
        assert (result.status is Status.NO_PLAN) == is_without
        assert math.isinf(result.cost) == is_without
        assert is_without or result.evaluation.is_feasible
    repaired = Policy(samples=20, augment=False, weights=WEIGHTS)
    seeds = [seed for seed, result in enumerate(results) if result.solution is None]
    found = [repaired(instance, Run(NO_LIMIT, seed=seed)).solution for seed in seeds]
    assert any(plan is not None and evaluate(instance, plan).is_feasible for plan in found)


def test_weights_come_from_a_file(tmp_path):
    """A path and the same weights in memory give the same plan."""
    path = tmp_path / "w.safetensors"
    save_weights(WEIGHTS, path)
    instance = paper_instance(10, 1)
    named, loaded = (
        Policy("greedy", augment=False, weights=weights)(instance, Run(NO_LIMIT))
        for weights in (path, load_weights(path))
    )
    assert named.evaluation.is_feasible
    assert named.solution == loaded.solution
    with pytest.raises(InvalidFile, match="no weights file"):
        Policy(weights=tmp_path / "none")(instance, Run(NO_LIMIT))


def test_matrix_without_coordinates_is_refused():
    """The message names a remedy."""
    plain = paper_instance(5, 1)
    instance = plain.replace(coordinates=None, metric="matrix", matrix=plain.distance_matrix())
    with pytest.raises(Unsupported, match="choose the method hgs"):
        Policy(weights=WEIGHTS)(instance, Run(NO_LIMIT))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"decode": "beam"}, "decode is 'beam'"),
        ({"samples": 0}, "samples is 0"),
        ({"decode": "greedy", "samples": 5}, "greedy decoding draws none"),
        ({"temperature": 0.0}, "temperature is 0"),
        ({"temperature": 1e-300}, "temperature is 1e-300; give a number, 0.001 or more"),
        ({"top_k": -1}, "top_k is -1"),
    ],
)
def test_settings_out_of_range_are_refused(settings, message):
    """The message names setting and value."""
    with pytest.raises(InvalidSetting, match=message):
        Policy(**settings)


@pytest.mark.parametrize("samples", [None, 3])
def test_many_instances_get_the_plans_they_get_alone(samples):
    """Mixed sizes come back in order, each with the plan it has on its own."""
    policy = Policy("sampling" if samples else "greedy", samples, weights=WEIGHTS)
    sizes = [(6, 3), (9, 2), (6, 3), (6, 4), (9, 2)]
    instances = [paper_instance(n, 10 * n + i, K) for i, (n, K) in enumerate(sizes)]
    results = solve_many(instances, policy, seed=2, threads=2)
    for instance, result in zip(instances, results, strict=True):
        assert result.instance is instance
        assert result.evaluation.is_feasible
        (alone,) = solve_many([instance], policy, seed=2)
        assert result.solution == alone.solution
        if samples is None:
            assert result.cost == pytest.approx(policy(instance, Run(NO_LIMIT, seed=2)).cost)


def test_many_instances_need_a_number_of_samples():
    """There is no time limit to sample for."""
    with pytest.raises(InvalidSetting, match="needs a time limit"):
        solve_many([paper_instance(5, 1)], Policy(weights=WEIGHTS))


def test_proposals_are_valid_sorted_and_differ():
    """The cheapest first, any two with a tenth of their arcs different, and repeatable."""
    instance = paper_instance(25, 4)

    def proposed():
        policy = Policy(weights=WEIGHTS)
        return propose(instance, 6, seconds=1e6, samples=60, policy=policy, seed=1)

    found = proposed()
    assert len(found) == 6
    assert [p.cost for p in found] == sorted(p.cost for p in found)
    for proposal in found:
        evaluation = evaluate(instance, proposal.plan)
        assert evaluation.is_feasible
        assert evaluation.cost == pytest.approx(proposal.cost)
    arcs = [undirected_arcs(proposal.plan) for proposal in found]
    for one, other in itertools.combinations(arcs, 2):
        assert max(len(one - other) / len(one), len(other - one) / len(other)) >= 0.1
    assert found == proposed()


def undirected_arcs(plan):
    stops = ((0, *route.customers, 0) for route in plan.routes)
    return {frozenset(arc) for one in stops for arc in itertools.pairwise(one)}


def test_proposals_of_one_customer():
    """There is only one tour to propose, with either type."""
    found = propose(paper_instance(1, 1, 2), 4, seconds=0.0, policy=Policy(weights=WEIGHTS))
    assert 1 <= len(found) <= 2
    assert len({proposal.plan for proposal in found}) == len(found)
    for proposal in found:
        assert [route.customers for route in proposal.plan.routes] == [(1,)]


def test_sampling_gets_sharper_with_size():
    """With the root of the number of customers, unless a temperature is given."""
    assert Policy().temperature_for(25) == 1.0
    assert Policy().temperature_for(100) == 0.5
    assert Policy(temperature=0.9).temperature_for(100) == 0.9


def test_default_temperature_is_used_by_the_method_and_by_many():
    """Leaving it out equals passing it, and another temperature changes the plans."""
    instance = paper_instance(60, 3)
    implied = Policy(samples=20, augment=False, split=False, weights=WEIGHTS)
    given = replace(implied, temperature=implied.temperature_for(60))
    other = replace(implied, temperature=1.0)
    costs = [policy(instance, Run(seed=1)).cost for policy in (implied, given, other)]
    assert costs[0] == costs[1] != costs[2]
    many = [solve_many([instance], policy, seed=1)[0].cost for policy in (implied, given, other)]
    assert many[0] == many[1] != many[2]
