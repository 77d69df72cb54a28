"""The optimum of tiny working days by enumeration, priced by the slow evaluator alone."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import combinations

from fripn.problem import Instance, Solution
from problem.slow_evaluate import slow_evaluate

#: These violations of a route remain in every longer one that begins with it. Others need not: a
#: longer route may end sooner where travel times do not keep the triangle inequality.
_LASTING = {"overload", "no_access", "too_many_stops", "too_late"}


def day_optimum(instance: Instance) -> tuple[Fraction, Solution] | None:
    """Return the least cost and a plan that has it; None when no plan keeps all rules.

    Every type and every order of every set of customers is priced; a dynamic program over the sets
    combines them, with the vehicles of limited types counted.
    """
    routes = _best_routes(instance)
    everyone = frozenset(range(1, instance.num_customers + 1))
    limits = tuple(
        # n vehicles never run out
        instance.num_customers if one.available is None else one.available
        for one in instance.vehicle_types
    )

    @cache
    def best(left: frozenset[int], limits: tuple[int, ...]) -> tuple[Fraction, tuple] | None:
        if not left:
            return Fraction(0), ()
        found = None
        for group in _groups_with(min(left), left):
            for k, available in enumerate(limits):
                if available == 0 or (group, k) not in routes:
                    continue
                cost, order = routes[group, k]
                rest = best(left - group, (*limits[:k], available - 1, *limits[k + 1 :]))
                if rest is not None and (found is None or cost + rest[0] < found[0]):
                    found = cost + rest[0], ((k, order), *rest[1])
        return found

    found = best(everyone, limits)
    return None if found is None else (found[0], Solution.of(found[1]))


def _groups_with(first: int, left: frozenset[int]):
    others = sorted(left - {first})
    for size in range(len(others) + 1):
        for chosen in combinations(others, size):
            yield frozenset((first, *chosen))


def _best_routes(instance):
    """Return the least cost of a route and its order, by set of customers and type."""
    best = {}

    def extend(k, order):
        for customer in range(1, instance.num_customers + 1):
            if customer in order:
                continue
            longer = (*order, customer)
            codes, cost = _violations(instance, k, longer)
            key = frozenset(longer), k
            if not codes and (key not in best or cost < best[key][0]):
                best[key] = cost, longer
            if not codes & _LASTING:
                extend(k, longer)

    for k in range(instance.num_types):
        extend(k, ())
    return best


def _violations(instance, k, order):
    evaluation = slow_evaluate(instance, Solution.of([(k, order)]))
    codes = {code for code, _, _ in evaluation.violations} - {"missing", "too_many_vehicles"}
    return codes, evaluation.cost
