"""Weights and encoded problems that several tests of the policy share."""

from fripn.policy import PolicyWeights, random_weights, scale
from fripn.policy.encoder import encode
from fripn.policy.fold import fold
from fripn.policy.rollout import core_problems


def sharp_weights(config, seed):
    """Draw random weights whose scores spread over the whole range of the clip."""
    tensors = dict(random_weights(config, seed).tensors)
    tensors["decoder.pointer_key.weight"] = tensors["decoder.pointer_key.weight"] * 2
    if config.pair_width:
        tensors["pair.output.weight"] = tensors["pair.output.weight"] * 2
    return PolicyWeights(config, tensors)


def prepared(config, instances, seed=1, kernels=None):
    """Return weights, problems, embeddings and the decoder, for instances of one size."""
    weights = sharp_weights(config, seed)
    problems = core_problems([scale(instance) for instance in instances])
    embeddings = encode(config, weights.tensors, problems.coordinates, problems.demands)
    return weights, problems, embeddings, fold(config, weights.tensors, kernels)
