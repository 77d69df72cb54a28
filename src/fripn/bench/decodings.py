"""The policy's decodings by name: greedy or sampling, in one view or eight, with or without split.

A decoding is called ``greedy`` or ``sampling``; with `` x8`` behind it the eight symmetries of the
square are decoded and the best plan counts; with ``, split`` behind that every trajectory goes
through the optimal split. There is no search after it.
"""

from __future__ import annotations

from collections.abc import Sequence

from fripn.policy.decode import Policy
from fripn.policy.encoder import encode
from fripn.policy.rollout import core_problems, rollout
from fripn.policy.scale import scale
from fripn.policy.session import (
    NUM_SYMMETRIES,
    Drafts,
    folded,
    make_drafts,
    mirrored,
    scaled_to_core,
)
from fripn.policy.weights import PolicyWeights
from fripn.problem import Instance, Solution

SPLIT = ", split"


def is_greedy(decoding: str) -> bool:
    """Whether a decoding takes the most probable action each time."""
    return decoding.startswith("greedy")


def is_augmented(decoding: str) -> bool:
    """Whether a decoding looks at all eight symmetries."""
    return decoding.removesuffix(SPLIT).endswith("x8")


def num_samples(decoding: str, samples: int) -> int:
    """Return the trajectories per view of a decoding."""
    return 1 if is_greedy(decoding) else samples


def best_plans(
    instance: Instance,
    weights: PolicyWeights,
    decodings: Sequence[str],
    samples: int,
    threads: int,
    temperature: float | None = None,
) -> dict[str, Solution]:
    """Return the best plan of each decoding; all of them greedy, or all sampling.

    They share their trajectories: a decoding in one view sees the first view of one in eight, and
    split repairs the trajectories that count without it.

    Parameters
    ----------
    instance
        The problem.
    weights
        The policy.
    decodings
        Names, see above.
    samples
        Trajectories per view, when sampling.
    threads
        Threads to use; plans do not depend on them.
    temperature
        Of sampling; None for the default for the number of customers.
    """
    greedy = is_greedy(decodings[0])
    if any(is_greedy(decoding) != greedy for decoding in decodings):
        raise ValueError(f"decodings {', '.join(decodings)} are greedy and sampling; give one sort")
    trajectories = num_samples(decodings[0], samples)
    scaled = scale(instance)
    problems = core_problems([scaled])
    core = scaled_to_core(scaled)
    best: dict[str, Drafts] = {}
    # One view after the other: trajectories of large instances take much memory.
    for view in range(NUM_SYMMETRIES if any(map(is_augmented, decodings)) else 1):
        coordinates = mirrored(scaled.coordinates, view)[None]
        made = rollout(
            folded(weights),
            encode(weights.config, weights.tensors, coordinates, problems.demands, threads),
            problems,
            trajectories=trajectories,
            temperature=Policy(temperature=temperature).temperature_for(instance.num_customers),
            greedy=greedy,
            seed=1,
            first_stream=view * trajectories,
            threads=threads,
        )
        for name in decodings:
            if view > 0 and not is_augmented(name):
                continue
            repairs = core if name.endswith(SPLIT) else None
            found = make_drafts(scaled, repairs, made.actions[0], made.costs[0], threads)
            if name not in best or found.costs.min() < best[name].costs.min():
                best[name] = found
    return {name: drafts.plan(int(drafts.costs.argmin())) for name, drafts in best.items()}
