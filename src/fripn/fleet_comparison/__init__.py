"""The best mix of vehicles, and what other mixes would cost.

Every alternative is a problem of its own, solved in the same manner:

- *without* a type, or with *only* one: only the other types, or only that one, can be hired;
- *one fewer* of a type: at most one less than the best plan hires is available;
- *one more*: exactly one more than the best plan hires. The type is offered that many times at no
  fixed cost; all plans that hire them all save the same amount, so the cheapest of those under the
  changed prices is the cheapest under the true ones. Where even free vehicles are not used, the
  best plan is changed instead: a route changes to the type, or is cut in two, one part for it.

From all these plans follows a *break-even price* per type: the fixed cost up to which hiring it is
not more expensive than doing without it.

All figures are true costs from `evaluate`. As the solver is a heuristic, each is an upper bound on
the cost of its mix. A plan that keeps the rule of another scenario too counts there as well, and
one that turns out cheaper than the best becomes the best.

A method that proves bounds also tells how much more a mix costs *at least*: its own bound less the
cost of the best plan.
"""

from fripn.fleet_comparison.compare import compare_fleets, compare_with
from fripn.fleet_comparison.comparison import BreakEven, FleetComparison, Scenario, no_plan

__all__ = [
    "BreakEven",
    "FleetComparison",
    "Scenario",
    "compare_fleets",
    "compare_with",
    "no_plan",
]
