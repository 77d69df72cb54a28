"""The method of docs/howto/own-method.md; name it as examples.own_method:RandomTours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fripn import Feature, Instance, Result, Run
from fripn.incumbent import Incumbent
from fripn.search import local_search, split


@dataclass(frozen=True, slots=True)
class RandomTours:
    """Random tours, cut at the least cost.

    Parameters
    ----------
    improve
        Whether local search improves each plan.
    """

    name: ClassVar[str] = "random tours"
    supports: ClassVar[frozenset[Feature]] = frozenset({Feature.ASYMMETRIC, Feature.NO_COORDINATES})
    ends_by_itself: ClassVar[bool] = False

    improve: bool = False

    def __call__(self, instance: Instance, run: Run) -> Result:
        """Solve the instance; see `fripn.Method`."""
        best = Incumbent(instance, run, self.name)
        rng = np.random.default_rng(run.seed)
        most = run.budget.iterations or float("inf")
        iterations = 0
        while iterations < most and not best.is_over:
            plan = split(instance, 1 + rng.permutation(instance.num_customers))
            best.take(local_search(instance, plan) if self.improve else plan)
            iterations += 1
        return best.result(iterations=iterations)
