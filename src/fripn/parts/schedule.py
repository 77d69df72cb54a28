"""One annealing schedule for a whole run, however many rounds it has."""

from __future__ import annotations

from dataclasses import dataclass

from fripn.problem import Evaluation, Instance

#: Steps that are one iteration of the engine.
STEPS_PER_ITERATION = 50

#: With fewer steps per customer than this, annealing begins cooler in proportion, as in the engine.
_STEPS_FOR_FULL_HEAT = 200.0


@dataclass(frozen=True, slots=True)
class Schedule:
    """Temperatures from the beginning of a run to its end, the same for all parts.

    Parameters
    ----------
    mean_arc_cost
        Mean cost of driving one arc in the first plan: the unit of the others.
    start, end
        The temperatures at the beginning, where there are enough steps for it, and at the end.
    """

    mean_arc_cost: float
    start: float
    end: float

    @classmethod
    def of(
        cls, instance: Instance, evaluation: Evaluation, *, start: float, end: float
    ) -> Schedule:
        """Return the schedule for the costs of a first plan."""
        num_arcs = instance.num_customers + evaluation.num_vehicles
        # Where driving costs nothing a thousandth of the cost takes its place, as in the engine.
        travel = max(evaluation.travel_cost, 1e-3 * evaluation.cost)
        return cls(travel / num_arcs, start, end)

    def temperature(self, progress: float, steps_per_customer: float) -> float:
        """Return the temperature after a share of a run with so many steps per customer in all."""
        heat = min(1.0, steps_per_customer / _STEPS_FOR_FULL_HEAT)
        start = max(self.end, self.start * heat)
        falling: float = start * (self.end / start) ** min(max(progress, 0.0), 1.0)
        return self.mean_arc_cost * falling
