"""Links that open a stop or a route in a map application."""

from __future__ import annotations

from dataclasses import dataclass

from fripn.problem import Instance, Route

#: Places between start and end of a route that a link may have; the map application takes no more.
MAX_WAYPOINTS = 9


@dataclass(frozen=True, slots=True)
class RouteLink:
    """A link to a part of a route.

    Parameters
    ----------
    first, last
        Positions of its first and last customer on the route, counted from 1.
    address
        What to open.
    """

    first: int
    last: int
    address: str


def stop_link(instance: Instance, stop: int) -> str | None:
    """Return a link to a stop; None when its place on Earth is not known.

    References
    ----------
    Maps URLs, https://developers.google.com/maps/documentation/urls/get-started: phones open such
    links in their map application. Nothing is loaded before somebody opens one.
    """
    if not instance.is_geographic or instance.coordinates is None:
        return None
    return f"https://www.google.com/maps/search/?api=1&query={_place(instance, stop)}"


def route_links(instance: Instance, route: Route) -> tuple[RouteLink, ...]:
    """Return links to a route, from depot to depot, in parts that the map application can show."""
    if not instance.is_geographic or instance.coordinates is None:
        return ()
    stops = instance.tour(route.vehicle_type, route.customers)
    links = []
    for start in range(0, len(stops) - 1, MAX_WAYPOINTS + 1):
        part = stops[start : start + MAX_WAYPOINTS + 2]
        address = (
            "https://www.google.com/maps/dir/?api=1&travelmode=driving"
            f"&origin={_place(instance, part[0])}&destination={_place(instance, part[-1])}"
        )
        if between := part[1:-1]:
            places = "%7C".join(_place(instance, stop) for stop in between)
            address += f"&waypoints={places}"
        links.append(
            RouteLink(max(1, start), min(start + len(part) - 1, len(route.customers)), address)
        )
    return tuple(links)


def _place(instance: Instance, stop: int) -> str:
    """Return latitude and longitude to a decimetre."""
    assert instance.coordinates is not None
    longitude, latitude = instance.coordinates[stop].tolist()
    return f"{latitude:.6f}%2C{longitude:.6f}"
