"""What the report needs of a comparison of fleets; `fripn.fleet_comparison` makes one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from fripn.problem import Solution
from fripn.result import Result


class Alternative(Protocol):
    """Another fleet than the best one, with its plan and cost if it has any."""

    @property
    def change(self) -> str:
        """The change to the fleet: without, only, fewer or more."""
        ...

    @property
    def vehicle_type(self) -> int:
        """Index of the type that the change concerns."""
        ...

    @property
    def solution(self) -> Solution | None:
        """Its plan; None when there is none."""
        ...

    @property
    def cost(self) -> float | None:
        """Its cost; None when there is no plan."""
        ...

    @property
    def reason(self) -> str:
        """Why there is no plan, or a remark on it; may be empty."""
        ...


class BreakEven(Protocol):
    """The fixed cost up to which hiring a type pays."""

    @property
    def vehicle_type(self) -> int:
        """Index of the type."""
        ...

    @property
    def price(self) -> float | None:
        """The fixed cost; None when the plans found do not tell, or no price is too high."""
        ...

    @property
    def is_needed(self) -> bool:
        """Whether there is no plan without the type."""
        ...


class FleetComparison(Protocol):
    """The best fleet and its alternatives."""

    @property
    def best(self) -> Result:
        """The best plan found."""
        ...

    def proven_extra_cost(self, scenario: Any) -> float | None:
        """How much more than the best plan an alternative costs at least; None if not proven."""
        ...

    @property
    def as_given(self) -> Result | None:
        """The best plan at the prices of the file, where they were changed."""
        ...

    @property
    def scenarios(self) -> Sequence[Alternative]:
        """The alternatives, in the order shown."""
        ...

    @property
    def break_even(self) -> Sequence[BreakEven]:
        """Per type, the fixed cost up to which hiring it pays."""
        ...
