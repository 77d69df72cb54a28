"""What an input of the pair term is worth, from labelled decisions and without a training run.

    python experiments/probe_inputs.py --labels FOLDER [--weights FILE] [--drop local,near]
        [--only NAME] [--instances 400] [--steps 600] [--threads 2]

A training run takes hours and its end is noisy. Here everything is frozen but the linear maps of
the pair term's inputs and its output, which are fitted again to the decisions of the labels' plans:
once with the inputs there are, and once with each set of further ones below. Printed is -log p of
the target decisions on the 30 % of the instances that the fit has not seen. --drop takes inputs
of the weights away first. For the table of docs/experiments.md:

    fripn train label --out out/probe-labels --shards 5 --sizes 50 --wide-share 0 --effort 8
        --seed 5
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from fripn.bench.script import ScriptParser, integer, list_of, one_of, run
from fripn.errors import InvalidSetting
from fripn.policy.weights import default_weights, load_weights
from fripn.train.features import pair_inputs, pair_near, pair_waste, surroundings
from fripn.train.imitation import draw_examples, route_ends
from fripn.train.labels import load_labels
from fripn.train.network import Policy
from fripn.train.state import Batch, State, availability, replay

VALIDATION_SHARE = 0.3
DROPPABLE = ("waste", "near", "local")


@dataclass(frozen=True)
class Around:
    """What the further inputs are made of: one instance, M states.

    Distances (M, N, L) from each customer to the 16 nearest `near` (N, L), times the root of the
    number of customers, and which of them are unserved.
    """

    batch: Batch
    state: State
    near: Tensor
    distances: Tensor
    is_open: Tensor

    @classmethod
    def of(cls, batch: Batch, state: State) -> Around:
        """List the customers nearest to each, and which of them are unserved."""
        places = batch.coordinates[0]
        gaps = torch.cdist(places, places)
        gaps[:, 0] = torch.inf
        gaps.fill_diagonal_(torch.inf)
        distances, near = gaps.sort(dim=-1, stable=True)
        count = min(16, batch.num_nodes - 2)
        is_open = ~state.visited[0][:, near[:, :count]]
        root = math.sqrt(batch.num_nodes - 1)
        shape = is_open.shape
        return cls(
            batch, state, near[:, :count], (root * distances[:, :count]).expand(shape), is_open
        )

    @property
    def place(self) -> Tensor:
        """(M, N, 1): the first unserved customer of each list."""
        return self.is_open.to(torch.int8).argmax(-1, keepdim=True)

    def nearest(self, number: int) -> Tensor:
        """(M, N): distance to the unserved customer of that number, or to the last one listed."""
        beyond = self.distances[..., -1:]
        return torch.where(self.is_open, self.distances, beyond).sort(-1).values[..., number]

    def summed(self, values: Tensor) -> Tensor:
        """(M, N): the sum of values (M, N) over those that have a customer as their nearest."""
        follows = self.is_open.any(-1) & ~self.state.visited[0]
        follows[:, 0] = False
        chosen = self.near.expand(self.is_open.shape).gather(-1, self.place)[..., 0]
        return torch.zeros_like(values).scatter_add(1, chosen, values * follows)


def demand(a: Around) -> Tensor:
    return (a.is_open * a.batch.demands[0][a.near]).sum(-1) / 4


def followers(a: Around) -> Tensor:
    return a.summed(torch.ones_like(a.nearest(0))) / 2


def detours(a: Around) -> Tensor:
    return a.summed(a.nearest(1) - a.nearest(0))


def from_centre(a: Around) -> Tensor:
    is_left = (~a.state.visited[0]).to(torch.float64)
    is_left[:, 0] = 0.0
    centre = is_left @ a.batch.coordinates[0] / is_left.sum(-1, keepdim=True).clamp(min=1)
    return torch.cdist(centre, a.batch.coordinates[0])


def goes_on(a: Around) -> Tensor:
    """(M, K, N): distance to the nearest unserved customer that still fits, or to the depot."""
    root = math.sqrt(a.batch.num_nodes - 1)
    fits = a.batch.demands[0][a.near] <= _room(a)[..., None] + 1e-9
    ways = torch.where(fits & a.is_open[:, None], a.distances[:, None], torch.inf).amin(-1)
    return torch.minimum(ways, root * a.batch.distances[0, :, 0])


def cannot_go_on(a: Around) -> Tensor:
    """(M, K, N): whether no unserved customer of the list would fit."""
    fits = a.batch.demands[0][a.near] <= _room(a)[..., None] + 1e-9
    return (~(fits & a.is_open[:, None]).any(-1)).to(torch.float64)


def rank(a: Around) -> Tensor:
    """(M, K, N): how many customers a vehicle could serve are nearer to it, in units of 8."""
    ways = a.batch.distances[0][a.state.location[0]]
    can_go = availability(a.batch, a.state)[0].clone()
    can_go[..., 0] = False
    order = torch.where(can_go, ways, torch.inf).argsort(-1).argsort(-1)
    return (order / 8).clamp(max=1.5).to(torch.float64)


def _room(a: Around) -> Tensor:
    load = a.batch.capacities[:, None] - a.state.carried
    return load[0, ..., None] - a.batch.demands[0]


Input = Callable[[Around], Tensor]
FOUR: list[Input] = [
    lambda a: a.nearest(0),
    lambda a: a.nearest(1),
    lambda a: a.is_open.to(torch.float64).mean(-1),
    demand,
]

#: Further inputs, each (M, N) for a customer or (M, K, N) for a pair.
CANDIDATES: dict[str, list[Input]] = {
    "as it is": [],
    "two nearest": FOUR[:2],
    "four: two nearest, share and demand of those listed": FOUR,
    "four, where to go next": [*FOUR, goes_on, cannot_go_on],
    "four, rank by distance": [*FOUR, rank],
    "four, third and fourth nearest": [*FOUR, lambda a: a.nearest(2), lambda a: a.nearest(3)],
    "four, distance from the centre": [*FOUR, from_centre],
    "four, followers": [*FOUR, followers],
    "four, followers and their detours: local": [*FOUR, followers, detours],
}


@dataclass(frozen=True)
class Decisions:
    """The decisions of one plan: T of them, K types, N nodes, P hidden units."""

    scores: Tensor  # (T, K, N) without the pair term
    hidden: Tensor  # (T, K, N, P) before the relu
    inputs: Tensor  # (T, K, N, I) the weights have
    allowed: Tensor  # (T, K, N)
    targets: Tensor  # (T, K, N)
    around: Around
    counts: Tensor  # (M,): which of the states count, T of them

    def further(self, candidates: list[Input]) -> Tensor:
        """(T, K, N, F); 0 for the depot."""
        found = []
        for candidate in candidates:
            value = candidate(self.around)[self.counts]
            value = value[:, None] if value.dim() == 2 else value
            found.append(value.expand(self.allowed.shape).clone())
            found[-1][..., 0] = 0.0
        shape = (*self.allowed.shape, 0)
        return torch.stack(found, -1).float() if found else torch.zeros(shape)


@torch.no_grad()
def gather(policy: Policy, batch: Batch, actions: Tensor, ends: Tensor) -> Decisions:
    """Compute what stays as it is for the plan of one instance."""
    assert policy.pair is not None
    nodes, state = policy.encode(batch), replay(batch, actions)
    allowed = availability(batch, state)
    vehicles = policy.vehicle(nodes, batch, state, allowed)
    distance, root, fill = pair_inputs(batch, state)
    inputs = [distance, distance * root[:, :, None, None], fill[:, None].expand(distance.shape)]
    if policy.pair.waste is not None:
        inputs.append(pair_waste(batch, state))
    if policy.pair.near is not None:
        inputs.append(pair_near(batch, state))
    if policy.pair.local is not None:
        seen = surroundings(batch, state)[:, :, None].expand(*distance.shape, -1)
        inputs += list(seen.unbind(-1))
    taken = torch.zeros(allowed.shape, dtype=torch.bool).flatten(2)
    taken.scatter_(2, actions.reshape(1, -1, 1).clamp(min=0), True)
    is_at_depot = (state.location == 0).all(-1)[..., None, None]
    is_end = ends[:, None] & ~state.visited[:, :, None]
    counts = actions.reshape(-1) >= 0
    return Decisions(
        scores=policy.decoder(nodes, vehicles, allowed, None)[0, counts],
        hidden=policy.pair.hidden(nodes, batch, state)[0, counts],
        inputs=torch.stack(inputs, -1)[0, counts],
        allowed=allowed[0, counts],
        targets=torch.where(is_at_depot, is_end, taken.reshape(allowed.shape))[0, counts],
        around=Around.of(batch, state),
        counts=counts,
    )


def gather_all(policy: Policy, folder: Path, limit: int) -> list[Decisions]:
    """Look at the plans of a folder of labels, the same number of each size."""
    found = []
    groups = list(load_labels(folder).values())
    for labels in groups:
        batch, actions, _ = draw_examples(labels, 1, np.random.default_rng(0))
        ends = torch.as_tensor(route_ends(labels))
        for i in range(min(len(actions), -(-limit // len(groups)))):
            one = slice(i, i + 1)
            part = Batch(**{f.name: getattr(batch, f.name)[one] for f in fields(Batch)})
            found.append(gather(policy, part, actions[one], ends[one]))
    return found


def fit(policy: Policy, plans: list[Decisions], candidates: list[Input], steps: int) -> float:
    """Fit the maps of the inputs, and return the mean -log p of decisions that were not fitted."""
    assert policy.pair is not None
    generator = torch.Generator().manual_seed(0)
    order = torch.randperm(len(plans), generator=generator).tolist()
    num_held_out = round(VALIDATION_SHARE * len(plans))
    held_out, learned = order[:num_held_out], order[num_held_out:]
    further = [plan.further(candidates) for plan in plans]
    output = policy.pair.output.weight.detach()[0].clone().requires_grad_()
    own = torch.zeros(plans[0].inputs.shape[-1], len(output), requires_grad=True)
    new = torch.zeros(len(further[0][0, 0, 0]), len(output), requires_grad=True)

    def losses(number: int) -> Tensor:
        plan = plans[number]
        hidden = plan.hidden + plan.inputs @ own + further[number] @ new
        scores = policy.clip * torch.tanh(plan.scores + torch.relu(hidden) @ output)
        logs = scores.masked_fill(~plan.allowed, -1e9).flatten(1).log_softmax(-1)
        hit = logs.masked_fill(~plan.targets.flatten(1), -torch.inf)
        return -hit.logsumexp(-1)

    optimiser = torch.optim.Adam([output, own, new], lr=3e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
    for _ in range(steps):
        drawn = torch.randint(len(learned), (4,), generator=generator).tolist()
        loss = torch.cat([losses(learned[i]) for i in drawn]).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
    with torch.no_grad():
        return float(torch.cat([losses(number) for number in held_out]).mean())


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("--labels", type=Path, required=True)
    parser.add_argument("--weights", type=Path, help="default: the shipped ones")
    parser.add_argument("--drop", type=list_of(one_of(DROPPABLE)), default=[])
    parser.add_argument("--only", choices=tuple(CANDIDATES))
    parser.add_argument("--instances", type=integer(4), default=400)
    parser.add_argument("--steps", type=integer(1), default=600)
    parser.add_argument("--threads", type=integer(1), default=2)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    weights = load_weights(options.weights) if options.weights else default_weights()
    policy = Policy(weights.config)
    policy.load_state_dict({name: torch.tensor(a) for name, a in weights.tensors.items()})
    if policy.pair is None:
        raise InvalidSetting("these weights have no pair term; give weights that have one")
    for name in options.drop:
        setattr(policy.pair, name, None)
    plans = gather_all(policy, options.labels, options.instances)
    if len(plans) < 4:
        raise InvalidSetting(f"{options.labels} has {len(plans)} labels; make at least 4")
    print(f"weights {weights.fingerprint}, without {', '.join(options.drop) or 'nothing'}")
    for name in [options.only] if options.only else CANDIDATES:
        print(f"{name}: {fit(policy, plans, CANDIDATES[name], options.steps):.4f}", flush=True)


if __name__ == "__main__":
    run(main)
