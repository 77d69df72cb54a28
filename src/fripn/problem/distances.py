"""How distances are computed from coordinates."""

from __future__ import annotations

from typing import Literal

import numpy as np

from fripn.problem.limits import FloatArray

#: How distances are computed; see `Instance`.
Metric = Literal["euclidean", "great_circle", "matrix"]

METRICS: tuple[Metric, ...] = ("euclidean", "great_circle", "matrix")

#: Mean radius of the Earth in kilometres (IUGG), for great-circle distances.
EARTH_RADIUS_KM = 6371.0088


def straight_line(start: FloatArray, end: FloatArray) -> FloatArray:
    """Return the Euclidean distance between (x, y) pairs, not rounded."""
    return np.asarray(np.hypot(start[..., 0] - end[..., 0], start[..., 1] - end[..., 1]))


def great_circle_km(start: FloatArray, end: FloatArray) -> FloatArray:
    """Haversine distance in kilometres between (longitude, latitude) pairs in degrees."""
    lon1, lat1 = np.radians(start[..., 0]), np.radians(start[..., 1])
    lon2, lat2 = np.radians(end[..., 0]), np.radians(end[..., 1])
    chord = (
        np.sin((lat2 - lat1) / 2) ** 2
        + np.cos(lat1) * np.cos(lat2) * np.sin((lon2 - lon1) / 2) ** 2
    )
    angle = 2 * np.arcsin(np.sqrt(np.minimum(chord, 1.0)))
    return np.asarray(EARTH_RADIUS_KM * angle, dtype=np.float64)
