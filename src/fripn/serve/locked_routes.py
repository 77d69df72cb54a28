"""Improve a plan while some of its routes stay as they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from fripn.errors import InvalidSolution
from fripn.problem import Instance, Route, Solution, evaluate
from fripn.problem.subset import with_customers


@dataclass(frozen=True, slots=True)
class OpenPart:
    """What is left to plan once some routes are locked.

    Parameters
    ----------
    instance
        The customers of the other routes, with the vehicles that the locked routes leave.
    customers
        Their numbers in the whole problem; the first of them is customer 1 of the part.
    locked
        The routes that stay.
    locked_cost
        What these cost.
    """

    instance: Instance
    customers: tuple[int, ...]
    locked: tuple[Route, ...]
    locked_cost: float

    def whole(self, part: Solution) -> Solution:
        """Return a plan of the part together with the locked routes, which come first."""
        routes = [
            Route(route.vehicle_type, tuple(self.customers[stop - 1] for stop in route.customers))
            for route in part.routes
        ]
        return Solution((*self.locked, *routes))


def without_locked(instance: Instance, plan: Solution, locked: Sequence[int]) -> OpenPart:
    """Return what is left to plan.

    Parameters
    ----------
    instance, plan
        The problem and the plan whose routes are locked.
    locked
        Indices of its routes.

    Raises
    ------
    InvalidSolution
        When there is no such route, a locked one breaks a rule, or all customers are on them.
    InvalidInstance
        When the vehicles that are left cannot serve the other customers.
    """
    for index in locked:
        if not 0 <= index < len(plan.routes):
            raise InvalidSolution(
                f"route {{value}} is locked, but the plan has the routes 0 to "
                f"{len(plan.routes) - 1}",
                field="locked",
                value=index,
                remedy="lock routes of the plan to start from",
            )
    kept = tuple(plan.routes[index] for index in sorted(set(locked)))
    evaluation = evaluate(instance, Solution(kept))
    for violation in evaluation.violations:
        if violation.code.value != "missing":
            raise InvalidSolution(
                f"a locked route breaks a rule: {violation.message}",
                field="locked",
                value=violation.code.value,
                remedy="unlock the route or correct it",
            )
    served = {customer for route in kept for customer in route.customers}
    others = tuple(c for c in range(1, instance.num_customers + 1) if c not in served)
    if not others:
        raise InvalidSolution(
            "all customers are on locked routes",
            field="locked",
            value=sorted(set(locked)),
            remedy="unlock a route",
        )
    used = Counter(route.vehicle_type for route in kept if route.customers)
    return OpenPart(_part(instance, others, used), others, kept, evaluation.cost)


def _part(instance: Instance, customers: tuple[int, ...], used: Counter[int]) -> Instance:
    """Return the instance with some of the customers, and without the vehicles in use."""
    types = tuple(
        vehicle
        if vehicle.available is None
        else vehicle.replace(available=vehicle.available - used[index])
        for index, vehicle in enumerate(instance.vehicle_types)
    )
    return with_customers(instance, customers).replace(vehicle_types=types)


def renumbered(plan: Solution, locked: Sequence[int], part: OpenPart) -> Solution:
    """Return the routes of a plan that are not locked, as a plan of the part."""
    number = {customer: place for place, customer in enumerate(part.customers, start=1)}
    return Solution(
        tuple(
            Route(route.vehicle_type, tuple(number[c] for c in route.customers if c in number))
            for index, route in enumerate(plan.routes)
            if index not in set(locked) and route.customers
        )
    )
