"""The schedule of a route: the departure and the starts of all services, with least duration.

A vehicle that arrives before a window opens waits. One that arrives after the last window has
closed is late: it serves at once, and everything after it moves. Leaving as early as possible makes
every lateness least at once. Among the departures that keep it so, the earliest of those with the
least duration is chosen.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from fripn.problem.instance_fields import InstanceFields, Windows
from fripn.problem.limits import TIME_TOLERANCE
from fripn.problem.serviceability import shift_of
from fripn.problem.vehicle_type import VehicleType

#: Part of a tolerance that rounding cannot exceed.
_ROUNDING = 1e-3

_ALWAYS: Windows = ((-math.inf, math.inf),)


@dataclass(frozen=True, slots=True)
class Visit:
    """When one stop is served.

    Parameters
    ----------
    stop
        The customer.
    arrival, start, departure
        When the vehicle arrives, starts the service, and leaves.
    waiting
        Time between arrival and start.
    slack
        By how much the start may be delayed without breaking a limit of this or a later stop or
        of the route; None when there is no limit.
    """

    stop: int
    arrival: float
    start: float
    departure: float
    waiting: float
    slack: float | None


@dataclass(frozen=True, slots=True)
class RouteSchedule:
    """When one route starts, visits its stops, and ends.

    Parameters
    ----------
    departure, end
        When the vehicle leaves its depot, and when it is back, or has finished the last service
        if it does not return.
    duration
        Time from departure to end.
    hours
        The duration in hours.
    travel, service, waiting
        What the duration is made of.
    visits
        One per stop, in order.
    """

    departure: float
    end: float
    duration: float
    hours: float
    travel: float
    service: float
    waiting: float
    visits: tuple[Visit, ...]


@dataclass(frozen=True, slots=True)
class RouteTimes:
    """What the schedule of a route depends on.

    Parameters
    ----------
    stops
        The customers in order; at least one.
    travel
        Travel time to each stop, and back to the depot if the vehicle returns.
    services, windows
        Service time and time windows per stop, at least one window each.
    earliest, latest
        Earliest departure and latest end; infinite without a limit.
    max_duration
        Largest duration; infinite without a limit.
    horizon
        See `InstanceFields.horizon`.
    """

    stops: Sequence[int]
    travel: Sequence[float]
    services: Sequence[float]
    windows: Sequence[Windows]
    earliest: float
    latest: float
    max_duration: float
    horizon: float

    @classmethod
    def of(
        cls,
        instance: InstanceFields,
        vehicle: VehicleType,
        customers: Sequence[int],
        base_times: Sequence[float],
        horizon: float,
    ) -> RouteTimes:
        """Return the times of a route of one vehicle type; `base_times` are those at speed 1."""
        earliest, latest = shift_of(instance, vehicle)
        services, windows = instance.service_times, instance.time_windows
        return cls(
            stops=customers,
            travel=[time / vehicle.speed for time in base_times],
            services=(
                [0.0] * len(customers) if services is None else services[list(customers)].tolist()
            ),
            windows=[
                _ALWAYS if windows is None else windows[stop] or _ALWAYS for stop in customers
            ],
            earliest=earliest,
            latest=latest,
            max_duration=math.inf if vehicle.max_duration is None else vehicle.max_duration,
            horizon=horizon,
        )

    def tolerance(self, limit: float) -> float:
        """Return by how much a time may exceed a limit and still count as within it."""
        return TIME_TOLERANCE * max(abs(limit), self.horizon)

    def return_time(self) -> float:
        """Return the travel time after the last stop."""
        return self.travel[-1] if len(self.travel) > len(self.stops) else 0.0


def best_schedule(times: RouteTimes, hour: float) -> RouteSchedule:
    """Return the schedule of a route with the least lateness, and then the least duration."""
    departure = _best_departure(times)
    arrivals, starts, end = _simulate(times, departure)
    slacks = _slacks(times, departure, starts)
    duration = end - departure
    visits = tuple(
        Visit(stop, arrival, start, start + service, start - arrival, slack)
        for stop, arrival, start, service, slack in zip(
            times.stops, arrivals, starts, times.services, slacks, strict=True
        )
    )
    return RouteSchedule(
        departure=departure,
        end=end,
        duration=duration,
        hours=duration / hour,
        travel=math.fsum(times.travel),
        service=math.fsum(times.services),
        waiting=math.fsum(visit.waiting for visit in visits),
        visits=visits,
    )


def _simulate(times: RouteTimes, departure: float) -> tuple[list[float], list[float], float]:
    """Return the arrivals, the starts and the end when the vehicle leaves at a given time."""
    arrivals, starts, now = [], [], departure
    for travel, service, windows in zip(times.travel, times.services, times.windows, strict=False):
        arrival = now + travel
        start = arrival
        for opens, closes in windows:
            if arrival <= closes + times.tolerance(closes):
                start = max(arrival, opens)
                break
        arrivals.append(arrival)
        starts.append(start)
        now = start + service
    return arrivals, starts, now + times.return_time()


def _best_departure(times: RouteTimes) -> float:
    earliest = times.earliest if math.isfinite(times.earliest) else _early_enough(times)
    arrivals, _, end = _simulate(times, earliest)
    # Where even the earliest departure is late, the limit is moved to its arrival, so that no
    # other departure is later.
    windows = [
        (*own[:-1], (own[-1][0], max(own[-1][1], arrival)))
        for own, arrival in zip(times.windows, arrivals, strict=True)
    ]
    latest = max(times.latest, end)
    if all(len(own) == 1 for own in windows):
        return _departure_of_single_windows(times, earliest, latest, windows)
    return _departure_of_pieces(times, earliest, latest, windows)


def _early_enough(times: RouteTimes) -> float:
    """Return a departure before which nothing gets better, 0 if possible, without a shift."""
    total = math.fsum(times.travel) + math.fsum(times.services)
    named = [time for own in times.windows for window in own for time in window]
    finite = [time for time in (*named, times.latest) if math.isfinite(time)]
    return min([0.0, *(time - total for time in finite)])


def _departure_of_single_windows(
    times: RouteTimes, earliest: float, latest: float, windows: Sequence[Windows]
) -> float:
    """Return the departure when every stop has one window.

    The end is max(m, departure + total), so the duration is least from m - total on.
    """
    limit = latest - times.return_time()
    for place in reversed(range(len(windows))):
        limit = min(limit - times.services[place], windows[place][0][1]) - times.travel[place]
    first_end, total = -math.inf, 0.0
    for own, travel, service in zip(windows, times.travel, times.services, strict=False):
        first_end = max(first_end + travel, own[0][0]) + service
        total += travel + service
    return max(earliest, min(limit, first_end - total))


def _departure_of_pieces(
    times: RouteTimes, earliest: float, latest: float, windows: Sequence[Windows]
) -> float:
    """Return the departure when stops have several windows.

    The time at which the vehicle is ready, as a function of its departure t, consists of pieces
    (first t, last t, m, s) with the value max(m, t + s). A window splits a piece where the arrival
    passes its close. The pieces stay in order and no close splits more than one of them, so their
    number is at most 1 plus the number of windows.
    """
    pieces = [(earliest, math.inf, -math.inf, 0.0)]
    for own, travel, service in zip(windows, times.travel, times.services, strict=False):
        pieces = [
            (first, last, floor + travel, shift + travel) for first, last, floor, shift in pieces
        ]
        pieces = [
            (first, last, floor + service, shift + service)
            for piece in pieces
            for first, last, floor, shift in _split(times, piece, own)
        ]
    back = times.return_time()
    best_departure, least = earliest, math.inf
    for first, last, floor, shift in pieces:
        part = _before(times, (first, last, floor + back, shift + back), latest)
        if part is None:
            continue
        first, last, floor, shift = part
        departure = min(last, max(first, floor - shift))
        duration = max(floor - departure, shift)
        # A gain that is only rounding is not worth a later departure.
        if duration < least - _ROUNDING * times.tolerance(duration):
            best_departure, least = departure, duration
    return best_departure


_Piece = tuple[float, float, float, float]


def _split(times: RouteTimes, piece: _Piece, windows: Windows) -> list[_Piece]:
    """Return the parts of a piece after waiting for a window; departures too late are left out."""
    first, last, floor, shift = piece
    parts: list[_Piece] = []
    previous_close = -math.inf
    for opens, closes in windows:
        start = first if floor > previous_close else max(first, previous_close - shift)
        part = _before(times, (start, last, floor, shift), closes)
        if part is not None:
            parts.append((part[0], part[1], max(floor, opens), shift))
            if part[1] == last:
                break
        previous_close = closes
    return parts


def _before(times: RouteTimes, piece: _Piece, limit: float) -> _Piece | None:
    """Return the part of a piece whose value keeps a limit, or None.

    A first departure that misses the limit by rounding alone is kept.
    """
    first, last, floor, shift = piece
    if first > last or max(floor, first + shift) > limit + _ROUNDING * times.tolerance(limit):
        return None
    return first, max(first, min(last, limit - shift)), floor, shift


def _slacks(times: RouteTimes, departure: float, starts: Sequence[float]) -> list[float | None]:
    """Return for each stop how much later its service may start."""
    limit = min(times.latest, departure + times.max_duration) - times.return_time()
    slacks: list[float | None] = []
    for place in reversed(range(len(starts))):
        limit -= times.services[place]
        limit = max(
            (min(closes, limit) for opens, closes in times.windows[place] if opens <= limit),
            default=-math.inf,
        )
        slacks.append(None if limit == math.inf else max(0.0, limit - starts[place]))
        limit -= times.travel[place]
    return slacks[::-1]
