"""Make labels: draw instances, solve them with the engine, store the plans in shards.

With a policy, part of each plan is the policy's: it builds some of the routes, and the engine plans
the customers that are left. Such labels show good decisions after the policy's own mistakes, which
optimal plans do not contain [1]_.

A shard holds instances of one size and depends on the settings and its own number only, so shards
can be made in any order, anywhere and in several runs; a shard that exists is not made again.

.. [1] S. Ross, G. Gordon, D. Bagnell (2011), "A reduction of imitation learning and structured
       prediction to no-regret online learning", AISTATS.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt

from fripn._version import __version__
from fripn.errors import InvalidFile, InvalidSetting, TrainingFailed
from fripn.executors import Executor, InProcess
from fripn.policy.encoder import encode
from fripn.policy.fold import fold
from fripn.policy.rollout import core_problems, read_plan, rollout
from fripn.policy.scale import ScaledInstance, scale
from fripn.policy.weights import PolicyWeights, load_weights
from fripn.problem import Instance, Route, Solution
from fripn.problem.generate import similar_instances
from fripn.problem.io.atomic import reason
from fripn.problem.subset import with_customers
from fripn.search import search_many
from fripn.settings import (
    LARGEST_COUNT,
    PositiveCount,
    Range,
    Seed,
    Share,
    Threads,
    check_fields,
    checked,
    require,
)
from fripn.train.label_faults import MAX_CUSTOMERS
from fripn.train.labels import Labels, label, load_settings, save_shard

_NumCustomers = Annotated[int, Range(least=1, most=MAX_CUSTOMERS)]


@dataclass(frozen=True, slots=True)
class LabelSettings:
    """What is drawn, and how long the engine searches.

    Parameters
    ----------
    sizes
        Numbers of customers; each shard draws one. Name a size twice to draw it twice as often.
    wide_share
        Share of shards from the wide distribution (1 to 10 types); the others are drawn from the
        paper's (3 to 6).
    effort
        The engine's iterations per instance, per customer.
    customers
        A shard has this many customers in total, so shards take about equally long.
    seed
        Same seed, same labels; use another one for validation.
    policy
        Weights of the policy that builds the first routes; empty for plans of the engine alone.
    """

    sizes: tuple[Annotated[int, Range(least=1, most=MAX_CUSTOMERS)], ...] = (
        10,
        15,
        20,
        20,
        20,
        30,
        40,
        50,
        50,
        60,
        75,
        100,
    )
    wide_share: Share = 0.2
    effort: PositiveCount = 6
    customers: PositiveCount = 5000
    seed: Seed = 0
    policy: str = ""

    def __post_init__(self) -> None:
        """Check the ranges."""
        check_fields(self)
        require(bool(self.sizes), "sizes", self.sizes, "give at least one number of customers")
        most = LARGEST_COUNT // max(self.sizes)
        require(self.effort <= most, "effort", self.effort, f"give an integer from 1 to {most}")


def draw_shard(settings: LabelSettings, number: int) -> list[Instance]:
    """Draw the instances of one shard: one number of customers, one of types, one distribution."""
    rng = np.random.default_rng([settings.seed, number])
    num_customers = int(rng.choice(settings.sizes))
    count = max(1, settings.customers // num_customers)
    return similar_instances(num_customers, count, rng, wide_share=settings.wide_share)


def label_shard(
    settings: LabelSettings, number: int, threads: int, weights: PolicyWeights | None = None
) -> Labels:
    """Draw and search the instances of one shard.

    Parameters
    ----------
    settings, number
        What makes the shard the one it is.
    threads
        Instances searched in parallel.
    weights
        Those of the policy, where the settings name one; None to read them from its file.
    """
    instances = draw_shard(settings, number)
    num_customers = instances[0].num_customers
    given: list[tuple[Route, ...]] = [() for _ in instances]
    if settings.policy:
        scaled = [scale(instance) for instance in instances]
        weights = load_weights(settings.policy) if weights is None else weights
        given = _first_routes(settings, weights, scaled, number, threads)
    left = [_customers_left(num_customers, routes) for routes in given]
    plans = search_many(
        [
            with_customers(instance, rest[1:])
            for instance, rest in zip(instances, left, strict=True)
        ],
        iterations=settings.effort * num_customers,
        seed=number,
        threads=threads,
    )
    found = []
    for plan, routes, rest in zip(plans, given, left, strict=True):
        assert plan is not None  # both distributions have unlimited fleets
        answer = (Route(r.vehicle_type, tuple(rest[c] for c in r.customers)) for r in plan.routes)
        found.append(Solution((*routes, *answer)))
    (labels,) = label(instances, found, [len(routes) for routes in given])
    return labels


def _first_routes(
    settings: LabelSettings,
    weights: PolicyWeights,
    scaled: Sequence[ScaledInstance],
    number: int,
    threads: int,
) -> list[tuple[Route, ...]]:
    """Build routes with the policy, every other time greedily, up to a random return."""
    rng = np.random.default_rng([settings.seed, number, 1])
    problems = core_problems(scaled)
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
        # At least one route is left to the engine.
        cut = int(rng.choice(rests)) if rests else 0
        taken.append(read_plan(actions[:cut], problems.num_nodes).routes)
    return taken


def _returns(actions: npt.NDArray[np.integer[Any]], num_nodes: int) -> list[int]:
    """Numbers of decisions after which all vehicles are at the depot and customers are left."""
    out: set[int] = set()
    rests = []
    for done, action in enumerate(actions[actions >= 0].tolist(), start=1):
        vehicle_type, node = divmod(action, num_nodes)
        if node:
            out.add(vehicle_type)
        else:
            out.discard(vehicle_type)
        if not out:
            rests.append(done)
    return rests


def _customers_left(num_customers: int, routes: Sequence[Route]) -> list[int]:
    """Depot and customers not on the given routes, by their numbers in the whole instance."""
    served = {customer for route in routes for customer in route.customers}
    return [0, *(c for c in range(1, num_customers + 1) if c not in served)]


@dataclass(frozen=True, slots=True)
class _Shard:
    """A shard to be made; a value that can be sent."""

    settings: LabelSettings
    number: int
    threads: int
    weights: PolicyWeights | None


def _make_shard(shard: _Shard) -> tuple[int, Labels | None]:
    return shard.number, label_shard(shard.settings, shard.number, shard.threads, shard.weights)


def _lose_shard(shard: _Shard) -> tuple[int, Labels | None]:
    return shard.number, None


def make_labels(
    settings: LabelSettings,
    out: Path,
    num_shards: int,
    *,
    threads: int = 1,
    executor: Executor | None = None,
    report: Callable[[str], None] = print,
) -> None:
    """Make the shards that are still missing in a folder.

    Parameters
    ----------
    settings
        What to draw and how long to search.
    out
        Folder for the shards, which only this process writes.
    num_shards
        How many there should be in the end.
    threads
        Instances of a shard searched in parallel.
    executor
        Where shards are made; in this process when None.
    report
        Called with one line per shard, and one at the end.

    Raises
    ------
    InvalidSetting
        When a number is out of range, or the folder has shards with other settings.
    InvalidFile
        When the folder cannot be used.
    TrainingFailed
        When processes that made shards died; the other shards are there.
    """
    checked("shards", num_shards, PositiveCount)
    checked("threads", threads, Threads)
    # Wrong weights are reported before anything is written.
    weights = load_weights(settings.policy) if settings.policy else None
    record: dict[str, Any] = {"engine": "hgs", **asdict(settings)}
    _check_folder(out, record)
    missing = [number for number in range(num_shards) if not _shard(out, number).exists()]
    shards = (_Shard(settings, number, threads, weights) for number in missing)
    began, num_before, lost = time.monotonic(), num_shards - len(missing), []
    made = _made(shards, InProcess() if executor is None else executor)
    for count, (number, labels) in enumerate(made, start=1):
        if labels is None:
            lost.append(number)
            continue
        origin = {"fripn": __version__, "shard": number}
        save_shard(_shard(out, number), [labels], {**origin, **record})
        spent = time.monotonic() - began
        left = spent * (len(missing) - count) / count
        report(
            f"shard {number}: {len(labels)} instances with {labels.size[0]} customers and "
            f"{labels.size[1]} types, {num_before + count - len(lost)} of {num_shards} made, "
            f"{left / 60:.0f} min left"
        )
    if lost:
        raise TrainingFailed(
            f"the processes that made {len(lost)} of {num_shards} shards died",
            field="shards",
            value=sorted(lost),
            remedy="give more memory or fewer customers, and run the same command again",
        )
    report(f"all {num_shards} shards are there")


def _made(shards: Iterator[_Shard], executor: Executor) -> Iterator[tuple[int, Labels | None]]:
    """Yield the shards as they are finished."""
    num_running = 0
    with executor.open(_make_shard, _lose_shard) as workers:
        for shard in shards:
            while num_running >= workers.capacity:
                yield workers.wait()
                num_running -= 1
            workers.submit(shard)
            num_running += 1
        for _ in range(num_running):
            yield workers.wait()


def _shard(folder: Path, number: int) -> Path:
    return folder / f"shard-{number:05d}.npz"


def _check_folder(folder: Path, record: dict[str, Any]) -> None:
    """Make the folder, or refuse one whose shards were made with other settings."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidFile(
            f"the folder {folder} cannot be made: {reason(error)}",
            field="--out",
            value=folder,
            remedy="name another one",
        ) from None
    if not os.access(folder, os.W_OK):
        raise InvalidFile(
            f"the folder {folder} cannot be written to",
            field="--out",
            value=folder,
            remedy="name another one",
        )
    now = json.loads(json.dumps(record))
    for path in sorted(folder.glob("*.npz")):
        before = load_settings(path)
        if not before.keys() >= now.keys():
            raise InvalidFile(
                f"{path} was not made by this version's `fripn train label`",
                field="--out",
                value=path,
                remedy="name another folder",
            )
        for key, value in now.items():
            if before[key] != value:
                raise InvalidSetting(
                    f"{path} was made with {key} = {before[key]!r}, but now it is {value!r}",
                    field=key,
                    value=value,
                    remedy="give the same settings or name another folder",
                )
