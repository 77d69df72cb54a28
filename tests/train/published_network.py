"""The network of the published code, written from its names and shapes for single states.

Independent of `fripn`: one instance, one state, plain tensor algebra. What a reader of
``FSMVRPModel.py`` finds there is computed here type by type and head by head.
"""

from __future__ import annotations

import math
from collections import Counter, OrderedDict

import torch

WIDTH, LAYERS, HEADS, FEED, CLIP = 128, 6, 8, 512, 10.0


def random_state_dict(seed: int) -> OrderedDict:
    """Draw all 104 tensors of a ``model_state_dict``."""
    generator = torch.Generator().manual_seed(seed)
    tensors: OrderedDict = OrderedDict()

    def linear(name, outputs, inputs, bias=True):
        bound = 1.0 / math.sqrt(inputs)
        tensors[f"{name}.weight"] = _uniform((outputs, inputs), bound, generator)
        if bias:
            tensors[f"{name}.bias"] = _uniform((outputs,), bound, generator)

    def layer(name, has_context=False):
        for part in ("Wq", "Wk", "Wv"):
            linear(f"{name}.{part}", WIDTH, WIDTH, bias=False)
        if has_context:
            linear(f"{name}.context_layer", WIDTH, WIDTH, bias=False)
        linear(f"{name}.multi_head_combine", WIDTH, WIDTH)
        for number in (1, 2):
            norm = f"{name}.add_n_normalization_{number}.norm"
            tensors[f"{norm}.weight"] = 1.0 + _uniform((WIDTH,), 0.3, generator)
            tensors[f"{norm}.bias"] = _uniform((WIDTH,), 0.3, generator)
        linear(f"{name}.feed_forward.W1", FEED, WIDTH)
        linear(f"{name}.feed_forward.W2", WIDTH, FEED)

    linear("encoder.embedding_depot", WIDTH, 2)
    linear("encoder.embedding_node", WIDTH, 3)
    for number in range(LAYERS):
        layer(f"encoder.layers.{number}")
    linear("decoder.context_linear", WIDTH, 2 * WIDTH + 4, bias=False)
    linear("decoder.Wq_last", WIDTH, 2 * WIDTH + 4, bias=False)
    linear("decoder.left_graph_embedding", WIDTH, WIDTH, bias=False)
    for part in ("Wq_context", "Wk", "Wv"):
        linear(f"decoder.{part}", WIDTH, WIDTH, bias=False)
    layer("decoder.layers.0", has_context=True)
    linear("decoder.multi_head_combine", WIDTH, WIDTH)
    return tensors


def checkpoint(tensors, epoch=2000) -> dict:
    """Put a state dict into a checkpoint as the published trainer writes them."""
    return {
        "epoch": epoch,
        "model_state_dict": tensors,
        "optimizer_state_dict": {"state": {0: {"step": 5}}, "param_groups": [{"lr": 1e-4}]},
        "scheduler_state_dict": {"milestones": Counter([501, 1001, 1501]), "gamma": 0.5},
        "result_log": ({"train_score", "train_loss"}, {"train_score": [[1, 70.0]]}),
    }


def encode(tensors, coordinates, demands):
    """Embed the nodes (N, 2) and (N,): (N, WIDTH)."""
    depot = _linear(tensors, "encoder.embedding_depot", coordinates[:1])
    inputs = torch.column_stack([coordinates, demands])[1:]
    nodes = torch.cat([depot, _linear(tensors, "encoder.embedding_node", inputs)])
    for number in range(LAYERS):
        name = f"encoder.layers.{number}"
        mixed = _attend(tensors, name, nodes, nodes, name)
        nodes = _normalise(tensors, f"{name}.add_n_normalization_1", nodes + mixed)
        hidden = torch.relu(_linear(tensors, f"{name}.feed_forward.W1", nodes))
        fed = _linear(tensors, f"{name}.feed_forward.W2", hidden)
        nodes = _normalise(tensors, f"{name}.add_n_normalization_2", nodes + fed)
    return nodes


def probabilities(tensors, nodes, places, loads, capacities, fixed_costs, unit_costs, available):
    """Probabilities (K, N) of all pairs in one state; `available` is (K, N), true or false."""
    rows = []
    for k, place in enumerate(places.tolist()):
        is_full = bool(loads[k] == capacities[k])
        graph = torch.where(available[k][:, None], nodes, torch.zeros_like(nodes)).mean(0)
        graph = graph * is_full
        rows.append(
            torch.cat(
                [
                    nodes[place],
                    tensors["decoder.left_graph_embedding.weight"] @ graph,
                    torch.stack([loads[k], capacities[k], fixed_costs[k] * is_full, unit_costs[k]]),
                ]
            )
        )
    types = torch.stack(rows) @ tensors["decoder.context_linear.weight"].T
    types = _attend(tensors, "decoder.layers.0", types, types, "decoder.layers.0")
    glimpse = _attend(tensors, "decoder", types, nodes, "decoder", "Wq_context", available)
    scores = CLIP * torch.tanh(glimpse @ nodes.T / math.sqrt(WIDTH))
    scores[~available] = -math.inf
    return scores.flatten().softmax(0).reshape(scores.shape)


def _attend(tensors, name, queries, keys, combine, query="Wq", available=None):
    """Attention with one softmax over all pairs of a query and a key, then its output map."""
    size = WIDTH // HEADS
    q = queries @ tensors[f"{name}.{query}.weight"].T
    k = keys @ tensors[f"{name}.Wk.weight"].T
    v = keys @ tensors[f"{name}.Wv.weight"].T
    parts = []
    for head in range(HEADS):
        channels = slice(head * size, (head + 1) * size)
        scores = q[:, channels] @ k[:, channels].T / math.sqrt(size)
        if available is not None:
            scores = scores.masked_fill(~available, -math.inf)
        weights = scores.flatten().softmax(0).reshape(scores.shape)
        parts.append(weights @ v[:, channels])
    return _linear(tensors, f"{combine}.multi_head_combine", torch.cat(parts, 1))


def _normalise(tensors, name, nodes):
    deviation = torch.sqrt(nodes.var(0, unbiased=False) + 1e-5)
    standard = (nodes - nodes.mean(0)) / deviation
    return standard * tensors[f"{name}.norm.weight"] + tensors[f"{name}.norm.bias"]


def _linear(tensors, name, inputs):
    return inputs @ tensors[f"{name}.weight"].T + tensors[f"{name}.bias"]


def _uniform(shape, bound, generator):
    return (2.0 * torch.rand(shape, generator=generator) - 1.0) * bound
