"""Labels, the trajectories made from them, and the set-valued targets."""

from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest
import torch
from train_helpers import make_labels_of, make_policy, one_each, trajectory_cost

from fripn.errors import InvalidFile, InvalidSolution, TrainingFailed, Unsupported
from fripn.executors import InProcess, Processes
from fripn.policy.config import PolicyConfig
from fripn.policy.rollout import read_plan
from fripn.policy.scale import scale
from fripn.policy.weights import random_weights, save_weights
from fripn.problem import Instance, Route, Solution, VehicleType, evaluate
from fripn.problem.generate import paper_instance
from fripn.train.encoded import encode
from fripn.train.imitation import draw_examples, imitation_loss, labelled_batch, route_ends
from fripn.train.labelling import LabelSettings, draw_shard, label_shard, make_labels
from fripn.train.labels import (
    label,
    load_labels,
    load_settings,
    load_shard,
    merge,
    save_shard,
)
from fripn.train.state import Batch, availability, reset, step


def test_trajectories_of_a_label_are_its_plan():
    """Whatever the order, the direction and the symmetry, the cost is the label's."""
    _, labels = make_labels_of(5)
    batch, actions, counts = draw_examples(labels, 4, np.random.default_rng(0))
    costs = trajectory_cost(batch, actions)
    assert torch.allclose(costs, torch.tensor(labels.costs)[:, None].expand(5, 4), rtol=1e-6)
    assert torch.equal(counts, actions >= 0)
    for index in range(5):
        plan = {frozenset(r.customers) for r in labels.plan(index).routes}
        for order in range(4):
            made = read_plan(actions[index, order].numpy(), 7)
            assert {frozenset(r.customers) for r in made.routes} == plan
    assert len({tuple(row) for row in actions.reshape(20, -1).tolist()}) > 10


def test_labels_keep_the_cells_of_load():
    """Scaled demands of the wide distribution are not round: cells must be counted before."""
    drawn = draw_shard(LabelSettings((8,), wide_share=1.0, customers=160), 0)
    (labels,) = label(drawn, [one_each(one) for one in drawn])
    expected = Batch.of(drawn)
    batch, _, _ = draw_examples(labels, 1, np.random.default_rng(0))
    for found in (batch, labelled_batch(labels)):
        assert torch.equal(found.load_cells, expected.load_cells)
        assert torch.equal(found.load_units, expected.load_units)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("customers", 7, "each of the customers 1 to 6 once"),
        ("customers", 0, "each of the customers 1 to 6 once"),
        ("starts", 3, "one of 0 to 2"),
        ("starts", -2, "one of 0 to 2"),
        ("starts", -1, "does not begin with a route"),
        ("given", 7, "number of given customers, .*, is out of range"),
    ],
)
def test_labels_out_of_range_are_refused(tmp_path, name, value, message):
    """Before they are used as indices; the file is named."""
    _, labels = make_labels_of(2)
    getattr(labels, name).flat[0] = value
    save_shard(tmp_path / "shard.npz", [labels])
    with pytest.raises(InvalidFile, match=f"shard.npz: the labels 6x3 are damaged.*{message}"):
        load_shard(tmp_path / "shard.npz")


def test_labels_of_another_shape_are_refused(tmp_path):
    """The message names the array."""
    _, labels = make_labels_of(2)
    short = replace(labels, unit_costs=labels.unit_costs[:, :2])
    save_shard(tmp_path / "shard.npz", [short])
    with pytest.raises(InvalidFile, match="unit_costs has shape"):
        load_shard(tmp_path / "shard.npz")


def test_given_routes_come_first_and_do_not_count():
    """Decisions of the first two routes are replayed, those of the others are learned."""
    _, labels = make_labels_of(3, given=2)
    _, actions, counts = draw_examples(labels, 4, np.random.default_rng(0))
    # (1, 2) and (3): three customers and two returns before the first decision that counts.
    assert not counts[:, :, :5].any()
    assert counts[:, :, 5:].equal(actions[:, :, 5:] >= 0)
    assert set((actions[:, :, [0, 2, 3]] % 7).unique().tolist()) <= {0, 1, 2, 3}


def test_loss_is_the_probability_of_the_target_sets():
    """By stepping through: any end of any open route at the depot, the next stop on the road."""
    policy = make_policy("cover", True, True)
    _, labels = make_labels_of(3)
    batch, actions, counts = draw_examples(labels, 2, np.random.default_rng(3))
    ends = torch.as_tensor(route_ends(labels))
    loss = imitation_loss(encode(policy, batch), actions, counts, ends)
    nodes, state = policy.encode(batch), reset(batch, 2)
    expected = 0.0
    for t in range(actions.shape[-1]):
        chances = policy(nodes, batch, state).exp()
        for b in range(3):
            for s in range(2):
                action = int(actions[b, s, t])
                if action < 0:
                    continue
                targets = [action]
                if not state.location[b, s].any():
                    open_routes = [
                        route
                        for route in labels.plan(b).routes
                        if not state.visited[b, s, list(route.customers)].any()
                    ]
                    targets = sorted(
                        {
                            route.vehicle_type * 7 + end
                            for route in open_routes
                            for end in (route.customers[0], route.customers[-1])
                        }
                    )
                assert action in targets
                expected -= chances[b, s, targets].sum().log().item()
        state = step(batch, state, actions[:, :, t])
    assert not availability(batch, state).any()
    assert loss.item() == pytest.approx(expected, rel=1e-4)


def test_own_labels_are_in_the_networks_units():
    """Instances of any units and sizes; the cost of a trajectory is the label's."""
    drawn = [paper_instance(6 + seed % 2, seed, 3) for seed in range(5)]
    own = [
        one.replace(
            coordinates=70.0 * one.coordinates,
            demands=9.0 * one.demands,
            vehicle_types=tuple(
                one_type.replace(
                    capacity=9.0 * one_type.capacity, fixed_cost=50.0 * one_type.fixed_cost
                )
                for one_type in one.vehicle_types
            ),
        )
        for one in drawn
    ]
    plans = [one_each(one) for one in own]
    plans[0] = Solution((*plans[0].routes, Route(1, ())))  # a vehicle that is not used
    parts = label(own, plans)
    assert [(part.size, len(part)) for part in parts] == [((6, 3), 3), ((7, 3), 2)]
    for part, numbers in zip(parts, ((0, 2, 4), (1, 3)), strict=True):
        batch, actions, _ = draw_examples(part, 1, np.random.default_rng(0))
        assert trajectory_cost(batch, actions)[:, 0].tolist() == pytest.approx(part.costs)
        for row, number in enumerate(numbers):
            cost = evaluate(own[number], part.plan(row)).cost
            assert cost == pytest.approx(evaluate(own[number], plans[number]).cost)
            assert part.costs[row] == pytest.approx(cost / scale(own[number]).cost_scale)


def test_what_training_does_not_support_is_refused():
    """Matrices, great circles, limited fleets: named by number, with a remedy."""
    fine = paper_instance(5, 0, 3)
    plan = one_each(fine)
    matrix = fine.replace(metric="matrix", matrix=fine.distance_matrix())
    circle = fine.replace(metric="great_circle")
    first, *others = fine.vehicle_types
    limited = fine.replace(vehicle_types=(first.replace(available=9), *others))
    for other, message in (
        (matrix, "instance 1 .* metric matrix, .* metric euclidean"),
        (circle, "instance 1 .* metric great_circle"),
        (limited, "instance 1 .* at most 9 vehicles of type .* without such limits"),
    ):
        with pytest.raises(Unsupported, match=message):
            label([fine, other], [plan, plan])


@pytest.mark.parametrize(
    ("routes", "message"),
    [
        ([(0, (1, 2))], "plan of instance 1 .* breaks a rule: .*3.*; repair"),
        ([(0, (1, 2)), (0, (2, 3))], "breaks a rule: .*2"),
        ([(0, (1, 2, 3))], "breaks a rule: .*carries"),
        (None, "instance 1 .* has no plan; leave it out"),
    ],
)
def test_invalid_plans_are_refused(routes, message):
    """Missing and repeated customers, overloads and no plan at all."""
    van = VehicleType("van", 10.0, 1.0, 1.0)
    instance = Instance(
        name="three",
        coordinates=np.array([[0, 0], [0, 1], [1, 0], [1, 1.0]]),
        demands=np.array([0, 4, 4, 4.0]),
        vehicle_types=(van,),
    )
    good = Solution.of([(0, (1, 2)), (0, (3,))])
    with pytest.raises(InvalidSolution, match=message):
        label([instance, instance], [good, None if routes is None else Solution.of(routes)])
    with pytest.raises(InvalidSolution, match="2 instances and 1 plans"):
        label([instance, instance], [good])
    with pytest.raises(InvalidSolution, match="at least one instance"):
        label([], [])


def test_shards_come_back_as_they_were(tmp_path):
    """Round trip through files; several parts and sizes in one; all files of a folder."""
    _, small = make_labels_of(3)
    _, large = make_labels_of(2, size=8)
    save_shard(tmp_path / "a.npz", [small[:1], large, small[1:]], {"note": 1})
    back = merge(load_shard(tmp_path / "a.npz"))
    assert list(back) == [(6, 3), (8, 3)]
    assert np.array_equal(back[6, 3].customers, small.customers)
    assert np.array_equal(back[6, 3].costs, small.costs)
    assert np.array_equal(back[8, 3].demands, large.demands)
    assert load_settings(tmp_path / "a.npz") == {"note": 1}
    save_shard(tmp_path / "b.npz", [large])
    (tmp_path / "validation").mkdir()
    save_shard(tmp_path / "validation" / "c.npz", [small])  # not what is trained on
    assert {size: len(part) for size, part in load_labels(tmp_path).items()} == {
        (6, 3): 3,
        (8, 3): 4,
    }


def test_foreign_and_old_files_are_refused(tmp_path):
    """A message with the file and the remedy, also beside real shards."""
    _, labels = make_labels_of(3)
    save_shard(tmp_path / "a.npz", [labels])
    other = tmp_path / "b.npz"
    other.write_bytes(b"no labels")
    with pytest.raises(
        InvalidFile, match=r"b\.npz: this is not a file of labels, or a damaged one"
    ):
        load_labels(tmp_path)
    other.write_bytes((tmp_path / "a.npz").read_bytes()[:-200])
    with pytest.raises(
        InvalidFile, match=r"b\.npz: this is not a file of labels, or a damaged one"
    ):
        load_labels(tmp_path)
    np.savez(other, x=np.zeros(3))
    with pytest.raises(InvalidFile, match=r"b\.npz: this is not a file of labels"):
        load_labels(tmp_path)
    with other.open("wb") as file:
        np.save(file, np.zeros(3))
    with pytest.raises(InvalidFile, match=r"b\.npz: this is not a file of labels"):
        load_labels(tmp_path)
    with np.load(tmp_path / "a.npz") as now:
        before = {name: now[name] for name in now.files if "load_" not in name}
    np.savez(other, **before)
    with pytest.raises(InvalidFile, match=r"b\.npz: it was made by an older version .* new folder"):
        load_labels(tmp_path)
    (tmp_path / "a.npz").rename(tmp_path / "c.npz")
    with pytest.raises(InvalidFile, match=r"b\.npz: it was made by an older version"):
        make_labels(LabelSettings(), tmp_path, 1)
    other.unlink()
    with pytest.raises(InvalidFile, match=r"c\.npz was not made by .* another folder"):
        make_labels(LabelSettings(), tmp_path, 1)
    with pytest.raises(InvalidFile, match="no labels in"):
        load_labels(tmp_path / "nowhere")


def test_processes_make_the_same_shards(tmp_path):
    """However many there are, each shard is made once; a policy travels with the work."""
    config = PolicyConfig(width=16, num_layers=1, num_heads=2, ff_width=32)
    policy = tmp_path / "policy.safetensors"
    save_weights(random_weights(config, 0), policy)
    settings = LabelSettings(sizes=(5,), effort=1, customers=10, policy=str(policy))
    lines: list[str] = []
    for folder, executor in (("one", None), ("two", Processes(2))):
        make_labels(settings, tmp_path / folder, 4, executor=executor, report=lines.append)
    assert len(lines) == 10
    for number in range(4):
        one, two = (
            load_shard(tmp_path / folder / f"shard-{number:05d}.npz")[0]
            for folder in ("one", "two")
        )
        for name, array in one.arrays().items():
            assert np.array_equal(array, two.arrays()[name]), name


class LosesSome(InProcess):
    """An executor whose workers die over every odd item."""

    @contextmanager
    def open(self, work, on_death):
        """Lose every other item."""

        def act(item):
            return on_death(item) if item.number % 2 else work(item)

        with InProcess().open(act, on_death) as workers:
            yield workers


def test_lost_shards_are_named_and_can_be_made_later(tmp_path):
    """All others are there."""
    settings = LabelSettings(sizes=(5,), effort=1, customers=10)
    with pytest.raises(TrainingFailed, match=r"2 of 4 shards died; .* run the same command again"):
        make_labels(settings, tmp_path, 4, executor=LosesSome(), report=lambda _: None)
    assert [path.name for path in sorted(tmp_path.glob("*.npz"))] == [
        "shard-00000.npz",
        "shard-00002.npz",
    ]
    make_labels(settings, tmp_path, 4, report=lambda _: None)
    assert len(list(tmp_path.glob("*.npz"))) == 4


def test_labelling_resumes_and_depends_on_the_seed_alone(tmp_path):
    """Shards that exist are kept, missing ones are made the same again; plans are valid."""
    settings = LabelSettings(sizes=(5,), wide_share=0.5, effort=1, customers=15, seed=3)
    make_labels(settings, tmp_path, 3, report=lambda _: None)
    first = {path.name: load_shard(path)[0] for path in sorted(tmp_path.glob("*.npz"))}
    assert len(first) == 3
    (tmp_path / "shard-00001.npz").unlink()
    lines: list[str] = []
    make_labels(settings, tmp_path, 3, threads=2, report=lines.append)
    assert len(lines) == 2
    assert "3 of 3 made" in lines[0]
    again = load_shard(tmp_path / "shard-00001.npz")[0]
    assert np.array_equal(again.customers, first["shard-00001.npz"].customers)
    for number, labels in enumerate(first.values()):
        for index, instance in enumerate(draw_shard(settings, number)):
            verdict = evaluate(instance, labels.plan(index))
            assert verdict.is_feasible
            assert verdict.cost / scale(instance).cost_scale == pytest.approx(labels.costs[index])


def test_labels_after_the_policys_own_routes(tmp_path):
    """Plans stay valid, the given routes end at a return to the depot, the engine has the rest."""
    config = PolicyConfig(width=16, num_layers=1, num_heads=2, ff_width=32)
    save_weights(random_weights(config, 0), tmp_path / "policy.safetensors")
    settings = LabelSettings(
        sizes=(8,),
        wide_share=0.0,
        effort=1,
        customers=80,
        policy=str(tmp_path / "policy.safetensors"),
    )
    labels = label_shard(settings, 0, threads=1)
    assert (labels.given < 8).all()
    assert len(set(labels.given.tolist())) > 2
    for index, instance in enumerate(draw_shard(settings, 0)):
        verdict = evaluate(instance, labels.plan(index))
        assert verdict.is_feasible
        assert verdict.cost == pytest.approx(labels.costs[index])
        begins = np.flatnonzero(labels.starts[index] >= 0)
        assert labels.given[index] in begins
    batch, actions, counts = draw_examples(labels, 2, np.random.default_rng(0))
    given = torch.as_tensor(labels.given)[:, None]
    served = (torch.where(counts, -1, actions) % 9 > 0).logical_and(actions >= 0) & ~counts
    assert torch.equal(served.sum(-1), given.expand(-1, 2).to(torch.int64))
    assert torch.allclose(
        trajectory_cost(batch, actions)[:, 0], torch.tensor(labels.costs), rtol=1e-6
    )
