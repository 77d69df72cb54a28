"""Savings: a plan within milliseconds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fripn import _core
from fripn.baselines.first_plan import Routes, fit_into_fleet
from fripn.core import to_core
from fripn.features import ROUTING, WORKING_DAY, Feature
from fripn.incumbent import Incumbent
from fripn.problem import Instance, Solution
from fripn.result import Result
from fripn.run import Run


@dataclass(frozen=True, slots=True)
class Savings:
    """Clarke and Wright's savings, finished by the optimal split.

    Savings run once per vehicle capacity; the giant tour of each outcome is cut again, with types,
    by the dynamic program of `fripn.search.split`, and the cheapest plan wins. Limits on the fleet
    are kept; where no tour can be cut within them, customers are inserted until all have room.
    Where times, access or several depots matter there is no split: two routes are joined where that
    is cheaper with the best types, or customers are inserted one by one, whichever gives the
    cheaper plan. It ends in milliseconds and is deterministic; only a limited fleet of many types
    takes longer, and there a time limit ends it with the best plan so far.

    References
    ----------
    .. [1] G. Clarke and J. W. Wright (1964), doi 10.1287/opre.12.4.568.
    .. [2] C. Prins (2004), doi 10.1016/S0305-0548(03)00158-8.
    """

    name: ClassVar[str] = "savings"
    supports: ClassVar[frozenset[Feature]] = ROUTING | WORKING_DAY
    ends_by_itself: ClassVar[bool] = True

    def __call__(self, instance: Instance, run: Run) -> Result:
        """Solve the instance; see `fripn.Method`."""
        best = Incumbent(instance, run, self.name)
        core = to_core(instance)
        routes: Routes | None = _core.savings(core, run.flag, best.seconds_left)
        if not routes and instance.has_limited_fleet and not core.has_day and not best.is_over:
            routes = fit_into_fleet(core, best)
        if routes:
            best.take(Solution.of(routes))
        return best.result(iterations=1)
