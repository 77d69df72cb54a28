"""A fleet size and mix problem: stops, demands, distances and vehicle types, checked once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from dataclasses import replace as dataclass_replace
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from fripn.errors import InvalidInstance
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


@dataclass(frozen=True, slots=True, eq=False)
class Instance(InstanceFields):
    """One problem: a depot, customers with demands, distances, and the types of vehicle on offer.

    Blanks around names and ids do not count and are left out.

    Parameters
    ----------
    name
        Shown in results.
    coordinates
        Shape (n + 1, 2), depot first: (x, y), or (longitude, latitude) in degrees when the metric
        is ``great_circle``. May be None when the metric is ``matrix``.
    demands
        Shape (n + 1,); the depot's entry is 0.
    vehicle_types
        At least one.
    metric
        ``euclidean``: straight lines, not rounded; ``great_circle``: kilometres on the sphere;
        ``matrix``: the given distances.
    matrix
        Shape (n + 1, n + 1), entry (i, j) the distance from i to j; need not be symmetric.
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
        set_field(self, "demands", _frozen_array(self.demands, "demands"))
        if self.coordinates is not None:
            set_field(self, "coordinates", _frozen_array(self.coordinates, "coordinates"))
        if self.matrix is not None:
            set_field(self, "matrix", _frozen_array(self.matrix, "matrix"))
        for field in ("stop_names", "stop_ids"):
            if getattr(self, field) is not None:
                set_field(self, field, tuple(str(text).strip() for text in getattr(self, field)))
        if self.extra_columns is not None:
            set_field(self, "extra_columns", _frozen_columns(self.extra_columns))
        if self.metric != "matrix" or not self.has_map:
            set_field(self, "has_map", None)
        check_instance(self)

    def replace(self, **changes: Any) -> Instance:
        """Return a copy with some fields changed, validated again."""
        return dataclass_replace(self, **changes)

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

        A field that is None does not count, so that an optional field of a later version leaves
        the digests of instances without it as they were.
        """
        content = hashlib.sha256()
        for name, value in self._values().items():
            if isinstance(value, np.ndarray):
                content.update(f"{name} {value.shape} ".encode())
                content.update((value + 0.0).astype("<f8").tobytes())  # -0.0 is 0.0
            elif value is not None:
                content.update(f"{name} {json.dumps(value, default=asdict)} ".encode())
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
