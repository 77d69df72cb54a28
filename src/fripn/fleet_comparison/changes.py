"""The problem behind each change of the fleet, and what its result says about the true one."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from fripn.errors import InvalidInstance
from fripn.fleet_comparison.comparison import NOT_FOUND, Change, hired_counts
from fripn.problem import Instance, Route, Solution, evaluate
from fripn.result import Result, Status

#: A scenario at work: yields its problem, if it has one, is sent the result (None when its process
#: died), and returns what came of it.
Planning = Generator[Instance, Result | None, "Attempt"]


class Attempt(NamedTuple):
    """A plan under one change, or the reason why there is none, and a bound if one was proven."""

    solution: Solution | None
    reason: str = ""
    bound: float | None = None


def plan_change(instance: Instance, best: Result, change: Change, vehicle_type: int) -> Planning:
    """Plan under one change."""
    assert best.solution is not None
    count = hired_counts(best.solution)[vehicle_type]
    others = [index for index in range(instance.num_types) if index != vehicle_type]
    if change == "without":
        if not count:
            return Attempt(best.solution, "not hired anyway")
        if not others:
            return Attempt(None, "it is the only type")
        return (yield from _plan_with_types(instance, others))
    if change == "only":
        return (yield from _plan_with_types(instance, [vehicle_type]))
    if change == "fewer":
        return (yield from _plan(_with_type(instance, vehicle_type, available=count - 1)))
    limit = instance.vehicle_types[vehicle_type].available
    if limit is not None and count + 1 > limit:
        return Attempt(None, f"only {limit} available")
    return (yield from _plan_one_more(instance, best.solution, vehicle_type))


def _plan_with_types(instance: Instance, kept: Sequence[int]) -> Planning:
    try:
        smaller = instance.with_types(kept)
    except InvalidInstance as error:
        # What follows the semicolon is advice on correcting the file, which is right here.
        return Attempt(None, str(error).split("; ")[0])
    attempt = yield from _plan(smaller)
    if attempt.solution is None:
        return attempt
    routes = attempt.solution.routes
    solution = Solution(tuple(Route(kept[route.vehicle_type], route.customers) for route in routes))
    return attempt._replace(solution=solution)


class InterruptedScenario(Exception):
    """A scenario was cut short."""


def _plan(problem: Instance | None) -> Planning:
    if problem is None:
        return Attempt(None, "the vehicles left cannot carry everything")
    result = yield problem
    if result is None:
        return Attempt(None, NOT_FOUND)
    if result.status is Status.INTERRUPTED:
        # An interrupted scenario is left out: it would look more expensive than it is.
        raise InterruptedScenario
    reason = "" if result.solution is not None else NOT_FOUND
    return Attempt(result.solution, reason, result.lower_bound)


def _with_type(instance: Instance, vehicle_type: int, **changes: Any) -> Instance | None:
    """Change one vehicle type; None when the fleet cannot serve all customers then."""
    types = list(instance.vehicle_types)
    types[vehicle_type] = types[vehicle_type].replace(**changes)
    try:
        return instance.replace(vehicle_types=tuple(types))
    except InvalidInstance:
        return None


def _plan_one_more(instance: Instance, best: Solution, vehicle_type: int) -> Planning:
    wanted = hired_counts(best)[vehicle_type] + 1
    candidates = list(_one_route_more(instance, best, vehicle_type))
    offered = _with_type(instance, vehicle_type, available=wanted, fixed_cost=0.0)
    attempt = yield from _plan(offered)
    if attempt.solution is not None and hired_counts(attempt.solution)[vehicle_type] == wanted:
        candidates.append(attempt.solution)
    valid = [plan for plan in candidates if evaluate(instance, plan).is_feasible]
    if not valid:
        return Attempt(None, "no plan was found that uses one more")
    # A plan that hires them all pays their fixed costs on top of its cost in the changed problem.
    price = wanted * instance.vehicle_types[vehicle_type].fixed_cost
    bound = None if attempt.bound is None else attempt.bound + price
    return Attempt(min(valid, key=lambda plan: evaluate(instance, plan).cost), "", bound)


def _one_route_more(instance: Instance, best: Solution, vehicle_type: int) -> Iterator[Solution]:
    """Yield plans with one more route of a type that differ from a plan in one of its routes.

    For each route only the cheapest such change is yielded.
    """
    limits = np.array(instance.vehicle_types[vehicle_type].load_limits)
    for place, route in enumerate(best.routes):
        rest = best.routes[:place] + best.routes[place + 1 :]
        changed: list[tuple[Route, ...]] = []
        if route.vehicle_type != vehicle_type:
            changed.append((Route(vehicle_type, route.customers),))
        for cut in range(1, len(route.customers)):
            head, tail = route.customers[:cut], route.customers[cut:]
            changed.append((Route(vehicle_type, head), Route(route.vehicle_type, tail)))
            changed.append((Route(route.vehicle_type, head), Route(vehicle_type, tail)))
        fitting = [
            routes
            for routes in changed
            if all(
                np.all(instance.load_matrix[list(part.customers)].sum(axis=0) <= limits)
                for part in routes
                if part.vehicle_type == vehicle_type
            )
        ]
        if fitting:
            cheapest = min(fitting, key=lambda routes: _rank_of_routes(instance, routes))
            yield Solution(rest + cheapest)


def _rank_of_routes(instance: Instance, routes: tuple[Route, ...]) -> tuple[int, float]:
    """Return the broken limits of the routes and their cost: feasible ones come first."""
    evaluation = evaluate(instance, Solution(routes))
    broken = sum(violation.route is not None for violation in evaluation.violations)
    return broken, evaluation.cost
