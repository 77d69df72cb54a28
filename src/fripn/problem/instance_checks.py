"""The checks of a new instance: shapes, names, numbers, and whether the fleet can serve it."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np

from fripn.errors import InvalidInstance
from fripn.messages import Description, named, shown
from fripn.problem.day_checks import check_access, check_depots, check_loads, check_times
from fripn.problem.distances import METRICS
from fripn.problem.instance_fields import InstanceFields
from fripn.problem.limits import MAX_EXTRA_COLUMNS, MAX_NAME, MAX_NUMBER, MIN_NUMBER
from fripn.problem.repeats import first_repeat
from fripn.problem.serviceability import check_serviceable
from fripn.problem.vehicle_type import VehicleType

#: Control codes except tabs and ends of lines, which cells of spreadsheets have, and surrogates.
UNSHOWABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


def check_instance(instance: InstanceFields) -> None:
    """Raise `InvalidInstance` for the first thing that is wrong."""
    _check_shapes(instance)
    check_loads(instance)
    _check_names(instance)
    _check_extra_columns(instance)
    _check_values(instance)
    check_times(instance)
    check_access(instance)
    _check_fleet(instance)
    if _limits_more_than_loads(instance):
        check_serviceable(instance)


def _check_shapes(instance: InstanceFields) -> None:
    if instance.metric not in METRICS:
        raise InvalidInstance(
            field="metric", value=instance.metric, remedy=f"choose one of {', '.join(METRICS)}"
        )
    if instance.demands.ndim not in (1, 2) or not instance.demands.size:
        raise InvalidInstance(
            "demands have shape {value}",
            field="demands",
            value=Description(instance.demands.shape),
            remedy="give one per stop",
        )
    if len(instance.demands) < 2:
        raise InvalidInstance(
            "the instance has no customers", field="demands", remedy="give at least one"
        )
    if not instance.vehicle_types:
        raise InvalidInstance(
            "the instance has no vehicle types",
            field="vehicle_types",
            remedy="give at least one",
        )
    check_depots(instance)
    num_stops = instance.num_nodes
    if instance.coordinates is not None and instance.coordinates.shape != (num_stops, 2):
        raise InvalidInstance(
            f"coordinates have shape {{value}}, but {num_stops} stops need ({num_stops}, 2)",
            field="coordinates",
            value=Description(instance.coordinates.shape),
            remedy="give one pair per stop, depot first",
        )
    if instance.metric == "matrix":
        if instance.matrix is None:
            raise InvalidInstance(
                "the metric is 'matrix', but no matrix is given",
                field="matrix",
                remedy="add it",
            )
        if instance.matrix.shape != (num_stops, num_stops):
            raise InvalidInstance(
                "the distance matrix has shape {value}, "
                f"but {num_stops} stops (depot included) need ({num_stops}, {num_stops})",
                field="matrix",
                value=Description(instance.matrix.shape),
                remedy="give one row and one column per stop, depot first",
            )
    elif instance.matrix is not None:
        raise InvalidInstance(
            "a distance matrix is given, but the metric is {value}",
            field="metric",
            value=instance.metric,
            remedy="set the metric to 'matrix' or leave the matrix out",
        )
    elif instance.coordinates is None:
        raise InvalidInstance(
            f"the metric is {instance.metric!r}, but no coordinates are given",
            field="coordinates",
            remedy="give one pair per stop, depot first",
        )


def _check_names(instance: InstanceFields) -> None:
    if not isinstance(instance.name, str) or not instance.name.strip():
        raise InvalidInstance(
            "the instance has the {field} {value}",
            field="name",
            value=instance.name,
            remedy="give it a string",
        )
    _check_characters([instance.name, *(vehicle.name for vehicle in instance.vehicle_types)])
    type_names = [vehicle.name for vehicle in instance.vehicle_types]
    if duplicate := _first_duplicate(type_names):
        raise InvalidInstance(
            "two vehicle types are called {value}",
            field="vehicle_types",
            value=duplicate,
            remedy="give each type its own name",
        )
    for what, strings in (("name", instance.stop_names), ("id", instance.stop_ids)):
        if strings is not None:
            _check_stop_strings(instance, what, strings)
    if instance.stop_ids is not None and (duplicate := _first_duplicate(instance.stop_ids)):
        raise InvalidInstance(
            "two stops have the id {value}",
            field="stop_ids",
            value=duplicate,
            remedy="give each its own id",
        )
    if instance.stop_ids is None and (duplicate := _first_duplicate(instance.stop_names or ())):
        raise InvalidInstance(
            "two stops are called {value}",
            field="stop_names",
            value=duplicate,
            remedy="give each its own name, or ids to all",
        )


def _check_stop_strings(instance: InstanceFields, what: str, strings: tuple[str, ...]) -> None:
    if len(strings) != instance.num_nodes:
        raise InvalidInstance(
            f"{{value}} stop {what}s are given for {instance.num_nodes} stops",
            field=f"stop_{what}s",
            value=len(strings),
            remedy="give one each, depot first",
        )
    _check_characters(strings)
    for index, text in enumerate(strings):
        if not text.strip():
            raise InvalidInstance(
                f"stop {index} has the empty {what} {{value}}",
                field=f"stop_{what}s",
                value=text,
                remedy="give it a string, or no stop any",
                stop=index,
            )


def _check_extra_columns(instance: InstanceFields) -> None:
    columns = instance.extra_columns
    if columns is None:
        return
    if len(columns) > MAX_EXTRA_COLUMNS:
        raise InvalidInstance(
            "the stops have {value} extra columns",
            field="extra_columns",
            value=len(columns),
            remedy=f"give at most {MAX_EXTRA_COLUMNS}",
        )
    for name, strings in columns.items():
        if not name:
            raise InvalidInstance(
                "an extra column has the name {value}",
                field="extra_columns",
                value=name,
                remedy="give it a name",
            )
        if len(strings) != instance.num_nodes:
            raise InvalidInstance(
                f"the extra column {shown(name)} has {{value}} entries for "
                f"{instance.num_nodes} stops",
                field="extra_columns",
                value=len(strings),
                remedy="give one each, depot first",
            )
        _check_characters([name, *strings])


def _check_values(instance: InstanceFields) -> None:
    demands = instance.load_matrix
    # written so that NaN fails the comparison
    for index, load in np.argwhere(~((demands >= 0) & (demands <= MAX_NUMBER)))[:1]:
        raise _wrong_stop(
            instance,
            index,
            "demand",
            demands[index, load],
            f"it must be a number from 0 to {MAX_NUMBER:g}",
        )
    for index, load in np.argwhere((demands > 0) & (demands < MIN_NUMBER))[:1]:
        raise _wrong_stop(
            instance,
            index,
            "demand",
            demands[index, load],
            f"it must be 0, or at least {MIN_NUMBER:g}; use a smaller unit",
        )
    for load in np.flatnonzero(demands[0])[:1]:
        raise _wrong_stop(instance, 0, "demand", demands[0, load], "it must be 0")
    if instance.coordinates is not None:
        for index in np.flatnonzero(~(np.abs(instance.coordinates) <= MAX_NUMBER).all(axis=1))[:1]:
            x, y = instance.coordinates[index].tolist()
            raise InvalidInstance(
                f"{instance.describe_stop(int(index))} is at ({shown(x)}, {shown(y)})",
                field="coordinates",
                value=[x, y],
                remedy=f"give finite coordinates up to {MAX_NUMBER:g}",
                stop=int(index),
            )
        _check_extent("coordinates", float(np.ptp(instance.coordinates, axis=0).max()))
    if instance.has_map and instance.coordinates is None:
        raise InvalidInstance(
            "latitudes and longitudes are promised, but no coordinates are given",
            field="has_map",
            value=True,
            remedy="give one pair per stop, depot first",
        )
    if instance.is_geographic and instance.coordinates is not None:
        longitude, latitude = instance.coordinates.T
        for index in np.flatnonzero(np.abs(latitude) > 90)[:1]:
            raise _wrong_stop(
                instance,
                index,
                "latitude",
                latitude[index],
                "it must be between -90 and 90 (are latitude and longitude swapped?)",
            )
        for index in np.flatnonzero(np.abs(longitude) > 180)[:1]:
            raise _wrong_stop(
                instance, index, "longitude", longitude[index], "it must be between -180 and 180"
            )
    if instance.matrix is not None:
        for i, j in np.argwhere(~((instance.matrix >= 0) & (instance.matrix <= MAX_NUMBER)))[:1]:
            start, end = instance.describe_stop(int(i)), instance.describe_stop(int(j))
            raise InvalidInstance(
                f"the distance from {start} to {end} is {{value}}",
                field="matrix",
                value=instance.matrix[i, j],
                remedy=f"it must be a number from 0 to {MAX_NUMBER:g}",
            )
        _check_extent("matrix", float(instance.matrix.max()))


def _check_extent(field: str, extent: float) -> None:
    if 0 < extent < MIN_NUMBER:
        raise InvalidInstance(
            "the largest distance is {value}",
            field=field,
            value=extent,
            remedy=f"it must be 0, or at least {MIN_NUMBER:g}; use a smaller unit",
        )


def _wrong_stop(
    instance: InstanceFields, index: np.intp | int, field: str, value: float, remedy: str
) -> InvalidInstance:
    """Return the error to raise about a number of one stop."""
    return InvalidInstance(
        f"{instance.describe_stop(int(index))} has {{field}} {{value}}",
        field=field,
        value=value,
        remedy=remedy,
        stop=int(index),
    )


def _check_fleet(instance: InstanceFields) -> None:
    usable = [vehicle for vehicle in instance.vehicle_types if vehicle.available != 0]
    if not usable:
        raise InvalidInstance(
            "no vehicle of any type is available",
            field="available",
            remedy="allow at least one",
        )
    for load in range(instance.num_loads):
        _check_load(instance, usable, load)
    if all(vehicle.available is not None and vehicle.max_stops is not None for vehicle in usable):
        stops = sum((vehicle.available or 0) * (vehicle.max_stops or 0) for vehicle in usable)
        if stops < instance.num_customers:
            raise InvalidInstance(
                f"there are {instance.num_customers} customers, but the largest numbers of stops "
                "of all available vehicles are {value} together",
                field="max_stops",
                value=stops,
                remedy="add vehicles, allow more stops, or remove customers",
            )


def _check_load(instance: InstanceFields, usable: list[VehicleType], load: int) -> None:
    """Check that one load dimension fits: every customer, and all of them together."""
    demands = instance.load_matrix[:, load]
    unit = "" if instance.load_names is None else f" {named(instance.load_names[load])}"
    largest = max(usable, key=lambda vehicle: vehicle.capacities[load])
    heaviest = int(np.argmax(demands))
    if demands[heaviest] > largest.load_limits[load]:
        raise InvalidInstance(
            f"{instance.describe_stop(heaviest)} has {{field}} {{value}}{unit}, but the largest "
            f"vehicle ({named(largest.name)}) carries {shown(largest.capacities[load])}",
            field="demand",
            value=demands[heaviest],
            remedy="split the customer or add a larger type",
            stop=heaviest,
        )
    if all(vehicle.available is not None for vehicle in usable):
        total = sum(vehicle.load_limits[load] * (vehicle.available or 0) for vehicle in usable)
        demand = math.fsum(demands)
        if demand > total:
            raise InvalidInstance(
                f"the customers demand {demand:g}{unit} in total, but all available vehicles "
                f"together carry {total:g}",
                field="available",
                value=demand,
                remedy="add vehicles or remove customers",
            )


def _limits_more_than_loads(instance: InstanceFields) -> bool:
    """Return whether a customer that fits into the largest vehicle may still not be served."""
    return (
        instance.limits_time
        or instance.num_loads > 1
        or instance.allowed_types is not None
        or instance.requires is not None
        or any(vehicle.max_distance is not None for vehicle in instance.vehicle_types)
    )


def _check_characters(names: Sequence[str]) -> None:
    """Refuse characters that cannot be shown: control codes and lone surrogates."""
    if max(map(len, names)) > MAX_NAME:
        raise InvalidInstance(
            "the {field} {value} is too long",
            field="name",
            value=max(names, key=len),
            remedy=f"give at most {MAX_NAME} characters",
        )
    if not UNSHOWABLE.search("".join(names)):
        return
    for name in names:
        if found := UNSHOWABLE.search(name):
            raise InvalidInstance(
                f"the {{field}} {{value}} contains {shown(found[0])}, which is not a character "
                "that can be shown",
                field="name",
                value=name,
                remedy="remove it",
            )


def _first_duplicate(names: Sequence[str]) -> str | None:
    repeat = first_repeat(len(names), names.__getitem__)
    return None if repeat is None else names[repeat[0]]
