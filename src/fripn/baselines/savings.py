"""The method that always answers at once."""

from __future__ import annotations

import time
from dataclasses import dataclass

from fripn import _core
from fripn.budget import Budget
from fripn.problem import Instance, Solution, evaluate
from fripn.result import Improvement, OnImprovement, Result, Status
from fripn.search.core_instance import core_instance


@dataclass(frozen=True, slots=True)
class Savings:
    """Clarke and Wright's savings, finished by the optimal split.

    Savings run once per vehicle capacity; the giant tour of each outcome is cut again, with types,
    by the dynamic program of `fripn.search.split`, and the cheapest plan wins. Limits on the fleet
    are kept. It ends in milliseconds, so the budget is not consulted, and it involves no chance.

    References
    ----------
    .. [1] G. Clarke and J. W. Wright (1964), doi 10.1287/opre.12.4.568.
    .. [2] C. Prins (2004), doi 10.1016/S0305-0548(03)00158-8.
    """

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
        began = time.perf_counter()
        routes = _core.savings(core_instance(instance))
        plans = [Solution.of(routes)] if routes else []
        if start is not None and evaluate(instance, start).is_feasible:
            plans.append(start)
        solution = min(plans, key=lambda plan: evaluate(instance, plan).cost, default=None)
        seconds = time.perf_counter() - began
        curve: tuple[Improvement, ...] = ()
        if solution is not None:
            cost = evaluate(instance, solution).cost
            curve = (Improvement(seconds, cost),)
            if on_improvement is not None:
                on_improvement(seconds, cost, solution)
        return Result.judged(
            instance,
            solution,
            method="savings",
            status=Status.FEASIBLE,
            seconds=time.perf_counter() - began,
            seed=seed,
            iterations=1,
            curve=curve,
        )
