"""A part: some routes of a plan, cut out as an instance of their own, and put back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fripn import _core
from fripn.budget import Budget
from fripn.core import to_core
from fripn.problem import Instance, Route, Solution, evaluate
from fripn.problem.subset import with_customers
from fripn.run import Run, Stop
from fripn.search import Hgs, search


@dataclass(frozen=True, slots=True)
class Part:
    """Work for one worker; a value that can be sent.

    Parameters
    ----------
    number
        Which part of its round it is.
    instance, start
        Its customers as a problem of their own, and their present routes.
    budget, seed
        As for `fripn.solve`.
    temperatures
        Those of annealing, at the beginning and at the end, as costs. None: the engine chooses
        them, and begins again with every round.
    """

    number: int
    instance: Instance
    start: Solution
    budget: Budget
    seed: int
    temperatures: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Improved:
    """The outcome of a part.

    Parameters
    ----------
    number
        Which part it is.
    present
        The routes to go on from, which may be costlier than those before; None: they stay.
    best
        The cheapest ones; None where nothing was cheaper than those before.
    iterations
        How many it took.
    """

    number: int
    present: Solution | None = None
    best: Solution | None = None
    iterations: int = 0


#: Annealing alone: from a good plan, in seconds, it saves most (docs/experiments.md).
ENGINE = Hgs(genetic_share=0.0, decomposition_share=0.0)

#: Annealing on one schedule: smaller ruins are so much quicker that they save more.
ANNEALING = Hgs(mean_removed=6.0)


def improve_part(part: Part, stop: Stop | None = None) -> Improved:
    """Search from the present routes of a part, until its budget is used up or the stop is set."""
    if part.temperatures is None:
        return _search(part, stop)
    first, last = part.temperatures
    start = part.start.pairs()
    present, best, iterations = _core.anneal(
        to_core(part.instance),
        ANNEALING.for_core(),
        start,
        first=first,
        last=last,
        seconds=part.budget.seconds,
        iterations=part.budget.iterations,
        seed=part.seed,
        stop=None if stop is None else stop.flag,
    )
    cheaper = None if best == start else Solution.of(best)
    return Improved(part.number, Solution.of(present), cheaper, iterations)


def _search(part: Part, stop: Stop | None) -> Improved:
    run = Run(budget=part.budget, seed=part.seed, start=part.start, stop=stop)
    result = search(part.instance, run, settings=ENGINE, with_savings=False)
    if not result.cost < evaluate(part.instance, part.start).cost:
        return Improved(part.number, iterations=result.iterations)
    return Improved(part.number, result.solution, result.solution, result.iterations)


def give_up(part: Part) -> Improved:
    """Return the outcome of a part whose worker died: its routes stay as they are."""
    return Improved(part.number)


@dataclass(frozen=True, slots=True)
class Cut:
    """Some routes as a problem of their own, and its customers as the whole instance has them."""

    instance: Instance
    plan: Solution
    customers: tuple[int, ...]

    def original_routes(self, plan: Solution) -> list[Route]:
        """Return the routes of a plan of this problem, with the customers of the whole."""
        return [
            Route(route.vehicle_type, tuple(self.customers[stop - 1] for stop in route.customers))
            for route in plan.routes
        ]


def cut_out(
    instance: Instance, plan: Solution, groups: Sequence[Sequence[int]], rng: np.random.Generator
) -> list[Cut]:
    """Return groups of routes as problems of their own.

    Of a type with limited vehicles a part has those that its routes use, and each vehicle that no
    route uses goes to a part drawn at random, by the numbers of customers.
    """
    hired = [Counter(plan.routes[index].vehicle_type for index in group) for group in groups]
    sizes = np.array(
        [sum(len(plan.routes[index].customers) for index in group) for group in groups]
    )
    free = np.zeros((len(groups), instance.num_types), dtype=int)
    for vehicle_type, offered in enumerate(instance.vehicle_types):
        if offered.available is not None:
            unused = offered.available - sum(count[vehicle_type] for count in hired)
            free[:, vehicle_type] = rng.multinomial(unused, sizes / sizes.sum())
    parts = []
    for number, group in enumerate(groups):
        routes = [plan.routes[index] for index in group]
        customers = sorted(customer for route in routes for customer in route.customers)
        types = tuple(
            offered
            if offered.available is None
            else offered.replace(available=hired[number][index] + int(free[number, index]))
            for index, offered in enumerate(instance.vehicle_types)
        )
        place = {customer: index for index, customer in enumerate(customers, start=1)}
        start = Solution(
            tuple(
                Route(route.vehicle_type, tuple(place[customer] for customer in route.customers))
                for route in routes
            )
        )
        problem = with_customers(instance, customers).replace(vehicle_types=types)
        parts.append(Cut(problem, start, tuple(customers)))
    return parts
