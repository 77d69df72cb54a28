"""The proven optimum of small instances."""

from __future__ import annotations

from fripn import _core
from fripn.core import to_core
from fripn.problem import Evaluation, Instance, Solution, evaluate
from fripn.search import few_stops

#: Instances of more customers are left to the search.
MAX_CUSTOMERS: int = _core.MAX_EXACT_CUSTOMERS

#: Name of the proof in results.
PROOF = "dynamic program over sets of customers"


def solve_exactly(instance: Instance) -> tuple[Solution, Evaluation] | None:
    """Return an optimal plan and its evaluation, or None where none is found.

    Dynamic programs over sets of customers find the shortest tour of every set and the cheapest
    partition into such tours. Not available for more than `MAX_CUSTOMERS` customers, or
    where the plan needs more vehicles of a type than a limited fleet has. Where more matters than
    loads and distances, all routes of a handful of customers are tried; see `few_stops`.
    """
    if instance.num_customers > MAX_CUSTOMERS:
        return None
    core = to_core(instance)
    plan: Solution | None
    if not core.has_day:
        plan = Solution.of(_core.cheapest_plan(core))
    elif (
        instance.num_customers <= few_stops.MAX_CUSTOMERS
        and instance.num_types <= few_stops.MAX_TYPES
    ):
        plan = few_stops.cheapest_by_enumeration(instance)
    else:
        plan = None
    if plan is None:
        return None
    evaluation = evaluate(instance, plan)
    return (plan, evaluation) if evaluation.is_feasible else None
