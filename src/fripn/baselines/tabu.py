"""Tabu search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fripn import _core
from fripn.baselines.first_plan import Routes
from fripn.baselines.stepwise import run_stepwise
from fripn.features import ROUTING, Feature
from fripn.incumbent import Incumbent
from fripn.problem import Instance
from fripn.result import Result
from fripn.run import Run
from fripn.settings import Size, SizeOrZero, check_fields, require


@dataclass(frozen=True, slots=True)
class Tabu:
    """Tabu search over plans that may overload vehicles at a price.

    Each iteration makes the best move of relocate (one or two customers), swap and 2-opt* between
    routes, or an improving relocate or 2-opt within one; a route always drives its cheapest type.
    Customers may not return to a route they left for a random number of iterations, unless that
    gives a new best plan. The price of overload follows how often plans are feasible. After a
    while without improvement part of the plan is taken out and put back.

    Parameters
    ----------
    num_neighbours
        Nearest customers that a move may bring together.
    min_tenure, max_tenure
        Iterations for which a return is forbidden.
    shake_after
        Iterations without improvement before the plan is shaken.

    References
    ----------
    M. Gendreau, G. Laporte, C. Musaraganyi, É. D. Taillard (1999),
    doi 10.1016/S0305-0548(98)00100-2.
    """

    name: ClassVar[str] = "tabu"
    supports: ClassVar[frozenset[Feature]] = ROUTING
    ends_by_itself: ClassVar[bool] = False

    num_neighbours: Size = 24
    min_tenure: SizeOrZero = 5
    max_tenure: SizeOrZero = 20
    shake_after: Size = 400

    def __post_init__(self) -> None:
        """Check every setting."""
        check_fields(self)
        require(
            self.min_tenure <= self.max_tenure,
            "max_tenure",
            self.max_tenure,
            f"give at least min_tenure, {self.min_tenure}",
        )

    def __call__(self, instance: Instance, run: Run) -> Result:
        """Solve the instance; see `fripn.Method`."""
        best = Incumbent(instance, run, self.name)

        def make(core: _core.Instance, first: Routes) -> _core.TabuSearch:
            settings = _core.TabuSettings()
            settings.num_neighbours = self.num_neighbours
            settings.min_tenure = self.min_tenure
            settings.max_tenure = self.max_tenure
            settings.shake_after = self.shake_after
            return _core.TabuSearch(core, settings, first, run.seed)

        return run_stepwise(best, make)
