"""How long a method may work, and which seeds and threads it can be given."""

from __future__ import annotations

from dataclasses import dataclass

from fripn.settings import Count, Positive, Seed, Threads, check_fields, checked


def check_seed(seed: int) -> None:
    """Refuse a seed that the core cannot take."""
    checked("seed", seed, Seed)


def check_threads(threads: int) -> None:
    """Refuse a number of threads that no machine has."""
    checked("threads", threads, Threads)


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

    seconds: Positive | None = None
    iterations: Count | None = None
    stall: Count | None = None
    target: float | None = None

    def __post_init__(self) -> None:
        """Check every limit."""
        check_fields(self, {"seconds": "time limit"})

    @property
    def is_open_ended(self) -> bool:
        """Whether nothing but a target (if any) would end a search."""
        return self.seconds is None and self.iterations is None and self.stall is None
