"""Make labels: draw instances, let the engine search them, keep the plans in shards.

A shard holds instances of one size and depends on the seed and its own number only, so shards can
be made in any order, side by side and in pieces, and a shard that exists is not made again.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fripn._version import __version__
from fripn.errors import InvalidSetting
from fripn.policy.scale import scale
from fripn.problem import Instance, evaluate
from fripn.problem.generate import paper_instance, wide_instance
from fripn.search import search_many
from fripn.train.labels import Labels, save_shard


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
    """

    sizes: tuple[int, ...] = (10, 15, 20, 20, 20, 30, 40, 50, 50, 60, 75, 100)
    wide_share: float = 0.2
    iterations_per_customer: int = 400
    customers_per_shard: int = 5000
    seed: int = 0

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
    is_wide = rng.random() < settings.wide_share
    num_types = int(rng.integers(1, 11) if is_wide else rng.integers(3, 7))
    law = wide_instance if is_wide else paper_instance
    count = max(1, settings.customers_per_shard // num_customers)
    return [law(num_customers, rng, num_types) for _ in range(count)]


def label_shard(settings: LabelSettings, number: int, threads: int) -> Labels:
    """Draw and search the instances of one shard."""
    instances = draw_shard(settings, number)
    num_customers = instances[0].num_customers
    plans = search_many(
        instances,
        iterations=settings.iterations_per_customer * num_customers,
        seed=number,
        threads=threads,
    )
    found = [plan for plan in plans if plan is not None]
    assert len(found) == len(instances)  # both laws have as many vehicles as needed
    scaled = [scale(instance) for instance in instances]
    costs = [
        evaluate(instance, plan).cost / one.cost_scale
        for instance, plan, one in zip(instances, found, scaled, strict=True)
    ]
    return Labels.of(scaled, found, costs)


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
