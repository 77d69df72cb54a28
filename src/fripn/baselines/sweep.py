"""Sweep: customers by angle around the depot, cut into routes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fripn import _core
from fripn.core import to_core
from fripn.features import Feature
from fripn.incumbent import Incumbent
from fripn.problem import Instance, Solution
from fripn.problem.instance import IntArray
from fripn.result import Result
from fripn.run import Run
from fripn.settings import Size, SizeOrZero, check_fields


@dataclass(frozen=True, slots=True)
class Sweep:
    """Customers sorted by angle around the depot, cut into routes with vehicle types.

    The classic sweep fills one vehicle after another; here the optimal split chooses the cuts and
    the types, from several angles to start at and in both directions. The best of these plans get
    a better order within their routes by relocate and 2-opt, and the cheapest wins. It is
    deterministic. Needs coordinates.

    Parameters
    ----------
    num_starts
        Angles to try at most; each customer is one at most.
    num_ordered
        Plans whose routes are put into a better order.

    References
    ----------
    B. E. Gillett and L. R. Miller (1974), doi 10.1287/opre.22.2.340.
    """

    name: ClassVar[str] = "sweep"
    supports: ClassVar[frozenset[Feature]] = frozenset({Feature.LIMITED_FLEET, Feature.ASYMMETRIC})
    ends_by_itself: ClassVar[bool] = True

    num_starts: Size = 32
    num_ordered: SizeOrZero = 8

    def __post_init__(self) -> None:
        """Check every setting."""
        check_fields(self)

    def __call__(self, instance: Instance, run: Run) -> Result:
        """Solve the instance; see `fripn.Method`."""
        best = Incumbent(instance, run, self.name)
        tour = by_angle(instance)
        core = to_core(instance)
        num_starts = min(self.num_starts, len(tour))
        tried = 0
        promising: list[tuple[float, list[tuple[int, list[int]]]]] = []
        for first in np.linspace(0, len(tour), num_starts, endpoint=False).astype(np.int64):
            turned = np.roll(tour, -first)
            for order in (turned, turned[::-1]):
                # Half of the time is for ordering; there is always one plan.
                if tried and (best.seconds >= best.seconds_left or best.is_interrupted):
                    break
                tried += 1
                if routes := _core.split(core, order.tolist()):
                    promising.append((best.consider(Solution.of(routes)).cost, routes))
        for _, routes in sorted(promising, key=lambda plan: plan[0])[: self.num_ordered]:
            if not best.is_over:
                best.offer(Solution.of(_core.order_routes(core, routes)))
        return best.result(iterations=tried)


def by_angle(instance: Instance) -> IntArray:
    """Return the customers by angle around the depot, beginning after the widest empty angle."""
    assert instance.coordinates is not None  # declared by `Sweep.supports`
    offsets = instance.coordinates[1:] - instance.coordinates[0]
    angles = np.arctan2(offsets[:, 1], offsets[:, 0])
    order = np.argsort(angles, kind="stable")
    gaps = np.diff(angles[order], append=angles[order[0]] + 2 * np.pi)
    return np.roll(order, -(int(np.argmax(gaps)) + 1)) + 1
