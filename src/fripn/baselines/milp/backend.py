"""The interface of solvers of the model."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from fripn.baselines.milp.model import Model
from fripn.problem.instance import FloatArray
from fripn.run import Stop

#: What a solver finds while it runs: the values of a better plan, or a better bound.
Found = FloatArray | float


@dataclass(frozen=True, slots=True)
class Limits:
    """When a solver has to stop, and with how many threads it may work.

    Parameters
    ----------
    seconds
        Wall-clock limit; infinity for none.
    grace
        Seconds after that at which a solver that does not stop is left to itself.
    nodes, stall_nodes
        Limits on branch-and-bound nodes, in all and without a better plan; None for none.
    target
        Stop at a plan that costs at most this; None for none.
    gap
        Stop when cost and bound are within this share of the cost of each other.
    stop
        Stop when it is set; None for never.
    threads, seed
        As everywhere.
    """

    seconds: float
    grace: float = math.inf
    nodes: int | None = None
    stall_nodes: int | None = None
    target: float | None = None
    gap: float = 0.0
    stop: Stop | None = None
    threads: int = 1
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a solver ended: its bound, whether the gap is as small as required, and its nodes."""

    bound: float
    is_proven: bool
    nodes: int


class Backend(Protocol):
    """A mixed-integer solver."""

    def __call__(
        self,
        model: Model,
        limits: Limits,
        start: FloatArray | None,
        on_found: Callable[[Found], None],
    ) -> Outcome:
        """Solve the model.

        Parameters
        ----------
        model
            What to minimise.
        limits
            When to stop.
        start
            Values of a valid plan to begin with.
        on_found
            Called with the values of every better plan and with every better bound, on the
            caller's thread.
        """
        ...
