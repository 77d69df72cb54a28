"""Which items of a batch have a line, kept on the disk: a file may hold millions of them."""

from __future__ import annotations

import json
import sqlite3
from contextlib import ExitStack
from hashlib import blake2b
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from fripn.batch.lines import Line, LineFormat, iter_lines, open_lines, repair_end


class LineIndex:
    """Finds the last line of an item in a file, and notes which items have come up.

    Parameters
    ----------
    path
        The file of lines, which need not exist; None when there is none. It is checked from
        beginning to end, and a torn last line is cut off.
    form
        What its lines hold.
    key
        The fields that make two lines lines of the same item; one that is missing counts as null.

    Raises
    ------
    InvalidFile
        When the file cannot be read, or is not of this format.
    """

    def __init__(self, path: Path | None, form: LineFormat, key: tuple[str, ...]) -> None:
        self._path, self._form, self._key = path, form, key
        self._file: BinaryIO | None = None
        with ExitStack() as stack:
            # The name "" stands for a temporary file, which is deleted when it is closed.
            connection = sqlite3.connect("", isolation_level=None)
            stack.callback(connection.close)
            self._table = connection.cursor()
            self._table.execute("PRAGMA journal_mode = OFF")
            self._table.execute("BEGIN")
            self._table.execute("CREATE TABLE places (key BLOB PRIMARY KEY, place INTEGER)")
            self._table.execute("CREATE TABLE seen (key BLOB PRIMARY KEY)")
            if path is not None and path.exists():
                self._table.executemany(
                    "REPLACE INTO places VALUES (?, ?)",
                    ((self._digest(line), place) for _, place, line in iter_lines(path, form)),
                )
                repair_end(path)
                self._file = open_lines(path)
                stack.callback(self._file.close)
            self._resources = stack.pop_all()

    def __enter__(self) -> LineIndex:
        """Return the index."""
        return self

    def __exit__(
        self,
        exception_type: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Delete what was kept."""
        self._resources.close()

    def find(self, fields: Line) -> Line | None:
        """Return the last line that the file held of the item with these fields, if any."""
        row = self._table.execute(
            "SELECT place FROM places WHERE key = ?", (self._digest(fields),)
        ).fetchone()
        if row is None:
            return None
        assert self._file is not None
        self._file.seek(row[0])
        return self._form.parse(self._file.readline(), str(self._path))

    def is_new(self, fields: Line) -> bool:
        """Return whether the item with these fields comes up for the first time; note that."""
        query = "INSERT OR IGNORE INTO seen VALUES (?)"
        return self._table.execute(query, (self._digest(fields),)).rowcount == 1

    def _digest(self, fields: Line) -> bytes:
        values = [_plain(fields.get(name)) for name in self._key]
        return blake2b(json.dumps(values, sort_keys=True).encode(), digest_size=16).digest()


def _plain(value: Any) -> Any:
    """Return one and the same value for 5 and 5.0, which are equal but written differently."""
    is_integer = isinstance(value, int) and not isinstance(value, bool)
    return float(value) if is_integer and abs(value) < 2**53 else value
