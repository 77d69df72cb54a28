"""The lines of a file that count: the last one of each source, kept on the disk by their places."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType

from fripn.batch.index import line_key
from fripn.batch.lines import Line, iter_lines, open_lines
from fripn.batch.solving import FORMAT, RECORD
from fripn.batch.temporary_table import TemporaryTables, from_bytes, to_bytes
from fripn.errors import InvalidFile


class LastLines:
    """The last line of every source in a file of ``solve-many``, in the order they first come up.

    Can be iterated several times; one line at a time is in memory.

    Parameters
    ----------
    path
        The file.

    Raises
    ------
    InvalidFile
        When it cannot be read, has no lines, or has lines of one source with several settings.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with ExitStack() as stack:
            self._tables = stack.enter_context(
                TemporaryTables(
                    "lines (number INTEGER PRIMARY KEY, source BLOB UNIQUE, settings BLOB, "
                    "place INTEGER)"
                )
            )
            for number, place, line in iter_lines(path, FORMAT):
                self._note(number, place, line)
            if self._tables.row("SELECT 1 FROM lines LIMIT 1") is None:
                raise InvalidFile(
                    "the file has no lines", place=str(path), remedy="name another file"
                )
            stack.pop_all()

    def __enter__(self) -> LastLines:
        """Return the lines."""
        return self

    def __exit__(
        self,
        exception_type: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Delete what was kept."""
        self._tables.close()

    def __iter__(self) -> Iterator[Line]:
        """Yield the lines."""
        with open_lines(self._path) as file:
            for (place,) in self._tables.rows("SELECT place FROM lines ORDER BY number"):
                file.seek(place)
                yield FORMAT.parse(file.readline(), str(self._path))

    def sources(self) -> Iterator[str]:
        """Yield the source of every line."""
        for (source,) in self._tables.rows("SELECT source FROM lines ORDER BY number"):
            yield from_bytes(source)

    def _note(self, number: int, place: int, line: Line) -> None:
        source, settings = to_bytes(line["source"]), line_key(line, RECORD.key)
        row = self._tables.row("SELECT settings FROM lines WHERE source = ?", (source,))
        if row is None:
            values = (number, source, settings, place)
            self._tables.change("INSERT INTO lines VALUES (?, ?, ?, ?)", values)
            return
        if row[0] != settings:
            raise InvalidFile(
                f"{line['source']} was solved with several settings",
                place=(str(self._path), f"line {number}"),
                field="source",
                value=line["source"],
                remedy="keep the lines of one method, time limit and seed",
            )
        self._tables.change("UPDATE lines SET place = ? WHERE source = ?", (place, source))
