"""A fleet size and mix problem: stops, demands, distances and vehicle types.

Index 0 is the depot, customers are 1 … n. This holds everywhere in the package.
"""

from __future__ import annotations

import hashlib
import json
import math
import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from dataclasses import replace as dataclass_replace
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from fripn.errors import InvalidInstance
from fripn.messages import Description, named, shown

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
#: How distances are computed; see `Instance`.
Metric = Literal["euclidean", "great_circle", "matrix"]

METRICS: tuple[Metric, ...] = ("euclidean", "great_circle", "matrix")

#: A load may exceed a capacity by this fraction of it: decimals such as 0.1 + 0.2 are not exact.
#: `evaluate` uses it in full; every search stays within half of it, and the core (its
#: ``search_load_tolerance``) has the same figure.
LOAD_TOLERANCE = 1e-9
SEARCH_LOAD_TOLERANCE = LOAD_TOLERANCE / 2

#: Coordinates, demands, distances, capacities and costs lie within this, so that no sum or product
#: of them can overflow.
MAX_NUMBER = 1e15
_LARGEST = f"{MAX_NUMBER:g}"

#: Demands, capacities, costs and the largest distance are 0 or at least this. Products of much
#: smaller numbers would be 0.
MIN_NUMBER = 1e-30
_SMALLEST = f"{MIN_NUMBER:g}"

#: No type has more vehicles than this; the core counts them in 64 bits.
MAX_AVAILABLE = 1_000_000_000

#: Characters of a name or id, at most: pictures, pages and tables show it in many places.
MAX_NAME = 1000

#: Control codes except tabs and ends of lines, which cells of spreadsheets have, and surrogates.
_UNSHOWABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")

#: Mean radius of the Earth in kilometres (IUGG), for great-circle distances.
EARTH_RADIUS_KM = 6371.0088


@dataclass(frozen=True, slots=True)
class VehicleType:
    """A vehicle type that can be hired.

    Parameters
    ----------
    name
        Name of the type; unique within an instance.
    capacity
        Largest load, in the unit of the demands; positive.
    fixed_cost
        Paid once per vehicle hired; at least 0.
    unit_cost
        Paid per unit of distance; at least 0.
    available
        How many can be hired at most; None for as many as needed.
    """

    name: str
    capacity: float
    fixed_cost: float = 0.0
    unit_cost: float = 1.0
    available: int | None = None

    def __post_init__(self) -> None:
        """Check every field."""
        if not isinstance(self.name, str) or not self.name.strip():
            raise InvalidInstance(
                "a vehicle type has the {field} {value}",
                field="name",
                value=self.name,
                remedy="give it a string",
            )
        object.__setattr__(self, "name", self.name.strip())
        for field in ("capacity", "fixed_cost", "unit_cost"):
            value = getattr(self, field)
            if isinstance(value, bool) or not isinstance(
                value, (int, float, np.integer, np.floating)
            ):
                raise self._wrong(field, "give a number")
            try:
                number = float(value)
            except OverflowError:
                number = math.inf
            if not abs(number) <= MAX_NUMBER:  # NaN included
                raise self._wrong(field, f"give a finite number, at most {MAX_NUMBER:g}")
            object.__setattr__(self, field, number)
        if self.capacity <= 0:
            raise self._wrong("capacity", "it must be positive")
        if self.capacity < MIN_NUMBER:
            raise self._wrong("capacity", f"it must be at least {_SMALLEST}; use a smaller unit")
        for field in ("fixed_cost", "unit_cost"):
            if getattr(self, field) < 0:
                raise self._wrong(field, "it must be 0 or more")
            if 0 < getattr(self, field) < MIN_NUMBER:
                raise self._wrong(field, f"it must be 0, or at least {_SMALLEST}")
        if self.available is not None:
            try:
                available = operator.index(self.available)
            except TypeError:
                available = -1
            if isinstance(self.available, bool) or not 0 <= available <= MAX_AVAILABLE:
                raise self._wrong(
                    "available",
                    f"give an integer from 0 to {MAX_AVAILABLE}, or leave it out when there is no "
                    "limit",
                )
            object.__setattr__(self, "available", available)

    def _wrong(self, field: str, remedy: str) -> InvalidInstance:
        """Return the error to raise about a field."""
        return InvalidInstance(
            f"vehicle type {shown(self.name)} has {{field}} {{value}}",
            field=field,
            value=getattr(self, field),
            remedy=remedy,
        )

    @property
    def load_limit(self) -> float:
        """Largest load that still counts as within the capacity."""
        return self.capacity * (1.0 + LOAD_TOLERANCE)

    def replace(self, **changes: Any) -> VehicleType:
        """Return a copy with some fields changed."""
        return dataclass_replace(self, **changes)


@dataclass(frozen=True, slots=True, eq=False)
class Instance:
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

    Raises
    ------
    InvalidInstance
        When the data are invalid, or the fleet cannot serve the customers.
    """

    name: str
    coordinates: FloatArray | None
    demands: FloatArray
    vehicle_types: tuple[VehicleType, ...]
    metric: Metric = "euclidean"
    matrix: FloatArray | None = None
    stop_names: tuple[str, ...] | None = None
    stop_ids: tuple[str, ...] | None = None

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
        self._check_shapes()
        self._check_names()
        self._check_values()
        self._check_fleet()

    # -- reading -------------------------------------------------------------------------------

    @property
    def num_customers(self) -> int:
        """Number of customers n; they are 1 … n."""
        return len(self.demands) - 1

    @property
    def num_types(self) -> int:
        """Number of vehicle types."""
        return len(self.vehicle_types)

    @property
    def capacities(self) -> FloatArray:
        """Capacity per type."""
        return np.array([vehicle.capacity for vehicle in self.vehicle_types])

    @property
    def fixed_costs(self) -> FloatArray:
        """Fixed cost per type."""
        return np.array([vehicle.fixed_cost for vehicle in self.vehicle_types])

    @property
    def unit_costs(self) -> FloatArray:
        """Cost per unit of distance, per type."""
        return np.array([vehicle.unit_cost for vehicle in self.vehicle_types])

    @property
    def has_limited_fleet(self) -> bool:
        """Whether the number of vehicles of any type is limited."""
        return any(vehicle.available is not None for vehicle in self.vehicle_types)

    @property
    def is_symmetric(self) -> bool:
        """Whether every distance is the same in both directions."""
        return self.matrix is None or bool(np.array_equal(self.matrix, self.matrix.T))

    def stop_id(self, index: int) -> str:
        """Return the id of a stop: the given one, else ``depot`` or the customer's number."""
        if self.stop_ids is not None:
            return self.stop_ids[index]
        return str(index) if index else "depot"

    def stop_name(self, index: int) -> str:
        """Return the name of a stop: the given one, else its id."""
        return self.stop_id(index) if self.stop_names is None else self.stop_names[index]

    def stop_label(self, index: int) -> str:
        """Return the name of a stop, followed by its id where it has both: ``Ann (105)``."""
        name = self.stop_name(index)
        if self.stop_ids is None or name == self.stop_ids[index]:
            return name
        return f"{name} ({self.stop_ids[index]})"

    def describe_stop(self, index: int) -> str:
        """Return a description of a stop for messages: ``customer 1 (Ann, id 105)``."""
        if index == 0:
            return "the depot"
        names, ids = self.stop_names, self.stop_ids
        known = [] if names is None else [named(names[index])]
        if ids is not None and (names is None or ids[index] != names[index]):
            known.append(f"id {named(ids[index])}")
        return f"customer {index}" + (f" ({', '.join(known)})" if known else "")

    def distances(
        self, origins: npt.NDArray[np.integer[Any]], destinations: npt.NDArray[np.integer[Any]]
    ) -> FloatArray:
        """Return the distance from each origin to its destination (arrays broadcast)."""
        if self.matrix is not None:
            return np.asarray(self.matrix[origins, destinations], dtype=np.float64)
        assert self.coordinates is not None
        start, end = self.coordinates[origins], self.coordinates[destinations]
        if self.metric == "great_circle":
            return great_circle_km(start, end)
        return np.asarray(np.hypot(start[..., 0] - end[..., 0], start[..., 1] - end[..., 1]))

    def distance_matrix(self) -> FloatArray:
        """Return the (n + 1, n + 1) matrix; 8 (n + 1)² bytes when computed from coordinates."""
        if self.matrix is not None:
            return self.matrix
        everyone = np.arange(self.num_customers + 1)
        return self.distances(everyone[:, None], everyone[None, :])

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
        return all(_is_same(value, getattr(other, name)) for name, value in self._values().items())

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
        return {field.name: getattr(self, field.name) for field in fields(self)}

    # -- checks --------------------------------------------------------------------------------

    def _check_shapes(self) -> None:
        if self.metric not in METRICS:
            raise InvalidInstance(
                field="metric", value=self.metric, remedy=f"choose one of {', '.join(METRICS)}"
            )
        if self.demands.ndim != 1:
            raise InvalidInstance(
                "demands have shape {value}",
                field="demands",
                value=Description(self.demands.shape),
                remedy="give one per stop",
            )
        num_stops = len(self.demands)
        if num_stops < 2:
            raise InvalidInstance(
                "the instance has no customers", field="demands", remedy="give at least one"
            )
        if not self.vehicle_types:
            raise InvalidInstance(
                "the instance has no vehicle types",
                field="vehicle_types",
                remedy="give at least one",
            )
        if self.coordinates is not None and self.coordinates.shape != (num_stops, 2):
            raise InvalidInstance(
                f"coordinates have shape {{value}}, but {num_stops} stops need ({num_stops}, 2)",
                field="coordinates",
                value=Description(self.coordinates.shape),
                remedy="give one pair per stop, depot first",
            )
        if self.metric == "matrix":
            if self.matrix is None:
                raise InvalidInstance(
                    "the metric is 'matrix', but no matrix is given",
                    field="matrix",
                    remedy="add it",
                )
            if self.matrix.shape != (num_stops, num_stops):
                raise InvalidInstance(
                    "the distance matrix has shape {value}, "
                    f"but {num_stops} stops (depot included) need ({num_stops}, {num_stops})",
                    field="matrix",
                    value=Description(self.matrix.shape),
                    remedy="give one row and one column per stop, depot first",
                )
        elif self.matrix is not None:
            raise InvalidInstance(
                "a distance matrix is given, but the metric is {value}",
                field="metric",
                value=self.metric,
                remedy="set the metric to 'matrix' or leave the matrix out",
            )
        elif self.coordinates is None:
            raise InvalidInstance(
                f"the metric is {self.metric!r}, but no coordinates are given",
                field="coordinates",
                remedy="give one pair per stop, depot first",
            )

    def _check_names(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise InvalidInstance(
                "the instance has the {field} {value}",
                field="name",
                value=self.name,
                remedy="give it a string",
            )
        _check_characters([self.name, *(vehicle.name for vehicle in self.vehicle_types)])
        type_names = [vehicle.name for vehicle in self.vehicle_types]
        if duplicate := _first_duplicate(type_names):
            raise InvalidInstance(
                "two vehicle types are called {value}",
                field="vehicle_types",
                value=duplicate,
                remedy="give each type its own name",
            )
        for what, strings in (("name", self.stop_names), ("id", self.stop_ids)):
            if strings is not None:
                self._check_stop_strings(what, strings)
        if self.stop_ids is not None and (duplicate := _first_duplicate(self.stop_ids)):
            raise InvalidInstance(
                "two stops have the id {value}",
                field="stop_ids",
                value=duplicate,
                remedy="give each its own id",
            )
        if self.stop_ids is None and (duplicate := _first_duplicate(self.stop_names or ())):
            raise InvalidInstance(
                "two stops are called {value}",
                field="stop_names",
                value=duplicate,
                remedy="give each its own name, or ids to all",
            )

    def _check_stop_strings(self, what: str, strings: tuple[str, ...]) -> None:
        if len(strings) != len(self.demands):
            raise InvalidInstance(
                f"{{value}} stop {what}s are given for {len(self.demands)} stops",
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

    def _check_values(self) -> None:
        # written so that NaN fails the comparison
        for index in np.flatnonzero(~((self.demands >= 0) & (self.demands <= MAX_NUMBER)))[:1]:
            raise self._wrong_stop(
                index, "demand", self.demands[index], f"it must be a number from 0 to {_LARGEST}"
            )
        for index in np.flatnonzero((self.demands > 0) & (self.demands < MIN_NUMBER))[:1]:
            raise self._wrong_stop(
                index,
                "demand",
                self.demands[index],
                f"it must be 0, or at least {_SMALLEST}; use a smaller unit",
            )
        if self.demands[0] != 0:
            raise self._wrong_stop(0, "demand", self.demands[0], "it must be 0")
        if self.coordinates is not None:
            for index in np.flatnonzero(~(np.abs(self.coordinates) <= MAX_NUMBER).all(axis=1))[:1]:
                x, y = self.coordinates[index].tolist()
                raise InvalidInstance(
                    f"{self.describe_stop(int(index))} is at ({shown(x)}, {shown(y)})",
                    field="coordinates",
                    value=[x, y],
                    remedy=f"give finite coordinates up to {_LARGEST}",
                    stop=int(index),
                )
            self._check_extent("coordinates", float(np.ptp(self.coordinates, axis=0).max()))
        if self.metric == "great_circle" and self.coordinates is not None:
            longitude, latitude = self.coordinates.T
            for index in np.flatnonzero(np.abs(latitude) > 90)[:1]:
                raise self._wrong_stop(
                    index,
                    "latitude",
                    latitude[index],
                    "it must be between -90 and 90 (are latitude and longitude swapped?)",
                )
            for index in np.flatnonzero(np.abs(longitude) > 180)[:1]:
                raise self._wrong_stop(
                    index, "longitude", longitude[index], "it must be between -180 and 180"
                )
        if self.matrix is not None:
            for i, j in np.argwhere(~((self.matrix >= 0) & (self.matrix <= MAX_NUMBER)))[:1]:
                start, end = self.describe_stop(int(i)), self.describe_stop(int(j))
                raise InvalidInstance(
                    f"the distance from {start} to {end} is {{value}}",
                    field="matrix",
                    value=self.matrix[i, j],
                    remedy=f"it must be a number from 0 to {_LARGEST}",
                )
            self._check_extent("matrix", float(self.matrix.max()))

    def _check_extent(self, field: str, extent: float) -> None:
        if 0 < extent < MIN_NUMBER:
            raise InvalidInstance(
                "the largest distance is {value}",
                field=field,
                value=extent,
                remedy=f"it must be 0, or at least {_SMALLEST}; use a smaller unit",
            )

    def _wrong_stop(
        self, index: np.intp | int, field: str, value: float, remedy: str
    ) -> InvalidInstance:
        """Return the error to raise about a number of one stop."""
        return InvalidInstance(
            f"{self.describe_stop(int(index))} has {{field}} {{value}}",
            field=field,
            value=value,
            remedy=remedy,
            stop=int(index),
        )

    def _check_fleet(self) -> None:
        usable = [vehicle for vehicle in self.vehicle_types if vehicle.available != 0]
        if not usable:
            raise InvalidInstance(
                "no vehicle of any type is available",
                field="available",
                remedy="allow at least one",
            )
        largest = max(usable, key=lambda vehicle: vehicle.capacity)
        heaviest = int(np.argmax(self.demands))
        if self.demands[heaviest] > largest.load_limit:
            raise InvalidInstance(
                f"{self.describe_stop(heaviest)} has {{field}} {{value}}, but the largest vehicle "
                f"({named(largest.name)}) carries {shown(largest.capacity)}",
                field="demand",
                value=self.demands[heaviest],
                remedy="split the customer or add a larger type",
                stop=heaviest,
            )
        if all(vehicle.available is not None for vehicle in usable):
            total = sum(vehicle.load_limit * (vehicle.available or 0) for vehicle in usable)
            demand = math.fsum(self.demands)
            if demand > total:
                raise InvalidInstance(
                    f"the customers demand {demand:g} in total, but all available vehicles "
                    f"together carry {total:g}",
                    field="available",
                    value=demand,
                    remedy="add vehicles or remove customers",
                )


def type_name(index: int) -> str:
    """Return A, B, …, Z, AA, AB, … for 0, 1, …: names for types that have none."""
    letters = ""
    index += 1
    while index:
        index, letter = divmod(index - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return letters


def great_circle_km(start: FloatArray, end: FloatArray) -> FloatArray:
    """Haversine distance in kilometres between (longitude, latitude) pairs in degrees."""
    lon1, lat1 = np.radians(start[..., 0]), np.radians(start[..., 1])
    lon2, lat2 = np.radians(end[..., 0]), np.radians(end[..., 1])
    chord = (
        np.sin((lat2 - lat1) / 2) ** 2
        + np.cos(lat1) * np.cos(lat2) * np.sin((lon2 - lon1) / 2) ** 2
    )
    angle = 2 * np.arcsin(np.sqrt(np.minimum(chord, 1.0)))
    return np.asarray(EARTH_RADIUS_KM * angle, dtype=np.float64)


def _frozen_array(values: Any, what: str) -> FloatArray:
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidInstance(
            f"{what} are not all numbers ({error})", field=what, remedy="give numbers"
        ) from None
    array.setflags(write=False)
    return array


def _check_characters(names: Sequence[str]) -> None:
    """Refuse characters that cannot be shown: control codes and lone surrogates."""
    if max(map(len, names)) > MAX_NAME:
        raise InvalidInstance(
            "the {field} {value} is too long",
            field="name",
            value=max(names, key=len),
            remedy=f"give at most {MAX_NAME} characters",
        )
    if not _UNSHOWABLE.search("".join(names)):
        return
    for name in names:
        if found := _UNSHOWABLE.search(name):
            raise InvalidInstance(
                f"the {{field}} {{value}} contains {shown(found[0])}, which is not a character "
                "that can be shown",
                field="name",
                value=name,
                remedy="remove it",
            )


def _from_values(values: dict[str, Any]) -> Instance:
    return Instance(**values)


def _is_same(first: Any, second: Any) -> bool:
    if isinstance(first, np.ndarray) and isinstance(second, np.ndarray):
        return bool(np.array_equal(first, second))
    return type(first) is type(second) and bool(first == second)


def _first_duplicate(names: Sequence[str]) -> str | None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None
