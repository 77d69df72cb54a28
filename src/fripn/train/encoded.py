"""Weights folded once and nodes encoded once, for sampling and for the losses of a step alike."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import cast

import torch
from torch import Tensor, nn

from fripn import _core
from fripn.errors import InvalidSetting
from fripn.policy.fold import ArrayModule, Folded, core_decoder, fold_arrays
from fripn.train.network import Decoder, PairTerm, Policy, VehicleEncoder
from fripn.train.state import Batch


def is_foldable(policy: Policy) -> bool:
    """Whether types, pairs and decoder are computed by the modules of `fripn.train.network`.

    Only then do folded weights give the policy's probabilities. The encoder may be another one.
    """
    parts = (policy.vehicle, policy.decoder)
    return (
        type(policy).forward is Policy.forward
        and tuple(map(type, parts)) == (VehicleEncoder, Decoder)
        and type(policy.pair) in (PairTerm, type(None))
        and all(type(one) is nn.Linear for part in parts for one in part.children())
    )


class FoldedPolicy:
    """A policy with its weights as they are now; make another one after they have changed.

    Parameters
    ----------
    policy
        The network.
    """

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self._decoders: dict[float, _core.PolicyDecoder] = {}

    @cached_property
    def folded(self) -> Folded:
        """The folded weights as tensors, with gradients where torch keeps them.

        Raises
        ------
        InvalidSetting
            When the policy has modules of its own for types, pairs or decoder.
        """
        if not is_foldable(self.policy):
            raise InvalidSetting(
                "the native decoder computes the modules of fripn.train.network, and the policy "
                "has others of its own",
                field="policy",
                remedy="use fripn.train.rollout.rollout and "
                "fripn.train.teacher.decision_log_probs, which compute it in torch",
            )
        tensors: Mapping[str, Tensor] = dict(self.policy.named_parameters())
        return fold_arrays(self.policy.config, tensors, cast(ArrayModule, torch))

    def decoder(self) -> _core.PolicyDecoder:
        """Return the decoder of the core for the policy's present temperature; CPU only."""
        clip = self.policy.clip
        if clip not in self._decoders:
            parts = Folded(*(part.detach().numpy() for part in self.folded))
            self._decoders[clip] = core_decoder(self.policy.config, clip, parts)
        return self._decoders[clip]

    def encode(self, batch: Batch) -> Encoded:
        """Embed the nodes of a batch."""
        return Encoded(self, batch, self.policy.encode(batch))


class Encoded:
    """A batch with its embedded nodes.

    Parameters
    ----------
    weights
        What it was encoded with.
    batch
        The instances.
    nodes
        (B, N, D), with gradients where torch keeps them.
    """

    def __init__(self, weights: FoldedPolicy, batch: Batch, nodes: Tensor) -> None:
        self.weights = weights
        self.batch = batch
        self.nodes = nodes

    @property
    def policy(self) -> Policy:
        """The network."""
        return self.weights.policy

    @cached_property
    def tables(self) -> Tensor:
        """(B, N, columns): the nodes times the folded weights, as the core takes them."""
        tables: Tensor = self.nodes @ self.weights.folded.nodes
        return tables

    @cached_property
    def problems(self) -> _core.PolicyProblems:
        """The instances in the core, which checks them; CPU only."""
        batch = self.batch
        return _core.PolicyProblems(
            coordinates=batch.coordinates.numpy(),
            demands=batch.demands.numpy(),
            capacities=batch.capacities.numpy(),
            fixed_costs=batch.fixed_costs.numpy(),
            unit_costs=batch.unit_costs.numpy(),
            available=batch.available.numpy(),
            load_units=batch.load_units.numpy(),
            load_cells=batch.load_cells.numpy(),
            matrix=batch.distances.numpy(),
        )


def encode(policy: Policy, batch: Batch) -> Encoded:
    """Encode a batch with the present weights of a policy."""
    return FoldedPolicy(policy).encode(batch)
