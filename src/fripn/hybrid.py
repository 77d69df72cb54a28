"""Policy and search together: the policy's plans are where the engine starts.

Small instances are solved to the proven optimum at once. Else a first plan comes from savings.
Then the policy drafts plans within its share of the time (greedy, then sampled, over the symmetries
of the square), each repaired by the optimal split; the cheapest that differ go to the engine. Where
the policy would cost more than it brings, or cannot see the instance, the engine starts with
savings alone. The figures behind the shares are in ``docs/experiments.md``.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from fripn import _core
from fripn.core import to_core
from fripn.errors import InvalidFile
from fripn.features import ROUTING, WORKING_DAY, Feature, features_of
from fripn.incumbent import Incumbent
from fripn.messages import listed
from fripn.policy import Policy, PolicyWeights, propose
from fripn.problem import Instance, Solution
from fripn.result import Result
from fripn.run import Run
from fripn.search import PROOF, search_from, solve_exactly
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
        Seconds that it may use at most, so that a run stopped after a second has been searched
        too.
    first_share
        Share of the time limit that it may use for its first plan where there is no more than a
        millisecond per customer: there the start decides.
    min_fixed_share
        The engine starts alone where fixed costs are a smaller share of the first plan: the policy
        is good at filling vehicles, savings at short routes.
    many_types, many_types_share, many_types_limit
        With at least so many vehicle types, share and seconds of the policy are these: there the
        engine takes longer to find the fleet.
    num_plans
        Plans of the policy that the engine starts from, at most.
    max_customers
        Beyond this size the engine starts alone: savings give it the better plan there. So it does
        with limited fleets, which the policy has not learned.
    """

    name: ClassVar[str] = "hybrid"
    supports: ClassVar[frozenset[Feature]] = ROUTING | WORKING_DAY
    ends_by_itself: ClassVar[bool] = False

    weights: PolicyWeights | Path | str | None = None
    policy_share: Share = 0.05
    policy_limit: NonNegative = 0.1
    first_share: Share = 0.4
    min_fixed_share: Share = 0.75
    many_types: Size = 10
    many_types_share: Share = 0.4
    many_types_limit: NonNegative = 0.4
    num_plans: Size = 4
    max_customers: Count = 200

    def __post_init__(self) -> None:
        """Check every setting."""
        check_fields(self)

    def __call__(self, instance: Instance, run: Run) -> Result:
        """Solve the instance; see `fripn.Method`."""
        notes: list[str] = []
        policy = self._load_policy(instance, notes)
        best = Incumbent(instance, run, self.name)
        iterations = 0
        if (optimum := solve_exactly(instance)) is not None:
            best.note(*optimum)
            best.prove_optimal(PROOF)
            notes.clear()
        else:
            drafts: list[Solution] = []
            if policy is not None and self._pays(best):
                drafts = self._drafts(best, policy)
            if not best.is_over:
                start = [] if run.start is None else [run.start]
                iterations = search_from(best, [*start, *drafts], with_savings=not drafts)
        return best.result(iterations=iterations, notes=tuple(notes))

    def _load_policy(self, instance: Instance, notes: list[str]) -> Policy | None:
        """Read the weights, once per process; the clock of the run starts after it."""
        if unknown := features_of(instance) & WORKING_DAY:
            names = listed(sorted(feature.value for feature in unknown))
            notes.append(f"The engine started without the policy, which has not learned {names}.")
            return None
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

    def _pays(self, best: Incumbent) -> bool:
        """Whether the policy can be expected to have a first plan in time."""
        size, seconds = best.instance.num_customers, best.run.budget.seconds
        if size > self.max_customers or best.instance.has_limited_fleet or best.is_over:
            return False
        if seconds is None:
            return True
        share, _ = self._share_and_limit(best.instance)
        if seconds <= _SHORT * size:
            share = max(share, self.first_share)
        return first_draft_seconds(size) <= share * seconds

    def _share_and_limit(self, instance: Instance) -> tuple[float, float]:
        """Return the policy's share of the time limit, and the seconds it may use at most."""
        if instance.num_types < self.many_types:
            return self.policy_share, self.policy_limit
        return self.many_types_share, self.many_types_limit

    def _drafts(self, best: Incumbent, policy: Policy) -> list[Solution]:
        """Return the plan of savings and, where the policy may do better, its plans."""
        # A first plan, before the policy takes its time.
        first = Solution.of(_core.savings(to_core(best.instance), best.run.flag, best.seconds_left))
        evaluation = best.consider(first)
        if not evaluation.is_feasible:  # at the edge of the tolerance; the engine makes its own
            return []
        if best.is_over or evaluation.fixed_cost < self.min_fixed_share * evaluation.cost:
            return [first]
        return [first, *self._proposals(best, policy)]

    def _proposals(self, best: Incumbent, policy: Policy) -> list[Solution]:
        """Return the policy's plans that are cheaper than the one there is."""
        run = best.run
        if run.budget.seconds is None:
            seconds, samples = _NO_LIMIT, max(1, UNTIMED_VISITS // best.instance.num_customers)
        else:
            share, limit = self._share_and_limit(best.instance)
            seconds = min(share * run.budget.seconds, limit)
            samples = None
        proposals = propose(
            best.instance,
            self.num_plans,
            seconds=seconds,
            policy=policy,
            samples=samples,
            seed=run.seed,
            threads=run.threads,
            stop=run.stop,
        )
        # Plans that cost more than that of savings only crowd the population.
        cheaper = [proposal for proposal in proposals if proposal.cost < best.cost]
        for proposal in cheaper[:1]:
            best.note(proposal.plan, proposal.evaluation)
        return [proposal.plan for proposal in cheaper]


def first_draft_seconds(num_customers: int) -> float:
    """Estimate how long the policy takes for its first plan."""
    constant, linear, square = _FIRST_DRAFT
    return constant + (linear + square * num_customers) * num_customers
