"""What the report needs of a comparison of fleets; `fripn.fleet_comparison` makes one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from fripn.problem import Solution
from fripn.result import Result


class Alternative(Protocol):
    """Another fleet than the best one, in words, with its plan and cost if it has any."""

    @property
    def label(self) -> str:
        """The change in words."""
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


class FleetComparison(Protocol):
    """The best fleet and its alternatives."""

    @property
    def best(self) -> Result:
        """The best plan found."""
        ...

    @property
    def scenarios(self) -> Sequence[Alternative]:
        """The alternatives, in the order shown."""
        ...
