"""Why an instance has no plan although each customer alone can be served.

Two simple proofs, which explain most impossible working days: customers that only some vehicle
types can serve need more room or stops than these have, or more vehicles than there are, since no
two of them fit into one route. And a hint: a customer in reach by way of others only.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from fripn.messages import listed, named
from fripn.problem.instance import Instance
from fripn.problem.limits import DISTANCE_TOLERANCE, TIME_TOLERANCE, FloatArray, IntArray
from fripn.problem.serviceability import out_of_direct_reach, serving_types, shift_of
from fripn.problem.vehicle_type import VehicleType

#: Customers and types that a sentence names, at most.
_MAX_NAMED = 5

#: Beyond this size shortest paths in a matrix take too long for an explanation.
_MAX_MATRIX = 500


def why_impossible(instance: Instance) -> str | None:
    """Return a sentence on why no plan exists, or None where no simple reason is found.

    Parameters
    ----------
    instance
        The problem; limits of the number of vehicles are what a reason needs.
    """
    types = instance.vehicle_types
    if all(vehicle.available is None for vehicle in types):
        return None
    serves = serving_types(instance)
    tables = _shortest_tables(instance)
    conflicts = None if tables is None else _conflicts(instance, serves, tables)
    for allowed in np.unique(serves, axis=1).T:
        chosen = np.flatnonzero(allowed)
        if any(types[k].available is None for k in chosen):
            continue
        # Customers that no type outside of the set can serve.
        group = np.flatnonzero(~np.any(serves[~allowed], axis=0)) + 1
        reason = (
            _too_much_load(instance, chosen, group)
            or _too_many_stops(instance, chosen, group)
            or _too_many_conflicts(instance, chosen, group, serves, conflicts, tables)
        )
        if reason is not None:
            return f"No plan exists: {reason}."
    return None


def why_unlikely(instance: Instance) -> str | None:
    """Return a sentence on the first customer that no direct way reaches in time, or None.

    That is no proof: where travel times or distances of a matrix make a detour shorter than the
    direct way, a plan may exist.
    """
    found = out_of_direct_reach(instance)
    if found is None:
        return None
    customer, reasons = found
    return (
        f"No plan was found: on the direct way, no vehicle type can serve "
        f"{instance.describe_stop(customer)}: {reasons}."
    )


def _too_much_load(instance: Instance, chosen: IntArray, group: IntArray) -> str | None:
    types = [instance.vehicle_types[k] for k in chosen]
    for load in range(instance.num_loads):
        demand = math.fsum(instance.load_matrix[group, load])
        room = sum(vehicle.load_limits[load] * (vehicle.available or 0) for vehicle in types)
        if demand > room:
            unit = "" if instance.load_names is None else f" {named(instance.load_names[load])}"
            return (
                f"{_customers(instance, group)} can only be served by {_fleet(types)}; they demand "
                f"{demand:g}{unit}, but these vehicles carry {room:g}"
            )
    return None


def _too_many_stops(instance: Instance, chosen: IntArray, group: IntArray) -> str | None:
    types = [instance.vehicle_types[k] for k in chosen]
    if any(vehicle.max_stops is None for vehicle in types):
        return None
    stops = sum((vehicle.max_stops or 0) * (vehicle.available or 0) for vehicle in types)
    if len(group) <= stops:
        return None
    return (
        f"{_customers(instance, group)} can only be served by {_fleet(types)}, which may make "
        f"{stops} stop{'' if stops == 1 else 's'}"
    )


def _too_many_conflicts(
    instance: Instance,
    chosen: IntArray,
    group: IntArray,
    serves: npt.NDArray[np.bool_],
    conflicts: npt.NDArray[np.bool_] | None,
    tables: tuple[FloatArray, FloatArray] | None,
) -> str | None:
    """Find customers of which no two can share a route, more than there are vehicles."""
    if conflicts is None or tables is None:
        return None
    types = [instance.vehicle_types[k] for k in chosen]
    vehicles = sum(vehicle.available or 0 for vehicle in types)
    own = conflicts[np.ix_(group - 1, group - 1)]
    if vehicles >= len(group):
        return None
    apart: list[int] = []
    for candidate in np.argsort(-own.sum(axis=0), kind="stable").tolist():
        if all(own[candidate, other] for other in apart):
            apart.append(candidate)
            if len(apart) > vehicles:
                break
    else:
        return None
    who = _customers(instance, group[apart])
    words = (
        f"{who} do not fit into one route"
        if len(apart) == 2
        else f"no two of {who} fit into one route"
    )
    if limits := _limits_between(instance, serves, group[apart], tables):
        words += f" ({', '.join(limits)})"
    return f"{words}, and only {_fleet(types)} can serve them"


def _conflicts(
    instance: Instance, serves: npt.NDArray[np.bool_], tables: tuple[FloatArray, FloatArray]
) -> npt.NDArray[np.bool_]:
    """Return for all pairs of customers whether no type can serve both in one route."""
    distances, travel = tables
    customers = np.arange(1, instance.num_customers + 1)
    size = instance.num_customers
    conflicts = np.ones((size, size), dtype=np.bool_)
    for k, vehicle in enumerate(instance.vehicle_types):
        if vehicle.available != 0 and np.any(serves[k]):
            fits = serves[k][:, None] & serves[k][None, :]
            for _, allows in _orders(
                instance, vehicle, customers, distances, travel / vehicle.speed
            ):
                fits &= allows
            conflicts &= ~(fits | fits.T)
    np.fill_diagonal(conflicts, False)
    return conflicts


def _orders(
    instance: Instance,
    vehicle: VehicleType,
    customers: IntArray,
    distances: FloatArray,
    travel: FloatArray,
) -> Iterator[tuple[str, npt.NDArray[np.bool_]]]:
    """Yield, limit by limit, for pairs (i, j) whether a route may serve i and later j.

    True where in doubt. Travel times are those of the vehicle type.
    """
    depot = instance.depot_node(vehicle.depot)
    loads = instance.load_matrix[customers]
    both = loads[:, None, :] + loads[None, :, :]
    yield "capacity", np.all(both <= np.array(vehicle.load_limits), axis=2)
    if vehicle.max_stops == 1:
        yield "number of stops", np.zeros((len(customers), len(customers)), dtype=np.bool_)
    between = np.ix_(customers, customers)
    if vehicle.max_distance is not None:
        length = distances[depot, customers][:, None] + distances[between]
        if vehicle.returns:
            length = length + distances[customers, depot][None, :]
        yield "largest distance", length <= vehicle.max_distance * (1 + DISTANCE_TOLERANCE)
    if not instance.limits_time:
        return
    back = travel[customers, depot] if vehicle.returns else np.zeros(len(customers))
    services = np.zeros(len(customers))
    if instance.service_times is not None:
        services = instance.service_times[customers]
    first_open, last_close = _windows(instance, customers)
    earliest, latest = shift_of(instance, vehicle)
    start = np.maximum(earliest + travel[depot, customers], first_open)
    arrival = (start + services)[:, None] + travel[between]
    finite = np.abs(arrival[np.isfinite(arrival)])
    tolerance = 2 * TIME_TOLERANCE * max(instance.horizon, float(finite.max(initial=0.0)))
    yield "time windows", arrival <= last_close[None, :] + tolerance
    end = np.maximum(arrival, first_open[None, :]) + (services + back)[None, :]
    yield "end of the shift", end <= latest + tolerance
    if vehicle.max_duration is not None:
        least = travel[depot, customers][:, None] + services[:, None] + travel[between]
        least = least + (services + back)[None, :]
        yield "largest duration", least <= vehicle.max_duration + tolerance


def _limits_between(
    instance: Instance,
    serves: npt.NDArray[np.bool_],
    customers: IntArray,
    tables: tuple[FloatArray, FloatArray],
) -> list[str]:
    """Return the limits of types that keep pairs of the customers from sharing a route."""
    distances, travel = tables
    found: dict[str, None] = {}
    for k, vehicle in enumerate(instance.vehicle_types):
        own = serves[k, customers - 1]
        fits = own[:, None] & own[None, :]
        if not np.any(np.triu(fits, 1)):
            continue
        for limit, allows in _orders(
            instance, vehicle, customers, distances, travel / vehicle.speed
        ):
            before = fits | fits.T
            fits = fits & allows
            lost = before & ~(fits | fits.T)
            np.fill_diagonal(lost, False)
            if np.any(lost):
                found[limit] = None
    return list(found)


def _windows(instance: Instance, customers: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the first opening and the last closing of each customer."""
    own = [
        () if instance.time_windows is None else instance.time_windows[c]
        for c in customers.tolist()
    ]
    opens = np.array([windows[0][0] if windows else -math.inf for windows in own])
    closes = np.array([windows[-1][1] if windows else math.inf for windows in own])
    return opens, closes


def _shortest_tables(instance: Instance) -> tuple[FloatArray, FloatArray] | None:
    """Return the least distances and travel times between all stops, by way of others too."""
    nodes = np.arange(instance.num_nodes)
    distances = instance.distance_matrix()
    travel = instance.travel_times(nodes[:, None], nodes[None, :])
    if instance.matrix is None and instance.durations is None:
        return distances, travel
    if instance.num_nodes > _MAX_MATRIX:
        return None
    return _shortest(distances), _shortest(travel)


def _shortest(matrix: FloatArray) -> FloatArray:
    least = matrix.copy()
    for via in range(len(least)):
        np.minimum(least, least[:, via, None] + least[via], out=least)
    return least


def _customers(instance: Instance, group: IntArray) -> str:
    """Return the customers of a group, the first of many."""
    some = [instance.describe_stop(int(customer)) for customer in group[:_MAX_NAMED]]
    rest = len(group) - len(some)
    return listed([*some, f"{rest} more"] if rest else some)


def _fleet(types: Sequence[VehicleType]) -> str:
    """Return the types with their numbers of vehicles, such as ``1 × van and 2 × lorry``."""
    some = [f"{vehicle.available} × {named(vehicle.name)}" for vehicle in types[:_MAX_NAMED]]
    rest = len(types) - len(some)
    return listed([*some, f"{rest} more types"] if rest else some)
