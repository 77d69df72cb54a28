"""The proven optimum of small instances."""

from __future__ import annotations

from fripn import _core
from fripn.problem import Instance, Solution, evaluate
from fripn.search.core_instance import core_instance

#: Instances of more customers are left to the search.
MAX_CUSTOMERS: int = _core.MAX_EXACT_CUSTOMERS


def solve_exactly(instance: Instance) -> Solution | None:
    """Give a plan that no other plan beats, or None where this cannot be had.

    Dynamic programs over sets of customers find the shortest tour of every set and the cheapest
    partition into such tours. It is not to be had for more than `MAX_CUSTOMERS` customers, or
    where the plan needs more vehicles of a type than a limited fleet has.
    """
    if instance.num_customers > MAX_CUSTOMERS:
        return None
    plan = Solution.of(_core.cheapest_plan(core_instance(instance)))
    return plan if evaluate(instance, plan).is_feasible else None
