"""What the service accepts, and what it keeps."""

from __future__ import annotations

from dataclasses import dataclass

from fripn.settings import Positive, PositiveCount, check_fields


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a client may ask for.

    Parameters
    ----------
    stops, types
        Customers and vehicle types of an instance, at most.
    seconds
        Longest run of one job.
    parallel
        Jobs that run at the same time; the others wait.
    queue
        Jobs that wait, at most.
    body_bytes
        Size of a request, counted while it arrives.
    keep
        Ended jobs that are kept; the oldest are removed first.
    """

    stops: PositiveCount = 10_000
    types: PositiveCount = 100
    seconds: Positive = 3600.0
    parallel: PositiveCount = 2
    queue: PositiveCount = 200
    body_bytes: PositiveCount = 20_000_000
    keep: PositiveCount = 1000

    def __post_init__(self) -> None:
        """Check every limit."""
        check_fields(self)
