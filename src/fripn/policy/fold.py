"""Folding: linear maps between two nonlinearities of the decoder become one matrix.

Written once for numpy arrays and torch tensors, so that decoding and training fold alike; with
tensors the gradients go through. Two layouts pad the heads so that the kernels need no special
cases (``cpp/policy/kernels/kernels.h``): on the side of the types the heads are lanes,
``channel * lanes + head``; on the side of the nodes a head's channels lie together,
``head * stride + channel``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from fripn import _core
from fripn.policy.blas import on_one_thread
from fripn.policy.config import NUM_LOCAL_INPUTS, PolicyConfig
from fripn.policy.weights import Float32Array

#: Columns behind the pointer keys: the pointer bias, padded to a full vector.
BIAS_COLUMNS = 16

#: A numpy array or a torch tensor; only what both can do is used.
Array = Any


class ArrayModule(Protocol):
    """`numpy` or `torch`."""

    float32: Any

    def concatenate(self, arrays: Sequence[Array], axis: int) -> Array:
        """Join along an existing axis."""
        ...

    def zeros(self, shape: tuple[int, ...], *, dtype: Any) -> Array:
        """Make an array of zeros."""
        ...


class Folded(NamedTuple):
    """Folded weights in the padded layouts of the core.

    Parameters
    ----------
    nodes
        (D, columns), from embeddings to tables.
    scalars
        (S, row_width), effect of each scalar on a type's row.
    bias
        (row_width,) of a type's row.
    query
        (E, A), from the attention among types to the queries of the nodes.
    query_bias
        (A,).
    pairs
        (rows, pair_width) of the pair term.
    """

    nodes: Array
    scalars: Array
    bias: Array
    query: Array
    query_bias: Array
    pairs: Array


@on_one_thread
def fold(
    config: PolicyConfig, tensors: Mapping[str, Float32Array], kernels: str | None = None
) -> _core.PolicyDecoder:
    """Fold the vehicle encoder and the decoder for the core.

    Parameters
    ----------
    config
        The network.
    tensors
        float32 parameters by name; those of the node encoder are not used.
    kernels
        Instruction set, see ``_core.PolicyDecoder``.
    """
    return core_decoder(config, config.clip, fold_arrays(config, tensors, np), kernels)


def core_decoder(
    config: PolicyConfig, clip: float, folded: Folded, kernels: str | None = None
) -> _core.PolicyDecoder:
    """Hand folded weights, as numpy arrays, to the core."""
    return _core.PolicyDecoder(
        num_heads=config.num_heads,
        head_width=config.head_width,
        clip=clip,
        has_cover=config.has_cover,
        has_pack=config.has_pack,
        has_near=config.has_near,
        has_local=config.has_local,
        has_graph=config.remaining_graph,
        has_residual=config.vehicle_residual,
        route_by_route=config.route_by_route,
        joint_attention=config.is_joint,
        **{name: np.ascontiguousarray(part) for name, part in folded._asdict().items()},
        kernels=kernels,
    )


def fold_arrays(config: PolicyConfig, tensors: Mapping[str, Array], xp: ArrayModule) -> Folded:
    """Fold parameters by name, as arrays of the module `xp`."""
    D, H = config.width, config.num_heads
    # Attention weights are powers of 2 in the core, so their queries carry log2(e).
    to_log2 = math.log2(math.e) / math.sqrt(config.head_width)
    to_tanh = 2 * math.log2(math.e) / math.sqrt(D)
    rows = [
        _by_channel(tensors["vehicle.query.weight"] * to_log2, H, xp),
        _by_channel(tensors["vehicle.key.weight"], H, xp),
        _by_channel(tensors["vehicle.value.weight"], H, xp),
    ]
    node_query = _by_head(tensors["decoder.query.weight"] * to_log2, H, xp)
    if config.vehicle_residual:
        rows.append(node_query)
    stacked = xp.concatenate(rows, 0)
    folded = stacked @ tensors["vehicle.input.weight"]
    bias = stacked @ tensors["vehicle.input.bias"]
    if config.pair_width:
        own = [tensors["pair.location.weight"], tensors["pair.scalars.weight"]]
        own_rows = _padded(xp.concatenate(own, 1), 16, xp)
        # The remaining graph is not an input of the pair term.
        folded = xp.concatenate([folded, _padded(own_rows.T, folded.shape[1], xp).T], 0)
        bias = xp.concatenate([bias, _padded(tensors["pair.scalars.bias"], 16, xp)], 0)
    pointer_key = tensors["decoder.pointer_key.weight"] * to_tanh
    bias_row = (tensors["decoder.output.bias"] @ pointer_key).reshape(1, D)
    first_graph = D + config.num_scalars
    columns = [
        folded[:, :D],
        *([folded[:, first_graph:]] if config.remaining_graph else []),
        _by_head(tensors["decoder.key.weight"], H, xp),
        _by_head(tensors["decoder.value.weight"], H, xp),
        _by_head(tensors["decoder.output.weight"].T, H, xp) @ pointer_key,
        _padded(bias_row, BIAS_COLUMNS, xp),
    ]
    if config.pair_width:
        columns.append(_padded(tensors["pair.node.weight"], 16, xp))
    return Folded(
        nodes=xp.concatenate(columns, 0).T,
        scalars=folded[:, D:first_graph].T,
        bias=bias,
        query=_by_channel(tensors["vehicle.output.weight"].T, H, xp) @ node_query.T,
        query_bias=node_query @ tensors["vehicle.output.bias"],
        pairs=_pair_rows(config, tensors, xp),
    )


def _pair_rows(config: PolicyConfig, tensors: Mapping[str, Array], xp: ArrayModule) -> Array:
    """Rows of the pair term that go to the core, in the order of its ``PairRow``.

    Those for features that the network does not have are 0.
    """
    P = config.pair_width
    if not P:
        return xp.zeros((_core.NUM_PAIR_ROWS, 0), dtype=xp.float32)
    parts = [tensors[f"pair.{name}.weight"] for name in ("raw", "distance", "fill")]
    for name, inputs in (("waste", 1), ("near", 1), ("local", NUM_LOCAL_INPUTS)):
        weight = tensors.get(f"pair.{name}.weight")
        parts.append(xp.zeros((P, inputs), dtype=xp.float32) if weight is None else weight)
    parts.append(tensors["pair.output.weight"].T * (2 * math.log2(math.e)))
    return _padded(xp.concatenate(parts, 1), 16, xp).T


def _by_channel(weight: Array, num_heads: int, xp: ArrayModule) -> Array:
    """Rows (D, inputs) in the order channel, head; heads padded to 8, all to 16."""
    outputs, inputs = weight.shape
    heads = _padded(weight.reshape(num_heads, outputs // num_heads, inputs), 8, xp)
    return _padded(heads.swapaxes(0, 1).reshape(-1, inputs), 16, xp)


def _by_head(weight: Array, num_heads: int, xp: ArrayModule) -> Array:
    """Rows (D, inputs) in the order head, channel; channels padded to 16."""
    outputs, inputs = weight.shape
    heads = weight.reshape(num_heads, outputs // num_heads, inputs)
    channels = _padded(heads.swapaxes(0, 1), 16, xp)
    return channels.swapaxes(0, 1).reshape(-1, inputs)


def _padded(array: Array, unit: int, xp: ArrayModule) -> Array:
    """Zeros behind the first axis, up to a multiple of `unit`."""
    missing = -len(array) % unit
    if not missing:
        return array
    return xp.concatenate([array, xp.zeros((missing, *array.shape[1:]), dtype=xp.float32)], 0)
