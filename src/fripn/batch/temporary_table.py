"""Tables in a temporary file, for what grows with the number of items of a batch."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

from fripn.errors import InvalidFile

#: Values of one row.
Row = tuple[Any, ...]


class TemporaryTables:
    """A database of its own, deleted when it is closed, and also when the program is killed.

    Its pages are in memory up to 2 MB, and on the disk beyond.

    Parameters
    ----------
    tables
        What ``CREATE TABLE`` takes, one for each.

    Raises
    ------
    InvalidFile
        In every call, when the folder for temporary files has no room or cannot be written to.
    """

    def __init__(self, *tables: str) -> None:
        with _stated():
            # The name "" stands for a temporary file. Nothing is used by two threads at a time,
            # but the lines of a batch may be taken in another thread than the one it began in.
            self._database = sqlite3.connect("", isolation_level=None, check_same_thread=False)
            self._cursor = self._database.cursor()
        for statement in ("PRAGMA journal_mode = OFF", "PRAGMA cache_size = -2000", "BEGIN"):
            self.change(statement)
        for table in tables:
            self.change(f"CREATE TABLE {table}")

    def __enter__(self) -> TemporaryTables:
        """Return the tables."""
        return self

    def __exit__(
        self,
        exception_type: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Delete them."""
        self.close()

    def close(self) -> None:
        """Delete the tables."""
        self._database.close()

    def change(self, statement: str, values: Row = ()) -> int:
        """Execute a statement and return how many rows it has changed."""
        with _stated():
            return self._cursor.execute(statement, values).rowcount

    def change_all(self, statement: str, rows: Iterable[Row]) -> None:
        """Execute a statement with every row, which are taken one by one."""
        with _stated():
            self._cursor.executemany(statement, rows)

    def row(self, query: str, values: Row = ()) -> Row | None:
        """Return the first row of a query, if there is one."""
        with _stated():
            found: Row | None = self._cursor.execute(query, values).fetchone()
            return found

    def rows(self, query: str, values: Row = ()) -> Iterator[Row]:
        """Yield the rows of a query, one by one."""
        with _stated():
            # Not `yield from`, which closes the cursor, perhaps after the database.
            for row in self._database.execute(query, values):  # noqa: UP028
                yield row


@contextmanager
def _stated() -> Iterator[None]:
    """Report what the database cannot do as an error of the folder for temporary files."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise InvalidFile(
            f"a temporary file cannot be written ({error})",
            field="SQLITE_TMPDIR",
            remedy="make room, or name another folder in the environment variable SQLITE_TMPDIR",
        ) from None


def to_bytes(name: str) -> bytes:
    """Return bytes that sort as the string does; names of files may hold lone surrogates."""
    return name.encode("utf-8", "surrogatepass")


def from_bytes(data: bytes) -> str:
    """Return the string that `to_bytes` has taken."""
    return data.decode("utf-8", "surrogatepass")
