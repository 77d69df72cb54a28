"""How long a method may work, and which seeds and threads it can be given."""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass

from fripn.errors import InvalidSetting

#: The largest whole number that crosses into the core, for counts and seeds.
LARGEST_COUNT = 2**63 - 1

#: More threads than any machine has cores; beyond it, starting them is all that would happen.
MOST_THREADS = 1024


def checked_count(name: str, value: int, least: int = 0, most: int = LARGEST_COUNT) -> int:
    """Give a whole number back as an `int`.

    Raises
    ------
    InvalidSetting
        When it is no whole number, or out of range.
    """
    try:
        count = operator.index(value)
    except TypeError:
        raise InvalidSetting(f"{name} is {value!r}; give a whole number") from None
    if not least <= count <= most:
        upper = "or more" if count < least else f"to {most}"
        raise InvalidSetting(f"{name} is {count}; give a whole number, {least} {upper}")
    return count


def check_seed(seed: int) -> None:
    """Refuse a seed that the core cannot take."""
    checked_count("seed", seed)


def check_threads(threads: int) -> None:
    """Refuse a number of threads that no machine has."""
    checked_count("threads", threads, 1, MOST_THREADS)


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
            if value is not None:
                object.__setattr__(self, field, checked_count(field, value))
        if self.target is not None and not math.isfinite(self.target):
            raise InvalidSetting(f"target is {self.target}; give a finite cost")

    @property
    def is_open_ended(self) -> bool:
        """Whether nothing but a target (if any) would end a search."""
        return self.seconds is None and self.iterations is None and self.stall is None
