"""The instances of a command by name, kept on the disk: a folder may hold millions of them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path, PurePath
from types import TracebackType

from fripn.batch.temporary_table import TemporaryTables, from_bytes, to_bytes
from fripn.errors import InvalidFile, InvalidSetting
from fripn.problem import io
from fripn.problem.inputs import TABLE_SUFFIX, instance_suffixes, is_table
from fripn.problem.io.atomic import reason


class Sources:
    """Files and library names in their order, each once; close it to delete what is kept.

    Can be iterated several times. Memory does not grow with the number of names.
    """

    def __init__(self) -> None:
        self._tables = TemporaryTables(
            "names (place INTEGER PRIMARY KEY, name BLOB UNIQUE)",
            "files (key BLOB, name BLOB)",
            "vehicles (key BLOB PRIMARY KEY)",
        )

    def __enter__(self) -> Sources:
        """Return the names."""
        return self

    def __exit__(
        self,
        exception_type: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Delete what was kept."""
        self.close()

    def __len__(self) -> int:
        """Return how many names there are."""
        row = self._tables.row("SELECT count(*) FROM names")
        assert row is not None
        return int(row[0])

    def __iter__(self) -> Iterator[str]:
        """Yield the names in their order."""
        for (name,) in self._tables.rows("SELECT name FROM names ORDER BY place"):
            yield from_bytes(name)

    def first(self, count: int) -> list[str]:
        """Return the first names, so many at most."""
        return list(islice(self, count))

    def close(self) -> None:
        """Delete what was kept."""
        self._tables.close()

    def add(self, name: str) -> None:
        """Add a name, unless it is there."""
        self._tables.change("INSERT OR IGNORE INTO names (name) VALUES (?)", (to_bytes(name),))

    def add_folder(self, folder: Path, suffixes: Sequence[str], others: set[Path]) -> bool:
        """Add the instance files of a folder, sorted by name, as `folder_files` returns them.

        Parameters
        ----------
        folder
            Where they are.
        suffixes
            Endings of instance files.
        others
            Files to pass over, resolved.

        Returns
        -------
        bool
            Whether it has any.

        Raises
        ------
        InvalidFile
            When the folder cannot be read.
        """
        try:
            self._add_files(folder, suffixes, others)
        except OSError as error:
            raise InvalidFile(
                f"{folder} cannot be read: {reason(error)}",
                value=folder,
                remedy="check the rights of the folder",
            ) from None
        change = self._tables.change
        change("DELETE FROM files WHERE key IN (SELECT key FROM vehicles)")
        has_any = self._tables.row("SELECT 1 FROM files LIMIT 1") is not None
        change("INSERT OR IGNORE INTO names (name) SELECT name FROM files ORDER BY key")
        change("DELETE FROM files")
        change("DELETE FROM vehicles")
        return has_any

    def _add_files(self, folder: Path, suffixes: Sequence[str], others: set[Path]) -> None:
        """Note the files of a folder that may be instances, and the names of their vehicles."""
        resolved = folder.resolve()
        with os.scandir(folder) as entries:
            for entry in entries:
                if PurePath(entry.name).suffix.lower() not in suffixes:
                    continue
                path = folder / entry.name
                if is_table(path):
                    key = _sort_key(io.vehicles_path(path).name)
                    self._tables.change("INSERT OR IGNORE INTO vehicles VALUES (?)", (key,))
                place = path.resolve() if entry.is_symlink() else resolved / entry.name
                if place not in others:
                    row = (_sort_key(entry.name), to_bytes(str(path)))
                    self._tables.change("INSERT INTO files VALUES (?, ?)", row)


def _sort_key(name: str) -> bytes:
    """Return bytes by which names of one folder sort as their paths do."""
    return to_bytes(os.path.normcase(name))


def find_sources(
    given: Sequence[Path | str], *, with_tables: bool, apart: Iterable[Path] = ()
) -> Sources:
    """Return the instances that files, folders and library names stand for, each once.

    Parameters
    ----------
    given
        A folder stands for the instance files in it, sorted by name.
    with_tables
        Whether CSV files in a folder are tables of stops. One that holds the vehicles of another,
        as ``fripn convert`` names it, is not.
    apart
        Files that have another part in the call; in a folder they are passed over.

    Raises
    ------
    InvalidFile
        When a folder holds no instance or cannot be read, or there is no room for the names.
    InvalidSetting
        When nothing is given, or a file that has another part in the call.
    """
    if not given:
        raise InvalidSetting(
            "no instance is given", field="instances", remedy="name files or a folder"
        )
    sources = Sources()
    try:
        _add_all(sources, given, {path.resolve() for path in apart}, with_tables=with_tables)
    except BaseException:
        sources.close()
        raise
    return sources


def _add_all(
    sources: Sources, given: Sequence[Path | str], others: set[Path], *, with_tables: bool
) -> None:
    suffixes = instance_suffixes()
    if with_tables:
        suffixes += (TABLE_SUFFIX,)
    for item in given:
        path = Path(item)
        if path.is_dir():
            if not sources.add_folder(path, suffixes, others):
                raise InvalidFile(
                    f"{path} holds no file ending in {' or '.join(suffixes)}",
                    value=path,
                    remedy="name another folder"
                    + ("" if with_tables else ", or add --vehicles for tables of stops (.csv)"),
                )
            continue
        if path.resolve() in others:
            raise InvalidSetting(
                f"{item} is given as an instance and for another part of this command",
                value=str(item),
                remedy="name another file",
            )
        sources.add(str(item))
