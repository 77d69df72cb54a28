"""The proven optimum of a working day with a handful of customers, by enumeration."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations

from fripn.problem import Instance, Solution, evaluate
from fripn.problem.violations import ViolationCode

#: With more customers, or more vehicle types, there are too many routes to try them all at once.
MAX_CUSTOMERS = 5
MAX_TYPES = 8

#: What a route breaks, every longer route that begins with it breaks, too. Ends and durations need
#: not: where travel times do not keep the triangle inequality, a longer route may be over sooner.
_LASTING = {
    ViolationCode.OVERLOAD,
    ViolationCode.NO_ACCESS,
    ViolationCode.TOO_MANY_STOPS,
    ViolationCode.TOO_LATE,
}

#: A rule of the whole plan, not of a route.
_OF_PLANS = {ViolationCode.REPEATED, ViolationCode.MISSING, ViolationCode.TOO_MANY_VEHICLES}

_Order = tuple[int, ...]


def cheapest_by_enumeration(instance: Instance) -> Solution | None:
    """Return an optimal plan; None when there is none.

    Every order of every set of customers is evaluated with every vehicle type; a dynamic program
    over the sets combines the routes and counts the vehicles of limited types.

    Parameters
    ----------
    instance
        At most `MAX_CUSTOMERS` customers and `MAX_TYPES` vehicle types.
    """
    routes = _cheapest_routes(instance)
    everyone = frozenset(range(1, instance.num_customers + 1))
    # As many vehicles as customers never run out.
    fleet = tuple(
        len(everyone) if vehicle.available is None else min(vehicle.available, len(everyone))
        for vehicle in instance.vehicle_types
    )

    @cache
    def best(
        left: frozenset[int], fleet: tuple[int, ...]
    ) -> tuple[float, tuple[tuple[int, _Order], ...]] | None:
        if not left:
            return 0.0, ()
        found = None
        for group in _groups(left):
            for k, available in enumerate(fleet):
                if not available or (group, k) not in routes:
                    continue
                cost, order = routes[group, k]
                rest = best(left - group, (*fleet[:k], available - 1, *fleet[k + 1 :]))
                if rest is not None and (found is None or cost + rest[0] < found[0]):
                    found = cost + rest[0], ((k, order), *rest[1])
        return found

    found = best(everyone, fleet)
    return None if found is None else Solution.of(found[1])


def _groups(left: frozenset[int]) -> Iterator[frozenset[int]]:
    """Return every set with the first of the customers left."""
    first, *others = sorted(left)
    for size in range(len(others) + 1):
        for chosen in combinations(others, size):
            yield frozenset((first, *chosen))


def _cheapest_routes(instance: Instance) -> dict[tuple[frozenset[int], int], tuple[float, _Order]]:
    """Return the cheapest valid order, with its cost, by set of customers and vehicle type."""
    customers = range(1, instance.num_customers + 1)
    usable = [k for k, one in enumerate(instance.vehicle_types) if one.available != 0]
    cheapest: dict[tuple[frozenset[int], int], tuple[float, _Order]] = {}
    begun: list[tuple[int, _Order]] = [(k, ()) for k in usable]
    for _ in customers:
        tried = [(k, (*order, c)) for k, order in begun for c in customers if c not in order]
        if not tried:
            break
        # One call for all of them: a plan of many routes is evaluated faster than many plans.
        evaluation = evaluate(instance, Solution.of(tried))
        broken: dict[int, set[ViolationCode]] = {}
        for violation in evaluation.violations:
            if violation.code not in _OF_PLANS and violation.route is not None:
                broken.setdefault(violation.route, set()).add(violation.code)
        for number, ((k, order), route) in enumerate(
            zip(tried, evaluation.routes, strict=True), start=1
        ):
            key = frozenset(order), k
            if number not in broken and (key not in cheapest or route.cost < cheapest[key][0]):
                cheapest[key] = route.cost, order
        begun = [
            one
            for number, one in enumerate(tried, start=1)
            if not broken.get(number, set()) & _LASTING
        ]
    return cheapest
