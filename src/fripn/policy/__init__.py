"""FRIPN for inference: numpy and the native core, no torch."""

from fripn.policy.config import PolicyConfig
from fripn.policy.scale import ScaledInstance, scale
from fripn.policy.weights import (
    PolicyWeights,
    default_weights,
    load_weights,
    random_weights,
    save_weights,
)

__all__ = [
    "PolicyConfig",
    "PolicyWeights",
    "ScaledInstance",
    "default_weights",
    "load_weights",
    "random_weights",
    "save_weights",
    "scale",
]
