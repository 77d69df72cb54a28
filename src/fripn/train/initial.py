"""Initial weights of a run: drawn from the seed, or those of a file, extended where possible."""

from __future__ import annotations

import dataclasses
from typing import Any

import torch
from torch import Tensor

from fripn.errors import CheckpointMismatch, InvalidSetting
from fripn.policy.config import NUM_LOCAL_INPUTS, PolicyConfig
from fripn.policy.weights import PolicyWeights, load_weights
from fripn.settings import LARGEST_COUNT
from fripn.train.config import TrainConfig
from fripn.train.network import Policy
from fripn.train.settings_file import differences

#: Feature sets whose weights can start a run with a larger one.
GROWING = {
    "pack": ("cover",),
    "near": ("cover", "pack"),
    "local": ("cover", "pack", "near"),
}


def random_policy(config: TrainConfig) -> Policy:
    """Draw the weights from the seed."""
    if config.device != "cpu" and not torch.cuda.is_available():
        raise InvalidSetting(
            f"device is {config.device!r}, but torch finds no GPU",
            field="device",
            value=config.device,
            remedy="use 'cpu'",
        )
    with torch.random.fork_rng():
        torch.manual_seed(config.seed)
        return Policy(config.policy).to(config.device)


def first_policy(config: TrainConfig) -> Policy:
    """Draw the weights from the seed, or take those of the file that `config.init` names.

    Raises
    ------
    CheckpointMismatch
        When the weights belong to another policy, and not to one that can be extended to the run's.
    """
    policy = random_policy(config)
    if config.init:
        weights = load_weights(config.init)
        _require_growable(weights.config, config)
        given = _grown(weights, config.policy)
        fresh = {name: value for name, value in policy.state_dict().items() if name not in given}
        policy.load_state_dict({**fresh, **given})
    return policy


def origin_of(config: TrainConfig) -> dict[str, Any]:
    """Return where the first weights of a run come from; nothing when they are drawn.

    Returns
    -------
    dict
        Their ``weights`` (fingerprint), the ``instances`` that they have learned from, and what
        they started from themselves, if anything.
    """
    if not config.init:
        return {}
    weights = load_weights(config.init)
    seen = weights.provenance.get("instances")
    is_count = isinstance(seen, int) and 0 <= seen <= LARGEST_COUNT
    origin: dict[str, Any] = {
        "weights": weights.fingerprint,
        "instances": seen if is_count else 0,
    }
    if isinstance(earlier := weights.provenance.get("started_from"), dict):
        origin["started_from"] = earlier
    return origin


def _require_growable(had: PolicyConfig, config: TrainConfig) -> None:
    grown = had
    # A pair term may be new: its output starts at 0, so it has no effect at first.
    if grown.pair_width == 0:
        grown = dataclasses.replace(grown, pair_width=config.policy.pair_width)
    # The same scores, among fewer types.
    if not grown.route_by_route:
        grown = dataclasses.replace(grown, route_by_route=config.policy.route_by_route)
    if grown.features in GROWING.get(config.policy.features, ()):
        grown = dataclasses.replace(grown, features=config.policy.features)
    if grown != config.policy:
        table = {"policy": grown.to_dict()}, {"policy": config.policy.to_dict()}
        raise CheckpointMismatch(
            f"the weights in {config.init} belong to another policy: "
            f"{' and '.join(differences(*table, 'in the file'))}",
            field="init",
            value=config.init,
            remedy="make them the same",
        )


def _grown(weights: PolicyWeights, config: PolicyConfig) -> dict[str, Tensor]:
    """Return the parameters with weights of 0 for scalars and pair inputs that are new."""
    given = {name: torch.tensor(array) for name, array in weights.tensors.items()}
    old = weights.config.num_scalars
    for name, first in (("vehicle.input.weight", config.width), ("pair.scalars.weight", 0)):
        if name in given:
            before, after = given[name][:, : first + old], given[name][:, first + old :]
            new = before.new_zeros(len(before), config.num_scalars - old)
            given[name] = torch.cat([before, new, after], 1)
    if config.has_pack and weights.config.pair_width and "pair.waste.weight" not in given:
        given["pair.waste.weight"] = torch.zeros(config.pair_width, 1)
    if config.has_near and weights.config.pair_width and "pair.near.weight" not in given:
        # Both inputs measure room that stays empty, so the new one starts with the weights of the
        # other; without any training that is better than 0, and than twice or four times as much.
        given["pair.near.weight"] = given["pair.waste.weight"].clone()
    if config.has_local and weights.config.pair_width and "pair.local.weight" not in given:
        given["pair.local.weight"] = torch.zeros(config.pair_width, NUM_LOCAL_INPUTS)
    return given
