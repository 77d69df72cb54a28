"""All settings of a training run: defaults here, differences in TOML, flags over both."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from fripn.policy.config import PolicyConfig, Temperature
from fripn.settings import (
    Count,
    NonNegative,
    Positive,
    PositiveCount,
    Range,
    Seed,
    Share,
    Size,
    SizeOrZero,
    Threads,
    check_fields,
    require,
)
from fripn.train.presets import find_settings
from fripn.train.settings_file import build, read_tables

Method = Literal["adamw", "adam"]
Schedule = Literal["constant", "halve", "cosine"]
Baseline = Literal["instance", "first_type"]


@dataclass(frozen=True, slots=True)
class InstanceConfig:
    """Distribution of the instances drawn for REINFORCE, and for validation without labels.

    Parameters
    ----------
    sizes
        Numbers of customers; one is drawn per step.
    weights
        How often each size is drawn, relative to the others; empty for equally often.
    min_types, max_types
        Range of the number of vehicle types (paper's distribution).
    wide_share
        Share of steps that draw from the wide distribution instead of the paper's.
    folder
        Folder with instances (.json, .vrp) that are used instead of drawn ones, each equally
        often; the other keys must be left out then.
    """

    sizes: tuple[Size, ...] = (20,)
    weights: tuple[NonNegative, ...] = ()
    min_types: Size = 3
    max_types: Size = 6
    wide_share: Share = 0.0
    folder: str = ""

    def __post_init__(self) -> None:
        """Check the ranges."""
        check_fields(self)
        require(bool(self.sizes), "sizes", self.sizes, "give at least one number of customers")
        require(
            not self.weights or (len(self.weights) == len(self.sizes) and sum(self.weights) > 0),
            "weights",
            self.weights,
            "give one weight >= 0 per size, not all of them 0, or none",
        )
        require(
            self.min_types <= self.max_types,
            "max_types",
            self.max_types,
            f"give at least min_types, {self.min_types}",
        )
        require(
            not self.folder or dataclasses.replace(self, folder="") == InstanceConfig(),
            "folder",
            self.folder,
            "give this or the other keys of instances, which set what is drawn",
        )

    @property
    def drawn_sizes(self) -> tuple[int, ...]:
        """Every number of customers that can be drawn, once."""
        weights = self.weights or [1.0] * len(self.sizes)
        return tuple({size: 0 for size, w in zip(self.sizes, weights, strict=True) if w > 0})


@dataclass(frozen=True, slots=True)
class ImitationConfig:
    """Imitation of labels.

    Parameters
    ----------
    weight
        Factor of its loss; 0 for none.
    labels
        Folder with the shards of `fripn train label`.
    batch_size
        Labelled instances per step.
    batch_customers
        At most this many customers per step: larger instances come in smaller batches.
    orders
        Trajectories per labelled instance, each with its own random order of routes.
    refresh
        Whether the folder is read again at every validation, for labels that are still being made;
        a resumed run then repeats an uninterrupted one only if the folder did not change.
    """

    weight: NonNegative = 0.0
    labels: str = ""
    batch_size: Size = 64
    batch_customers: Size = 1_000_000
    orders: Size = 2
    refresh: bool = False

    def __post_init__(self) -> None:
        """Check the ranges."""
        check_fields(self)
        require(
            self.weight == 0 or bool(self.labels),
            "labels",
            self.labels,
            "give the folder of labels to imitate",
        )


@dataclass(frozen=True, slots=True)
class ReinforceConfig:
    """REINFORCE with a baseline shared by the trajectories of an instance.

    Parameters
    ----------
    weight
        Factor of its loss; 0 for none.
    after
        First step at which it is used.
    batch_size
        Instances per step.
    batch_customers
        At most this many customers per step.
    trajectories
        Trajectories per instance; 0 for as many as customers.
    keep
        How many of an instance's trajectories are learned from, half of them the cheapest and half
        the most expensive; 0 for all. Sampling costs a tenth of learning, and the top and bottom
        trajectories are the most informative.
    normalise
        Whether advantages are divided by their spread within an instance and limited to two
        spreads.
    baseline
        What a trajectory is compared with: the mean over the ``instance``, as in the paper, or over
        those of the instance that began with the same ``first_type``, since the cost of a randomly
        drawn first type says nothing about the decisions after it.
    own_first
        Share of steps in which the policy chooses the first type itself, as greedy decoding does;
        in the others it is drawn uniformly, as in the paper.
    temperature
        Temperature of the policy that is sampled: its logits are divided by this, 0.001 or more.
        Below 1, the policy improves for decoding that is greedy or nearly so, and imitation beside
        it, always at 1, keeps its samples diverse.
    """

    weight: NonNegative = 1.0
    after: Count = 0
    batch_size: Size = 32
    batch_customers: Size = 1_000_000
    trajectories: SizeOrZero = 0
    keep: SizeOrZero = 0
    normalise: bool = False
    baseline: Baseline = "instance"
    own_first: Share = 0.0
    temperature: Temperature = 1.0

    def __post_init__(self) -> None:
        """Check the ranges."""
        check_fields(self)
        require(
            self.trajectories != 1,
            "trajectories",
            self.trajectories,
            "give 0 or at least 2: a baseline needs other trajectories",
        )
        require(
            self.keep % 2 == 0,
            "keep",
            self.keep,
            "give an even number: half of them the cheapest, half the most expensive",
        )

    def num_trajectories(self, num_customers: int) -> int:
        """Return the number of trajectories of an instance of this size; a baseline needs two."""
        return self.trajectories or max(2, num_customers)

    def check_keep(self, sizes: Iterable[int]) -> None:
        """Refuse to keep more trajectories than there are."""
        fewest = min(map(self.num_trajectories, sizes))
        require(
            self.keep <= fewest,
            "reinforce.keep",
            self.keep,
            f"give at most {fewest}, the trajectories of the smallest instances",
        )


@dataclass(frozen=True, slots=True)
class OptimiserConfig:
    """Adam and its learning rate.

    Parameters
    ----------
    method
        ``adamw``, or ``adam`` as in the paper: how the weights decay.
    learning_rate
        At its peak.
    schedule
        ``constant``; ``halve`` at the given fractions of the run; or ``cosine`` down to
        `final_fraction`.
    halve_at
        Fractions of the run, for ``halve``.
    final_fraction
        Learning rate at the end relative to the peak, for ``cosine``.
    warmup
        Steps over which the rate rises linearly from 0.
    weight_decay
        What decays: with ``adamw`` the weights themselves, this much of them times the learning
        rate per step; with ``adam`` this much of them is added to the gradient.
    clip_norm
        Largest norm of a gradient; 0 for no limit.
    average
        Decay per step of the exponential average of the weights that is validated and exported;
        0 for the weights themselves.
    """

    method: Method = "adamw"
    learning_rate: Positive = 1e-4
    schedule: Schedule = "constant"
    halve_at: tuple[Annotated[float, Range(above=0, below=1)], ...] = ()
    final_fraction: NonNegative = 0.02
    warmup: Count = 0
    weight_decay: NonNegative = 1e-6
    clip_norm: NonNegative = 1.0
    average: Annotated[float, Range(least=0, below=1)] = 0.0

    def __post_init__(self) -> None:
        """Check the ranges."""
        check_fields(self)
        require(
            self.schedule != "halve" or bool(self.halve_at),
            "halve_at",
            self.halve_at,
            "give fractions of the run between 0 and 1, at least one if schedule is 'halve'",
        )


@dataclass(frozen=True, slots=True)
class ValidationConfig:
    """How progress is measured, on a fixed set.

    Parameters
    ----------
    labels
        Folder of labels that are not trained on: gaps are to their costs. Empty: costs only, on
        instances drawn from the distribution of `InstanceConfig`, types and wide share included.
    instances
        With labels, instances per pair of numbers of customers and of types, at most as many as
        the folder has; without, instances per number of customers.
    sizes
        Numbers of customers of the drawn instances, used when there are no labels; empty for those
        of the distribution.
    samples
        Sampled trajectories per instance, of which the best counts.
    """

    labels: str = ""
    instances: Size = 64
    sizes: tuple[Size, ...] = ()
    samples: Size = 32

    def __post_init__(self) -> None:
        """Check the ranges."""
        check_fields(self)


@dataclass(frozen=True, slots=True)
class TrainConfig:
    """Everything a training run depends on.

    Times are processor times: on a CPU those of a process per thread, the largest of all
    processes, which is less than wall-clock time when the machine is busy or the run is paused.
    Only checkpoints go by wall-clock time.

    Parameters
    ----------
    steps
        Optimiser steps of the whole run.
    hours
        Hours of processor time, over all parts of the run, after which it ends even if steps are
        left; 0 for no such limit. The learning rate follows whichever of the two is further along.
    seed
        Of weights, instances, orders and samples. With `steps` as the only limit, a step depends on
        the seed and on its own number only, so a resumed run equals an uninterrupted one;
        with `hours` the learning rate follows the time, which is never the same twice.
    init
        Weights file to start from; empty for random weights. Its policy must be the run's, but a
        pair term and larger feature sets may be new: the policy is the same until their weights
        change, except for ``near``, which starts with the weights of ``pack``'s waste.
    device
        ``cpu``, ``cuda`` or ``cuda:1``.
    threads
        Torch threads on the CPU; runs are repeatable bit by bit with 1.
    fused
        Whether the losses are computed in the core, which is several times as fast and equal up to
        rounding; on a CPU only, a GPU always uses torch.
    checkpoint_minutes
        A checkpoint is written when this many minutes of wall-clock time have passed since the last
        one, and before and after each validation.
    validate_minutes
        Progress is measured every so many minutes of processor time, and at the end.
    policy, instances, imitation, reinforce, optimiser, validation
        The parts.
    """

    steps: PositiveCount = 100_000
    hours: NonNegative = 0.0
    seed: Seed = 1234
    init: str = ""
    device: str = "cpu"
    threads: Threads = 1
    fused: bool = True
    checkpoint_minutes: Positive = 3.0
    validate_minutes: Positive = 5.0
    policy: PolicyConfig = field(default_factory=PolicyConfig)
    instances: InstanceConfig = field(default_factory=InstanceConfig)
    imitation: ImitationConfig = field(default_factory=ImitationConfig)
    reinforce: ReinforceConfig = field(default_factory=ReinforceConfig)
    optimiser: OptimiserConfig = field(default_factory=OptimiserConfig)
    validation: ValidationConfig = field(default_factory=ValidationConfig)

    def __post_init__(self) -> None:
        """Check the ranges."""
        check_fields(self)
        require(
            self.imitation.weight > 0 or self.reinforce.weight > 0,
            "imitation.weight",
            self.imitation.weight,
            "give more than 0 for this or for reinforce.weight, else there is nothing to learn "
            "from",
        )
        require(
            not self.instances.folder or bool(self.validation.labels),
            "validation.labels",
            self.validation.labels,
            "give labels of instances like those of instances.folder: no distribution draws such",
        )
        require(
            self.policy.pair_width > 0 or not self.policy.has_near,
            "policy.pair_width",
            self.policy.pair_width,
            f"give more for policy.features = {self.policy.features!r}, which only the pair term "
            "uses, or take 'pack'",
        )
        if self.imitation.weight > 0:
            self._check_labels()
        if self.reinforce.weight > 0:
            self._check_reinforce()

    def _check_labels(self) -> None:
        trained, measured = self.imitation.labels, self.validation.labels
        require(
            not measured or Path(measured).resolve() != Path(trained).resolve(),
            "validation.labels",
            measured,
            "give another folder than imitation.labels: progress is measured on labels not trained "
            "on",
        )

    def _check_reinforce(self) -> None:
        settings = self.reinforce
        require(
            self.imitation.weight > 0 or settings.after == 0,
            "reinforce.after",
            settings.after,
            "give 0: without imitation there is nothing to learn from before",
        )
        if not self.instances.folder:  # its sizes are known when it is read
            settings.check_keep(self.instances.drawn_sizes)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, as in a TOML file with every key."""
        return dataclasses.asdict(self)


def load_config(path: Path | str, overrides: Iterable[str] = ()) -> TrainConfig:
    """Read a TOML file, or the preset of that name.

    Each override is ``key=value`` with a dotted key and a TOML value.
    """
    file, changes = find_settings(path)
    return parse_config(read_tables(file, [*changes, *overrides]))


def parse_config(table: Mapping[str, Any]) -> TrainConfig:
    """Build the settings from nested tables; unknown keys and values of a wrong type are errors."""
    config: TrainConfig = build(TrainConfig, table)
    return config


def instances_per_step(settings: ImitationConfig | ReinforceConfig, num_customers: int) -> int:
    """Return the size of a batch of instances with this many customers."""
    return min(settings.batch_size, max(1, settings.batch_customers // num_customers))
