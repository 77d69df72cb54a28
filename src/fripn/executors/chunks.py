"""How many items travel to a worker at once, and what it does with them."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Sequence
from typing import Any

from fripn._version import __version__
from fripn.errors import ClusterFailed

#: Seconds that the items of a chunk take together: a journey costs some milliseconds, so that one
#: second makes it less than a hundredth; and it is what a lost worker costs.
CHUNK_SECONDS = 1.0

#: Seconds per chunk that the driver needs: with very many workers chunks are longer.
DRIVER_SECONDS = 0.005

#: Items and bytes of a chunk, at most.
MAX_ITEMS = 1000
MAX_BYTES = 4 * 2**20


class ChunkSize:
    """The number of items that take about as long as a chunk should, learned from those finished.

    It begins with one item, and at most doubles with every observation.
    """

    def __init__(self) -> None:
        self._seconds_per_item: float | None = None
        self._most = 1

    def observe(self, num_items: int, seconds: float) -> None:
        """Note how long the items of a chunk took."""
        mean = seconds / num_items
        before = self._seconds_per_item
        self._seconds_per_item = mean if before is None else 0.7 * before + 0.3 * mean
        self._most = min(2 * max(self._most, num_items), MAX_ITEMS)

    def choose(self, num_slots: int) -> int:
        """Return the number of items for the next chunk.

        Parameters
        ----------
        num_slots
            Chunks that run at the same time.
        """
        if self._seconds_per_item is None:
            return 1
        wanted = max(CHUNK_SECONDS, num_slots * DRIVER_SECONDS)
        return max(1, min(int(wanted / max(self._seconds_per_item, 1e-9)), self._most))


def run_chunk(
    work: Callable[[Any], Any], items: Sequence[bytes], version: str
) -> tuple[list[Any], float]:
    """Do the work of a chunk, where it arrived.

    Parameters
    ----------
    work
        What to do with an item.
    items
        The items, pickled.
    version
        That of the driver's package.

    Returns
    -------
    tuple
        The outcomes in the order of the items, and the seconds they took.

    Raises
    ------
    ClusterFailed
        When the worker has another version of this package.
    """
    if version != __version__:
        raise ClusterFailed(
            f"the workers have fripn {__version__}, but this is fripn {version}",
            field="--cluster",
            value=__version__,
            remedy=f"install fripn {version} on every node of the cluster",
        )
    began = time.perf_counter()
    outcomes = [work(pickle.loads(item)) for item in items]
    return outcomes, time.perf_counter() - began
