"""The policy as a method: greedy, sampling, augmentation, split repair."""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np

from fripn import _core
from fripn.errors import InvalidSetting
from fripn.features import Feature
from fripn.incumbent import Incumbent
from fripn.policy.config import Temperature
from fripn.policy.encoder import encode
from fripn.policy.rollout import core_problems, rollout_tables
from fripn.policy.scale import ScaledInstance, scale
from fripn.policy.session import (
    MAX_BYTES,
    NUM_SYMMETRIES,
    Drafts,
    Session,
    folded,
    make_drafts,
    mirrored,
    scaled_to_core,
    table_bytes,
)
from fripn.policy.weights import PolicyWeights, default_weights, load_weights
from fripn.problem import Instance, Solution
from fripn.result import Result, Status
from fripn.run import Run, Stop
from fripn.settings import PositiveCount, SizeOrZero, check_fields

Decoding = Literal["greedy", "sampling"]

#: Trajectories per symmetry when neither a number nor a limit is given: the paper's.
DEFAULT_SAMPLES = 1000

#: Up to this many customers, sampling uses the policy's probabilities unchanged.
LARGEST_UNSHARPENED = 25

#: Customers times trajectories of the largest call into the core: some tens of milliseconds each.
CHUNK_VISITS = 10_000


@dataclass(frozen=True, slots=True)
class Policy:
    """Settings of the policy; calling it solves an instance.

    Parameters
    ----------
    decode
        ``greedy``: one trajectory per symmetry, the most probable action each time;
        ``sampling``: trajectories drawn from the policy, the first type uniformly.
    samples
        Trajectories per symmetry when sampling. None samples until the budget is used up
        (1,000 without one), after a greedy start.
    augment
        Whether to decode all eight symmetries of the instance.
    split
        Whether each trajectory's giant tour is cut again at the least cost, types included.
    temperature
        Scores are divided by it: above 1 more diverse, below 1 closer to greedy; 0.001 or more.
        None for the default for the number of customers, see `temperature_for`.
    top_k
        Draw from this many of the most probable actions only; 0 for all.
    weights
        A file, or weights in memory; None for those that ship with the package.

    Raises
    ------
    InvalidSetting
        When a setting is out of range.
    """

    name: ClassVar[str] = "policy"
    supports: ClassVar[frozenset[Feature]] = frozenset({Feature.LIMITED_FLEET, Feature.ASYMMETRIC})

    decode: Decoding = "sampling"
    samples: PositiveCount | None = None
    augment: bool = True
    split: bool = True
    temperature: Temperature | None = None
    top_k: SizeOrZero = 0
    weights: PolicyWeights | Path | str | None = None

    def __post_init__(self) -> None:
        """Check every setting."""
        check_fields(self)
        if self.samples is not None and self.decode == "greedy":
            raise InvalidSetting(
                "samples are given, but greedy decoding draws none",
                field="samples",
                value=self.samples,
                remedy="leave them out or sample",
            )

    @classmethod
    def paper(
        cls,
        decode: Decoding = "sampling",
        *,
        augment: bool = True,
        weights: PolicyWeights | Path | str | None = None,
    ) -> Policy:
        """Return the paper's decoding: temperature 1, no split, 1,000 samples per symmetry.

        Whether types may take turns while several routes are open is a setting of the weights,
        `PolicyConfig.route_by_route`.
        """
        samples = DEFAULT_SAMPLES if decode == "sampling" else None
        return cls(decode, samples, augment, split=False, temperature=1.0, weights=weights)

    def __call__(self, instance: Instance, run: Run) -> Result:
        """Solve the instance; see `fripn.Method`. An iteration is one trajectory."""
        best = Incumbent(instance, run, self.name)
        work = _Work(self, best)
        work.do()
        return best.result(iterations=work.num_trajectories, notes=work.notes())

    @property
    def ends_by_itself(self) -> bool:
        """Whether the number of trajectories is settled before the run."""
        return self.samples is not None or self.decode == "greedy"

    @property
    def num_symmetries(self) -> int:
        """Encodings per instance."""
        return NUM_SYMMETRIES if self.augment else 1

    def temperature_for(self, num_customers: int) -> float:
        """Return the sampling temperature for an instance with this many customers.

        A plan of many customers takes many decisions, and one poor decision spoils it; so by
        default the distribution gets sharper with the square root of their number.
        """
        if self.temperature is not None:
            return self.temperature
        return min(1.0, math.sqrt(LARGEST_UNSHARPENED / num_customers))

    def loaded_weights(self) -> PolicyWeights:
        """Return the weights, loaded if a file was given."""
        if self.weights is None:
            return default_weights()
        if isinstance(self.weights, PolicyWeights):
            return self.weights
        return load_weights(self.weights)


class _Work:
    """One call of the policy: the best plan so far, and when to stop."""

    def __init__(self, policy: Policy, best: Incumbent) -> None:
        self._policy = policy
        self._best = best
        self._budget = best.run.budget
        self._session = Session(
            policy.loaded_weights(),
            best.instance,
            num_symmetries=policy.num_symmetries,
            with_split=policy.split,
            seed=best.run.seed,
            threads=best.run.threads,
            stop=best.run.flag,
            seconds_left=lambda: best.seconds_left,
        )
        self.num_trajectories = 0
        self._last_improvement = 0

    def do(self) -> None:
        """Encode and decode until the samples or the budget are used up."""
        policy, session = self._policy, self._session
        if policy.samples is not None:
            session.encode(session.num_symmetries)
            self._sample(policy.samples)
            return
        # A plan from one symmetry first; the others only if there is time for them.
        session.encode(1)
        seconds_each = self._best.seconds
        if session.num_symmetries > 1 and self._best.seconds_left > seconds_each:
            if self._budget.seconds is not None:
                self.take(session.greedy())
            if not self._is_over:
                more = min(session.num_symmetries, 1 + self._best.seconds_left / 2 / seconds_each)
                session.encode(int(more))
        if session.num_encoded > self.num_trajectories:
            self.take(session.greedy())
        if policy.decode == "sampling":
            limited = not self._budget.is_open_ended or self._budget.target is not None
            self._sample(None if limited else DEFAULT_SAMPLES)

    def notes(self) -> tuple[str, ...]:
        """Return a note when a limit ended the run before all samples were drawn."""
        wanted = self._session.num_symmetries * (self._policy.samples or 0)
        is_done = self.num_trajectories >= wanted or self._best.reached_target
        if is_done or self._best.is_interrupted:
            return ()
        return (f"A limit ended sampling after {self.num_trajectories:,} of {wanted:,} samples.",)

    def take(self, drafts: Drafts) -> None:
        """Count trajectories and compare the best of them with the best plan so far."""
        if not len(drafts.costs):  # cancelled before any symmetry was encoded
            return
        self.num_trajectories += len(drafts.costs)
        index = int(np.argmin(drafts.costs))
        if drafts.costs[index] < self._best.cost and self._best.offer(drafts.plan(index)):
            self._last_improvement = self.num_trajectories

    @property
    def _is_over(self) -> bool:
        budget = self._budget
        return (
            self._best.is_over
            or (budget.iterations is not None and self.num_trajectories >= budget.iterations)
            or (
                budget.stall is not None
                and self.num_trajectories - self._last_improvement >= budget.stall
            )
        )

    def _sample(self, samples: int | None) -> None:
        """Sample in chunks that grow from one trajectory per symmetry to some milliseconds."""
        session, budget = self._session, self._budget
        visits = self._best.instance.num_customers * max(1, session.num_encoded)
        largest = max(1, CHUNK_VISITS // visits)
        left = math.inf if samples is None else samples
        size, seconds_each = 1, 0.0
        while left > 0 and not self._is_over:
            size = int(min(size, left))
            if budget.seconds is not None and seconds_each > 0:
                size = min(size, int(self._best.seconds_left / seconds_each))
                if size <= 0:  # the next chunk would end too late
                    break
            if budget.iterations is not None:
                room = budget.iterations - self.num_trajectories
                size = max(1, min(size, room // session.num_encoded))
            began = time.perf_counter()
            self.take(
                session.sample(
                    size,
                    temperature=self._policy.temperature_for(self._best.instance.num_customers),
                    top_k=self._policy.top_k,
                )
            )
            seconds_each = (time.perf_counter() - began) / size
            left -= size
            size = min(2 * size, largest)


def solve_many(
    instances: Sequence[Instance],
    policy: Policy | None = None,
    *,
    seed: int = 0,
    threads: int = 1,
    stop: Stop | None = None,
) -> list[Result]:
    """Solve thousands of small instances in batches.

    Parameters
    ----------
    instances
        The problems; those with equal numbers of customers and types share a batch.
    policy
        Settings; by default greedy over the eight symmetries with split repair. Sampling needs
        a number of samples.
    seed
        Every instance draws from the same streams, so its plan does not depend on the others.
    threads
        Threads to use.
    stop
        Ends the work when it is set, from any thread. Results of the batch that was being decoded
        then, and of those after it, have the status `Status.INTERRUPTED`, with a plan or without.

    Returns
    -------
    list
        One result per instance, in their order; the time is the instance's share of its batch.
    """
    policy = Policy(decode="greedy") if policy is None else policy
    if policy.decode == "sampling" and policy.samples is None:
        raise InvalidSetting(
            "samples is None, which needs a time limit",
            field="samples",
            remedy="give a number of samples per instance",
        )
    weights = policy.loaded_weights()
    groups: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    scaled = [scale(instance) for instance in instances]
    for index, one in enumerate(scaled):
        groups[one.num_customers, one.num_types].append(index)
    results: list[Result | None] = [None] * len(instances)
    for (num_customers, _), members in groups.items():
        bytes_each = policy.num_symmetries * table_bytes(folded(weights), num_customers + 1)
        bytes_each += 16 * num_customers * policy.num_symmetries * (policy.samples or 1)
        batch = max(1, MAX_BYTES // bytes_each)
        for first in range(0, len(members), batch):
            part = members[first : first + batch]
            began = time.perf_counter()
            flag = None if stop is None else stop.flag
            plans = _decode_batch(policy, weights, [scaled[i] for i in part], seed, threads, flag)
            seconds = (time.perf_counter() - began) / len(part)
            is_cancelled = stop is not None and stop.is_set
            for index, plan in zip(part, plans, strict=True):
                results[index] = Result.from_solution(
                    instances[index],
                    plan,
                    method="policy",
                    status=Status.INTERRUPTED if is_cancelled else Status.FEASIBLE,
                    seconds=seconds,
                    seed=seed,
                    iterations=policy.num_symmetries * (policy.samples or 1),
                )
    return [result for result in results if result is not None]


def _decode_batch(
    policy: Policy,
    weights: PolicyWeights,
    scaled: Sequence[ScaledInstance],
    seed: int,
    threads: int,
    stop: _core.StopFlag | None,
) -> list[Solution | None]:
    """Best plan per instance of one size; None where a limited fleet or a stop left none."""
    problems = core_problems(scaled)
    S, J = policy.num_symmetries, policy.samples or 1
    views = np.stack([mirrored(problems.coordinates, s) for s in range(S)], axis=1)
    views = views.reshape(-1, *problems.coordinates.shape[1:])
    demands = np.repeat(problems.demands, S, axis=0)
    embeddings = encode(weights.config, weights.tensors, views, demands, threads, stop)
    # A stop may have come before all of them, or any, were encoded.
    finished = len(embeddings) // S
    unfinished: list[Solution | None] = [None] * (len(scaled) - finished)
    if finished == 0:
        return unfinished
    if unfinished:
        scaled, embeddings = scaled[:finished], embeddings[: finished * S]
        problems = core_problems(scaled)
    decoder = folded(weights)
    greedy = policy.decode == "greedy"
    found = rollout_tables(
        decoder,
        decoder.tables(embeddings, threads, stop),
        problems,
        trajectories=J,
        greedy=greedy,
        draw_first_type=not greedy,
        temperature=policy.temperature_for(scaled[0].num_customers),
        top_k=policy.top_k,
        seed=seed,
        stream_period=S * J,
        threads=threads,
        stop=stop,
    )
    actions = found.actions.reshape(len(scaled), S * J, -1)
    costs = found.costs.reshape(len(scaled), S * J)
    plans: list[Solution | None] = []
    for index, one in enumerate(scaled):
        if stop is not None and stop.is_set and not np.isfinite(costs[index]).any():
            plans.append(None)
            continue
        core = scaled_to_core(one) if policy.split else None
        drafts = make_drafts(one, core, actions[index], costs[index], threads, stop)
        best = int(np.argmin(drafts.costs))
        plans.append(drafts.plan(best) if math.isfinite(drafts.costs[best]) else None)
    return plans + unfinished
