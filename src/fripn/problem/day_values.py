"""What users give for the working day, as the plain tuples that an instance keeps."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from typing import Any

from fripn.errors import InvalidInstance
from fripn.problem.instance_fields import Windows


def plain_windows(value: Any) -> tuple[Windows, ...] | None:
    """Return the time windows of every stop, sorted; None when every stop is always open.

    None for an end of a window becomes an infinity. Windows that overlap or touch become one.

    Raises
    ------
    InvalidInstance
        When an entry is not a pair of numbers.
    """
    if value is None:
        return None
    windows = tuple(
        _plain_stop_windows(entry, stop)
        for stop, entry in enumerate(
            _entries(value, "time_windows", "give a list of windows per stop")
        )
    )
    return windows if any(windows) else None


def _plain_stop_windows(value: Any, stop: int) -> Windows:
    if value is None:
        return ()
    pairs: list[tuple[float, float]] = []
    form = "give pairs (open, close), or None"
    for entry in _entries(value, "time_windows", form, stop):
        pair = _entries(entry, "time_windows", form, stop)
        if len(pair) != 2:
            raise _not_this("time_windows", entry, form, stop)
        ends = [
            bound if time is None else _time(time, "time_windows", form, stop)
            for time, bound in zip(pair, (-math.inf, math.inf), strict=True)
        ]
        pairs.append((ends[0], ends[1]))
    if not all(opens <= closes for opens, closes in pairs):
        return tuple(pairs)  # the check of the values names the one that is wrong
    merged: list[tuple[float, float]] = []
    for opens, closes in sorted(pairs):
        if merged and opens <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], closes))
        else:
            merged.append((opens, closes))
    return () if merged == [(-math.inf, math.inf)] else tuple(merged)


def plain_allowed_types(value: Any) -> tuple[tuple[int, ...] | None, ...] | None:
    """Return the indices of the types that may serve each stop; None when no stop has a list."""
    if value is None:
        return None
    form = "give the indices of vehicle types, or None for all"
    allowed: list[tuple[int, ...] | None] = []
    for stop, entry in enumerate(_entries(value, "allowed_types", "give one entry per stop")):
        if entry is None:
            allowed.append(None)
            continue
        try:
            indices = {operator.index(one) for one in _entries(entry, "allowed_types", form, stop)}
        except TypeError:
            raise _not_this("allowed_types", entry, form, stop) from None
        allowed.append(tuple(sorted(indices)))
    return None if all(entry is None for entry in allowed) else tuple(allowed)


def plain_requires(value: Any) -> tuple[tuple[str, ...], ...] | None:
    """Return the tags that each stop requires; None when no stop requires any."""
    if value is None:
        return None
    form = "give a list of tags, each a string"
    required: list[tuple[str, ...]] = []
    for stop, entry in enumerate(_entries(value, "requires", "give one entry per stop")):
        tags = () if entry is None else _entries(entry, "requires", form, stop)
        if not all(isinstance(tag, str) and tag.strip() for tag in tags):
            raise _not_this("requires", entry, form, stop)
        required.append(tuple(sorted({tag.strip() for tag in tags})))
    return tuple(required) if any(required) else None


def _time(value: Any, field: str, form: str, stop: int) -> float:
    if isinstance(value, (bool, str)):
        raise _not_this(field, value, form, stop)
    try:
        return float(value)
    except (TypeError, ValueError):
        raise _not_this(field, value, form, stop) from None
    except OverflowError:
        return math.inf


def _entries(value: Any, field: str, form: str, stop: int | None = None) -> tuple[Any, ...]:
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes, dict)):
        return tuple(value)
    raise _not_this(field, value, form, stop)


def _not_this(field: str, value: Any, form: str, stop: int | None) -> InvalidInstance:
    place = "" if stop is None else f" of stop {stop}"
    return InvalidInstance(
        f"{{field}}{place} is {{value}}", field=field, value=value, remedy=form, stop=stop
    )
