"""Instances of REINFORCE: drawn from a distribution, or read from a folder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fripn.errors import InvalidFile
from fripn.problem import Instance
from fripn.problem.generate import similar_instances
from fripn.problem.io import read_instance
from fripn.train.config import InstanceConfig, ReinforceConfig, instances_per_step
from fripn.train.labels import Size, check_learnable


@dataclass(frozen=True, slots=True)
class InstanceSource:
    """Source of the instances of a step.

    Parameters
    ----------
    sizes
        Every number of customers that can occur.
    draw
        Returns the instances of one step: one number of customers and one of types for all.
    """

    sizes: tuple[int, ...]
    draw: Callable[[np.random.Generator], list[Instance]]


def instance_source(config: InstanceConfig, settings: ReinforceConfig) -> InstanceSource:
    """Return the source that the settings name: a distribution, or a folder of files."""
    if config.folder:
        return _from_folder(Path(config.folder), settings)
    return InstanceSource(config.drawn_sizes, lambda rng: draw_instances(config, settings, rng))


def draw_instances(
    config: InstanceConfig, settings: ReinforceConfig, rng: np.random.Generator
) -> list[Instance]:
    """Draw the instances of one step from a distribution."""
    chances = np.array(config.weights or [1.0] * len(config.sizes))
    num_customers = int(rng.choice(config.sizes, p=chances / chances.sum()))
    return similar_instances(
        num_customers,
        instances_per_step(settings, num_customers),
        rng,
        wide_share=config.wide_share,
        num_types=(config.min_types, config.max_types),
    )


def read_instances(folder: Path) -> dict[Size, list[Instance]]:
    """Read all instances of a folder, by numbers of customers and of types.

    Raises
    ------
    InvalidFile
        When there are none, or a file is not an instance.
    Unsupported
        When an instance has properties that training does not support.
    """
    paths = sorted(path for path in folder.glob("*") if path.suffix in (".json", ".vrp"))
    if not paths:
        raise InvalidFile(
            f"instances.folder is {str(folder)!r}, which has no .json or .vrp files",
            field="instances.folder",
            value=folder,
            remedy="name a folder of instances",
        )
    by_size: dict[Size, list[Instance]] = {}
    for path in paths:
        instance = read_instance(path)
        check_learnable(instance, str(path))
        by_size.setdefault((instance.num_customers, instance.num_types), []).append(instance)
    return by_size


def _from_folder(folder: Path, settings: ReinforceConfig) -> InstanceSource:
    by_size = read_instances(folder)
    settings.check_keep(num_customers for num_customers, _ in by_size)
    groups = list(by_size.values())
    counts = [instances_per_step(settings, num_customers) for num_customers, _ in by_size]
    # Every instance is used equally often, whatever the batch size of its group.
    chances = np.array([len(group) / count for group, count in zip(groups, counts, strict=True)])

    def draw(rng: np.random.Generator) -> list[Instance]:
        chosen = int(rng.choice(len(groups), p=chances / chances.sum()))
        group = groups[chosen]
        return [group[index] for index in rng.integers(len(group), size=counts[chosen])]

    return InstanceSource(tuple(num_customers for num_customers, _ in by_size), draw)
