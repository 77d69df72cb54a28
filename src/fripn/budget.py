"""How long a method may work."""

from __future__ import annotations

import math
from dataclasses import dataclass

from fripn.errors import InvalidSetting


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits on a run; the first one reached ends it. Plain numbers, as they cross into C++.

    Parameters
    ----------
    seconds
        Wall-clock limit.
    iterations
        Limit on the method's own iterations; with one thread the result is then reproducible.
    stall
        Limit on iterations without improvement.
    target
        Stop as soon as a plan costs at most this.
    """

    seconds: float | None = None
    iterations: int | None = None
    stall: int | None = None
    target: float | None = None

    def __post_init__(self) -> None:
        """Check every limit."""
        if self.seconds is not None and not (math.isfinite(self.seconds) and self.seconds > 0):
            raise InvalidSetting(f"time limit is {self.seconds}; give a positive number of seconds")
        for field in ("iterations", "stall"):
            value = getattr(self, field)
            if value is not None and (int(value) != value or value < 0):
                raise InvalidSetting(f"{field} is {value}; give a whole number, 0 or more")
        if self.target is not None and not math.isfinite(self.target):
            raise InvalidSetting(f"target is {self.target}; give a finite cost")

    @property
    def is_open_ended(self) -> bool:
        """Whether nothing but a target (if any) would end a search."""
        return self.seconds is None and self.iterations is None and self.stall is None
