"""A plan's nearest local optimum."""

from __future__ import annotations

from fripn import _core
from fripn.core import to_plain_core
from fripn.errors import InvalidSolution
from fripn.problem import Instance, Solution, evaluate


def local_search(instance: Instance, solution: Solution, seed: int = 0) -> Solution:
    """Apply every move that helps until none does.

    Relocate, or-opt, swap, 2-opt, 2-opt* and SWAP* between near customers, with each route's cost
    that of its cheapest fitting vehicle.

    Parameters
    ----------
    instance
        The problem.
    solution
        A feasible plan.
    seed
        Order in which customers are looked at.

    Returns
    -------
    Solution
        A feasible plan that costs no more.

    Raises
    ------
    Unsupported
        When more than loads and distances matters: time windows, access, several depots, ….
    InvalidSolution
        When the plan breaks a rule.
    """
    core = to_plain_core(instance, "local search")
    evaluation = evaluate(instance, solution)
    if evaluation.violations:
        raise InvalidSolution(
            f"local search needs a feasible plan for {instance.name}: "
            f"{evaluation.violations[0].message}",
            field="plan",
            value=evaluation.violations[0].code,
            remedy="repair it first",
        )
    routes = solution.pairs()
    improved = Solution.of(_core.local_search(core, routes, seed)[0])
    return improved if evaluate(instance, improved).cost <= evaluation.cost else solution
