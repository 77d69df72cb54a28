"""What a comparison of fleets found: the best mix, its alternatives, break-even prices."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, Literal

from fripn.problem import Instance, Solution
from fripn.result import Result

Change = Literal["without", "only", "fewer", "more"]

#: The reason of a scenario that may have a plan.
NOT_FOUND = "no plan was found in the time"


@dataclass(frozen=True, slots=True)
class Scenario:
    """One alternative to the best mix.

    Parameters
    ----------
    change
        The change to the fleet.
    vehicle_type
        Index of the type that the change concerns.
    label
        The change in words.
    solution, cost
        Its plan and true cost; None when there is none.
    reason
        Why there is no plan, or a remark about it; may be empty.
    lower_bound
        No plan with this fleet costs less; None when the method proves nothing.
    """

    change: Change
    vehicle_type: int
    label: str
    solution: Solution | None
    cost: float | None
    reason: str = ""
    lower_bound: float | None = None


@dataclass(frozen=True, slots=True)
class BreakEven:
    """The fixed cost up to which hiring a type is not more expensive than doing without it.

    Parameters
    ----------
    vehicle_type
        Index of the type.
    price
        The fixed cost per vehicle; negative when the type does not pay even for free. None when
        it is needed at any price, or when the plans found do not tell.
    is_needed
        Whether there is no plan without the type.
    """

    vehicle_type: int
    price: float | None
    is_needed: bool = False


@dataclass(frozen=True, slots=True)
class FleetComparison:
    """The best mix found, and its alternatives.

    ``is_complete`` is False when Ctrl-C or a stop ended the comparison: the scenarios are those
    done before. ``as_given`` is the best plan before prices were changed, where they were.
    """

    best: Result
    scenarios: tuple[Scenario, ...]
    is_complete: bool = True
    as_given: Result | None = None

    @property
    def break_even(self) -> tuple[BreakEven, ...]:
        """The break-even price of every type, as far as the plans found here show.

        At another fixed cost p of type k, a plan with c vehicles of it costs (p − f) c more. The
        highest p at which some plan with k costs no more than the best one without it is the
        price.
        """
        if not self.is_complete:
            return ()
        instance = self.best.instance
        return tuple(self._break_even_of(index) for index in range(instance.num_types))

    def _break_even_of(self, vehicle_type: int) -> BreakEven:
        without = next(
            scenario
            for scenario in self.scenarios
            if scenario.change == "without" and scenario.vehicle_type == vehicle_type
        )
        if without.cost is None:
            return BreakEven(vehicle_type, None, is_needed=without.reason != NOT_FOUND)
        plans = [(self.best.solution, self.best.cost)]
        plans += [
            (scenario.solution, scenario.cost) for scenario in self.scenarios if scenario.cost
        ]
        fixed_cost = self.best.instance.vehicle_types[vehicle_type].fixed_cost
        prices = [
            fixed_cost + (without.cost - cost) / count
            for plan, cost in plans
            if plan is not None and cost is not None
            if (count := hired_counts(plan)[vehicle_type])
        ]
        return BreakEven(vehicle_type, max(prices, default=None))

    def extra_cost(self, scenario: Scenario) -> float | None:
        """Return the cost of the alternative above the best mix; None when it has no plan."""
        return None if scenario.cost is None else scenario.cost - self.best.cost

    def proven_extra_cost(self, scenario: Scenario) -> float | None:
        """Return how much more than the best plan the alternative costs at least.

        None when nothing is proven: the method gives no bounds, or the bound is not above the
        cost of the best plan.
        """
        if scenario.lower_bound is None:
            return None
        extra = scenario.lower_bound - self.best.cost
        return extra if extra > 1e-9 * self.best.cost else None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        instance = self.best.instance
        return {
            "instance": instance.name,
            "method": self.best.method,
            "cost": self.best.cost,
            "lower_bound": self.best.lower_bound,
            "vehicles": _vehicles(instance, self.best.solution),
            "is_complete": self.is_complete,
            "cost_as_given": None if self.as_given is None else self.as_given.cost,
            "break_even": [
                {
                    "vehicle_type": instance.vehicle_types[item.vehicle_type].name,
                    "fixed_cost": instance.vehicle_types[item.vehicle_type].fixed_cost,
                    "price": item.price,
                    "is_needed": item.is_needed,
                }
                for item in self.break_even
            ],
            "scenarios": [
                {
                    "change": scenario.change,
                    "vehicle_type": instance.vehicle_types[scenario.vehicle_type].name,
                    "label": scenario.label,
                    "cost": scenario.cost,
                    "extra_cost": self.extra_cost(scenario),
                    "lower_bound": scenario.lower_bound,
                    "proven_extra_cost": self.proven_extra_cost(scenario),
                    "vehicles": _vehicles(instance, scenario.solution),
                    "remark": scenario.reason,
                }
                for scenario in self.scenarios
            ],
        }


def no_plan(instance: Instance, method: str) -> dict[str, Any]:
    """Return the keys of `FleetComparison.to_dict` for an instance without any plan."""
    return {
        "instance": instance.name,
        "method": method,
        "cost": None,
        "lower_bound": None,
        "vehicles": None,
        "is_complete": True,
        "cost_as_given": None,
        "break_even": [],
        "scenarios": [],
    }


def _vehicles(instance: Instance, solution: Solution | None) -> dict[str, int] | None:
    """Return the number of vehicles of every type by name; None without a plan."""
    if solution is None:
        return None
    counts = hired_counts(solution)
    return {vehicle.name: counts[index] for index, vehicle in enumerate(instance.vehicle_types)}


def hired_counts(solution: Solution) -> Counter[int]:
    """Return how many vehicles of each type a plan hires, by index."""
    return Counter(route.vehicle_type for route in solution.routes if route.customers)
