"""How long a method may work."""

from __future__ import annotations

from dataclasses import dataclass

from fripn.settings import Count, NonNegative, Positive, check_fields


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
    gap
        Stop as soon as no plan can save more than so many percent of the cost, because cost and
        lower bound are that near. Methods that prove no bound never reach it.
    """

    seconds: Positive | None = None
    iterations: Count | None = None
    stall: Count | None = None
    target: float | None = None
    gap: NonNegative | None = None

    def __post_init__(self) -> None:
        """Check every limit."""
        check_fields(self, {"seconds": "time limit"})

    @property
    def is_open_ended(self) -> bool:
        """Whether nothing but a target or a gap (if any) would end a search."""
        return self.seconds is None and self.iterations is None and self.stall is None
