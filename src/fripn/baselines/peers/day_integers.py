"""What the adapters of working days share: integer times and the vehicles to offer.

Times are rounded so that what a solver finds feasible is feasible: travel and service times up, the
ends of windows inward.
"""

from __future__ import annotations

import math

import numpy as np

from fripn.problem import Instance
from fripn.problem.limits import FloatArray
from fripn.problem.serviceability import shift_of

#: The longest travel time has about so many units after scaling.
LONGEST_TRAVEL = 1e5


class IntegerTimes:
    """Points in time and durations in integers.

    Parameters
    ----------
    instance
        The problem.
    travel
        Travel times between all stops at speed 1.
    units
        About so many units has the longest travel time.

    Attributes
    ----------
    scale
        Units of the solver's time in one of the instance's.
    origin
        The instance's time that is 0 for the solver: no route needs to start earlier.
    """

    def __init__(
        self, instance: Instance, travel: FloatArray, units: float = LONGEST_TRAVEL
    ) -> None:
        slowest = min(vehicle.speed for vehicle in instance.vehicle_types)
        longest = float(travel.max()) / slowest
        self.scale = 10.0 ** round(math.log10(units / longest)) if longest > 0 else 1.0
        services = 0.0 if instance.service_times is None else float(instance.service_times.sum())
        starts = [shift_of(instance, vehicle)[0] for vehicle in instance.vehicle_types]
        named = [time for own in instance.time_windows or () for pair in own for time in pair]
        self.origin = min([0.0, *(time for time in (*named, *starts) if math.isfinite(time))])
        if -math.inf in starts:
            # No route needs to start earlier than this to be in time for its first window.
            self.origin -= services + longest * (instance.num_customers + 1)

    def up(self, time: float) -> int:
        """Return a point in time, rounded up."""
        return math.ceil((time - self.origin) * self.scale - 1e-6)

    def down(self, time: float) -> int:
        """Return a point in time, rounded down."""
        return math.floor((time - self.origin) * self.scale + 1e-6)

    def duration(self, time: float) -> int:
        """Return a duration, rounded up."""
        return math.ceil(time * self.scale - 1e-6)

    def limit(self, duration: float) -> int:
        """Return a limit of durations, rounded down."""
        return math.floor(duration * self.scale + 1e-6)


def travel_matrices(instance: Instance) -> tuple[FloatArray, FloatArray]:
    """Return distances and travel times at speed 1 between all stops, 0 on the diagonals."""
    nodes = np.arange(instance.num_nodes)
    distances = instance.distance_matrix().copy()
    times = instance.travel_times(nodes[:, None], nodes[None, :]).copy()
    np.fill_diagonal(distances, 0.0)
    np.fill_diagonal(times, 0.0)
    return distances, times


def load_factor(column: FloatArray) -> float:
    """Return a factor that makes demands integers, or precise to a millionth of the largest."""
    for decimals in range(7):
        factor = 10.0**decimals
        if np.abs(column * factor - np.rint(column * factor)).max() < 1e-6:
            return factor
    largest = float(column.max())
    return 1e6 / largest if largest > 0 else 1.0


def cost_alone(instance: Instance) -> float:
    """Return what a vehicle for each customer costs, the costliest type for each.

    The costliest, as it may be the only type that can serve a customer.
    """
    distances, travel = travel_matrices(instance)
    services = np.zeros(instance.num_nodes)
    if instance.service_times is not None:
        services = instance.service_times
    customers = np.arange(1, instance.num_customers + 1)
    alone = np.zeros(instance.num_customers)
    for vehicle in instance.vehicle_types:
        depot = instance.depot_node(vehicle.depot)
        distance = distances[depot, customers] + distances[customers, depot]
        time = (travel[depot, customers] + travel[customers, depot]) / vehicle.speed
        hours = (time + services[customers]) / instance.hour
        cost = vehicle.unit_cost * distance + vehicle.cost_per_hour * hours
        alone = np.maximum(alone, vehicle.fixed_cost + cost)
    return float(alone.sum())


def vehicles_offered(instance: Instance, plan_cost: float) -> list[int]:
    """Return for each type how many vehicles to offer: enough for every plan that could be best.

    Not more than customers it may serve, and not so many that their fixed costs alone exceed the
    cost of a plan.
    """
    counts = []
    for k, vehicle in enumerate(instance.vehicle_types):
        fits = np.all(instance.load_matrix[1:] <= np.array(vehicle.load_limits), axis=1)
        count = sum(instance.may_serve(k, int(c) + 1) for c in np.flatnonzero(fits))
        if vehicle.fixed_cost > 0:
            count = min(count, math.floor(plan_cost / vehicle.fixed_cost + 1e-9))
        if vehicle.available is not None:
            count = min(count, vehicle.available)
        counts.append(count)
    return counts
