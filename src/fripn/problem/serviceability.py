"""Whether each customer can be served at all, and if not, why: the reason for each vehicle type."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fripn.errors import InvalidInstance
from fripn.messages import named
from fripn.problem.clock import lengths, moments
from fripn.problem.instance_fields import InstanceFields, Windows
from fripn.problem.limits import DISTANCE_TOLERANCE, TIME_TOLERANCE, FloatArray
from fripn.problem.vehicle_type import VehicleType

#: Types whose reasons are listed, at most.
_MAX_LISTED = 6


def check_serviceable(instance: InstanceFields) -> None:
    """Raise `InvalidInstance` for the first customer that no available type can serve.

    A customer is tried on a route of its own, which is the easiest way to serve it as long as
    detours take time. Where a matrix allows shorter detours, the shortest path decides.
    """
    usable = [k for k, vehicle in enumerate(instance.vehicle_types) if vehicle.available != 0]
    unserved = np.ones(instance.num_customers, dtype=np.bool_)
    for k in usable:
        unserved &= ~_served(instance, k)
    trips = _Trips(instance)
    for customer in np.flatnonzero(unserved).tolist():
        _check_customer(instance, customer + 1, usable, trips)


def serving_types(instance: InstanceFields) -> npt.NDArray[np.bool_]:
    """Return for each type and customer whether the type can serve the customer alone; (K, n).

    Types of which no vehicle is available serve nobody.
    """
    trips = _Trips(instance)
    serves = np.zeros((instance.num_types, instance.num_customers), dtype=np.bool_)
    for k, vehicle in enumerate(instance.vehicle_types):
        if vehicle.available == 0:
            continue
        serves[k] = _served(instance, k)
        for place in np.flatnonzero(~serves[k]).tolist():
            serves[k, place] = _why_not(instance, k, place + 1, trips) is None
    return serves


def out_of_direct_reach(instance: InstanceFields) -> tuple[int, str] | None:
    """Return the first customer that no type can serve on the direct way, and the reasons.

    Such a customer may be in reach by way of others, where a matrix has shorter detours; None
    where there is no such customer.
    """
    usable = [k for k, vehicle in enumerate(instance.vehicle_types) if vehicle.available != 0]
    unserved = np.ones(instance.num_customers, dtype=np.bool_)
    for k in usable:
        unserved &= ~_served(instance, k)
    trips = _Trips(instance, is_direct=True)
    for place in np.flatnonzero(unserved).tolist():
        reasons = _reasons(instance, place + 1, usable, trips)
        if reasons is not None:
            return place + 1, reasons
    return None


def _check_customer(
    instance: InstanceFields, customer: int, usable: list[int], trips: _Trips
) -> None:
    reasons = _reasons(instance, customer, usable, trips)
    if reasons is None:
        return
    raise InvalidInstance(
        f"no vehicle type can serve {instance.describe_stop(customer)}: {reasons}",
        field="vehicle_types",
        value=instance.stop_label(customer),
        remedy="change one of these limits, add a type, or remove the customer",
        stop=customer,
    )


def _reasons(
    instance: InstanceFields, customer: int, usable: list[int], trips: _Trips
) -> str | None:
    """Return for each usable type why it cannot serve a customer; None when one can."""
    reasons = []
    for k in usable:
        reason = _why_not(instance, k, customer, trips)
        if reason is None:
            return None
        reasons.append(f"{named(instance.vehicle_types[k].name)} {reason}")
    rest = len(reasons) - _MAX_LISTED
    listed = reasons[:_MAX_LISTED] + ([f"and {rest} more types"] if rest > 0 else [])
    return ", ".join(listed)


def _why_not(
    instance: InstanceFields, vehicle_type: int, customer: int, trips: _Trips
) -> str | None:
    """Return why a vehicle type cannot serve a customer even alone; None when it can."""
    vehicle = instance.vehicle_types[vehicle_type]
    if not instance.may_serve(vehicle_type, customer):
        return _access_reason(instance, vehicle_type, customer)
    demands = instance.load_matrix[customer].tolist()
    for load, (demand, limit) in enumerate(zip(demands, vehicle.load_limits, strict=True)):
        if demand > limit:
            unit = "" if instance.load_names is None else f" {named(instance.load_names[load])}"
            return f"holds {vehicle.capacities[load]:g}{unit}, but the demand is {demand:g}"
    return trips.of(vehicle, customer).first_conflict(instance, vehicle, customer)


def _access_reason(instance: InstanceFields, vehicle_type: int, customer: int) -> str:
    tag = instance.lacking_tag(vehicle_type, customer)
    return "is not allowed there" if tag is None else f"does not offer {named(tag)!r}"


def _served(instance: InstanceFields, vehicle_type: int) -> npt.NDArray[np.bool_]:
    """Return for all customers at once whether a type can surely serve each alone."""
    vehicle = instance.vehicle_types[vehicle_type]
    customers = np.arange(1, instance.num_customers + 1)
    fits: npt.NDArray[np.bool_] = np.all(
        instance.load_matrix[1:] <= np.array(vehicle.load_limits), axis=1
    )
    if instance.allowed_types is not None or instance.requires is not None:
        fits &= np.array([instance.may_serve(vehicle_type, c) for c in customers.tolist()])
    depot = np.full_like(customers, instance.depot_node(vehicle.depot))
    if vehicle.max_distance is not None:
        length = instance.distances(depot, customers)
        if vehicle.returns:
            length = length + instance.distances(customers, depot)
        fits &= length <= vehicle.max_distance
    if not instance.limits_time:
        return fits
    out = instance.travel_times(depot, customers) / vehicle.speed
    back = instance.travel_times(customers, depot) / vehicle.speed if vehicle.returns else 0.0 * out
    earliest, latest = shift_of(instance, vehicle)
    service = 0.0 if instance.service_times is None else instance.service_times[customers]
    arrival = earliest + out
    start = arrival
    if instance.time_windows is not None:
        windows = [instance.time_windows[c] or ((-math.inf, math.inf),) for c in customers.tolist()]
        start = np.array([_start(w, a) for w, a in zip(windows, arrival.tolist(), strict=True)])
    fits &= start + service + back <= latest
    if vehicle.max_duration is not None:
        # The vehicle leaves so late that it need not wait.
        fits &= out + service + back <= vehicle.max_duration
    return fits


def _start(windows: Windows, arrival: float) -> float:
    """Return the first possible start of the service; infinity after the last window."""
    for opens, closes in windows:
        if arrival <= closes:
            return max(arrival, opens)
    return math.inf


def shift_of(instance: InstanceFields, vehicle: VehicleType) -> tuple[float, float]:
    """Return the earliest departure and the latest end of a type's routes.

    The shift of the type, cut to the opening and closing of its depot. The closing does not limit
    types that do not return.
    """
    earliest = -math.inf if vehicle.shift_start is None else vehicle.shift_start
    latest = math.inf if vehicle.shift_end is None else vehicle.shift_end
    if instance.time_windows is not None:
        for opens, closes in instance.time_windows[instance.depot_node(vehicle.depot)]:
            earliest = max(earliest, opens)
            if vehicle.returns:
                latest = min(latest, closes)
    return earliest, latest


@dataclass(frozen=True, slots=True)
class _Trip:
    """Least times and distances to one customer and back; `back` is 0 for open routes."""

    time_out: float
    time_back: float
    distance: float

    def first_conflict(
        self, instance: InstanceFields, vehicle: VehicleType, customer: int
    ) -> str | None:
        """Return the first limit that the trip breaks, in words."""
        limit = vehicle.max_distance
        if limit is not None and self.distance > limit * (1 + DISTANCE_TOLERANCE):
            return f"drives {limit:g} at most, but the trip has {self.distance:g}"
        if not instance.limits_time:
            return None
        service = 0.0
        if instance.service_times is not None:
            service = float(instance.service_times[customer])
        duration = self.time_out + service + self.time_back
        tolerance = TIME_TOLERANCE * max(instance.horizon, duration)
        earliest, latest = shift_of(instance, vehicle)
        arrival = earliest + self.time_out
        windows: Windows = ()
        if instance.time_windows is not None:
            windows = instance.time_windows[customer]
        start = _start(windows, arrival - tolerance) if windows else arrival
        if start == math.inf:
            when, close = moments(arrival, windows[-1][1], instance)
            return f"arrives at {when}, but the customer closes at {close}"
        end = max(start, arrival) + service + self.time_back
        if end > latest + tolerance:
            what = "would be back" if vehicle.returns else "would finish"
            when, close = moments(end, latest, instance)
            return f"{what} at {when}, but must be by {close}"
        if vehicle.max_duration is not None and duration > vehicle.max_duration + tolerance:
            takes, most = lengths(duration, vehicle.max_duration, instance)
            return f"may take {most}, but the trip takes {takes}"
        return None


class _Trips:
    """The least times and distances between depots and customers, or those of the direct way.

    Only a matrix can have detours that are shorter than the direct way.
    """

    def __init__(self, instance: InstanceFields, *, is_direct: bool = False) -> None:
        self._instance, self._is_direct = instance, is_direct
        self._shortest: dict[tuple[bool, int, bool], FloatArray] = {}

    def of(self, vehicle: VehicleType, customer: int) -> _Trip:
        """Return the trip of a type to a customer."""
        instance = self._instance
        depot = instance.depot_node(vehicle.depot)
        distance = self._length(False, depot, customer, True)
        out, back = self._length(True, depot, customer, True), 0.0
        if vehicle.returns:
            distance += self._length(False, depot, customer, False)
            back = self._length(True, depot, customer, False)
        return _Trip(out / vehicle.speed, back / vehicle.speed, distance)

    def _length(self, is_time: bool, depot: int, customer: int, is_outward: bool) -> float:
        instance = self._instance
        matrix = instance.matrix
        if is_time and instance.durations is not None:
            matrix = instance.durations
        if matrix is None:
            ends = np.array([depot, customer] if is_outward else [customer, depot])
            return float(instance.distances(ends[:1], ends[1:])[0])
        if self._is_direct:
            return float(matrix[depot, customer] if is_outward else matrix[customer, depot])
        key = (is_time, depot, is_outward)
        if key not in self._shortest:
            self._shortest[key] = _shortest_paths(matrix if is_outward else matrix.T, depot)
        return float(self._shortest[key][customer])


def _shortest_paths(matrix: FloatArray, start: int) -> FloatArray:
    """Return the least sum of entries on a path to each node (Dijkstra on the full matrix)."""
    best = np.full(len(matrix), np.inf)
    best[start] = 0.0
    waiting = np.ones(len(matrix), dtype=np.bool_)
    for _ in range(len(matrix)):
        node = int(np.argmin(np.where(waiting, best, np.inf)))
        waiting[node] = False
        best = np.minimum(best, best[node] + matrix[node])
    return best
