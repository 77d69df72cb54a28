"""A vehicle type: what it carries and what it costs."""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from dataclasses import replace as dataclass_replace
from typing import Any

import numpy as np

from fripn.errors import InvalidInstance
from fripn.messages import shown
from fripn.problem.limits import LOAD_TOLERANCE, MAX_AVAILABLE, MAX_NUMBER, MIN_NUMBER


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
            raise self._wrong("capacity", f"it must be at least {MIN_NUMBER:g}; use a smaller unit")
        for field in ("fixed_cost", "unit_cost"):
            if getattr(self, field) < 0:
                raise self._wrong(field, "it must be 0 or more")
            if 0 < getattr(self, field) < MIN_NUMBER:
                raise self._wrong(field, f"it must be 0, or at least {MIN_NUMBER:g}")
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


def type_name(index: int) -> str:
    """Return A, B, …, Z, AA, AB, … for 0, 1, …: names for types that have none."""
    letters = ""
    index += 1
    while index:
        index, letter = divmod(index - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return letters
