"""Links that open a stop or a route in a map application."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

from fripn.messages import named
from fripn.problem import Instance, Route
from fripn.render.presentation import MapLinks

#: Places between start and end of a route that a link may have; the map application takes no more.
MAX_WAYPOINTS = 9

#: Map applications whose links may have places on the way.
ROUTE_MAPS: tuple[MapLinks, ...] = ("google", "apple")


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


def stop_link(instance: Instance, stop: int, maps: MapLinks = "google") -> str | None:
    """Return a link to a stop; None when its place on Earth is not known.

    Nothing is loaded before somebody opens a link.

    References
    ----------
    Google, Maps URLs, https://developers.google.com/maps/documentation/urls/get-started; Apple, Map
    Links; RFC 5870, the geo URI.
    """
    if not instance.is_geographic or instance.coordinates is None:
        return None
    latitude, longitude = _place(instance, stop)
    if maps == "osm":
        marker = f"mlat={latitude}&mlon={longitude}"
        return f"https://www.openstreetmap.org/?{marker}#map=17/{latitude}/{longitude}"
    if maps == "apple":
        name = quote(named(instance.stop_name(stop)), safe="")
        return f"https://maps.apple.com/?ll={latitude}%2C{longitude}&q={name}"
    if maps == "geo":
        # Phones show a pin only for the query, which repeats the place.
        return f"geo:{latitude},{longitude}?q={latitude},{longitude}"
    return f"https://www.google.com/maps/search/?api=1&query={latitude}%2C{longitude}"


def route_links(
    instance: Instance, route: Route, maps: MapLinks = "google"
) -> tuple[RouteLink, ...]:
    """Return links to a route, from depot to depot, in parts that the map application can show.

    None for ``osm`` and ``geo``, whose links have no places on the way.
    """
    if not instance.is_geographic or instance.coordinates is None or maps not in ROUTE_MAPS:
        return ()
    stops = instance.tour(route.vehicle_type, route.customers)
    links = []
    for start in range(0, len(stops) - 1, MAX_WAYPOINTS + 1):
        part = stops[start : start + MAX_WAYPOINTS + 2]
        first, *between, last = ("%2C".join(_place(instance, stop)) for stop in part)
        if maps == "apple":
            address = f"https://maps.apple.com/directions?mode=driving&source={first}"
            address += "".join(f"&waypoint={place}" for place in between) + f"&destination={last}"
        else:
            address = (
                "https://www.google.com/maps/dir/?api=1&travelmode=driving"
                f"&origin={first}&destination={last}"
            )
            address += f"&waypoints={'%7C'.join(between)}" if between else ""
        links.append(
            RouteLink(max(1, start), min(start + len(part) - 1, len(route.customers)), address)
        )
    return tuple(links)


def _place(instance: Instance, stop: int) -> tuple[str, str]:
    """Return latitude and longitude to a decimetre."""
    assert instance.coordinates is not None
    longitude, latitude = instance.coordinates[stop].tolist()
    return f"{latitude:.6f}", f"{longitude:.6f}"
