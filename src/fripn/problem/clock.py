"""Times in sentences for people: times of day where the unit of time is known, else numbers."""

from __future__ import annotations

import math

from fripn.messages import shown
from fripn.problem.instance_fields import InstanceFields

#: Units of time that are known by name, and how many of each make an hour.
HOUR_IN = {
    "s": 3600.0,
    "sec": 3600.0,
    "second": 3600.0,
    "seconds": 3600.0,
    "min": 60.0,
    "minute": 60.0,
    "minutes": 60.0,
    "h": 1.0,
    "hour": 1.0,
    "hours": 1.0,
}


def known_hour(instance: InstanceFields) -> float | None:
    """Return how many units of time make an hour; None where the unit is not known by name."""
    unit = instance.time_unit
    return HOUR_IN.get(unit.lower()) if isinstance(unit, str) else None


def clock(time: float, hour: float, *, with_seconds: bool = False) -> str:
    """Return a finite time, of which an hour has `hour`, as ``8:05`` or ``8:05:30``."""
    total = round((3600 if with_seconds else 60) * time / hour)
    sign, total = ("-" if total < 0 else ""), abs(total)
    minutes, end = (total // 60, f":{total % 60:02d}") if with_seconds else (total, "")
    return f"{sign}{minutes // 60}:{minutes % 60:02d}{end}"


def moment(time: float, instance: InstanceFields) -> str:
    """Return a time as it appears in a message: ``8:05``, or a number."""
    hour = known_hour(instance)
    return shown(time) if hour is None or not math.isfinite(time) else clock(time, hour)


def moments(time: float, limit: float, instance: InstanceFields) -> tuple[str, str]:
    """Return a time and the limit it breaks, so that they read differently.

    With seconds where the limit is no full minute, or where the two would read the same.
    """
    hour = known_hour(instance)
    texts = f"{time:g}", f"{limit:g}"
    if hour is not None and math.isfinite(time) and math.isfinite(limit):
        minutes = 60 * limit / hour
        texts = clock(time, hour), clock(limit, hour)
        if texts[0] == texts[1] or abs(minutes - round(minutes)) > 1e-6:
            texts = clock(time, hour, with_seconds=True), clock(limit, hour, with_seconds=True)
    return texts if texts[0] != texts[1] else (shown(time), shown(limit))


def lengths(time: float, limit: float, instance: InstanceFields) -> tuple[str, str]:
    """Return two lengths of time as `moments` does, in hours: ``9:30 h``."""
    texts = moments(time, limit, instance)
    return (f"{texts[0]} h", f"{texts[1]} h") if ":" in texts[0] else texts
