"""The proven optimum of small instances."""

from __future__ import annotations

from fripn import _core
from fripn.core import to_core
from fripn.problem import Evaluation, Instance, Solution, evaluate

#: Instances of more customers are left to the search.
MAX_CUSTOMERS: int = _core.MAX_EXACT_CUSTOMERS

#: Name of the proof in results.
PROOF = "dynamic program over sets of customers"


def solve_exactly(instance: Instance) -> tuple[Solution, Evaluation] | None:
    """Return an optimal plan and its evaluation, or None where none is found.

    Dynamic programs over sets of customers find the shortest tour of every set and the cheapest
    partition into such tours. Not available for more than `MAX_CUSTOMERS` customers, or
    where the plan needs more vehicles of a type than a limited fleet has, or where more matters
    than loads and distances.
    """
    if instance.num_customers > MAX_CUSTOMERS:
        return None
    core = to_core(instance)
    if core.has_day:
        return None
    plan = Solution.of(_core.cheapest_plan(core))
    evaluation = evaluate(instance, plan)
    return (plan, evaluation) if evaluation.is_feasible else None
