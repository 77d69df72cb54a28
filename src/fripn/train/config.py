"""All settings of a training run: defaults here, differences in TOML, flags over both."""

from __future__ import annotations

import dataclasses
import difflib
import tomllib
import types
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from fripn.errors import InvalidFile, InvalidSetting
from fripn.policy.config import PolicyConfig
from fripn.train.presets import find_settings

Schedule = Literal["constant", "halve", "cosine"]
Baseline = Literal["instance", "first_type"]


@dataclass(frozen=True, slots=True)
class InstanceConfig:
    """The law of the instances drawn for REINFORCE.

    Parameters
    ----------
    sizes
        Numbers of customers; one is drawn per step.
    weights
        How often each size is drawn, relative to the others; empty for equally often.
    min_types, max_types
        Range of the number of vehicle types (paper's law).
    wide_share
        Share of steps that draw from the wide law instead of the paper's.
    folder
        Folder with instances of your own (.json, .vrp) that are used instead of drawn ones, each
        equally often; the other keys must be left out then.
    """

    sizes: tuple[int, ...] = (20,)
    weights: tuple[float, ...] = ()
    min_types: int = 3
    max_types: int = 6
    wide_share: float = 0.0
    folder: str = ""

    def __post_init__(self) -> None:
        """Check the ranges."""
        _require(bool(self.sizes) and min(self.sizes) >= 1, "instances.sizes", self.sizes, ">= 1")
        _require(
            len(self.weights) in (0, len(self.sizes)) and all(w >= 0 for w in self.weights),
            "instances.weights",
            self.weights,
            "one weight >= 0 per size, or none",
        )
        _require(
            1 <= self.min_types <= self.max_types,
            "instances.max_types",
            self.max_types,
            f"at least min_types = {self.min_types}, which is at least 1",
        )
        _require(0 <= self.wide_share <= 1, "instances.wide_share", self.wide_share, "0 to 1")
        _require(
            not self.folder or dataclasses.replace(self, folder="") == InstanceConfig(),
            "instances.folder",
            self.folder,
            "this or the other keys of instances, which say what is drawn",
        )


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
        At most so many customers per step: larger instances come in smaller batches.
    orders
        Trajectories per labelled instance, each with its own random order of routes.
    refresh
        Whether the folder is read again at every validation, for labels that are still being made;
        a resumed run then repeats an uninterrupted one only if the folder did not change.
    """

    weight: float = 0.0
    labels: str = ""
    batch_size: int = 64
    batch_customers: int = 1_000_000
    orders: int = 2
    refresh: bool = False

    def __post_init__(self) -> None:
        """Check the ranges."""
        _require(self.weight >= 0, "imitation.weight", self.weight, "0 or more")
        _require(
            self.weight == 0 or bool(self.labels),
            "imitation.labels",
            self.labels,
            "the folder of labels to imitate",
        )
        for name in ("batch_size", "batch_customers", "orders"):
            _require(getattr(self, name) >= 1, f"imitation.{name}", getattr(self, name), ">= 1")


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
        At most so many customers per step.
    trajectories
        Trajectories per instance; 0 for as many as customers.
    keep
        How many of an instance's trajectories are learned from, half of them the cheapest and half
        the most expensive; 0 for all. Sampling costs a tenth of learning, and the extremes say
        most.
    normalise
        Whether advantages are divided by their spread within an instance and limited to two
        spreads.
    baseline
        What a trajectory is compared with: the mean over the ``instance``, as in the paper, or over
        those of the instance that began with the same ``first_type``. How good a type was that
        chance has drawn says nothing about the decisions after it.
    own_first
        Share of steps in which the policy chooses the first type itself, as greedy decoding does;
        in the others it is drawn uniformly, as in the paper.
    temperature
        Sharpness of the policy that plays: its logits are divided by this. Below 1 it learns to
        be good where it decides greedily or nearly so, and imitation beside it, always at 1, keeps
        the variety of its samples.
    """

    weight: float = 1.0
    after: int = 0
    batch_size: int = 32
    batch_customers: int = 1_000_000
    trajectories: int = 0
    keep: int = 0
    normalise: bool = False
    baseline: Baseline = "instance"
    own_first: float = 0.0
    temperature: float = 1.0

    def __post_init__(self) -> None:
        """Check the ranges."""
        for name in ("weight", "after", "trajectories", "keep"):
            _require(getattr(self, name) >= 0, f"reinforce.{name}", getattr(self, name), ">= 0")
        for name in ("batch_size", "batch_customers"):
            _require(getattr(self, name) >= 1, f"reinforce.{name}", getattr(self, name), ">= 1")
        _require(
            self.trajectories != 1,
            "reinforce.trajectories",
            self.trajectories,
            "0 or at least 2: a baseline needs company",
        )
        _require(
            self.keep % 2 == 0 and (self.trajectories == 0 or self.keep <= self.trajectories),
            "reinforce.keep",
            self.keep,
            "an even number, at most that of the trajectories",
        )
        _require(
            self.baseline in get_args(Baseline),
            "reinforce.baseline",
            self.baseline,
            f"one of {', '.join(get_args(Baseline))}",
        )
        _require(0 <= self.own_first <= 1, "reinforce.own_first", self.own_first, "0 to 1")
        _require(self.temperature > 0, "reinforce.temperature", self.temperature, "more than 0")


@dataclass(frozen=True, slots=True)
class OptimiserConfig:
    """AdamW and its learning rate.

    Parameters
    ----------
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
        Decoupled weight decay.
    clip_norm
        Largest norm of a gradient; 0 for no limit.
    average
        Decay per step of the exponential average of the weights that is validated and exported;
        0 for the weights themselves.
    """

    learning_rate: float = 1e-4
    schedule: Schedule = "constant"
    halve_at: tuple[float, ...] = ()
    final_fraction: float = 0.02
    warmup: int = 0
    weight_decay: float = 1e-6
    clip_norm: float = 1.0
    average: float = 0.0

    def __post_init__(self) -> None:
        """Check the ranges."""
        _require(self.learning_rate > 0, "optimiser.learning_rate", self.learning_rate, "> 0")
        _require(
            self.schedule in get_args(Schedule),
            "optimiser.schedule",
            self.schedule,
            f"one of {', '.join(get_args(Schedule))}",
        )
        for name in ("warmup", "weight_decay", "clip_norm", "final_fraction"):
            _require(getattr(self, name) >= 0, f"optimiser.{name}", getattr(self, name), ">= 0")
        _require(0 <= self.average < 1, "optimiser.average", self.average, "0 to below 1")


@dataclass(frozen=True, slots=True)
class ValidationConfig:
    """How progress is measured, on a fixed set.

    Parameters
    ----------
    labels
        Folder of labels that are not trained on: gaps are to their costs. Empty: costs only, on
        drawn instances.
    instances
        Instances per size; at most as many as the folder has.
    sizes
        Numbers of customers of the drawn instances; used when there are no labels.
    samples
        Sampled trajectories per instance, of which the best counts.
    """

    labels: str = ""
    instances: int = 64
    sizes: tuple[int, ...] = (20,)
    samples: int = 32

    def __post_init__(self) -> None:
        """Check the ranges."""
        for name in ("instances", "samples"):
            _require(getattr(self, name) >= 1, f"validation.{name}", getattr(self, name), ">= 1")


@dataclass(frozen=True, slots=True)
class TrainConfig:
    """Everything a training run depends on.

    Parameters
    ----------
    steps
        Optimiser steps of the whole run.
    hours
        Hours of work, over all pieces, after which the run ends even if steps are left; 0 for no
        such limit. On a CPU the processor time per thread counts. The learning rate follows
        whichever of the two is further along.
    seed
        Of weights, instances, orders and samples. A step depends on the seed and on its own number
        only, so a resumed run goes on as if it had never stopped.
    init
        Weights file to start from; empty for random weights. Its policy must be the run's, except
        that weights without a pair term may start one with it: the new parameters are drawn from
        the seed, and the policy is the same until they move.
    device
        ``cpu``, ``cuda`` or ``cuda:1``.
    threads
        Torch threads on the CPU; runs are repeatable bit by bit with 1.
    fused
        Whether the losses are computed in the core, which is several times as fast and equal up to
        rounding; on a CPU only, a GPU always uses torch.
    checkpoint_minutes, validate_minutes
        How often a checkpoint is written and progress is measured.
    policy, instances, imitation, reinforce, optimiser, validation
        The parts.
    """

    steps: int = 100_000
    hours: float = 0.0
    seed: int = 1234
    init: str = ""
    device: str = "cpu"
    threads: int = 1
    fused: bool = True
    checkpoint_minutes: float = 3.0
    validate_minutes: float = 5.0
    policy: PolicyConfig = field(default_factory=PolicyConfig)
    instances: InstanceConfig = field(default_factory=InstanceConfig)
    imitation: ImitationConfig = field(default_factory=ImitationConfig)
    reinforce: ReinforceConfig = field(default_factory=ReinforceConfig)
    optimiser: OptimiserConfig = field(default_factory=OptimiserConfig)
    validation: ValidationConfig = field(default_factory=ValidationConfig)

    def __post_init__(self) -> None:
        """Check the ranges."""
        _require(self.steps >= 1, "steps", self.steps, "1 or more")
        _require(self.hours >= 0, "hours", self.hours, "0 or more")
        _require(self.threads >= 1, "threads", self.threads, "1 or more")
        for name in ("checkpoint_minutes", "validate_minutes"):
            _require(getattr(self, name) > 0, name, getattr(self, name), "more than 0")
        _require(
            self.imitation.weight > 0 or self.reinforce.weight > 0,
            "imitation.weight",
            self.imitation.weight,
            "more than 0 for this or for reinforce.weight, else there is nothing to learn from",
        )
        _require(
            not self.instances.folder or bool(self.validation.labels),
            "validation.labels",
            self.validation.labels,
            "labels of instances like those of instances.folder: no law draws such",
        )

    def to_dict(self) -> dict[str, Any]:
        """Give plain values, as in a TOML file with every key."""
        return dataclasses.asdict(self)


def load_config(path: Path | str, overrides: Iterable[str] = ()) -> TrainConfig:
    """Read a TOML file, or the preset of that name.

    Each override is ``key=value`` with a dotted key and a TOML value.
    """
    path = find_settings(path)
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidFile(f"{path} is not valid TOML ({error}); correct it") from None
    for text in overrides:
        key, found, value = text.partition("=")
        if not found:
            raise InvalidSetting(f"--set {text!r} has no '='; write key=value")
        place = table
        *parents, last = key.strip().split(".")
        for parent in parents:
            place = place.setdefault(parent, {})
            if not isinstance(place, dict):
                raise InvalidSetting(f"--set {text!r}: {parent} is a value, not a table of keys")
        place[last] = _toml_value(value)
    return parse_config(table)


def parse_config(table: Mapping[str, Any]) -> TrainConfig:
    """Build the settings from nested tables; unknown keys and wrong kinds of value are errors."""
    config: TrainConfig = _build(TrainConfig, table, "")
    return config


def _build(cls: Any, table: Mapping[str, Any], prefix: str) -> Any:
    hints = get_type_hints(cls)
    values = {}
    for key, value in table.items():
        if key not in hints:
            close = difflib.get_close_matches(key, hints, n=1)
            hint = f"did you mean {prefix + close[0]!r}?" if close else f"known: {', '.join(hints)}"
            raise InvalidSetting(f"there is no setting {prefix + key!r}; {hint}")
        if dataclasses.is_dataclass(hints[key]):
            if not isinstance(value, Mapping):
                raise InvalidSetting(f"{prefix + key} is {value!r}; it must be a table of keys")
            values[key] = _build(hints[key], value, f"{prefix}{key}.")
        else:
            values[key] = _convert(value, hints[key], prefix + key)
    return cls(**values)


def _convert(value: Any, kind: Any, name: str) -> Any:
    """Accept what TOML gives for a field of this kind; whole numbers pass as floats."""
    origin = get_origin(kind)
    if origin is tuple:
        if not isinstance(value, (list, tuple)):
            raise InvalidSetting(f"{name} is {value!r}; give a list")
        return tuple(_convert(item, get_args(kind)[0], name) for item in value)
    if origin is Literal:
        kind = str
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    is_right = isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
    if isinstance(kind, types.GenericAlias) or not is_right:
        raise InvalidSetting(f"{name} is {value!r}; give a value of type {kind.__name__}")
    return value


def _toml_value(text: str) -> Any:
    """Read a TOML value; bare words are texts."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text.strip()


def _require(condition: bool, name: str, value: object, rule: str) -> None:
    if not condition:
        raise InvalidSetting(f"{name} is {value!r}; give {rule}")
