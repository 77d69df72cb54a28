"""Data that are valid but probably wrong: a stop in the wrong country, a thousand for a one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from fripn.problem.distances import great_circle_km, straight_line
from fripn.problem.instance import Instance
from fripn.problem.limits import FloatArray, IntArray

#: A position is suspicious from this many times the median distance to the middle of the stops on.
#: The largest ratio of the benchmark instances is 8.7 (brandao-N5).
FAR = 12.0
#: With latitude and longitude exchanged, a stop counts as near below this multiple.
_NEAR = 4.0
#: A demand is suspicious from this many times the median on; the largest ratio of the benchmark
#: instances is 36 (brandao-N5).
LARGE = 100.0
#: Where more stops than this share are far away or large, that is how the data are.
_MAX_SHARE = 0.05
#: With fewer stops there is no middle to be far from.
_MIN_STOPS = 5
#: Sentences for each reason, at most.
_MAX_LISTED = 5

Reason = Literal["far", "origin", "twins", "demand"]


@dataclass(frozen=True, slots=True)
class Suspicion:
    """Something that is probably wrong about a stop.

    Parameters
    ----------
    reason
        ``far`` from the others, at the ``origin`` (0, 0), ``twins`` with another stop, or an
        unusual ``demand``.
    stop
        The stop; 0 is the depot.
    message
        A sentence that names the stop, the value and what to check.
    """

    reason: Reason
    stop: int
    message: str


def suspicious(instance: Instance) -> list[Suspicion]:
    """Return what is probably wrong with an instance; n log n time for n stops.

    Positions far outside the others, with how far, and whether exchanging latitude and longitude
    would help; stops at (0, 0); two stops at one place with one name, or without names with one
    demand, in instances with names or ids; demands over a hundred times the median. At most five
    sentences for each.
    """
    found = [] if instance.coordinates is None else _positions(instance, instance.coordinates)
    return [*found, *_twins(instance), *_demands(instance)]


def _positions(instance: Instance, places: FloatArray) -> list[Suspicion]:
    if len(places) < _MIN_STOPS:
        return []
    away, scale = _distances_to_middle(instance, places)
    if scale == 0:
        return []
    is_origin = (places == 0).all(axis=1)
    if not instance.is_geographic:
        is_origin &= away > FAR * scale
    is_far = (away > FAR * scale) & ~is_origin
    found = []
    origins = np.flatnonzero(is_origin)
    if len(origins) <= _most(len(places)):
        found += [
            Suspicion(
                "origin",
                stop,
                f"{_named(instance, stop)} is at (0, 0), {_length(instance, away[stop])} from the "
                "middle of the stops; is its position missing?",
            )
            for stop in _first(origins)
        ]
    far = np.flatnonzero(is_far)
    if len(far) <= _most(len(places)):
        exchanged = _exchanged_distances(instance, places, far)
        for number, stop in enumerate(_first(far)):
            hint = "check its position"
            if exchanged is not None and exchanged[number] <= _NEAR * scale:
                hint = (
                    "with latitude and longitude exchanged it would be "
                    f"{_length(instance, exchanged[number])}; exchange them"
                )
            x, y = places[stop].tolist()
            where = (
                f"latitude {y:g}, longitude {x:g}" if instance.is_geographic else f"{x:g}, {y:g}"
            )
            found.append(
                Suspicion(
                    "far",
                    stop,
                    f"{_named(instance, stop)} ({where}) is {_length(instance, away[stop])} from "
                    f"the middle of the stops, half of which are within "
                    f"{_length(instance, scale)}; {hint}.",
                )
            )
        found += _rest("far", far, "stops far from the others")
    return found


def _twins(instance: Instance) -> list[Suspicion]:
    """Find stops at one place that look like one stop written twice.

    Neighbours in one building have names of their own. Benchmarks, whose customers have neither
    names nor ids, put several at one place on purpose.
    """
    has_strings = instance.stop_names is not None or instance.stop_ids is not None
    if instance.coordinates is None or not has_strings:
        return []
    order = np.lexsort(instance.coordinates.T)
    places = instance.coordinates[order]
    starts = np.flatnonzero(np.r_[True, (places[1:] != places[:-1]).any(axis=1)])
    ends = np.r_[starts[1:], len(order)]
    pairs: list[tuple[int, int]] = []
    for start, end in zip(starts[ends - starts > 1], ends[ends - starts > 1], strict=True):
        first: dict[str, int] = {}
        for stop in sorted(order[start:end].tolist()):
            if instance.is_depot(stop):
                continue
            key = (
                instance.stop_names[stop].casefold()
                if instance.stop_names is not None
                else str(instance.demands[stop])
            )
            if key in first:
                pairs.append((stop, first[key]))
            else:
                first[key] = stop
    found = [
        Suspicion(
            "twins",
            stop,
            f"{_named(instance, stop)} is at the same place as {instance.describe_stop(other)} "
            f"and has the same {'demand' if instance.stop_names is None else 'name'}; is it one "
            "stop twice?",
        )
        for stop, other in sorted(pairs)[:_MAX_LISTED]
    ]
    return [*found, *_rest("twins", [stop for stop, _ in sorted(pairs)], "stops that occur twice")]


def _demands(instance: Instance) -> list[Suspicion]:
    demands = instance.demands[1:] if instance.demands.ndim == 1 else np.empty(0)
    positive = demands[demands > 0]
    if len(positive) < _MIN_STOPS:
        return []
    median = float(np.median(positive))
    large = np.flatnonzero(demands >= LARGE * median) + 1
    if len(large) > _most(len(demands)):
        return []
    found = [
        Suspicion(
            "demand",
            stop,
            f"{_named(instance, stop)} has demand {instance.demands[stop]:g}, "
            f"{instance.demands[stop] / median:.0f} times the median ({median:g}); check it.",
        )
        for stop in _first(large)
    ]
    return [*found, *_rest("demand", large, "unusual demands")]


def _distances_to_middle(instance: Instance, places: FloatArray) -> tuple[FloatArray, float]:
    """Return the distance of each stop to the median position, and the median of these."""
    away = _between(instance, places, np.median(places, axis=0))
    return away, float(np.median(away))


def _exchanged_distances(
    instance: Instance, places: FloatArray, stops: IntArray
) -> FloatArray | None:
    """Return how far stops would be with latitude and longitude exchanged."""
    if not instance.is_geographic:
        return None
    middle = np.median(places, axis=0)
    exchanged = places[stops][:, ::-1]
    away = _between(instance, exchanged, middle)
    return np.where(np.abs(exchanged[:, 1]) <= 90, away, np.inf)


def _between(instance: Instance, places: FloatArray, middle: FloatArray) -> FloatArray:
    measure = great_circle_km if instance.is_geographic else straight_line
    return measure(places, middle[None, :])


def _most(num_stops: int) -> float:
    return max(3, _MAX_SHARE * num_stops)


def _first(stops: IntArray) -> list[int]:
    return [int(stop) for stop in stops[:_MAX_LISTED]]


def _rest(reason: Reason, stops: Sequence[int] | IntArray, what: str) -> list[Suspicion]:
    if len(stops) <= _MAX_LISTED:
        return []
    more = len(stops) - _MAX_LISTED
    return [Suspicion(reason, int(stops[_MAX_LISTED]), f"There are {more} more {what}.")]


def _named(instance: Instance, stop: int) -> str:
    text = instance.describe_stop(stop)
    return text[0].upper() + text[1:]


def _length(instance: Instance, value: float) -> str:
    if instance.is_geographic:
        return f"{value:,.0f} km" if value >= 10 else f"{value:.1f} km"
    return f"{value:.4g}"
