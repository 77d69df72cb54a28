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
    TIME_WINDOWS = "time windows"
    SEVERAL_WINDOWS = "several time windows per stop"
    SERVICE_TIMES = "service times"
    DURATIONS = "travel times that differ from the distances"
    SPEEDS = "vehicle types of different speeds"
    SHIFTS = "shifts"
    MAX_DURATION = "largest durations of routes"
    MAX_DISTANCE = "largest distances of routes"
    MAX_STOPS = "largest numbers of stops of routes"
    COST_PER_HOUR = "costs per hour"
    ACCESS = "customers that not every vehicle type may serve"
    SEVERAL_LOADS = "several load dimensions"
    SEVERAL_DEPOTS = "several depots"
    OPEN_ROUTES = "vehicle types that do not return to the depot"


#: For methods that handle whatever an instance has today. A new feature does not join by itself:
#: each method declares it once it supports it.
ROUTING = frozenset({Feature.LIMITED_FLEET, Feature.ASYMMETRIC, Feature.NO_COORDINATES})

#: All of a working day: for methods that support every limit there is.
WORKING_DAY = frozenset(Feature) - ROUTING


def features_of(instance: Instance) -> frozenset[Feature]:
    """Return what an instance uses."""
    types = instance.vehicle_types
    windows = instance.time_windows or ()
    uses = {
        Feature.LIMITED_FLEET: instance.has_limited_fleet,
        Feature.ASYMMETRIC: not instance.is_symmetric,
        Feature.NO_COORDINATES: instance.coordinates is None,
        Feature.TIME_WINDOWS: bool(windows),
        Feature.SEVERAL_WINDOWS: any(len(of_stop) > 1 for of_stop in windows),
        # Times that nothing limits and nobody pays for can be ignored by every method.
        Feature.SERVICE_TIMES: instance.limits_time and instance.service_times is not None,
        Feature.DURATIONS: instance.limits_time and instance.durations is not None,
        Feature.SPEEDS: instance.limits_time and any(vehicle.speed != 1.0 for vehicle in types),
        Feature.SHIFTS: any(
            vehicle.shift_start is not None or vehicle.shift_end is not None for vehicle in types
        ),
        Feature.MAX_DURATION: any(vehicle.max_duration is not None for vehicle in types),
        Feature.MAX_DISTANCE: any(vehicle.max_distance is not None for vehicle in types),
        Feature.MAX_STOPS: any(vehicle.max_stops is not None for vehicle in types),
        Feature.COST_PER_HOUR: any(vehicle.cost_per_hour > 0 for vehicle in types),
        Feature.ACCESS: instance.allowed_types is not None or instance.requires is not None,
        Feature.SEVERAL_LOADS: instance.num_loads > 1,
        Feature.SEVERAL_DEPOTS: instance.num_depots > 1,
        Feature.OPEN_ROUTES: not all(vehicle.returns for vehicle in types),
    }
    return frozenset(feature for feature in Feature if uses[feature])
