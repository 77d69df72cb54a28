"""Find strings that occur twice, in a fraction of the memory that a set of them takes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


def first_repeat(size: int, string_at: Callable[[int], str]) -> tuple[int, int] | None:
    """Return the first place whose string occurred before, and where; None if all differ.

    Parameters
    ----------
    size
        Number of strings.
    string_at
        Returns the string at a place, counted from 0. The strings are not kept: eight bytes for
        the hash of each replace about a hundred in a set.

    Returns
    -------
    tuple of int or None
        The earlier place and the later one.
    """
    hashes = np.fromiter((hash(string_at(place)) for place in range(size)), np.int64, size)
    order = np.argsort(hashes, kind="stable")
    is_equal = hashes[order[1:]] == hashes[order[:-1]]
    if not is_equal.any():
        return None
    later = order[1:][is_equal]
    pair = int(np.argmin(later))
    first, second = int(order[:-1][is_equal][pair]), int(later[pair])
    if string_at(first) == string_at(second):
        return first, second
    return _compare_all(size, string_at)  # different strings with one hash: not by accident


def _compare_all(size: int, string_at: Callable[[int], str]) -> tuple[int, int] | None:
    places: dict[str, int] = {}
    for place in range(size):
        if (before := places.setdefault(string_at(place), place)) != place:
            return before, place
    return None
