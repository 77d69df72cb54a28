"""Folding: what is linear between two nonlinearities of the decoder becomes one matrix.

Two layouts pad the heads so that the kernels need no special cases (``cpp/policy/kernels.h``): on
the side of the types the heads are lanes, ``channel * lanes + head``; on the side of the nodes a
head's channels lie together, ``head * stride + channel``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from fripn import _core
from fripn.policy.blas import on_one_thread
from fripn.policy.config import NUM_LOCAL_INPUTS, NUM_RAW_INPUTS, PolicyConfig
from fripn.policy.weights import Float32Array

#: Columns behind the pointer keys: the pointer bias, padded to a full vector.
BIAS_COLUMNS = 16

#: Rows of the pair term that go to the core: three for a node itself, two for the distance, one
#: each for the fill, the waste and the waste of those nearby, six for what is unserved around a
#: node (zero without these features), and the output.
NUM_PAIR_ROWS = NUM_RAW_INPUTS + NUM_LOCAL_INPUTS + 6


@on_one_thread
def fold(
    config: PolicyConfig, tensors: Mapping[str, Float32Array], kernels: str | None = None
) -> _core.PolicyDecoder:
    """Fold the vehicle encoder and the decoder.

    Parameters
    ----------
    config
        The network.
    tensors
        float32 parameters by name; those of the node encoder are not looked at.
    kernels
        Instruction set, see ``_core.PolicyDecoder``.
    """
    D, H, C = config.width, config.num_heads, config.head_width
    # Attention weights are powers of 2 in the core, so their queries carry log2(e).
    to_log2 = math.log2(math.e) / math.sqrt(C)
    to_tanh = 2 * math.log2(math.e) / math.sqrt(D)

    rows = [
        _by_channel(tensors["vehicle.query.weight"] * np.float32(to_log2), H),
        _by_channel(tensors["vehicle.key.weight"], H),
        _by_channel(tensors["vehicle.value.weight"], H),
    ]
    node_query = _by_head(tensors["decoder.query.weight"] * np.float32(to_log2), H)
    if config.vehicle_residual:
        rows.append(node_query)
    stacked = np.concatenate(rows)
    folded = stacked @ tensors["vehicle.input.weight"]
    bias = stacked @ tensors["vehicle.input.bias"]
    if config.pair_width:
        # What the pair term makes of a type is linear in the same inputs, all but the graph.
        own = np.hstack([tensors["pair.location.weight"], tensors["pair.scalars.weight"]])
        own = np.pad(own, ((0, 0), (0, folded.shape[1] - own.shape[1])))
        folded = np.concatenate([folded, _padded(own)])
        bias = np.concatenate([bias, _padded(tensors["pair.scalars.bias"][:, None])[:, 0]])
    location, scalars, graph = np.split(folded, [D, D + config.num_scalars], axis=1)

    output = _by_channel(tensors["vehicle.output.weight"].T, H)
    query = output @ node_query.T
    pointer_key = tensors["decoder.pointer_key.weight"] * np.float32(to_tanh)
    pointer = _by_head(tensors["decoder.output.weight"].T, H) @ pointer_key
    pointer_bias = np.zeros((BIAS_COLUMNS, D), dtype=np.float32)
    pointer_bias[0] = tensors["decoder.output.bias"] @ pointer_key
    columns = [
        location,
        graph,
        _by_head(tensors["decoder.key.weight"], H),
        _by_head(tensors["decoder.value.weight"], H),
        pointer,
        pointer_bias,
    ]
    if not config.remaining_graph:
        del columns[1]
    pairs = np.zeros((NUM_PAIR_ROWS, 0), dtype=np.float32)
    if config.pair_width:
        columns.append(_padded(tensors["pair.node.weight"]))
        to_pairs = [tensors[f"pair.{name}.weight"] for name in ("raw", "distance", "fill")]
        none = np.zeros_like(tensors["pair.fill.weight"])
        to_pairs += [tensors.get(f"pair.{name}.weight", none) for name in ("waste", "near")]
        to_pairs.append(tensors.get("pair.local.weight", none.repeat(NUM_LOCAL_INPUTS, 1)))
        to_pairs.append(tensors["pair.output.weight"].T * np.float32(2 * math.log2(math.e)))
        pairs = _padded(np.hstack(to_pairs)).T
    return _core.PolicyDecoder(
        num_heads=H,
        head_width=C,
        clip=config.clip,
        has_cover=config.has_cover,
        has_pack=config.has_pack,
        has_near=config.has_near,
        has_local=config.has_local,
        has_graph=config.remaining_graph,
        has_residual=config.vehicle_residual,
        route_by_route=config.route_by_route,
        nodes=np.ascontiguousarray(np.concatenate(columns).T),
        scalars=np.ascontiguousarray(scalars.T),
        bias=bias,
        query=np.ascontiguousarray(query),
        query_bias=node_query @ tensors["vehicle.output.bias"],
        pairs=np.ascontiguousarray(pairs),
        kernels=kernels,
    )


def _by_channel(weight: Float32Array, num_heads: int) -> Float32Array:
    """Rows (D, inputs) in the order channel, head; heads padded to 8, all to 16."""
    outputs, inputs = weight.shape
    lanes = _round_up(num_heads, 8)
    padded = np.zeros((outputs // num_heads, lanes, inputs), dtype=np.float32)
    padded[:, :num_heads] = weight.reshape(num_heads, -1, inputs).transpose(1, 0, 2)
    flat = padded.reshape(-1, inputs)
    return np.pad(flat, ((0, _round_up(len(flat), 16) - len(flat)), (0, 0)))


def _by_head(weight: Float32Array, num_heads: int) -> Float32Array:
    """Rows (D, inputs) in the order head, channel; channels padded to 16."""
    outputs, inputs = weight.shape
    channels = outputs // num_heads
    padded = np.zeros((num_heads, _round_up(channels, 16), inputs), dtype=np.float32)
    padded[:, :channels] = weight.reshape(num_heads, channels, inputs)
    return padded.reshape(-1, inputs)


def _padded(weight: Float32Array) -> Float32Array:
    """Rows (P, inputs) of the pair term; padded to 16."""
    return np.pad(weight, ((0, _round_up(len(weight), 16) - len(weight)), (0, 0)))


def _round_up(count: int, unit: int) -> int:
    return -(-count // unit) * unit
