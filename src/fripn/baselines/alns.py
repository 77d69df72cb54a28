"""Adaptive large neighbourhood search, on the loop of the `alns` package."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from alns import ALNS
from alns.select import RouletteWheel

from fripn import _core
from fripn.baselines.incumbent import Incumbent
from fripn.baselines.stepwise import DEFAULT_STALL, first_plan
from fripn.budget import Budget
from fripn.problem import Instance, Solution
from fripn.result import OnImprovement, Result, Status
from fripn.search import core_instance

#: The package keeps a record of every iteration; a new run after so many lets go of it.
_LEG = 20_000


@dataclass(frozen=True, slots=True)
class AdaptiveLargeNeighbourhoodSearch:
    """Destroy and repair with adaptive weights and simulated annealing.

    Destroy: random, worst, related (Shaw), route and string removal. Repair: greedy and regret-2
    and -3 insertion, where a route's cost is that of its cheapest type. The operators are native;
    loop and roulette wheel are those of the `alns` package. The temperature falls with the time or
    the iterations used.

    Parameters
    ----------
    min_removed, max_removed
        Customers removed per iteration; never more than `max_share` of them, at least 2.
    max_share
        See above.
    start_gap, end_gap
        Temperatures as fractions of the first plan's cost per customer.
    scores
        Weights earned by a new best, a better, an accepted and a rejected plan.
    decay
        How slowly weights forget.

    References
    ----------
    S. Ropke and D. Pisinger (2006), doi 10.1287/trsc.1050.0135.
    N. A. Wouda and L. Lan (2023), doi 10.21105/joss.05028.
    """

    min_removed: int = 2
    max_removed: int = 30
    max_share: float = 0.4
    start_gap: float = 0.05
    end_gap: float = 0.0005
    scores: tuple[float, float, float, float] = (10.0, 5.0, 2.0, 0.5)
    decay: float = 0.9

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
        """Solve the instance within the budget (see `Method`)."""
        best = Incumbent(instance, budget, start, on_improvement)
        core = core_instance(instance)
        routes = first_plan(instance, core, best, seed=seed)
        neighbourhood = _core.LargeNeighbourhood(core, seed=seed)
        current = _State(neighbourhood.evaluate(core, routes or []))
        clock = _Clock(best, budget)
        scale = current.objective() / instance.num_customers
        accept = _Annealing(clock, self.start_gap * scale, self.end_gap * scale)
        loop = ALNS(np.random.default_rng(seed))
        for name, destroy in _DESTROY.items():
            loop.add_destroy_operator(self._destroyer(instance, destroy), name)
        for name, repair in _REPAIR.items():
            loop.add_repair_operator(_repairer(neighbourhood, repair), name)
        loop.on_best(lambda state, rng: clock.note_best(state))
        select = RouletteWheel(list(self.scores), self.decay, len(_DESTROY), len(_REPAIR))
        status = Status.FEASIBLE
        try:
            while not clock.is_over:
                leg_ends = clock.iterations + _LEG
                stop = clock.stop_at(leg_ends)
                loop.iterate(current, select, accept, stop)
                current = accept.current or current
        except KeyboardInterrupt:
            status = Status.INTERRUPTED
        return best.result("alns", status=status, seed=seed, iterations=clock.iterations)

    def _destroyer(
        self, instance: Instance, destroy: _core.Destroy
    ) -> Callable[[_State, np.random.Generator], _Destroyed]:
        most = min(self.max_removed, int(self.max_share * instance.num_customers))
        low = min(self.min_removed, instance.num_customers)
        high = max(low, most)

        def operator(state: _State, rng: np.random.Generator) -> _Destroyed:
            return _Destroyed(state, destroy, int(rng.integers(low, high + 1)))

        return operator


_DESTROY = {
    "random": _core.Destroy.RANDOM,
    "worst": _core.Destroy.WORST,
    "related": _core.Destroy.RELATED,
    "route": _core.Destroy.ROUTE,
    "string": _core.Destroy.STRING,
}
_REPAIR = {
    "greedy": _core.Repair.GREEDY,
    "regret-2": _core.Repair.REGRET2,
    "regret-3": _core.Repair.REGRET3,
}


class _State:
    """A plan as the package wants it: something with an objective."""

    __slots__ = ("_cost", "plan")

    def __init__(self, plan: _core.LnsPlan) -> None:
        self.plan = plan
        self._cost: float = plan.cost

    def objective(self) -> float:
        return self._cost


@dataclass(frozen=True, slots=True)
class _Destroyed:
    """A plan and what is to leave it; the core destroys and repairs in one call."""

    state: _State
    destroy: _core.Destroy
    num_removed: int


def _repairer(
    neighbourhood: _core.LargeNeighbourhood, repair: _core.Repair
) -> Callable[[_Destroyed, np.random.Generator], _State]:
    def operator(destroyed: _Destroyed, rng: np.random.Generator) -> _State:
        return _State(
            neighbourhood.rebuild(
                destroyed.state.plan, destroyed.destroy, repair, destroyed.num_removed
            )
        )

    return operator


class _Clock:
    """Iterations, and how much of the budget is used."""

    def __init__(self, best: Incumbent, budget: Budget) -> None:
        self._best, self._budget = best, budget
        open_ended = budget.is_open_ended and budget.target is None
        self._stall = DEFAULT_STALL if open_ended else budget.stall
        self._last_improvement = 0
        self.iterations = 0

    @property
    def progress(self) -> float:
        """Share of the budget that is used, from 0 to 1; cyclic when only a target would end it."""
        shares = []
        if self._budget.seconds is not None:
            shares.append(self._best.seconds / self._budget.seconds)
        if self._budget.iterations:
            shares.append(self.iterations / self._budget.iterations)
        return min(1.0, max(shares, default=self.iterations % DEFAULT_STALL / DEFAULT_STALL))

    @property
    def is_over(self) -> bool:
        limit = self._budget.iterations
        return (
            (limit is not None and self.iterations >= limit)
            or (self._stall is not None and self.iterations - self._last_improvement >= self._stall)
            or self._best.is_over
        )

    def stop_at(self, iteration: int) -> Callable[[Any, Any, Any], bool]:
        def stop(rng: Any, best: Any, current: Any) -> bool:
            if self.iterations >= iteration or self.is_over:
                return True
            self.iterations += 1
            return False

        return stop

    def note_best(self, state: _State) -> None:
        if state.plan.is_complete and self._best.offer(Solution.of(state.plan.routes())):
            self._last_improvement = self.iterations


class _Annealing:
    """Accepts worse plans with a chance that falls as the budget is used up."""

    def __init__(self, clock: _Clock, first: float, last: float) -> None:
        self._clock, self._first, self._last = clock, max(first, 1e-300), max(last, 1e-300)
        self.current: _State | None = None

    def __call__(
        self, rng: np.random.Generator, best: _State, current: _State, candidate: _State
    ) -> bool:
        temperature = self._first * (self._last / self._first) ** self._clock.progress
        change = candidate.objective() - current.objective()
        accepted = change <= 0.0 or rng.random() < math.exp(-change / temperature)
        # The package gives back its best plan at the end of a leg; the next goes on from here.
        self.current = candidate if accepted else current
        return accepted
