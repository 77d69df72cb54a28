"""Policy and search together: the policy's plans are where the engine starts.

Small instances are solved to the proven optimum at once. Else a first plan comes from savings.
Then the policy drafts plans within its share of the time (greedy, then sampled, over the symmetries
of the square), each repaired by the optimal split; the cheapest that differ go to the engine. Where
the policy would cost more than it brings, or cannot see the instance, the engine starts with
savings alone. The figures behind the shares are in ``docs/experiments.md``.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from fripn import _core
from fripn.budget import Budget
from fripn.errors import InvalidFile
from fripn.policy import Policy, PolicyWeights, propose
from fripn.problem import Instance, Solution, evaluate
from fripn.result import Improvement, OnImprovement, Result, Status
from fripn.search import Hgs, core_instance, search, solve_exactly

#: Where iterations, not seconds, limit the run, the policy visits about so many customers per
#: symmetry.
UNTIMED_VISITS = 1000

#: Encoding one symmetry and decoding it once take about this long (seconds), on a slow core.
#: It only decides whether to try: what follows is timed.
_FIRST_DRAFT = (3e-3, 2e-5, 3e-7)

#: With less than this many seconds per customer the engine gets little further than its start.
_SHORT = 1e-3

#: Seconds for the policy where only its number of samples limits it.
_NO_LIMIT = 1e9


@dataclass(frozen=True, slots=True)
class Hybrid:
    """Settings of the hybrid; calling it solves an instance.

    Parameters
    ----------
    weights
        A file of policy weights, or weights in memory; None for those that ship with the package.
    policy_share
        Share of the time limit that the policy may use.
    policy_limit
        Seconds that it may use at most: who looks after a second, or stops the run there, should
        find more than a draft.
    first_share
        Share of the time limit that it may use for its first plan where there is no more than a
        millisecond per customer: there the start decides.
    min_fixed_share
        The engine starts alone where fixed costs are a smaller share of the first plan: the policy
        is good at filling vehicles, savings at short routes.
    num_plans
        Plans of the policy that the engine starts from, at most.
    max_customers
        Beyond this size the engine starts alone: savings give it the better plan there. So it does
        with limited fleets, which the policy has not learned.
    """

    default_stall: ClassVar[int] = Hgs.default_stall

    weights: PolicyWeights | Path | str | None = None
    policy_share: float = 0.05
    policy_limit: float = 0.1
    first_share: float = 0.4
    min_fixed_share: float = 0.75
    num_plans: int = 4
    max_customers: int = 200

    def __call__(
        self,
        instance: Instance,
        budget: Budget,
        *,
        seed: int = 0,
        threads: int = 1,
        start: Solution | None = None,
        on_improvement: OnImprovement | None = None,
    ) -> Result:
        """Solve the instance; see `fripn.result.Method`."""
        notes: list[str] = []
        policy = self._load_policy(instance, notes)
        run = _Run(instance, on_improvement)
        try:
            if start is not None:
                run.offer(start)
            optimum = solve_exactly(instance)
            if optimum is not None:
                run.offer(optimum)
                return run.result(seed, Status.OPTIMAL, lower_bound=run.cost)
            drafts: list[Solution] = []
            if policy is not None and self._pays(run, budget):
                drafts = self._drafts(run, policy, budget, seed, threads)
            left = run.left_of(budget)
            if left is None:
                return run.result(seed, Status.FEASIBLE, notes=notes)
            began = run.seconds

            def report(seconds: float, cost: float, plan: Solution) -> None:
                run.offer(plan, began + seconds)

            found = search(
                instance,
                left,
                seed=seed,
                threads=threads,
                initial=[*([start] if start is not None else []), *drafts],
                with_savings=not drafts,
                # Judging every plan on the way takes time that is better spent if nobody looks.
                on_improvement=None if on_improvement is None else report,
            )
        except KeyboardInterrupt:
            if run.best is None:
                raise
            return run.result(seed, Status.INTERRUPTED, notes=notes)
        if found.cost > run.cost:
            return run.result(seed, found.status, found.iterations, (*notes, *found.notes))
        if on_improvement is None:
            run.follow(found, began)
        else:
            run.note(found.cost, found.solution)
        # The plan has passed `evaluate` once; a second time would cost large instances their time.
        return replace(
            found,
            method="hybrid",
            seconds=run.seconds,
            curve=tuple(run.curve),
            notes=(*notes, *found.notes),
        )

    def _load_policy(self, instance: Instance, notes: list[str]) -> Policy | None:
        """Read the weights, once per process; the clock of the run starts after it."""
        try:
            weights = Policy(weights=self.weights).loaded_weights()
        except InvalidFile as error:
            if self.weights is not None:
                raise
            notes.append(f"The engine started without the policy: {error}.")
            return None
        if instance.coordinates is None:
            notes.append("The engine started without the policy, which needs coordinates.")
            return None
        return Policy(weights=weights)

    def _pays(self, run: _Run, budget: Budget) -> bool:
        """Whether the policy can be expected to have a first plan in time."""
        size = run.instance.num_customers
        if size > self.max_customers or run.has_reached(budget.target):
            return False
        if any(vehicle.available is not None for vehicle in run.instance.vehicle_types):
            return False
        if budget.seconds is None:
            return True
        share = self.policy_share
        if budget.seconds <= _SHORT * size:
            share = max(share, self.first_share)
        return first_draft_seconds(size) <= share * budget.seconds

    def _drafts(
        self,
        run: _Run,
        policy: Policy,
        budget: Budget,
        seed: int,
        threads: int,
    ) -> list[Solution]:
        """Give the plan of savings and, where the policy may do better, its plans."""
        # The policy takes its time: something should be there before.
        first = Solution.of(_core.savings(core_instance(run.instance)))
        judged = evaluate(run.instance, first)
        if not judged.is_feasible:  # an edge of the tolerance; the engine looks for itself
            return []
        run.note(judged.cost, first)
        if run.has_reached(budget.target):
            return [first]
        if judged.fixed_cost < self.min_fixed_share * judged.cost:
            return [first]
        return [first, *self._proposals(run, policy, budget, seed, threads)]

    def _proposals(
        self,
        run: _Run,
        policy: Policy,
        budget: Budget,
        seed: int,
        threads: int,
    ) -> list[Solution]:
        """Give the policy's plans that are cheaper than the one there is."""
        if budget.seconds is None:
            seconds, samples = _NO_LIMIT, max(1, UNTIMED_VISITS // run.instance.num_customers)
        else:
            seconds = min(self.policy_share * budget.seconds, self.policy_limit)
            samples = None
        proposals = propose(
            run.instance,
            self.num_plans,
            seconds=seconds,
            policy=policy,
            samples=samples,
            seed=seed,
            threads=threads,
        )
        # Plans dearer than that of savings only crowd the population.
        plans = [proposal.plan for proposal in proposals if proposal.cost < run.cost]
        if plans:
            run.offer(plans[0])
        return plans


def first_draft_seconds(num_customers: int) -> float:
    """Estimate how long the policy takes for its first plan."""
    constant, linear, square = _FIRST_DRAFT
    return constant + (linear + square * num_customers) * num_customers


class _Run:
    """The best plan so far, and when it came."""

    def __init__(self, instance: Instance, on_improvement: OnImprovement | None) -> None:
        self.instance = instance
        self.best: Solution | None = None
        self.cost = math.inf
        self.curve: list[Improvement] = []
        self._on_improvement = on_improvement
        self._began = time.perf_counter()

    @property
    def seconds(self) -> float:
        """Time since the run began."""
        return time.perf_counter() - self._began

    def offer(self, plan: Solution, seconds: float | None = None) -> None:
        """Keep a plan if it is valid and cheaper."""
        evaluation = evaluate(self.instance, plan)
        if not evaluation.violations:
            self.note(evaluation.cost, plan, seconds)

    def note(self, cost: float, plan: Solution | None, seconds: float | None = None) -> None:
        """Keep a plan that is known to be valid if it is cheaper."""
        if plan is None or cost >= self.cost:
            return
        self.best, self.cost = plan, cost
        seconds = self.seconds if seconds is None else seconds
        self.curve.append(Improvement(seconds, cost))
        if self._on_improvement is not None:
            self._on_improvement(seconds, cost, plan)

    def follow(self, found: Result, began: float) -> None:
        """Take over a result, and how it came about, of a search that began so late."""
        if found.cost >= self.cost:
            return
        points = [point for point in found.curve if point.cost < self.cost]
        self.curve += [Improvement(began + point.seconds, point.cost) for point in points[:-1]]
        # The last one as it was judged.
        seconds = began + points[-1].seconds if points else self.seconds
        self.curve.append(Improvement(seconds, found.cost))
        self.best, self.cost = found.solution, found.cost

    def has_reached(self, target: float | None) -> bool:
        """Whether the best plan is good enough."""
        return target is not None and self.cost <= target

    def left_of(self, budget: Budget) -> Budget | None:
        """Give what is left of the budget, None when it is used up."""
        if self.has_reached(budget.target):
            return None
        if budget.seconds is None:
            return budget
        left = budget.seconds - self.seconds
        return replace(budget, seconds=left) if left > 0 else None

    def result(
        self,
        seed: int,
        status: Status,
        iterations: int = 0,
        notes: Sequence[str] = (),
        lower_bound: float | None = None,
    ) -> Result:
        """Give the best plan as a result."""
        return Result.judged(
            self.instance,
            self.best,
            method="hybrid",
            status=status,
            seconds=self.seconds,
            seed=seed,
            iterations=iterations,
            lower_bound=lower_bound,
            curve=tuple(self.curve),
            notes=tuple(notes),
        )
