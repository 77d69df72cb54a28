"""Good plans that differ from each other, as starting points of a search."""

from __future__ import annotations

import itertools
import time
from dataclasses import dataclass

import numpy as np

from fripn.policy.decode import CHUNK_VISITS, Policy
from fripn.policy.session import Drafts, Session
from fripn.problem import Evaluation, Instance, Solution, evaluate
from fripn.run import Stop

#: Candidates kept per plan wanted: the other trajectories cost too much.
POOL_FACTOR = 6

#: Two plans are different when at least this share of their arcs differs.
MIN_DIFFERENCE = 0.1


@dataclass(frozen=True, slots=True)
class Proposal:
    """A valid plan and its evaluation."""

    plan: Solution
    evaluation: Evaluation

    @property
    def cost(self) -> float:
        """Cost of the plan."""
        return self.evaluation.cost


def propose(
    instance: Instance,
    count: int,
    *,
    seconds: float,
    policy: Policy | None = None,
    samples: int | None = None,
    seed: int = 0,
    threads: int = 1,
    stop: Stop | None = None,
) -> list[Proposal]:
    """Sample plans and return the best ones that differ.

    Parameters
    ----------
    instance
        The problem.
    count
        How many plans at most.
    seconds
        Time to take; the first greedy trajectory is finished in any case.
    policy
        Settings; its ``decode`` and ``samples`` are ignored.
    samples
        Stop after this many trajectories per symmetry, whatever the time: then the same seed
        gives the same plans on any machine that is fast enough.
    seed, threads
        As for `Policy`.
    stop
        Ends the sampling when it is set; the plans found so far are returned.

    Returns
    -------
    list
        The cheapest first. Plans that share most of their arcs with a cheaper one come only
        where there are not enough others. Empty when a limited fleet left no plan to be found.
    """
    began = time.perf_counter()
    policy = policy or Policy()
    session = Session(
        policy.loaded_weights(),
        instance,
        num_symmetries=policy.num_symmetries,
        with_split=policy.split,
        seed=seed,
        threads=threads,
        stop=None if stop is None else stop.flag,
        seconds_left=lambda: seconds - (time.perf_counter() - began),
    )
    pool: dict[Solution, float] = {}

    def keep(drafts: Drafts) -> None:
        order = np.argsort(drafts.costs, kind="stable")[: POOL_FACTOR * count]
        worst = sorted(pool.values())[POOL_FACTOR * count - 1 :][:1]
        for index in order:
            if np.isfinite(drafts.costs[index]) and (not worst or drafts.costs[index] < worst[0]):
                pool.setdefault(drafts.plan(int(index)), float(drafts.costs[index]))

    def is_over() -> bool:
        is_cancelled = stop is not None and stop.is_set
        return is_cancelled or time.perf_counter() - began >= seconds

    session.encode(1)
    encoding = time.perf_counter() - began
    time_left = seconds - encoding
    if time_left > encoding:
        session.encode(int(1 + time_left / 2 / encoding))
    size, done = 1, 0
    keep(session.greedy())
    largest = max(1, CHUNK_VISITS // (instance.num_customers * max(1, session.num_encoded)))
    while not is_over() and (samples is None or done < samples):
        if samples is not None:
            size = min(size, samples - done)
        keep(
            session.sample(
                size,
                temperature=policy.temperature_for(instance.num_customers),
                top_k=policy.top_k,
            )
        )
        done += size
        size = min(2 * size, largest)
    return _different(instance, pool, count)


def _different(instance: Instance, pool: dict[Solution, float], count: int) -> list[Proposal]:
    """Pick the cheapest plans that differ, then the cheapest of the others."""
    chosen: list[Proposal] = []
    passed: list[Proposal] = []
    seen: list[set[tuple[int, int]]] = []
    for plan in sorted(pool, key=pool.__getitem__)[: POOL_FACTOR * count]:
        evaluation = evaluate(instance, plan)
        if not evaluation.is_feasible:
            continue
        arcs = _arcs(plan)
        proposal = Proposal(plan, evaluation)
        if all(len(arcs - other) >= MIN_DIFFERENCE * len(arcs) for other in seen):
            chosen.append(proposal)
            seen.append(arcs)
            if len(chosen) == count:
                break
        else:
            passed.append(proposal)
    chosen += passed[: count - len(chosen)]
    return sorted(chosen, key=lambda proposal: proposal.cost)


def _arcs(plan: Solution) -> set[tuple[int, int]]:
    """Undirected arcs of all routes."""
    arcs: set[tuple[int, int]] = set()
    for route in plan.routes:
        stops = (0, *route.customers, 0)
        arcs.update((min(a, b), max(a, b)) for a, b in itertools.pairwise(stops))
    return arcs
