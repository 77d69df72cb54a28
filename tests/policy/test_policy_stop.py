"""A stop ends encoding, decoding and repair, and what is left is well defined."""

import threading

import numpy as np
import pytest
from policy_helpers import prepared

from fripn import Status, Stop, _core
from fripn.policy import Policy, PolicyConfig, random_weights, save_weights, scale, solve_many
from fripn.policy.encoder import encode
from fripn.policy.rollout import read_plan, rollout
from fripn.policy.session import Session, scaled_to_core
from fripn.problem import evaluate
from fripn.problem.generate import paper_instance

SMALL = PolicyConfig(width=24, num_layers=2, num_heads=3, ff_width=20, features="cover")


def set_flag():
    stop = _core.StopFlag()
    stop.set()
    return stop


def test_a_rollout_that_is_stopped_before_it_begins_makes_nothing():
    """Every cost is infinity, and there are no actions."""
    _, problems, embeddings, decoder = prepared(SMALL, [paper_instance(9, s, 3) for s in range(2)])
    found = rollout(decoder, embeddings, problems, trajectories=30, threads=2, stop=set_flag())
    assert np.isinf(found.costs).all()
    assert (found.actions == -1).all()
    assert (found.log_probs == 0).all()


def test_a_flag_that_is_not_set_changes_nothing():
    """The same trajectories to the last bit."""
    _, problems, embeddings, decoder = prepared(SMALL, [paper_instance(9, 1, 3)])
    free, watched = (
        rollout(decoder, embeddings, problems, trajectories=30, seed=1, stop=stop)
        for stop in (None, _core.StopFlag())
    )
    assert np.array_equal(free.actions, watched.actions)
    assert np.array_equal(free.log_probs, watched.log_probs)


@pytest.mark.parametrize("threads", [1, 3])
def test_a_stop_from_another_thread_leaves_trajectories_unfinished(threads):
    """Those finished before are plans; the others keep what was decided, or nothing."""
    instance = paper_instance(150, 1, 4)
    _, problems, embeddings, decoder = prepared(SMALL, [instance])
    stop = _core.StopFlag()
    timer = threading.Timer(0.1, stop.set)
    timer.start()
    # Without the stop this would take a minute.
    found = rollout(
        decoder, embeddings, problems, trajectories=40_000, seed=2, threads=threads, stop=stop
    )
    timer.join()
    finished = np.isfinite(found.costs[0])
    assert not finished.all()
    for index in np.flatnonzero(finished)[:5]:
        plan = evaluate(instance, read_plan(found.actions[0, index], 151))
        assert plan.is_feasible
        assert plan.cost == pytest.approx(found.costs[0, index])
    served = ((found.actions[0] > 0) & (found.actions[0] % 151 > 0)).sum(-1)
    assert (served[finished] == 150).all()
    assert (served[~finished] < 150).all()


def test_encoding_stops_and_returns_what_is_finished():
    """Nothing, when the flag is set before; all, when it never is."""
    weights = random_weights(SMALL, 1)
    scaled = scale(paper_instance(300, 1, 3))
    views, demands = scaled.coordinates[None].repeat(3, 0), scaled.demands[None].repeat(3, 0)
    for threads in (1, 2):
        args = (SMALL, weights.tensors, views, demands, threads)
        assert encode(*args, set_flag()).shape == (0, 301, 24)
        assert np.array_equal(encode(*args, _core.StopFlag()), encode(*args))


def test_tables_and_repair_stop():
    """Rows that are left out are 0; trajectories that are left out cost infinity."""
    instance = paper_instance(9, 1, 3)
    _, problems, embeddings, decoder = prepared(SMALL, [instance])
    assert (decoder.tables(embeddings, stop=set_flag()) == 0).all()
    actions = rollout(decoder, embeddings, problems, trajectories=5).actions[0]
    core = scaled_to_core(scale(instance))
    for end in ({"stop": set_flag()}, {"seconds": 0.0}):
        costs, tours = _core.repair_trajectories(core, actions, **end)
        assert np.isinf(costs).all()
        assert (tours == 0).all()


@pytest.mark.parametrize("is_encoded", [False, True])
def test_a_session_after_a_stop_has_no_more_plans(is_encoded):
    """Whether the stop comes before the encoding or after it."""
    stop = _core.StopFlag()
    session = Session(
        random_weights(SMALL, 1),
        paper_instance(9, 1, 3),
        num_symmetries=8,
        with_split=True,
        seed=1,
        threads=1,
        stop=stop,
    )
    if is_encoded:
        session.encode(8)
        assert np.isfinite(session.greedy().costs).all()
    stop.set()
    session.encode(8)
    assert session.num_encoded == (8 if is_encoded else 0)
    drafts = session.sample(2, temperature=1.0, top_k=0)
    assert drafts.costs.shape == (16 if is_encoded else 0,)
    assert np.isinf(drafts.costs).all()


def test_many_instances_can_be_cancelled(tmp_path):
    """From another thread; every instance has a result, and plans of decoded ones are kept."""
    save_weights(random_weights(SMALL, 1), tmp_path / "small.safetensors")
    policy = Policy(samples=20_000, weights=tmp_path / "small.safetensors")
    # Two sizes, so two batches; without the stop this would take minutes.
    instances = [paper_instance(n, seed, 3) for n in (60, 80) for seed in range(4)]
    stop = Stop()
    timer = threading.Timer(0.2, stop.set)
    timer.start()
    results = solve_many(instances, policy, threads=2, stop=stop)
    timer.join()
    assert [result.instance for result in results] == instances
    assert all(result.status is Status.INTERRUPTED for result in results)
    assert results[-1].solution is None
    assert all(result.evaluation.is_feasible for result in results if result.solution)
    (late,) = solve_many(instances[:1], Policy(decode="greedy", weights=policy.weights), stop=stop)
    assert late.status is Status.INTERRUPTED
    assert late.solution is None


def test_a_stop_that_is_not_set_changes_no_plan(tmp_path):
    """The same plans with and without one."""
    save_weights(random_weights(SMALL, 1), tmp_path / "small.safetensors")
    policy = Policy(samples=5, weights=tmp_path / "small.safetensors")
    instances = [paper_instance(9, seed, 3) for seed in range(3)]
    free, watched = (solve_many(instances, policy, stop=stop) for stop in (None, Stop()))
    assert [one.solution for one in free] == [one.solution for one in watched]
    assert all(result.status is Status.FEASIBLE for result in watched)
