"""Adaptive large neighbourhood search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fripn import _core
from fripn.baselines.first_plan import Routes
from fripn.baselines.stepwise import UNLIMITED_STALL, run_stepwise
from fripn.features import ROUTING, Feature
from fripn.incumbent import Incumbent
from fripn.problem import Instance
from fripn.result import Result
from fripn.run import Run
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

    name: ClassVar[str] = "alns"
    supports: ClassVar[frozenset[Feature]] = ROUTING
    ends_by_itself: ClassVar[bool] = False

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

    def __call__(self, instance: Instance, run: Run) -> Result:
        """Solve the instance; see `fripn.Method`."""
        best = Incumbent(instance, run, self.name)

        def make(core: _core.Instance, first: Routes) -> _core.AlnsSearch:
            settings = _core.AlnsSettings()
            settings.min_removed = self.min_removed
            settings.max_removed = self.max_removed
            settings.max_share = self.max_share
            settings.start_temperature = self.start_temperature
            settings.end_temperature = self.end_temperature
            settings.decay = self.decay
            if run.budget.iterations is not None:
                settings.cycle = run.budget.iterations
            elif run.budget.seconds is None:
                settings.cycle = UNLIMITED_STALL
            return _core.AlnsSearch(core, settings, first, run.seed)

        return run_stepwise(best, make)
