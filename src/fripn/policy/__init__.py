"""FRIPN for inference: numpy and the native core, no torch."""

from fripn.policy.config import PolicyConfig
from fripn.policy.decode import Policy, solve_many
from fripn.policy.propose import Proposal, propose
from fripn.policy.scale import ScaledInstance, scale
from fripn.policy.weights import (
    PolicyWeights,
    default_weights,
    load_weights,
    random_weights,
    save_weights,
    shipped_weights,
)

__all__ = [
    "Policy",
    "PolicyConfig",
    "PolicyWeights",
    "Proposal",
    "ScaledInstance",
    "default_weights",
    "load_weights",
    "propose",
    "random_weights",
    "save_weights",
    "scale",
    "shipped_weights",
    "solve_many",
]
