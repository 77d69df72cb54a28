"""What a fleet size and mix problem is: stops, demands, distances and vehicle types.

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

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
Metric = Literal["euclidean", "great_circle", "matrix"]

METRICS: tuple[Metric, ...] = ("euclidean", "great_circle", "matrix")

#: A load may exceed a capacity by this fraction of it: decimals such as 0.1 + 0.2 are not exact.
#: `evaluate` uses it in full; every search stays within half of it.
LOAD_TOLERANCE = 1e-9

#: Coordinates, demands, distances, capacities and costs lie within this, so that no sum or product
#: of them can overflow.
MAX_NUMBER = 1e15

#: No type has more vehicles than this; the core counts them in 64 bits.
MAX_AVAILABLE = 1_000_000_000

#: Mean radius of the Earth in kilometres (IUGG), for great-circle distances.
EARTH_RADIUS_KM = 6371.0088


@dataclass(frozen=True, slots=True)
class VehicleType:
    """A kind of vehicle that can be hired.

    Parameters
    ----------
    name
        How the plan refers to this type; unique within an instance.
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
        where = f"vehicle type {self.name!r}"
        if not isinstance(self.name, str) or not self.name.strip():
            raise InvalidInstance(f"a vehicle type has the name {self.name!r}; give it a text")
        for field in ("capacity", "fixed_cost", "unit_cost"):
            value = getattr(self, field)
            if isinstance(value, bool) or not isinstance(
                value, (int, float, np.integer, np.floating)
            ):
                raise InvalidInstance(f"{where} has {field} {value!r}; give a number")
            try:
                number = float(value)
            except OverflowError:
                number = math.inf
            if not abs(number) <= MAX_NUMBER:  # NaN included
                raise InvalidInstance(
                    f"{where} has {field} {_short(value)}; "
                    f"give a finite number, at most {MAX_NUMBER:g}"
                )
            object.__setattr__(self, field, number)
        if self.capacity <= 0:
            raise InvalidInstance(f"{where} has capacity {self.capacity:g}; it must be positive")
        for field in ("fixed_cost", "unit_cost"):
            if getattr(self, field) < 0:
                raise InvalidInstance(
                    f"{where} has {field} {getattr(self, field):g}; it must be 0 or more"
                )
        if self.available is not None:
            try:
                available = operator.index(self.available)
            except TypeError:
                available = -1
            if isinstance(self.available, bool) or not 0 <= available <= MAX_AVAILABLE:
                raise InvalidInstance(
                    f"{where} has available {_short(self.available)}; give a whole number from 0 "
                    f"to {MAX_AVAILABLE}, or leave it out when there is no limit"
                )
            object.__setattr__(self, "available", available)

    @property
    def load_limit(self) -> float:
        """Largest load that still counts as within the capacity."""
        return self.capacity * (1.0 + LOAD_TOLERANCE)

    def replace(self, **changes: Any) -> VehicleType:
        """Give a copy with some fields changed."""
        return dataclass_replace(self, **changes)


@dataclass(frozen=True, slots=True, eq=False)
class Instance:
    """One problem: a depot, customers with demands, distances, and the types of vehicle on offer.

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
        One text per stop, depot first; None when the stops have none. Unique, unless there are
        ids to tell equal names apart.
    stop_ids
        The user's own ids: one text per stop, depot first, unique; None when the stops are just
        numbered.

    Raises
    ------
    InvalidInstance
        When the data describe no problem that a fleet could serve.
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
        set_field(self, "demands", _frozen_array(self.demands, "demands"))
        if self.coordinates is not None:
            set_field(self, "coordinates", _frozen_array(self.coordinates, "coordinates"))
        if self.matrix is not None:
            set_field(self, "matrix", _frozen_array(self.matrix, "matrix"))
        for field in ("stop_names", "stop_ids"):
            if getattr(self, field) is not None:
                set_field(self, field, tuple(map(str, getattr(self, field))))
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
        """Whether any type can be hired only so many times."""
        return any(vehicle.available is not None for vehicle in self.vehicle_types)

    @property
    def is_symmetric(self) -> bool:
        """Whether every distance is the same in both directions."""
        return self.matrix is None or bool(np.array_equal(self.matrix, self.matrix.T))

    def stop_id(self, index: int) -> str:
        """Id of a stop: the given one, else ``depot`` or the customer's number."""
        if self.stop_ids is not None:
            return self.stop_ids[index]
        return str(index) if index else "depot"

    def stop_name(self, index: int) -> str:
        """Name of a stop: the given one, else its id."""
        return self.stop_id(index) if self.stop_names is None else self.stop_names[index]

    def stop_label(self, index: int) -> str:
        """Name of a stop with its id behind it, where it has both: ``Ann (105)``."""
        name = self.stop_name(index)
        if self.stop_ids is None or name == self.stop_ids[index]:
            return name
        return f"{name} ({self.stop_ids[index]})"

    def describe_stop(self, index: int) -> str:
        """Say which stop it is, for messages: ``customer 1 (Ann, id 105)``."""
        if index == 0:
            return "the depot"
        known = [] if self.stop_names is None else [self.stop_names[index]]
        if self.stop_ids is not None and self.stop_ids[index] not in known:
            known.append(f"id {self.stop_ids[index]}")
        return f"customer {index}" + (f" ({', '.join(known)})" if known else "")

    def distances(
        self, origins: npt.NDArray[np.integer[Any]], destinations: npt.NDArray[np.integer[Any]]
    ) -> FloatArray:
        """Distances from each origin to the destination at the same place (arrays broadcast)."""
        if self.matrix is not None:
            return np.asarray(self.matrix[origins, destinations], dtype=np.float64)
        assert self.coordinates is not None
        start, end = self.coordinates[origins], self.coordinates[destinations]
        if self.metric == "great_circle":
            return great_circle_km(start, end)
        return np.asarray(np.hypot(start[..., 0] - end[..., 0], start[..., 1] - end[..., 1]))

    def distance_matrix(self) -> FloatArray:
        """Give the full (n + 1, n + 1) matrix; 8 (n + 1)² bytes when computed from coordinates."""
        if self.matrix is not None:
            return self.matrix
        everyone = np.arange(self.num_customers + 1)
        return self.distances(everyone[:, None], everyone[None, :])

    def replace(self, **changes: Any) -> Instance:
        """Give a copy with some fields changed, validated again."""
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
        """Sixteen hexadecimal digits that an instance with other content would not have.

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
        """Return every field by name: what equality, digest and pickles are made of."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    # -- checks --------------------------------------------------------------------------------

    def _check_shapes(self) -> None:
        if self.metric not in METRICS:
            raise InvalidInstance(f"metric is {self.metric!r}; choose one of {', '.join(METRICS)}")
        if self.demands.ndim != 1:
            raise InvalidInstance(f"demands have shape {self.demands.shape}; give one per stop")
        num_stops = len(self.demands)
        if num_stops < 2:
            raise InvalidInstance("the instance has no customers; give at least one")
        if not self.vehicle_types:
            raise InvalidInstance("the instance has no vehicle types; give at least one")
        if self.coordinates is not None and self.coordinates.shape != (num_stops, 2):
            raise InvalidInstance(
                f"coordinates have shape {self.coordinates.shape}, "
                f"but {num_stops} stops need ({num_stops}, 2)"
            )
        if self.metric == "matrix":
            if self.matrix is None:
                raise InvalidInstance("the metric is 'matrix', but no matrix is given; add it")
            if self.matrix.shape != (num_stops, num_stops):
                raise InvalidInstance(
                    f"the distance matrix has shape {self.matrix.shape}, "
                    f"but {num_stops} stops (depot included) need ({num_stops}, {num_stops})"
                )
        elif self.matrix is not None:
            raise InvalidInstance(
                f"a distance matrix is given, but the metric is {self.metric!r}; "
                "set the metric to 'matrix' or leave the matrix out"
            )
        elif self.coordinates is None:
            raise InvalidInstance(f"the metric is {self.metric!r}, but no coordinates are given")

    def _check_names(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise InvalidInstance(f"the instance has the name {self.name!r}; give it a text")
        _check_encodable([self.name, *(vehicle.name for vehicle in self.vehicle_types)])
        type_names = [vehicle.name for vehicle in self.vehicle_types]
        if duplicate := _first_duplicate(type_names):
            raise InvalidInstance(
                f"two vehicle types are called {duplicate!r}; give each type its own name"
            )
        for what, texts in (("name", self.stop_names), ("id", self.stop_ids)):
            if texts is not None:
                self._check_stop_texts(what, texts)
        if self.stop_ids is not None and (duplicate := _first_duplicate(self.stop_ids)):
            raise InvalidInstance(f"two stops have the id {duplicate!r}; give each its own id")
        if self.stop_ids is None and (duplicate := _first_duplicate(self.stop_names or ())):
            raise InvalidInstance(
                f"two stops are called {duplicate!r}; give each its own name, or ids to all"
            )

    def _check_stop_texts(self, what: str, texts: tuple[str, ...]) -> None:
        if len(texts) != len(self.demands):
            raise InvalidInstance(
                f"{len(texts)} stop {what}s are given for {len(self.demands)} stops; "
                "give one each, depot first"
            )
        _check_encodable(texts)
        for index, text in enumerate(texts):
            if not text.strip():
                raise InvalidInstance(
                    f"stop {index} has the empty {what} {text!r}; give it a text, or no stop any"
                )

    def _check_values(self) -> None:
        # written so that NaN fails the comparison
        for index in np.flatnonzero(~((self.demands >= 0) & (self.demands <= MAX_NUMBER)))[:1]:
            raise InvalidInstance(
                f"{self.describe_stop(int(index))} has demand {self.demands[index]:g}; "
                f"it must be a number from 0 to {MAX_NUMBER:g}",
                stop=int(index),
            )
        if self.demands[0] != 0:
            raise InvalidInstance(f"the depot has demand {self.demands[0]:g}; it must be 0", stop=0)
        if self.coordinates is not None:
            for index in np.flatnonzero(~(np.abs(self.coordinates) <= MAX_NUMBER).all(axis=1))[:1]:
                x, y = self.coordinates[index]
                raise InvalidInstance(
                    f"{self.describe_stop(int(index))} is at ({x:g}, {y:g}); "
                    f"give finite coordinates up to {MAX_NUMBER:g}",
                    stop=int(index),
                )
        if self.metric == "great_circle" and self.coordinates is not None:
            longitude, latitude = self.coordinates.T
            for index in np.flatnonzero(np.abs(latitude) > 90)[:1]:
                raise InvalidInstance(
                    f"{self.describe_stop(int(index))} has latitude {latitude[index]:g}; "
                    "it must be between -90 and 90 (are latitude and longitude swapped?)",
                    stop=int(index),
                )
            for index in np.flatnonzero(np.abs(longitude) > 180)[:1]:
                raise InvalidInstance(
                    f"{self.describe_stop(int(index))} has longitude {longitude[index]:g}; "
                    "it must be between -180 and 180",
                    stop=int(index),
                )
        if self.matrix is not None:
            for i, j in np.argwhere(~((self.matrix >= 0) & (self.matrix <= MAX_NUMBER)))[:1]:
                start, end = self.describe_stop(int(i)), self.describe_stop(int(j))
                raise InvalidInstance(
                    f"the distance from {start} to {end} is {self.matrix[i, j]:g}; "
                    f"it must be a number from 0 to {MAX_NUMBER:g}"
                )

    def _check_fleet(self) -> None:
        usable = [vehicle for vehicle in self.vehicle_types if vehicle.available != 0]
        if not usable:
            raise InvalidInstance("no vehicle of any type is available; allow at least one")
        largest = max(usable, key=lambda vehicle: vehicle.capacity)
        heaviest = int(np.argmax(self.demands))
        if self.demands[heaviest] > largest.load_limit:
            raise InvalidInstance(
                f"{self.describe_stop(heaviest)} has demand {self.demands[heaviest]:g}, "
                f"but the largest vehicle ({largest.name}) carries {largest.capacity:g}; "
                "split the customer or add a larger type",
                stop=heaviest,
            )
        if all(vehicle.available is not None for vehicle in usable):
            total = sum(vehicle.load_limit * (vehicle.available or 0) for vehicle in usable)
            if math.fsum(self.demands) > total:
                raise InvalidInstance(
                    f"the customers demand {math.fsum(self.demands):g} in total, but all available "
                    f"vehicles together carry {total:g}; add vehicles or remove customers"
                )


def type_name(index: int) -> str:
    """Give A, B, …, Z, AA, AB, … for 0, 1, …: names for types that have none."""
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
        raise InvalidInstance(f"{what} are not all numbers ({error}); give numbers") from None
    array.setflags(write=False)
    return array


def _check_encodable(names: Sequence[str]) -> None:
    """Refuse halves of characters (lone surrogates), which no file or terminal can show."""
    try:
        "".join(names).encode()
    except UnicodeEncodeError:
        broken = next(name for name in names if re.search("[\ud800-\udfff]", name))
        raise InvalidInstance(
            f"the name {broken!r} contains half a character; write it again"
        ) from None


def _short(value: object) -> str:
    """Give a value for a message; integers beyond printing are only described."""
    if isinstance(value, int) and abs(value) > 10**30:
        return "a number of more than 30 digits"
    return repr(value)


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
