"""The checks of what an instance says about a working day."""

from __future__ import annotations

import math
import operator

import numpy as np

from fripn.errors import InvalidInstance
from fripn.messages import Description, named, shown
from fripn.problem.clock import known_hour, moment
from fripn.problem.instance_fields import InstanceFields
from fripn.problem.limits import MAX_NUMBER, MIN_NUMBER
from fripn.problem.serviceability import shift_of

#: No instance has more depots than this.
MAX_DEPOTS = 10_000

#: Load dimensions, at most: the core keeps them in small arrays.
MAX_LOADS = 8


def check_depots(instance: InstanceFields) -> None:
    """Check the number of depots, on which the shapes of everything else depend."""
    try:
        number = operator.index(instance.num_depots)
    except TypeError:
        number = 0
    if isinstance(instance.num_depots, bool) or not 1 <= number <= MAX_DEPOTS:
        raise InvalidInstance(
            field="num_depots",
            value=instance.num_depots,
            remedy=f"give an integer from 1 to {MAX_DEPOTS}",
        )
    for vehicle in instance.vehicle_types:
        if vehicle.depot >= instance.num_depots:
            raise InvalidInstance(
                f"vehicle type {shown(vehicle.name)} starts from depot {{value}}, but the "
                f"depots are 0 to {instance.num_depots - 1}",
                field="depot",
                value=vehicle.depot,
                remedy="give the index of one of them; 0 is the first",
            )


def check_loads(instance: InstanceFields) -> None:
    """Check that demands, capacities and names agree on the load dimensions."""
    num_loads = instance.num_loads
    if num_loads > MAX_LOADS:
        raise InvalidInstance(
            "demands have {value} load dimensions",
            field="demands",
            value=num_loads,
            remedy=f"give at most {MAX_LOADS}",
        )
    for vehicle in instance.vehicle_types:
        if len(vehicle.capacities) != num_loads:
            raise InvalidInstance(
                f"vehicle type {shown(vehicle.name)} has {{field}} {{value}}, but the demands "
                f"have {_numbers(num_loads, 'load dimension')}",
                field="capacity",
                value=vehicle.capacity,
                remedy="give one number per load dimension",
            )
    names = instance.load_names
    if names is None:
        return
    if len(names) != num_loads:
        raise InvalidInstance(
            f"{{value}} load names are given for {_numbers(num_loads, 'load dimension')}",
            field="load_names",
            value=len(names),
            remedy="give one each",
        )
    if not all(names) or len(set(names)) < len(names):
        raise InvalidInstance(
            field="load_names", value=list(names), remedy="give each load its own name"
        )


def check_times(instance: InstanceFields) -> None:
    """Check durations, service times, windows and units."""
    num_nodes = instance.num_nodes
    if instance.durations is not None:
        if instance.durations.shape != (num_nodes, num_nodes):
            raise InvalidInstance(
                f"the matrix of durations has shape {{value}}, but {num_nodes} stops (depots "
                f"included) need ({num_nodes}, {num_nodes})",
                field="durations",
                value=Description(instance.durations.shape),
                remedy="give one row and one column per stop, depot first",
            )
        wrong = ~((instance.durations >= 0) & (instance.durations <= MAX_NUMBER))
        for i, j in np.argwhere(wrong)[:1]:
            start, end = instance.describe_stop(int(i)), instance.describe_stop(int(j))
            raise InvalidInstance(
                f"the duration from {start} to {end} is {{value}}",
                field="durations",
                value=instance.durations[i, j],
                remedy=f"it must be a number from 0 to {MAX_NUMBER:g}",
            )
    _check_services(instance)
    _check_windows(instance)
    _check_shifts(instance)
    _check_units(instance)


def _check_services(instance: InstanceFields) -> None:
    services = instance.service_times
    if services is None:
        return
    if services.shape != (instance.num_nodes,):
        raise InvalidInstance(
            f"service times have shape {{value}}, but there are {instance.num_nodes} stops",
            field="service_times",
            value=Description(services.shape),
            remedy="give one per stop, depot first",
        )
    for index in np.flatnonzero(~((services >= 0) & (services <= MAX_NUMBER)))[:1]:
        raise _wrong_service(instance, int(index), f"it must be a number from 0 to {MAX_NUMBER:g}")
    for index in range(instance.num_nodes):
        if instance.is_depot(index) and services[index] != 0:
            raise _wrong_service(
                instance, index, "it must be 0; let the shifts of the vehicles start later"
            )


def _wrong_service(instance: InstanceFields, index: int, remedy: str) -> InvalidInstance:
    assert instance.service_times is not None
    return InvalidInstance(
        f"{instance.describe_stop(index)} has the service time {{value}}",
        field="service_times",
        value=instance.service_times[index],
        remedy=remedy,
        stop=index,
    )


def _check_windows(instance: InstanceFields) -> None:
    if instance.time_windows is None:
        return
    if len(instance.time_windows) != instance.num_nodes:
        raise InvalidInstance(
            f"time windows are given for {{value}} stops, but there are {instance.num_nodes}",
            field="time_windows",
            value=len(instance.time_windows),
            remedy="give one entry per stop, depot first; () for always open",
        )
    for index, windows in enumerate(instance.time_windows):
        for opens, closes in windows:
            for time in (opens, closes):
                if math.isnan(time) or (math.isfinite(time) and abs(time) > MAX_NUMBER):
                    raise InvalidInstance(
                        f"a time window of {instance.describe_stop(index)} has the time {{value}}",
                        field="time_windows",
                        value=time,
                        remedy=f"give finite numbers up to {MAX_NUMBER:g}",
                        stop=index,
                    )
            if closes < opens or opens == math.inf or closes == -math.inf:
                raise InvalidInstance(
                    f"{instance.describe_stop(index)} opens at {shown(opens)} and closes at "
                    "{value}, before it opens",
                    field="time_windows",
                    value=closes,
                    remedy="swap the two times (after midnight, times go on: 24:00, 25:00, …)",
                    stop=index,
                )
        if instance.is_depot(index) and len(windows) > 1:
            raise InvalidInstance(
                f"{instance.describe_stop(index)} has {{value}} time windows",
                field="time_windows",
                value=len(windows),
                remedy="give a depot one at most",
                stop=index,
            )


def _check_shifts(instance: InstanceFields) -> None:
    """Check that every type can leave its depot before it has to be back."""
    for vehicle in instance.vehicle_types:
        earliest, latest = shift_of(instance, vehicle)
        if earliest > latest and vehicle.available != 0:
            depot = instance.describe_stop(instance.depot_node(vehicle.depot))
            raise InvalidInstance(
                f"vehicle type {shown(vehicle.name)} cannot leave before "
                f"{moment(earliest, instance)} and has to be back by {moment(latest, instance)}: "
                f"its shift and the opening hours of {depot} do not overlap",
                field="shift_end",
                value=latest,
                remedy="change the shift or the opening hours, or remove the type",
            )


def _check_units(instance: InstanceFields) -> None:
    hour = instance.hour
    if isinstance(hour, bool) or not isinstance(hour, (int, float, np.integer, np.floating)):
        raise InvalidInstance(field="hour", value=hour, remedy="give a number")
    if not MIN_NUMBER <= hour <= MAX_NUMBER:
        raise InvalidInstance(
            field="hour",
            value=hour,
            remedy="give the units of time in an hour, such as 60 for minutes",
        )
    for field in ("time_unit", "distance_unit"):
        unit = getattr(instance, field)
        if unit is not None and (not isinstance(unit, str) or not unit.strip()):
            raise InvalidInstance(field=field, value=unit, remedy="give a string such as 'min'")
    known = known_hour(instance)
    if known is not None and abs(hour - known) > 1e-9 * known:
        raise InvalidInstance(
            f"the time unit is {shown(instance.time_unit)}, of which an hour has {known:g}, but "
            "{field} is {value}",
            field="hour",
            value=hour,
            remedy=f"set hour to {known:g} or change the time unit",
        )
    if instance.metric == "great_circle" and instance.distance_unit not in (None, "km"):
        raise InvalidInstance(
            "distances between latitudes and longitudes are kilometres, but {field} is {value}",
            field="distance_unit",
            value=instance.distance_unit,
            remedy="set it to 'km', or give a matrix in your unit",
        )


def check_access(instance: InstanceFields) -> None:
    """Check the lists of allowed types and required tags."""
    for field in ("allowed_types", "requires"):
        entries = getattr(instance, field)
        if entries is None:
            continue
        if len(entries) != len(instance.demands):
            raise InvalidInstance(
                f"{{field}} has {{value}} entries, but there are {len(instance.demands)} stops",
                field=field,
                value=len(entries),
                remedy="give one per stop, depot first",
            )
        if entries[0]:
            raise InvalidInstance(
                f"the depot has {{field}} {named(str(entries[0]))}",
                field=field,
                remedy="only customers can have any",
                stop=0,
            )
    for index, allowed in enumerate(instance.allowed_types or ()):
        for vehicle_type in allowed or ():
            if not 0 <= vehicle_type < instance.num_types:
                raise InvalidInstance(
                    f"{instance.describe_stop(index)} allows vehicle type number {{value}}, but "
                    f"the types are 0 to {instance.num_types - 1}",
                    field="allowed_types",
                    value=vehicle_type,
                    remedy="give indices of the vehicle types",
                    stop=index,
                )


def _numbers(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
