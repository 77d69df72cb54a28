"""A vehicle type: what it carries and what it costs."""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass, fields
from dataclasses import replace as dataclass_replace
from typing import Any

import numpy as np

from fripn.errors import InvalidInstance
from fripn.messages import shown
from fripn.problem.limits import LOAD_TOLERANCE, MAX_AVAILABLE, MAX_NUMBER, MIN_NUMBER

#: Fields that a type need not have; files and digests leave out those that are at their default.
WORKING_DAY_DEFAULTS: dict[str, Any] = {
    "depot": 0,
    "returns": True,
    "speed": 1.0,
    "shift_start": None,
    "shift_end": None,
    "max_duration": None,
    "max_distance": None,
    "max_stops": None,
    "cost_per_hour": 0.0,
    "offers": (),
}


@dataclass(frozen=True, slots=True)
class VehicleType:
    """A vehicle type that can be hired.

    Parameters
    ----------
    name
        Name of the type; unique within an instance.
    capacity
        Largest load, in the unit of the demands; positive. One number per load dimension where the
        instance has several, at least one of them positive.
    fixed_cost
        Paid once per vehicle hired; at least 0.
    unit_cost
        Paid per unit of distance; at least 0.
    available
        How many can be hired at most; None for as many as needed.
    depot
        Index of the depot it starts from and returns to; 0 is the first.
    returns
        Whether it returns to its depot; if not, its route ends at the last customer.
    speed
        The travel time is the instance's duration, or the distance where it has none, divided by
        this; positive.
    shift_start, shift_end
        Earliest departure and latest return (latest end of the last service for a type that does
        not return); None for no limit.
    max_duration
        Largest time from departure to return, waiting and service included; None for no limit.
    max_distance
        Largest distance of a route; None for no limit.
    max_stops
        Largest number of customers of a route; None for no limit.
    cost_per_hour
        Paid for the duration, in hours (see ``Instance.hour``); at least 0.
    offers
        Tags that customers may require, such as ``fridge``.
    """

    name: str
    capacity: float | tuple[float, ...]
    fixed_cost: float = 0.0
    unit_cost: float = 1.0
    available: int | None = None
    depot: int = 0
    returns: bool = True
    speed: float = 1.0
    shift_start: float | None = None
    shift_end: float | None = None
    max_duration: float | None = None
    max_distance: float | None = None
    max_stops: int | None = None
    cost_per_hour: float = 0.0
    offers: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check every field."""
        if not isinstance(self.name, str) or not self.name.strip():
            raise InvalidInstance(
                "a vehicle type has the {field} {value}",
                field="name",
                value=self.name,
                remedy="give it a string",
            )
        self._set("name", self.name.strip())
        self._check_capacity()
        for field in ("fixed_cost", "unit_cost", "cost_per_hour"):
            self._set(field, self._number(field))
            self._check_not_negative(field)
        self._set("available", self._count("available", 0))
        self._check_day()

    def _check_capacity(self) -> None:
        if isinstance(self.capacity, (list, tuple, np.ndarray)):
            numbers = tuple(self._number("capacity", value) for value in self.capacity)
            if not numbers or max(numbers) <= 0:
                raise self._wrong("capacity", "give one number per load, at least one positive")
            for number in numbers:
                if number < 0 or 0 < number < MIN_NUMBER:
                    raise self._wrong(
                        "capacity", f"each must be 0, or at least {MIN_NUMBER:g}; use smaller units"
                    )
            self._set("capacity", numbers if len(numbers) > 1 else numbers[0])
            return
        number = self._number("capacity")
        self._set("capacity", number)
        if number <= 0:
            raise self._wrong("capacity", "it must be positive")
        if number < MIN_NUMBER:
            raise self._wrong("capacity", f"it must be at least {MIN_NUMBER:g}; use a smaller unit")

    def _check_day(self) -> None:
        """Check the fields of the working day."""
        if not isinstance(self.returns, (bool, np.bool_)):
            raise self._wrong("returns", "give True or False")
        self._set("returns", bool(self.returns))
        depot = self._count("depot", 0)
        if depot is None:
            raise self._wrong("depot", "give the index of a depot; 0 is the first")
        self._set("depot", depot)
        self._set("max_stops", self._count("max_stops", 1))
        for field in ("shift_start", "shift_end", "max_duration", "max_distance"):
            if getattr(self, field) is not None:
                self._set(field, self._number(field))
        self._set("speed", self._number("speed"))
        for field in ("speed", "max_duration", "max_distance"):
            if getattr(self, field) is not None and getattr(self, field) < MIN_NUMBER:
                raise self._wrong(field, f"it must be positive, at least {MIN_NUMBER:g}")
        if (
            self.shift_start is not None
            and self.shift_end is not None
            and self.shift_end < self.shift_start
        ):
            raise InvalidInstance(
                f"the shift of vehicle type {shown(self.name)} starts at "
                f"{shown(self.shift_start)} and ends at {{value}}, before it starts",
                field="shift_end",
                value=self.shift_end,
                remedy="give a later end (after midnight, times go on: 24:00, 25:00, …)",
            )
        if not isinstance(self.offers, (list, tuple, set, frozenset)) or not all(
            isinstance(tag, str) and tag.strip() for tag in self.offers
        ):
            raise self._wrong("offers", "give a list of tags, each a string")
        self._set("offers", tuple(sorted({tag.strip() for tag in self.offers})))

    def _set(self, field: str, value: Any) -> None:
        object.__setattr__(self, field, value)

    def _number(self, field: str, value: Any = None) -> float:
        """Return a field, or one of its values, as a finite number."""
        value = getattr(self, field) if value is None else value
        if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
            raise self._wrong(field, "give a number")
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not abs(number) <= MAX_NUMBER:  # NaN included
            raise self._wrong(field, f"give a finite number, at most {MAX_NUMBER:g}")
        return number

    def _check_not_negative(self, field: str) -> None:
        if getattr(self, field) < 0:
            raise self._wrong(field, "it must be 0 or more")
        if 0 < getattr(self, field) < MIN_NUMBER:
            raise self._wrong(field, f"it must be 0, or at least {MIN_NUMBER:g}")

    def _count(self, field: str, least: int) -> int | None:
        """Return a field as an integer, or None for no limit."""
        value = getattr(self, field)
        if value is None:
            return None
        try:
            number = operator.index(value)
        except TypeError:
            number = -1
        if isinstance(value, bool) or not least <= number <= MAX_AVAILABLE:
            raise self._wrong(
                field,
                f"give an integer from {least} to {MAX_AVAILABLE}, or leave it out"
                + ("" if field == "depot" else " when there is no limit"),
            )
        return number

    def _wrong(self, field: str, remedy: str) -> InvalidInstance:
        """Return the error to raise about a field."""
        return InvalidInstance(
            f"vehicle type {shown(self.name)} has {{field}} {{value}}",
            field=field,
            value=getattr(self, field),
            remedy=remedy,
        )

    @property
    def capacities(self) -> tuple[float, ...]:
        """Capacity per load dimension."""
        return self.capacity if isinstance(self.capacity, tuple) else (self.capacity,)

    @property
    def main_capacity(self) -> float:
        """Capacity in the first load dimension."""
        return self.capacities[0]

    @property
    def capacity_text(self) -> str:
        """Capacity as shown to people, one number per load dimension: ``800 / 12``."""
        return " / ".join(f"{capacity:g}" for capacity in self.capacities)

    @property
    def load_limit(self) -> float:
        """Largest load of the first dimension that still counts as within the capacity."""
        return self.main_capacity * (1.0 + LOAD_TOLERANCE)

    @property
    def load_limits(self) -> tuple[float, ...]:
        """Largest load per dimension that still counts as within the capacity."""
        return tuple(capacity * (1.0 + LOAD_TOLERANCE) for capacity in self.capacities)

    @property
    def limits_time(self) -> bool:
        """Whether the time of a route matters: a shift, a largest duration or a cost per hour."""
        return (
            self.shift_start is not None
            or self.shift_end is not None
            or self.max_duration is not None
            or self.cost_per_hour > 0
        )

    @property
    def uses_working_day(self) -> bool:
        """Whether any field of the working day is used, several loads included."""
        return isinstance(self.capacity, tuple) or any(
            getattr(self, field) != unused for field, unused in WORKING_DAY_DEFAULTS.items()
        )

    def replace(self, **changes: Any) -> VehicleType:
        """Return a copy with some fields changed."""
        return dataclass_replace(self, **changes)

    def to_content(self) -> dict[str, Any]:
        """Return the fields by name, without those of the working day that are not used.

        So the digests of instances do not depend on fields that they do not use.
        """
        content = {field.name: getattr(self, field.name) for field in fields(self)}
        return {
            name: value
            for name, value in content.items()
            if name not in WORKING_DAY_DEFAULTS or value != WORKING_DAY_DEFAULTS[name]
        }


def type_name(index: int) -> str:
    """Return A, B, …, Z, AA, AB, … for 0, 1, …: names for types that have none."""
    letters = ""
    index += 1
    while index:
        index, letter = divmod(index - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return letters
