"""What an instance may use and not every method can handle."""

from __future__ import annotations

from enum import Enum

from fripn.problem import Instance


class Feature(Enum):
    """Something an instance may have; the value completes the sentence "the instance has …".

    Every part of a problem that a method could silently ignore is a member, and `features_of`
    recognises it.
    """

    LIMITED_FLEET = "vehicle types of limited number"
    ASYMMETRIC = "distances that differ by direction"
    NO_COORDINATES = "a distance matrix without coordinates"


#: For methods that handle whatever an instance has today. A new feature does not join by itself:
#: each method declares it once it supports it.
ROUTING = frozenset({Feature.LIMITED_FLEET, Feature.ASYMMETRIC, Feature.NO_COORDINATES})


def features_of(instance: Instance) -> frozenset[Feature]:
    """Return what an instance uses."""
    uses = {
        Feature.LIMITED_FLEET: instance.has_limited_fleet,
        Feature.ASYMMETRIC: not instance.is_symmetric,
        Feature.NO_COORDINATES: instance.coordinates is None,
    }
    return frozenset(feature for feature in Feature if uses[feature])
