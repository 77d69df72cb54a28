"""Adaptive large neighbourhood search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fripn import _core
from fripn.baselines.first_plan import Routes
from fripn.baselines.stepwise import DEFAULT_STALL, run_stepwise
from fripn.budget import Budget
from fripn.incumbent import Incumbent
from fripn.problem import Instance, Solution
from fripn.result import OnImprovement, Result
from fripn.settings import NonNegative, Share, Size, check_fields, require


@dataclass(frozen=True, slots=True)
class AdaptiveLargeNeighbourhoodSearch:
    """Destroy and repair with adaptive weights and simulated annealing.

    Destroy: random, worst, related (Shaw), route and string removal. Repair: greedy, regret-2 and
    regret-3 insertion, where a route's cost is that of its cheapest type; now and then routes keep
    their vehicles, or some are hired in advance, while customers return. The temperature falls
    with the iterations if their number is limited, else with the time.

    Parameters
    ----------
    min_removed, max_removed
        Customers removed per iteration, within `max_share` of all.
    max_share
        See above.
    start_temperature, end_temperature
        As multiples of the first plan's cost per customer.
    decay
        Share of its weight that an operator keeps each time it is used.

    References
    ----------
    S. Ropke and D. Pisinger (2006), doi 10.1287/trsc.1050.0135.
    """

    default_stall: ClassVar[int] = DEFAULT_STALL

    min_removed: Size = 2
    max_removed: Size = 30
    max_share: Share = 0.4
    start_temperature: NonNegative = 0.3
    end_temperature: NonNegative = 0.03
    decay: Share = 0.99

    def __post_init__(self) -> None:
        """Check every setting."""
        check_fields(self)
        require(
            self.min_removed <= self.max_removed,
            "max_removed",
            self.max_removed,
            f"give at least min_removed, {self.min_removed}",
        )

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

        def make(core: _core.Instance, first: Routes) -> _core.AlnsSearch:
            settings = _core.AlnsSettings()
            settings.min_removed = self.min_removed
            settings.max_removed = self.max_removed
            settings.max_share = self.max_share
            settings.start_temperature = self.start_temperature
            settings.end_temperature = self.end_temperature
            settings.decay = self.decay
            if budget.iterations is not None:
                settings.cycle = budget.iterations
            elif budget.seconds is None:
                settings.cycle = DEFAULT_STALL
            return _core.AlnsSearch(core, settings, first, seed)

        return run_stepwise("alns", instance, budget, best, make, seed=seed)
