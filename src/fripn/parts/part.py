"""A part: some routes of a plan, cut out as an instance of their own, and put back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fripn.budget import Budget
from fripn.problem import Instance, Route, Solution, evaluate
from fripn.problem.subset import with_customers
from fripn.run import Run
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
    """

    number: int
    instance: Instance
    start: Solution
    budget: Budget
    seed: int


@dataclass(frozen=True, slots=True)
class Improved:
    """What became of a part: a cheaper plan, or None, and what it saves."""

    number: int
    plan: Solution | None
    saving: float = 0.0
    iterations: int = 0


#: Annealing alone: from a good plan, in seconds, it saves most (docs/experiments.md).
ENGINE = Hgs(genetic_share=0.0, decomposition_share=0.0)


def improve_part(part: Part) -> Improved:
    """Search from the present routes of a part."""
    run = Run(budget=part.budget, seed=part.seed, start=part.start)
    before = evaluate(part.instance, part.start).cost
    result = search(part.instance, run, settings=ENGINE, with_savings=False)
    saving = before - result.cost
    plan = result.solution if saving > 0 else None
    return Improved(part.number, plan, max(saving, 0.0), result.iterations)


def give_up(part: Part) -> Improved:
    """Return the outcome of a part whose worker died: its routes stay as they are."""
    return Improved(part.number, None)


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
