"""Configuration of the policy network, shared by inference and training."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias

from fripn import _core
from fripn.errors import InvalidSetting
from fripn.settings import Range, Size, SizeOrZero, check_fields, check_names, require

Features = Literal["paper", "cover", "pack", "near", "local"]

#: Each set includes those before it.
FEATURES: tuple[Features, ...] = ("paper", "cover", "pack", "near", "local")

Attention = Literal["per_query", "joint"]

#: At the least one, samples are greedy trajectories but for ties.
Temperature: TypeAlias = Annotated[float, Range(least=0.001)]

#: With any temperature, scores stay in the range of floats.
Clip: TypeAlias = Annotated[float, Range(above=0, most=1e6)]

#: Inputs of the pair term about a node itself: distance to the depot, demand, being the depot.
NUM_RAW_INPUTS = 3

#: Inputs of the pair term about the unserved customers around a customer.
NUM_LOCAL_INPUTS: int = _core.NUM_LOCAL_INPUTS

#: The pair term's width is a multiple of this.
PAIR_UNIT = 8


@dataclass(frozen=True, slots=True)
class PolicyConfig:
    """Sizes and switches of FRIPN; the defaults are the paper's.

    Parameters
    ----------
    width
        Length D of every embedding.
    num_layers
        Layers of the node encoder.
    num_heads
        Attention heads, in all three attentions; divides the width.
    ff_width
        Hidden width of the encoder's feed-forward parts.
    clip
        Scores lie in [-clip, clip]; at most 1,000,000.
    features
        ``paper``; ``cover`` adds the scalars of the covering knapsack; ``pack`` adds the slack of
        the cheapest cover and, when few customers are left, the capacity that each choice wastes;
        ``near`` adds to the pair term the capacity that the customers nearby cannot fill;
        ``local`` adds to it what is still unserved around each customer.
    remaining_graph
        Whether the mean of what a candidate could still serve is an input (the paper's AF2).
        Without it the network is the paper's *Compared DRL*.
    vehicle_residual
        Whether the attention among the types is added to its input.
    pair_width
        Hidden units of the pair term, a small network of vehicle, node and the distance between
        them whose output is added to each score; a multiple of 8, 0 for none (the paper's).
    route_by_route
        Whether a vehicle on the road ends its route before another type can be chosen. Every plan
        can be built so, and a decision takes a fraction of the time. In the paper any type may be
        chosen at any step.
    attention
        ``per_query``: the weights of each query sum to 1, as in the paper. ``joint``: those of all
        queries of an attention together do, as in the code that its authors published.

    Raises
    ------
    InvalidSetting
        When a size is out of range.
    """

    width: Size = 128
    num_layers: Size = 6
    num_heads: Size = 8
    ff_width: Size = 512
    clip: Clip = 10.0
    features: Features = "paper"
    remaining_graph: bool = True
    vehicle_residual: bool = False
    pair_width: SizeOrZero = 0
    route_by_route: bool = False
    attention: Attention = "per_query"

    def __post_init__(self) -> None:
        """Check every field."""
        check_fields(self)
        if self.width % self.num_heads:
            raise InvalidSetting(
                f"width {{value}} cannot be shared by {self.num_heads} heads",
                field="width",
                value=self.width,
                remedy="make it a multiple of num_heads",
            )
        require(
            self.pair_width % PAIR_UNIT == 0,
            "pair_width",
            self.pair_width,
            f"give a multiple of {PAIR_UNIT}, or 0 for none",
        )

    @property
    def head_width(self) -> int:
        """Channels per attention head."""
        return self.width // self.num_heads

    @property
    def is_joint(self) -> bool:
        """Whether an attention has one softmax for all its queries."""
        return self.attention == "joint"

    @property
    def scalar_names(self) -> tuple[str, ...]:
        """What enters the vehicle encoding beside the embeddings, in the order of its columns.

        ``docs/policy.md`` defines each one; the names are defined in the core.
        """
        return tuple(_core.scalar_names(self.has_cover, self.has_pack))

    @property
    def num_scalars(self) -> int:
        """Numbers per type and step that enter the vehicle encoding beside the embeddings."""
        return len(self.scalar_names)

    @property
    def has_cover(self) -> bool:
        """Whether the scalars of the covering knapsack are inputs."""
        return self._includes("cover")

    @property
    def has_pack(self) -> bool:
        """Whether slack and waste are inputs."""
        return self._includes("pack")

    @property
    def has_near(self) -> bool:
        """Whether the capacity that customers near a node cannot fill is an input."""
        return self._includes("near")

    @property
    def has_local(self) -> bool:
        """Whether the unserved customers around a customer are an input."""
        return self._includes("local")

    def _includes(self, features: Features) -> bool:
        return FEATURES.index(self.features) >= FEATURES.index(features)

    @property
    def vehicle_inputs(self) -> int:
        """Columns of ``vehicle.input``: location, scalars and, if any, the remaining graph."""
        return self.width * (2 if self.remaining_graph else 1) + self.num_scalars

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return name and shape of every parameter; the names are those of the torch modules."""
        D, F = self.width, self.ff_width
        shapes: dict[str, tuple[int, ...]] = {}

        def linear(name: str, outputs: int, inputs: int, *, bias: bool) -> None:
            shapes[f"{name}.weight"] = (outputs, inputs)
            if bias:
                shapes[f"{name}.bias"] = (outputs,)

        def attention(name: str) -> None:
            for part in ("query", "key", "value"):
                linear(f"{name}.{part}", D, D, bias=False)
            linear(f"{name}.output", D, D, bias=True)

        linear("encoder.depot", D, 2, bias=True)
        linear("encoder.customer", D, 3, bias=True)
        for i in range(self.num_layers):
            layer = f"encoder.layers.{i}"
            attention(layer)
            linear(f"{layer}.ff1", F, D, bias=True)
            linear(f"{layer}.ff2", D, F, bias=True)
            for norm in ("norm1", "norm2"):
                shapes[f"{layer}.{norm}.weight"] = (D,)
                shapes[f"{layer}.{norm}.bias"] = (D,)
        linear("vehicle.input", D, self.vehicle_inputs, bias=True)
        attention("vehicle")
        attention("decoder")
        linear("decoder.pointer_key", D, D, bias=False)
        if self.pair_width:
            P = self.pair_width
            linear("pair.node", P, D, bias=False)
            linear("pair.raw", P, NUM_RAW_INPUTS, bias=False)
            linear("pair.location", P, D, bias=False)
            linear("pair.scalars", P, self.num_scalars, bias=True)
            linear("pair.distance", P, 2, bias=False)
            linear("pair.fill", P, 1, bias=False)
            linear("pair.output", 1, P, bias=False)
            if self.has_pack:
                linear("pair.waste", P, 1, bias=False)
            if self.has_near:
                linear("pair.near", P, 1, bias=False)
            if self.has_local:
                linear("pair.local", P, NUM_LOCAL_INPUTS, bias=False)
        return shapes

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as plain values, for JSON and TOML."""
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> PolicyConfig:
        """Build from plain values; an unknown name is an error.

        Raises
        ------
        InvalidSetting
            When a name is unknown or a value is out of range.
        """
        check_names(values, cls, "the policy")
        return cls(**values)
