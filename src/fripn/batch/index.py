"""Which items of a batch have a line, kept on the disk: a file may hold millions of them."""

from __future__ import annotations

import json
from contextlib import ExitStack
from hashlib import blake2b
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from fripn.batch.lines import Line, LineFormat, iter_lines, open_lines, repair_end
from fripn.batch.temporary_table import TemporaryTables


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
            self._tables = stack.enter_context(
                TemporaryTables(
                    "places (key BLOB PRIMARY KEY, place INTEGER)", "seen (key BLOB PRIMARY KEY)"
                )
            )
            if path is not None and path.exists():
                self._tables.change_all(
                    "REPLACE INTO places VALUES (?, ?)",
                    ((line_key(line, key), place) for _, place, line in iter_lines(path, form)),
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
        query = "SELECT place FROM places WHERE key = ?"
        row = self._tables.row(query, (line_key(fields, self._key),))
        if row is None:
            return None
        assert self._file is not None
        self._file.seek(row[0])
        return self._form.parse(self._file.readline(), str(self._path))

    def is_new(self, fields: Line) -> bool:
        """Return whether the item with these fields comes up for the first time; note that."""
        statement = "INSERT OR IGNORE INTO seen VALUES (?)"
        return self._tables.change(statement, (line_key(fields, self._key),)) == 1


def line_key(fields: Line, names: tuple[str, ...]) -> bytes:
    """Return a short key that lines with equal values of these fields have in common."""
    values = [_plain(fields.get(name)) for name in names]
    return blake2b(json.dumps(values, sort_keys=True).encode(), digest_size=16).digest()


def _plain(value: Any) -> Any:
    """Return one and the same value for 5 and 5.0, which are equal but written differently."""
    is_integer = isinstance(value, int) and not isinstance(value, bool)
    return float(value) if is_integer and abs(value) < 2**53 else value
