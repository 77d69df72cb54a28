"""How many visits a plan may have: files with many times more are not plans for the instance."""

from __future__ import annotations

from fripn.errors import InvalidSolution
from fripn.problem.instance import Instance

_MAX_VISITS_PER_CUSTOMER = 10


def most_visits(instance: Instance) -> int:
    """Return the number of visits up to which a plan is read; it bounds the memory."""
    return _MAX_VISITS_PER_CUSTOMER * (instance.num_customers + 100)


def check_num_visits(num_visits: int, most: int) -> None:
    """Refuse a plan with more visits than `most`.

    Raises
    ------
    InvalidSolution
        When it has more.
    """
    if num_visits > most:
        raise InvalidSolution(
            "the plan has many times more visits than the instance has customers",
            remedy="check that it is the right file",
        )
