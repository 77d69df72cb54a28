"""Make labels: draw instances, let the engine search them, keep the plans in shards.

With a policy, part of each plan is the policy's: it drives some routes its own way, and the engine
answers for the customers that are left. Such labels teach what to do after one's own mistakes,
which optimal plans never show [1]_.

A shard holds instances of one size and depends on the seed and its own number only, so shards can
be made in any order, side by side and in pieces, and a shard that exists is not made again.

.. [1] S. Ross, G. Gordon, D. Bagnell (2011), "A reduction of imitation learning and structured
       prediction to no-regret online learning", AISTATS.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from fripn._version import __version__
from fripn.errors import InvalidSetting
from fripn.policy.encoder import encode
from fripn.policy.fold import fold
from fripn.policy.rollout import Problems, read_plan, rollout
from fripn.policy.scale import ScaledInstance, scale
from fripn.policy.weights import load_weights
from fripn.problem import Instance, Route, Solution
from fripn.problem.generate import similar_instances
from fripn.search import search_many
from fripn.train.labels import Labels, label, save_shard


@dataclass(frozen=True, slots=True)
class LabelSettings:
    """What is drawn, and how long the engine looks at it.

    Parameters
    ----------
    sizes
        Numbers of customers; each shard draws one. Name a size twice to draw it twice as often.
    wide_share
        Share of shards from the wide law (1 to 10 types); the others follow the paper's (3 to 6).
    iterations_per_customer
        The engine's iterations per instance, per customer.
    customers_per_shard
        A shard has so many customers in total, so shards take about equally long.
    seed
        Same seed, same labels; use another one for validation.
    policy
        Weights of the policy that drives the first routes; empty for plans of the engine alone.
    """

    sizes: tuple[int, ...] = (10, 15, 20, 20, 20, 30, 40, 50, 50, 60, 75, 100)
    wide_share: float = 0.2
    iterations_per_customer: int = 6
    customers_per_shard: int = 5000
    seed: int = 0
    policy: str = ""

    def __post_init__(self) -> None:
        """Check the ranges."""
        if not self.sizes or min(self.sizes) < 1:
            raise InvalidSetting(f"the sizes are {self.sizes}; give numbers of customers, >= 1")
        if not 0 <= self.wide_share <= 1:
            raise InvalidSetting(f"the wide share is {self.wide_share}; give 0 to 1")
        for name in ("iterations_per_customer", "customers_per_shard"):
            if getattr(self, name) < 1:
                raise InvalidSetting(f"{name} is {getattr(self, name)}; give 1 or more")


def draw_shard(settings: LabelSettings, number: int) -> list[Instance]:
    """Draw the instances of one shard: one number of customers, one of types, one law."""
    rng = np.random.default_rng([settings.seed, number])
    num_customers = int(rng.choice(settings.sizes))
    count = max(1, settings.customers_per_shard // num_customers)
    return similar_instances(num_customers, count, rng, wide_share=settings.wide_share)


def label_shard(settings: LabelSettings, number: int, threads: int) -> Labels:
    """Draw and search the instances of one shard."""
    instances = draw_shard(settings, number)
    num_customers = instances[0].num_customers
    given: list[tuple[Route, ...]] = [() for _ in instances]
    if settings.policy:
        scaled = [scale(instance) for instance in instances]
        given = _first_routes(settings, scaled, number, threads)
    left = [_customers_left(num_customers, routes) for routes in given]
    plans = search_many(
        [_part(instance, rest) for instance, rest in zip(instances, left, strict=True)],
        iterations=settings.iterations_per_customer * num_customers,
        seed=number,
        threads=threads,
    )
    found = []
    for plan, routes, rest in zip(plans, given, left, strict=True):
        assert plan is not None  # both laws have as many vehicles as needed
        answer = (Route(r.vehicle_type, tuple(rest[c] for c in r.customers)) for r in plan.routes)
        found.append(Solution((*routes, *answer)))
    (labels,) = label(instances, found, [len(routes) for routes in given])
    return labels


def _first_routes(
    settings: LabelSettings, scaled: Sequence[ScaledInstance], number: int, threads: int
) -> list[tuple[Route, ...]]:
    """Let the policy drive, every other time greedily, up to a random return to the depot."""
    weights = load_weights(settings.policy)
    rng = np.random.default_rng([settings.seed, number, 1])
    problems = Problems.of(scaled)
    embeddings = encode(weights.config, weights.tensors, problems.coordinates, problems.demands)
    decoder = fold(weights.config, weights.tensors)
    taken = []
    made = [
        rollout(decoder, embeddings, problems, greedy=greedy, seed=number, threads=threads)
        for greedy in (True, False)
    ]
    for index in range(len(scaled)):
        actions = made[index % 2].actions[index, 0]
        rests = _returns(actions, problems.num_nodes)
        # One route at least stays with the engine.
        cut = int(rng.choice(rests)) if rests else 0
        taken.append(read_plan(actions[:cut], problems.num_nodes).routes)
    return taken


def _returns(actions: npt.NDArray[np.integer[Any]], num_nodes: int) -> list[int]:
    """Numbers of decisions after which all vehicles are at the depot and customers are left."""
    out: set[int] = set()
    rests = []
    for done, action in enumerate(actions[actions >= 0].tolist(), start=1):
        kind, node = divmod(action, num_nodes)
        if node:
            out.add(kind)
        else:
            out.discard(kind)
        if not out:
            rests.append(done)
    return rests


def _customers_left(num_customers: int, routes: Sequence[Route]) -> list[int]:
    """Depot and customers not on the given routes, by their numbers in the whole instance."""
    served = {customer for route in routes for customer in route.customers}
    return [0, *(c for c in range(1, num_customers + 1) if c not in served)]


def _part(instance: Instance, stops: list[int]) -> Instance:
    """Leave out all other customers; both laws give straight lines and unlimited fleets."""
    assert instance.coordinates is not None
    return instance.replace(
        coordinates=instance.coordinates[stops], demands=instance.demands[stops]
    )


def make_labels(
    settings: LabelSettings,
    out: Path,
    num_shards: int,
    *,
    threads: int = 1,
    report: Callable[[str], None] = print,
) -> None:
    """Make the shards that are still missing in a folder.

    Parameters
    ----------
    settings
        What to draw and how long to search.
    out
        Folder for the shards.
    num_shards
        How many there should be in the end.
    threads
        Instances searched side by side.
    report
        Called with one line per shard.
    """
    out.mkdir(parents=True, exist_ok=True)
    record: dict[str, Any] = {"fripn": __version__, "engine": "hgs", **asdict(settings)}
    missing = [k for k in range(num_shards) if not (out / f"shard-{k:05d}.npz").exists()]
    began = time.monotonic()
    for done, number in enumerate(missing, start=1):
        labels = label_shard(settings, number, threads)
        save_shard(out / f"shard-{number:05d}.npz", [labels], {**record, "shard": number})
        spent = time.monotonic() - began
        left = spent / done * (len(missing) - done)
        report(
            f"shard {number}: {len(labels)} instances with {labels.size[0]} customers and "
            f"{labels.size[1]} types, {done} of {len(missing)} made, {left / 60:.0f} min left"
        )
