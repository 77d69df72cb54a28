"""Progress on a fixed set: how far greedy and sampled plans are from the labels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from fripn.problem import Instance
from fripn.problem.generate import WIDE, paper_instance, wide_instance
from fripn.train.config import InstanceConfig, ValidationConfig
from fripn.train.encoded import FoldedPolicy
from fripn.train.imitation import labelled_batch
from fripn.train.labels import load_labels
from fripn.train.network import Policy
from fripn.train.rollout import Sampler
from fripn.train.state import Batch

#: Drawn validation instances are the same in every run.
VALIDATION_SEED = 4321


@dataclass(frozen=True, slots=True)
class Score:
    """Means over the validation set.

    Parameters
    ----------
    greedy, sampled
        Mean cost of greedy plans, and of the best of the samples.
    greedy_gap, sampled_gap
        Mean percentage above the labels; NaN without labels.
    """

    greedy: float
    sampled: float
    greedy_gap: float
    sampled_gap: float

    @property
    def value(self) -> float:
        """Mean of both ways of decoding, by which the best weights are chosen; lower is better."""
        if np.isfinite(self.sampled_gap):
            return self.sampled_gap + 0.2 * self.greedy_gap
        return self.sampled + 0.2 * self.greedy

    def __str__(self) -> str:
        """Both means, with the gaps to the labels if there are any."""
        parts = []
        for name, cost, gap in (
            ("greedy", self.greedy, self.greedy_gap),
            ("sampled", self.sampled, self.sampled_gap),
        ):
            parts.append(f"{name} {cost:.3f}" + (f" ({gap:+z.2f} %)" if np.isfinite(gap) else ""))
        return ", ".join(parts)


class Validator:
    """Keeps the fixed set; call it with a policy."""

    def __init__(self, settings: ValidationConfig, instances: InstanceConfig, device: str) -> None:
        self.samples = settings.samples
        self.batches: list[tuple[Batch, np.ndarray | None]] = []
        if settings.labels:
            for labels in load_labels(Path(settings.labels)).values():
                part = labels[: settings.instances]
                self.batches.append((labelled_batch(part, device), part.costs))
        else:
            for drawn in draw_validation(settings, instances):
                self.batches.append((Batch.of(drawn, device), None))

    @torch.no_grad()
    def __call__(self, policy: Policy, sampler: Sampler) -> Score:
        """Decode every instance greedily and by sampling; the same draws every time."""
        greedy, sampled, greedy_gaps, sampled_gaps = [], [], [], []
        weights = FoldedPolicy(policy)
        for number, (batch, reference) in enumerate(self.batches):
            encoded = weights.encode(batch)
            one = sampler(encoded, 1, None).costs[:, 0].cpu().numpy()
            best = sampler(encoded, self.samples, number).costs.min(1).values.cpu().numpy()
            greedy.append(one)
            sampled.append(best)
            if reference is not None:
                greedy_gaps.append(100 * (one / reference - 1))
                sampled_gaps.append(100 * (best / reference - 1))

        def mean(parts: list[np.ndarray]) -> float:
            return float(np.concatenate(parts).mean()) if parts else float("nan")

        return Score(mean(greedy), mean(sampled), mean(greedy_gaps), mean(sampled_gaps))


def draw_validation(
    settings: ValidationConfig, instances: InstanceConfig
) -> Iterator[list[Instance]]:
    """Draw the fixed set from the distribution that is trained, in batches of one size.

    The wide distribution has its share of the instances of each number of customers, and all
    numbers of types occur equally often; only the instances themselves are random.
    """
    num_wide = round(instances.wide_share * settings.instances)
    parts = (
        (paper_instance, settings.instances - num_wide, instances.min_types, instances.max_types),
        (wide_instance, num_wide, *WIDE.num_types),
    )
    for size in settings.sizes or instances.drawn_sizes:
        for number, (draw, count, fewest, most) in enumerate(parts):
            for num_types in range(fewest, most + 1):
                rng = np.random.default_rng([VALIDATION_SEED, size, number, num_types])
                share = range(num_types - fewest, count, most + 1 - fewest)
                if share:
                    yield [draw(size, rng, num_types) for _ in share]
