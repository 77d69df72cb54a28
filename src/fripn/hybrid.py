"""Policy and search together: the policy's plans are where the engine starts.

Small instances are solved to the proven optimum at once. Else a first plan comes from savings.
Then the policy drafts plans within its share of the time (greedy, then sampled, over the symmetries
of the square), each repaired by the optimal split; the cheapest that differ go to the engine. Where
the policy would cost more than it brings, or cannot see the instance, the engine starts with
savings alone. The figures behind the shares are in ``docs/experiments.md``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from fripn import _core
from fripn.budget import Budget
from fripn.errors import InvalidFile
from fripn.incumbent import Incumbent
from fripn.policy import Policy, PolicyWeights, propose
from fripn.problem import Instance, Solution, evaluate
from fripn.result import Improvement, OnImprovement, Result, Status
from fripn.search import Hgs, core_instance, search, solve_exactly
from fripn.settings import Count, NonNegative, Share, Size, check_fields

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
    policy_share: Share = 0.05
    policy_limit: NonNegative = 0.1
    first_share: Share = 0.4
    min_fixed_share: Share = 0.75
    num_plans: Size = 4
    max_customers: Count = 200

    def __post_init__(self) -> None:
        """Check every setting."""
        check_fields(self)

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
        run = Incumbent(instance, budget, start, on_improvement)
        try:
            optimum = solve_exactly(instance)
            if optimum is not None:
                run.offer(optimum)
                return run.result("hybrid", status=Status.OPTIMAL, seed=seed, lower_bound=run.cost)
            drafts: list[Solution] = []
            if policy is not None and self._pays(run, budget):
                drafts = self._drafts(run, policy, budget, seed, threads)
            left = _rest(run, budget)
            if left is None:
                return run.result("hybrid", seed=seed, notes=tuple(notes))
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
            if run.solution is None:
                raise
            return run.result("hybrid", status=Status.INTERRUPTED, seed=seed, notes=tuple(notes))
        if found.cost > run.cost:
            return run.result(
                "hybrid",
                status=found.status,
                seed=seed,
                iterations=found.iterations,
                notes=(*notes, *found.notes),
            )
        if on_improvement is None:
            _follow(run, found, began)
        elif found.solution is not None:
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

    def _pays(self, run: Incumbent, budget: Budget) -> bool:
        """Whether the policy can be expected to have a first plan in time."""
        size = run.instance.num_customers
        if size > self.max_customers or run.reached_target:
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
        run: Incumbent,
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
        if run.reached_target:
            return [first]
        if judged.fixed_cost < self.min_fixed_share * judged.cost:
            return [first]
        return [first, *self._proposals(run, policy, budget, seed, threads)]

    def _proposals(
        self,
        run: Incumbent,
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


def _follow(run: Incumbent, found: Result, began: float) -> None:
    """Take over a result, and how it came about, of a search that began so late."""
    if found.cost >= run.cost:
        return
    points = [point for point in found.curve if point.cost < run.cost]
    run.curve += [Improvement(began + point.seconds, point.cost) for point in points[:-1]]
    # The last one as it was judged.
    seconds = began + points[-1].seconds if points else run.seconds
    run.curve.append(Improvement(seconds, found.cost))


def _rest(run: Incumbent, budget: Budget) -> Budget | None:
    """Give what is left of the budget, None when it is used up."""
    if run.is_over:
        return None
    return budget if budget.seconds is None else replace(budget, seconds=run.seconds_left)
