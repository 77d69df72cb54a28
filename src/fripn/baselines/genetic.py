"""A permutation genetic algorithm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from fripn import _core
from fripn.baselines.first_plan import Routes
from fripn.baselines.stepwise import run_stepwise
from fripn.features import ROUTING, Feature
from fripn.incumbent import Incumbent
from fripn.problem import Instance
from fripn.result import Result
from fripn.run import Run
from fripn.settings import LARGEST_SIZE, Range, Share, Size, check_fields


@dataclass(frozen=True, slots=True)
class GeneticAlgorithm:
    """Giant tours bred by order crossover, cut by the optimal split, mutated by local search.

    A child replaces a member of the worse half unless its cost is already there. After many
    children without improvement most of the population is drawn again. Iterations are children.

    Parameters
    ----------
    population
        Members at any time.
    mutation_rate
        Chance that a child goes through local search.
    num_neighbours
        Nearest customers that a move of the local search may bring together.
    renew_after
        Children without improvement before most members are replaced by new ones.

    References
    ----------
    C. Prins (2004), doi 10.1016/S0305-0548(03)00158-8.
    """

    name: ClassVar[str] = "genetic"
    supports: ClassVar[frozenset[Feature]] = ROUTING
    ends_by_itself: ClassVar[bool] = False

    population: Annotated[int, Range(least=2, most=LARGEST_SIZE)] = 30
    mutation_rate: Share = 0.5
    num_neighbours: Size = 24
    renew_after: Size = 3000

    def __post_init__(self) -> None:
        """Check every setting."""
        check_fields(self)

    def __call__(self, instance: Instance, run: Run) -> Result:
        """Solve the instance; see `fripn.Method`."""
        best = Incumbent(instance, run, self.name)

        def make(core: _core.Instance, first: Routes) -> _core.Genetic:
            settings = _core.GeneticSettings()
            settings.population = self.population
            settings.mutation_rate = self.mutation_rate
            settings.num_neighbours = self.num_neighbours
            settings.renew_after = self.renew_after
            return _core.Genetic(core, settings, first, run.seed)

        return run_stepwise(best, make)
