"""Road distances: a matrix of the user's, or straight lines times a factor."""

from __future__ import annotations

from fripn.errors import InvalidSetting
from fripn.messages import named
from fripn.problem.instance import Instance
from fripn.settings import Positive, checked

#: Stops of an instance whose distances are multiplied by a factor, at most: every pair needs one.
MAX_STOPS_WITH_FACTOR = 5000


def with_road_factor(instance: Instance, factor: float) -> Instance:
    """Return an instance whose distances are longer by a factor, as roads are.

    The distances become a matrix; the positions stay for maps.

    Parameters
    ----------
    instance
        With distances from coordinates.
    factor
        Such as 1.3; positive.

    Raises
    ------
    InvalidSetting
        When the distances are a matrix, there are too many stops, or the factor is not positive.
    """
    checked("road factor", factor, Positive)
    if instance.matrix is not None:
        raise InvalidSetting(
            f"{named(instance.name)} has a distance matrix, which needs no {{field}}",
            field="road factor",
            value=factor,
            remedy="leave it out",
        )
    if instance.num_nodes > MAX_STOPS_WITH_FACTOR:
        raise InvalidSetting(
            f"{named(instance.name)} has {instance.num_nodes} stops, too many for a {{field}}",
            field="road factor",
            value=factor,
            remedy=f"it takes up to {MAX_STOPS_WITH_FACTOR}; multiply the costs per distance "
            "instead",
        )
    return instance.replace(
        metric="matrix",
        matrix=factor * instance.distance_matrix(),
        has_map=instance.is_geographic,
    )
