"""Policy and search together: the policy's plans are where the engine starts.

Small instances are solved to the proven optimum at once. Else a first plan comes from savings.
Then the policy drafts plans within its share of the time (greedy, then sampled, over the symmetries
of the square), each repaired by the optimal split; the cheapest that differ go to the engine. Where
the policy would cost more than it brings, or cannot see the instance, the engine starts alone. The
figures behind the shares are in ``docs/experiments.md``.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from fripn import _core
from fripn.budget import Budget
from fripn.errors import InvalidFile, Unsupported
from fripn.policy import Policy, PolicyWeights, propose
from fripn.problem import Instance, Solution, evaluate
from fripn.result import Improvement, OnImprovement, Result, Status
from fripn.search import core_instance, search, solve_exactly

#: Where iterations, not seconds, limit the run, the policy visits about so many customers per
#: symmetry.
UNTIMED_VISITS = 1000

#: Encoding one symmetry and decoding it once take about this long (seconds), on a slow core.
#: It only decides whether to try: what follows is timed.
_FIRST_DRAFT = (3e-3, 2e-5, 3e-7)

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
    first_share
        Share of the time limit that it may use for its first plan: in so little time that the
        share above has no room for one, a plan of the policy is the best start there is.
    num_plans
        Plans of the policy that the engine starts from, at most.
    max_customers
        Beyond this size the engine starts alone: savings give it the better plan there. So it does
        with limited fleets, which the policy has not learned.
    """

    weights: PolicyWeights | Path | str | None = None
    policy_share: float = 0.05
    first_share: float = 0.4
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
        policy = self._load_policy(notes)
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
                # The policy takes its time: something should be there before.
                routes = _core.savings(core_instance(instance))
                if routes:
                    run.offer(Solution.of(routes))
                if not run.has_reached(budget.target):
                    drafts = self._draft(run, policy, budget, seed, threads, notes)
            left = run.left_of(budget)
            if left is None:
                return run.result(seed, Status.FEASIBLE, notes=notes)
            began = run.seconds
            found = search(
                instance,
                left,
                seed=seed,
                threads=threads,
                initial=[*([run.best] if run.best is not None else []), *drafts],
                on_improvement=lambda seconds, cost, plan: run.offer(plan, began + seconds),
            )
        except KeyboardInterrupt:
            if run.best is None:
                raise
            return run.result(seed, Status.INTERRUPTED, notes=notes)
        if found.cost > run.cost:
            return run.result(seed, found.status, found.iterations, (*notes, *found.notes))
        run.note(found.cost, found.solution)
        # The plan has passed `evaluate` once; a second time would cost large instances their time.
        return replace(
            found,
            method="hybrid",
            seconds=run.seconds,
            curve=tuple(run.curve),
            notes=(*notes, *found.notes),
        )

    def _load_policy(self, notes: list[str]) -> Policy | None:
        """Read the weights, once per process; the clock of the run starts after it."""
        try:
            weights = Policy(weights=self.weights).loaded_weights()
        except InvalidFile as error:
            if self.weights is not None:
                raise
            notes.append(f"The engine started without the policy: {error}.")
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
        most = max(self.first_share, self.policy_share) * budget.seconds
        return first_draft_seconds(size) <= most

    def _draft(
        self,
        run: _Run,
        policy: Policy,
        budget: Budget,
        seed: int,
        threads: int,
        notes: list[str],
    ) -> list[Solution]:
        """Give the policy's plans that are worth starting from."""
        if budget.seconds is None:
            seconds, samples = _NO_LIMIT, max(1, UNTIMED_VISITS // run.instance.num_customers)
        else:
            seconds, samples = self.policy_share * budget.seconds, None
        try:
            proposals = propose(
                run.instance,
                self.num_plans,
                seconds=seconds,
                policy=policy,
                samples=samples,
                seed=seed,
                threads=threads,
            )
        except Unsupported as error:
            notes.append(f"The engine started without the policy: {error}.")
            return []
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
