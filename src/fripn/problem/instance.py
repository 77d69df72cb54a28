"""A fleet size and mix problem: stops, demands, distances and vehicle types, checked once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from dataclasses import replace as dataclass_replace
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from fripn.errors import InvalidInstance
from fripn.problem.day_values import plain_allowed_types, plain_requires, plain_windows
from fripn.problem.distances import (
    EARTH_RADIUS_KM,
    METRICS,
    Metric,
    great_circle_km,
)
from fripn.problem.instance_checks import check_instance
from fripn.problem.instance_fields import InstanceFields
from fripn.problem.limits import (
    LOAD_TOLERANCE,
    MAX_AVAILABLE,
    MAX_NAME,
    MAX_NUMBER,
    MIN_NUMBER,
    SEARCH_LOAD_TOLERANCE,
    FloatArray,
    IntArray,
)
from fripn.problem.vehicle_type import VehicleType, type_name

__all__ = [
    "EARTH_RADIUS_KM",
    "LOAD_TOLERANCE",
    "MAX_AVAILABLE",
    "MAX_NAME",
    "MAX_NUMBER",
    "METRICS",
    "MIN_NUMBER",
    "SEARCH_LOAD_TOLERANCE",
    "FloatArray",
    "Instance",
    "IntArray",
    "Metric",
    "VehicleType",
    "great_circle_km",
    "type_name",
]

#: Values beside None that say that a field is not used.
_NOT_COUNTED = {"num_depots": 1, "hour": 1.0}


@dataclass(frozen=True, slots=True, eq=False)
class Instance(InstanceFields):
    """One problem: a depot, customers with demands, distances, and the types of vehicle on offer.

    Blanks around names and ids do not count and are left out. N is the number of nodes: the n
    customers and the depots. Everything after ``stop_ids`` describes a working day; an instance
    that uses none of it limits only the loads.

    Parameters
    ----------
    name
        Shown in results.
    coordinates
        Shape (N, 2), depot first: (x, y), or (longitude, latitude) in degrees when the metric
        is ``great_circle``. May be None when the metric is ``matrix``.
    demands
        Shape (n + 1,); the depot's entry is 0. With L load dimensions (n + 1, L).
    vehicle_types
        At least one.
    metric
        ``euclidean``: straight lines, not rounded; ``great_circle``: kilometres on the sphere;
        ``matrix``: the given distances.
    matrix
        Shape (N, N), entry (i, j) the distance from i to j; need not be symmetric.
    stop_names
        One string per stop, depot first; None when the stops have none. Unique, unless ids
        distinguish equal names.
    stop_ids
        The user's own ids: one string per stop, depot first, unique; None when the stops are just
        numbered.
    extra_columns
        What else the user's table says about the stops (street, telephone, …): by column, one
        string per stop, depot first; None when there is nothing. It goes into plans, reports and
        driver sheets, and has no influence on the plan.
    has_map
        For the metric ``matrix``: True when the coordinates are (longitude, latitude) in degrees,
        so that maps can be drawn; else None.
    num_depots
        Number of depots; the first is node 0, the others are n + 1, n + 2, ….
    durations
        Shape (N, N), entry (i, j) the travel time from i to j at speed 1; None when travel times
        are distances divided by the speed of the type.
    service_times
        Shape (N,): time spent at each stop after the start of the service; 0 at depots. None when
        there are none.
    time_windows
        For each node (open, close) pairs: the service starts in one of them. No pairs: always
        open. A depot has one at most: departure not before it opens, return not after it closes.
        Infinities, or None when building, for a window without an end.
    allowed_types
        For each stop, depot first, the indices of the vehicle types that may serve it; None for
        all. n + 1 entries.
    requires
        For each stop, depot first, the tags that a type must offer to serve it. n + 1 entries.
    hour
        Units of time in an hour: 60 when times are minutes. Costs per hour need it.
    load_names
        One name per load dimension, such as ``kg`` and ``pallets``.
    time_unit, distance_unit
        Names of the units, such as ``min`` and ``km``; shown in results.

    Raises
    ------
    InvalidInstance
        When the data are invalid, or the fleet cannot serve the customers.
    """

    #: How notebooks show an instance. Drawing lies above this package, so `fripn` sets it.
    show_as_html: ClassVar[Callable[[Instance], str] | None] = None

    def __post_init__(self) -> None:
        """Freeze the arrays and check everything once."""
        set_field = object.__setattr__
        set_field(self, "vehicle_types", tuple(self.vehicle_types))
        if isinstance(self.name, str):
            set_field(self, "name", self.name.strip())
        demands = _frozen_array(self.demands, "demands")
        if demands.ndim == 2 and demands.shape[1] == 1:
            demands = demands[:, 0]
        set_field(self, "demands", demands)
        for field in ("coordinates", "matrix", "durations", "service_times"):
            if getattr(self, field) is not None:
                set_field(self, field, _frozen_array(getattr(self, field), field))
        if self.service_times is not None and not self.service_times.any():
            set_field(self, "service_times", None)
        for field in ("stop_names", "stop_ids", "load_names"):
            if getattr(self, field) is not None:
                set_field(self, field, tuple(str(text).strip() for text in getattr(self, field)))
        if self.extra_columns is not None:
            set_field(self, "extra_columns", _frozen_columns(self.extra_columns))
        if self.metric != "matrix" or not self.has_map:
            set_field(self, "has_map", None)
        set_field(self, "time_windows", plain_windows(self.time_windows))
        set_field(self, "allowed_types", plain_allowed_types(self.allowed_types))
        set_field(self, "requires", plain_requires(self.requires))
        check_instance(self)
        set_field(self, "hour", float(self.hour))

    def replace(self, **changes: Any) -> Instance:
        """Return a copy with some fields changed, validated again."""
        return dataclass_replace(self, **changes)

    def with_types(self, kept: Sequence[int]) -> Instance:
        """Return a copy with some of the vehicle types, in the given order; access follows."""
        allowed = self.allowed_types
        if allowed is not None:
            new_index = {old: new for new, old in enumerate(kept)}
            allowed = tuple(
                None
                if types is None
                else tuple(new_index[old] for old in types if old in new_index)
                for types in allowed
            )
        return self.replace(
            vehicle_types=tuple(self.vehicle_types[index] for index in kept),
            allowed_types=allowed,
        )

    def _repr_html_(self) -> str | None:
        """Show the stops and the vehicle types in a notebook."""
        show = type(self).show_as_html
        return None if show is None else show(self)

    def __eq__(self, other: object) -> bool:
        """Equal when every field is."""
        if not isinstance(other, Instance):
            return NotImplemented
        others = other._values()
        return all(_is_same(value, others[name]) for name, value in self._values().items())

    __hash__ = None  # type: ignore[assignment]

    @property
    def digest(self) -> str:
        """Sixteen hexadecimal digits of a hash of the content.

        A field that is not used does not count, so that an optional field of a later version
        leaves the digests of instances without it as they were.
        """
        content = hashlib.sha256()
        for name, value in self._values().items():
            if isinstance(value, np.ndarray):
                content.update(f"{name} {value.shape} ".encode())
                content.update((value + 0.0).astype("<f8").tobytes())  # -0.0 is 0.0
            elif value is not None and value != _NOT_COUNTED.get(name):
                text = json.dumps(value, default=VehicleType.to_content)
                content.update(f"{name} {text} ".encode())
        return content.hexdigest()[:16]

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the fields; what is unpickled is checked and read-only like any other."""
        return _from_values, (self._values(),)

    def _values(self) -> dict[str, Any]:
        """Return every field by name: used by equality, digest and pickling."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        if self.extra_columns is not None:  # the view that keeps it read-only cannot be pickled
            values["extra_columns"] = dict(self.extra_columns)
        return values


def _frozen_array(values: Any, what: str) -> FloatArray:
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidInstance(
            f"{what} are not all numbers ({error})", field=what, remedy="give numbers"
        ) from None
    array.setflags(write=False)
    return array


def _frozen_columns(columns: Any) -> Mapping[str, tuple[str, ...]] | None:
    """Return a read-only copy, without blanks around strings; None when there are no columns."""
    try:
        copy = {
            str(name).strip(): tuple(str(text).strip() for text in texts)
            for name, texts in dict(columns).items()
        }
    except (TypeError, ValueError):
        raise InvalidInstance(
            field="extra_columns",
            value=columns,
            remedy="give a mapping from the name of a column to one string per stop",
        ) from None
    return MappingProxyType(copy) if copy else None


def _from_values(values: dict[str, Any]) -> Instance:
    return Instance(**values)


def _is_same(first: Any, second: Any) -> bool:
    if isinstance(first, np.ndarray) and isinstance(second, np.ndarray):
        return bool(np.array_equal(first, second))
    return type(first) is type(second) and bool(first == second)
