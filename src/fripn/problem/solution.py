"""A plan: routes, each driven by a vehicle of one type."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import dataclass

from fripn.errors import InvalidSolution


@dataclass(frozen=True, slots=True)
class Route:
    """One vehicle's trip: depot, customers in order, depot.

    Parameters
    ----------
    vehicle_type
        Index into ``Instance.vehicle_types``.
    customers
        Customer indices (1 … n) in the order of the visits.
    """

    vehicle_type: int
    customers: tuple[int, ...]

    def __post_init__(self) -> None:
        """Turn any integers into plain ones."""
        try:
            object.__setattr__(self, "vehicle_type", operator.index(self.vehicle_type))
            object.__setattr__(self, "customers", tuple(map(operator.index, self.customers)))
        except TypeError as error:
            raise InvalidSolution(
                f"a route is not made of integers ({error})",
                remedy="give the vehicle type's index and the customers' numbers",
            ) from None
        if self.vehicle_type < 0:
            raise InvalidSolution(
                "a route has vehicle type {value}",
                field="vehicle_type",
                value=self.vehicle_type,
                remedy="it must be 0 or more",
            )


@dataclass(frozen=True, slots=True)
class Solution:
    """A plan; `evaluate` returns its cost and the rules it breaks."""

    routes: tuple[Route, ...]

    def __post_init__(self) -> None:
        """Accept any iterable of routes."""
        object.__setattr__(self, "routes", tuple(self.routes))

    @classmethod
    def of(cls, routes: Iterable[tuple[int, Iterable[int]]]) -> Solution:
        """Build from (vehicle type, customers) pairs; empty routes are dropped."""
        made = (Route(vehicle_type, tuple(customers)) for vehicle_type, customers in routes)
        return cls(tuple(route for route in made if route.customers))

    def pairs(self) -> list[tuple[int, list[int]]]:
        """Return (vehicle type, customers) pairs, as `of` takes them: how plans enter the core."""
        return [(route.vehicle_type, list(route.customers)) for route in self.routes]
