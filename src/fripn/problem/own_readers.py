"""Readers of other packages: functions from a path to an `Instance`, by the ending of the file.

An installed package offers one by an entry point of the group ``fripn.readers`` whose name is the
ending without its dot. ``my_module:read_orders@FILE`` names one directly. See `fripn.plugins`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from fripn.errors import FripnError, InvalidFile
from fripn.plugins import (
    READERS_GROUP,
    entry_points,
    is_import_path,
    load_entry_point,
    load_import_path,
)
from fripn.problem.instance import Instance


def own_suffixes() -> tuple[str, ...]:
    """Return the endings that readers of installed packages are for."""
    return tuple(f".{name.lower()}" for name in entry_points(READERS_GROUP))


def read_own(source: str | Path, known: tuple[str, ...]) -> Instance | None:
    """Read a file with a reader of another package; None where there is none for it.

    Parameters
    ----------
    source
        A file, or ``module:attribute@FILE``.
    known
        Endings that this package reads itself.

    Raises
    ------
    InvalidFile
        When the reader fails, or returns something else than an instance.
    InvalidSetting
        When the reader cannot be imported.
    """
    reader, separator, file = str(source).partition("@")
    if separator and is_import_path(reader):
        return _read(load_import_path(reader), reader, Path(file))
    path = Path(source)
    suffix = path.suffix.lower()
    if not suffix or suffix in known or suffix not in own_suffixes():
        return None
    name = next(name for name in entry_points(READERS_GROUP) if f".{name.lower()}" == suffix)
    return _read(load_entry_point(READERS_GROUP, name), f"reader {name}", path)


def _read(reader: Callable[[Path], Any], name: str, path: Path) -> Instance:
    if not path.is_file():
        raise InvalidFile(f"there is no file {path}", value=path, remedy="check the path")
    try:
        instance = reader(path)
    except FripnError:
        raise
    except Exception as error:  # whatever the code of others raises
        raise InvalidFile(
            f"{name} cannot read it ({type(error).__name__}: {error})",
            field="reader",
            value=name,
            remedy="correct the file, or the reader",
            place=str(path),
        ) from error
    if not isinstance(instance, Instance):
        raise InvalidFile(
            f"{name} returned {{value}} instead of an Instance",
            field="reader",
            value=type(instance).__name__,
            remedy="let the function return one",
            place=str(path),
        )
    return instance
