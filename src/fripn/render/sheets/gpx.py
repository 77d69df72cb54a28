"""A route as GPX, for navigation devices and map applications."""

from __future__ import annotations

import re

from fripn.errors import Unsupported
from fripn.messages import named
from fripn.problem import Instance, Route
from fripn.render.text import escape

#: What XML 1.0 cannot hold, however escaped.
_NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def route_gpx(instance: Instance, route: Route, name: str) -> str:
    """Return a route from depot to depot as a GPX document.

    Raises
    ------
    Unsupported
        When the instance has no latitudes and longitudes.

    References
    ----------
    GPX 1.1, https://www.topografix.com/GPX/1/1/.
    """
    if not instance.is_geographic or instance.coordinates is None:
        raise Unsupported(
            f"{named(instance.name)} has no latitudes and longitudes, which GPX needs",
            field="metric",
            value=instance.metric,
            remedy="write .csv, .xlsx or .json",
        )
    points = "".join(
        _point(instance, stop, position)
        for position, stop in enumerate(instance.tour(route.vehicle_type, route.customers))
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<gpx version="1.1" creator="fripn" xmlns="http://www.topografix.com/GPX/1/1">\n'
        f"<rte><name>{_text(name)}</name>\n{points}</rte>\n</gpx>\n"
    )


def _point(instance: Instance, stop: int, position: int) -> str:
    assert instance.coordinates is not None
    longitude, latitude = instance.coordinates[stop].tolist()
    label = instance.stop_label(stop)
    if not instance.is_depot(stop):
        label = f"{position} {label}"
    described = "".join(
        f"{title}: {texts[stop]}\n"
        for title, texts in (instance.extra_columns or {}).items()
        if texts[stop]
    )
    return (
        f'<rtept lat="{latitude:.6f}" lon="{longitude:.6f}"><name>{_text(label)}</name>'
        + (f"<desc>{_text(described.strip())}</desc>" if described else "")
        + "</rtept>\n"
    )


def _text(text: str) -> str:
    return escape(_NOT_IN_XML.sub("\ufffd", text))
