"""What settings may hold: every field states it in its type, and one function checks them all.

A settings dataclass annotates its fields with the types below, or with `Annotated` and a `Range`
of its own, and calls `check_fields` when it is made::

    @dataclass(frozen=True, slots=True)
    class Example:
        rate: Share = 0.5
        steps: PositiveCount = 10
        order: Literal["random", "sorted"] = "random"

        def __post_init__(self) -> None:
            check_fields(self)

What concerns several fields together is a `require` after that. Options of the command line and
arguments of functions go through `checked`, so that all messages have one form: "steps is 0; give
an integer, 1 or more".
"""

from __future__ import annotations

import dataclasses
import math
import operator
import types
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

import numpy as np

from fripn.errors import InvalidSetting
from fripn.messages import nearest

#: The largest integer that crosses into the core, for counts and seeds.
LARGEST_COUNT = 2**63 - 1

#: The largest one that fits into the core's plain integers, for sizes of its parts.
LARGEST_SIZE = 2**31 - 1

#: More threads than any machine has cores; beyond it, starting them is all that would happen.
MOST_THREADS = 1024


@dataclass(frozen=True, slots=True)
class Range:
    """Which numbers a setting may hold.

    Parameters
    ----------
    least, most
        Smallest and largest one; None for no limit.
    above, below
        The same, themselves excluded.
    """

    least: float | None = None
    most: float | None = None
    above: float | None = None
    below: float | None = None

    def holds(self, number: float) -> bool:
        """Whether the number lies in the range."""
        return (
            (self.least is None or number >= self.least)
            and (self.most is None or number <= self.most)
            and (self.above is None or number > self.above)
            and (self.below is None or number < self.below)
        )

    def words(self, number: float | None) -> str:
        """Return what follows "a number" or "an integer" in a message about this value."""
        upper = "" if self.most is None else f" to {_short(self.most)}"
        if self.below is not None:
            upper = f" to below {_short(self.below)}"
        if self.above is not None:
            return f" from above {_short(self.above)}{upper}" if upper else f" above {self.above:g}"
        if self.least is None:
            return upper and f" up{upper}"
        # What fits into an integer of the core is a limit that hardly anybody meets.
        is_far = self.most in (LARGEST_COUNT, LARGEST_SIZE) and not (number or 0) > self.most
        is_open = not upper or is_far
        return f", {self.least:g} or more" if is_open else f" from {self.least:g}{upper}"


Share: TypeAlias = Annotated[float, Range(least=0, most=1)]
Positive: TypeAlias = Annotated[float, Range(above=0)]
NonNegative: TypeAlias = Annotated[float, Range(least=0)]
Count: TypeAlias = Annotated[int, Range(least=0, most=LARGEST_COUNT)]
PositiveCount: TypeAlias = Annotated[int, Range(least=1, most=LARGEST_COUNT)]
Size: TypeAlias = Annotated[int, Range(least=1, most=LARGEST_SIZE)]
SizeOrZero: TypeAlias = Annotated[int, Range(least=0, most=LARGEST_SIZE)]
Seed: TypeAlias = Count
Threads: TypeAlias = Annotated[int, Range(least=1, most=MOST_THREADS)]


def check_fields(settings: Any, names: Mapping[str, str] | None = None) -> None:
    """Check every field of a settings dataclass against its type, and store it in that type.

    Numpy's numbers become Python's, and integers become floats where the type is float. A field
    whose type is another class, or a choice of several, is left as it is.

    Parameters
    ----------
    settings
        The dataclass, just made.
    names
        Name of a field in messages, where users see another name.

    Raises
    ------
    InvalidSetting
        With the field, its value and what to give instead.
    """
    hints: dict[str, Any] = _hints(settings.__class__)
    for field in dataclasses.fields(settings):
        name = (names or {}).get(field.name, field.name)
        value = checked(name, getattr(settings, field.name), hints[field.name])
        object.__setattr__(settings, field.name, value)


def checked(name: str, value: Any, annotation: Any) -> Any:
    """Return a value in the type stated for it.

    Parameters
    ----------
    name
        What the value belongs to: a field, an argument, an option.
    value
        What was given.
    annotation
        A type as for a field of settings: `Seed`, ``int``, ``Literal["a", "b"]``, ….

    Raises
    ------
    InvalidSetting
        When it is of another type or out of range.
    """
    kept, accepts_none, limits = _parts(annotation)
    if accepts_none and value is None:
        return None
    if get_origin(kept) is Literal:
        choices = get_args(kept)
        require(value in choices, name, value, f"choose one of {', '.join(map(str, choices))}")
    elif get_origin(kept) is tuple:
        return _checked_tuple(name, value, kept)
    elif kept in (int, float):
        number = _number(value, kept)
        if number is None or not limits.holds(number):
            word = "an integer" if kept is int else "a number"
            if kept is float and isinstance(value, float) and not math.isfinite(value):
                word = "a finite number"
            raise InvalidSetting(
                field=name, value=value, remedy=f"give {word}{limits.words(number)}"
            )
        return number
    elif kept is bool:
        require(isinstance(value, (bool, np.bool_)), name, value, "give true or false")
        return bool(value)
    elif kept is str:
        require(isinstance(value, str), name, value, "give a string")
    return value


def require(condition: bool, field: str, value: object, remedy: str) -> None:
    """Refuse a setting unless a condition holds.

    Raises
    ------
    InvalidSetting
        "{field} is {value}; {remedy}".
    """
    if not condition:
        raise InvalidSetting(field=field, value=value, remedy=remedy)


def check_names(given: Mapping[str, Any], cls: Any, what: str) -> None:
    """Refuse names that a settings dataclass does not have; `what` names their owner."""
    known = [field.name for field in dataclasses.fields(cls)]
    for name in given:
        if name not in known:
            raise InvalidSetting(
                f"{what} has no setting {{value}}", value=name, remedy=nearest(name, known)
            )


@cache
def _hints(cls: Any) -> dict[str, Any]:
    return get_type_hints(cls, include_extras=True)


@cache
def _parts(annotation: Any) -> tuple[Any, bool, Range]:
    """Return a type without None and without its range, whether None is allowed, and the range."""
    accepts_none = False
    if get_origin(annotation) in (Union, types.UnionType):
        others = [one for one in get_args(annotation) if one is not type(None)]
        if len(others) == 1:
            accepts_none, annotation = len(get_args(annotation)) > 1, others[0]
    limits = Range()
    if get_origin(annotation) is Annotated:
        annotation, limits, *_ = get_args(annotation)
    return annotation, accepts_none, limits


def _checked_tuple(name: str, value: Any, annotation: Any) -> tuple[Any, ...]:
    entries = get_args(annotation)
    require(isinstance(value, (tuple, list)), name, value, "give a list")
    if entries[-1] is not Ellipsis:
        require(len(value) == len(entries), name, value, f"give {len(entries)} values")
        return tuple(checked(name, *pair) for pair in zip(value, entries, strict=True))
    try:
        return tuple(checked(name, entry, entries[0]) for entry in value)
    except InvalidSetting as error:
        remedy = f"{error.remedy}, in each place"
        raise InvalidSetting(field=name, value=value, remedy=remedy) from None


def _number(value: Any, annotation: type) -> Any:
    """Return an integer, or a finite float; None for everything else."""
    if isinstance(value, (bool, np.bool_)):
        return None
    if annotation is int:
        try:
            return operator.index(value)
        except TypeError:
            return None
    if not isinstance(value, (int, float, np.integer, np.floating)):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _short(number: float) -> str:
    return str(int(number)) if float(number).is_integer() else f"{number:g}"
