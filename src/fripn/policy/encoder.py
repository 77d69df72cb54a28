"""The node encoder in numpy: instances of one size in, embeddings out."""

from __future__ import annotations

import math
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from fripn import _core
from fripn.policy.blas import on_one_thread
from fripn.policy.config import PolicyConfig
from fripn.policy.weights import Float32Array
from fripn.problem.instance import FloatArray

NORM_EPSILON = 1e-5

#: Attention scores are made in pieces of about this size, which stay in the processor's cache.
SCORE_BYTES = 4 * 2**20

#: Nodes encoded together: enough for efficient products, few enough to share among threads.
GROUP_NODES = 256


@on_one_thread
def encode(
    config: PolicyConfig,
    tensors: Mapping[str, Float32Array],
    coordinates: FloatArray,
    demands: FloatArray,
    threads: int = 1,
    stop: _core.StopFlag | None = None,
) -> Float32Array:
    """Embed depot and customers.

    Parameters
    ----------
    config
        The network.
    tensors
        Its parameters by name.
    coordinates
        Shape (B, N, 2), scaled.
    demands
        Shape (B, N), scaled.
    threads
        Instances are encoded in groups of fixed size, on this many threads; the groups, and so the
        result to the last bit, do not depend on them.
    stop
        Checked every few milliseconds.

    Returns
    -------
    Float32Array
        Shape (B, N, D); after a stop only the first instances, those that were finished.
    """
    B, N, _ = coordinates.shape
    size = max(1, GROUP_NODES // N)
    groups = [slice(first, first + size) for first in range(0, B, size)]

    def encode_group(group: slice) -> Float32Array | None:
        try:
            return _encode(config, tensors, coordinates[group], demands[group], stop)
        except _Stopped:
            return None

    if min(threads, len(groups)) == 1:
        parts = [encode_group(group) for group in groups]
    else:
        with ThreadPoolExecutor(threads) as pool:
            parts = list(pool.map(encode_group, groups))
    none = np.empty((0, N, config.width), dtype=np.float32)
    finished: list[Float32Array] = []
    for part in parts:
        if part is None:
            break
        finished.append(part)
    return np.concatenate([none, *finished])


class _Stopped(Exception):
    """A stop came while a group was being encoded."""


def _encode(
    config: PolicyConfig,
    tensors: Mapping[str, Float32Array],
    coordinates: FloatArray,
    demands: FloatArray,
    stop: _core.StopFlag | None,
) -> Float32Array:
    B, N, _ = coordinates.shape
    D, H = config.width, config.num_heads
    inputs = np.concatenate([coordinates, demands[..., None]], axis=2).astype(np.float32)
    h = inputs @ tensors["encoder.customer.weight"].T
    h += tensors["encoder.customer.bias"]
    h[:, 0] = inputs[:, 0, :2] @ tensors["encoder.depot.weight"].T
    h[:, 0] += tensors["encoder.depot.bias"]
    for i in range(config.num_layers):
        layer = f"encoder.layers.{i}"
        heads = np.concatenate(
            [
                tensors[f"{layer}.query.weight"] * np.float32(1.0 / math.sqrt(D // H)),
                tensors[f"{layer}.key.weight"],
                tensors[f"{layer}.value.weight"],
            ]
        )
        projected = (h.reshape(B * N, D) @ heads.T).reshape(B, N, 3, H, D // H)
        attended = _attend(projected, config.is_joint, stop).reshape(B * N, D)
        h += (attended @ tensors[f"{layer}.output.weight"].T).reshape(B, N, D)
        h += tensors[f"{layer}.output.bias"]
        _normalise(h, tensors[f"{layer}.norm1.weight"], tensors[f"{layer}.norm1.bias"])
        hidden = h.reshape(B * N, D) @ tensors[f"{layer}.ff1.weight"].T
        hidden += tensors[f"{layer}.ff1.bias"]
        np.maximum(hidden, 0.0, out=hidden)
        h += (hidden @ tensors[f"{layer}.ff2.weight"].T).reshape(B, N, D)
        h += tensors[f"{layer}.ff2.bias"]
        _normalise(h, tensors[f"{layer}.norm2.weight"], tensors[f"{layer}.norm2.bias"])
    return h


def _attend(projected: Float32Array, is_joint: bool, stop: _core.StopFlag | None) -> Float32Array:
    """Multi-head attention from queries, keys and values (B, N, 3, H, C) to (B, N, H, C)."""
    B, N, _, H, C = projected.shape
    parts = np.ascontiguousarray(projected.transpose(2, 0, 3, 1, 4)).reshape(3, B * H, N, C)
    query, key = parts[0], parts[1]
    # A last channel of ones: the product with the values also sums the weights.
    value = np.ones((B * H, N, C + 1), dtype=np.float32)
    value[..., :C] = parts[2]
    result = np.empty((B * H, N, C), dtype=np.float32)
    logs = np.empty((B * H, N, 1), dtype=np.float32)  # of the sum of each query's exponentials
    heads = max(1, SCORE_BYTES // (4 * N * N))
    rows = N if heads > 1 else max(1, SCORE_BYTES // (4 * N))
    for first in range(0, B * H, heads):
        part = slice(first, first + heads)
        for top in range(0, N, rows):
            if stop is not None and stop.is_set:
                raise _Stopped
            here = slice(top, top + rows)
            scores = query[part, here] @ key[part].transpose(0, 2, 1)
            tops = scores.max(axis=2, keepdims=True)
            scores -= tops
            np.exp(scores, out=scores)
            weighted = scores @ value[part]
            np.divide(weighted[..., :C], weighted[..., C:], out=result[part, here])
            if is_joint:
                logs[part, here] = tops + np.log(weighted[..., C:])
    if is_joint:
        # A query's part of the joint softmax is its own, times its share of all exponentials.
        shares = np.exp(logs - logs.max(axis=1, keepdims=True))
        result *= shares / shares.sum(axis=1, keepdims=True)
    return np.ascontiguousarray(result.reshape(B, H, N, C).transpose(0, 2, 1, 3))


def _normalise(h: Float32Array, weight: Float32Array, bias: Float32Array) -> None:
    """Instance normalisation over the nodes, in place."""
    # A product with ones is several times as quick as numpy's mean over an inner axis.
    mean = np.full((1, h.shape[1]), 1.0 / h.shape[1], dtype=np.float32)
    h -= mean @ h
    variance = mean @ np.square(h)
    h *= weight / np.sqrt(variance + np.float32(NORM_EPSILON))
    h += bias
