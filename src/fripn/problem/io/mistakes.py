"""Collect the mistakes of tables, so that a user sees them all at once."""

from __future__ import annotations

from fripn.errors import InvalidInput, InvalidTable

#: Mistakes that an error lists, at most: as many as somebody corrects before reading them again.
MAX_MISTAKES = 500


class Mistakes:
    """The first mistakes of a table by row, and how many there are."""

    def __init__(self) -> None:
        self._found: list[tuple[int, InvalidInput]] = []
        self._count = 0

    def __len__(self) -> int:
        """Return how many mistakes were added, listed or not."""
        return self._count

    def add(self, mistake: InvalidInput, row: int = 0) -> None:
        """Add a mistake; row 0 is the header."""
        self._count += 1
        self._found.append((row, mistake))
        if len(self._found) >= 4 * MAX_MISTAKES:
            self._keep_first()

    def skip(self, count: int) -> None:
        """Count mistakes that need not be listed."""
        self._count += count

    def within(self, place: str) -> None:
        """Add the file to the place of every mistake so far."""
        for _, mistake in self._found:
            mistake.within(place)

    def extend(self, others: Mistakes) -> None:
        """Add the mistakes of another table, behind those of this one."""
        self._keep_first()
        others._keep_first()
        last = max((row for row, _ in self._found), default=0)
        self._found += [(last + row, mistake) for row, mistake in others._found]
        self._count += others._count

    def raise_any(self) -> None:
        """Raise the only mistake, or all of them as one error; return if there is none.

        Raises
        ------
        InvalidInput
            The mistake, or an `InvalidTable`.
        """
        if not self._count:
            return
        self._keep_first()
        found = tuple(mistake for _, mistake in self._found)
        raise found[0] if self._count == 1 else InvalidTable.of(found, self._count)

    def _keep_first(self) -> None:
        self._found.sort(key=lambda entry: entry[0])  # stable: a row keeps the order of its columns
        del self._found[MAX_MISTAKES:]
