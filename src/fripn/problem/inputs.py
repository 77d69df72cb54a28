"""From what a person names (files, folders, library names) to instances."""

from __future__ import annotations

from pathlib import Path

from fripn.errors import InvalidFile, InvalidSetting
from fripn.problem import Instance


def open_instance(
    source: str | Path, *, vehicles: str | Path | None = None, depot: str | None = None
) -> Instance:
    """Give the instance that a path or a library name stands for.

    Parameters
    ----------
    source
        A file, or a name of the library such as ``golden-20`` or ``paper:20:17``. A file of that
        very name comes first.
    vehicles
        The file of vehicle types that goes with a CSV file of stops.
    depot
        The id of the depot's row in a CSV file of stops.

    Raises
    ------
    InvalidInput
        When there is no such file or name, or the file describes no problem.
    """
    from fripn.problem import io, library

    path, name = Path(source), str(source)
    if not name.strip():
        raise InvalidFile(
            f"the instance is named by the empty text {name!r}; name a file, or an instance of the "
            "library such as golden-20"
        )
    if path.is_file():
        return io.read_instance(path, vehicles=vehicles, depot=depot)
    if not library.is_name(name):
        if path.is_dir():
            raise InvalidFile(f"{name} is a folder; name a file in it")
        if path.suffix or len(path.parts) > 1:
            raise InvalidFile(f"there is no file {name}; check the path")
    instance = library.load(name)
    for option, value in (("vehicles", vehicles), ("depot", depot)):
        if value is not None:
            raise InvalidSetting(
                f"{option} {str(value)!r} is given, but {name} is a library instance, which has "
                "its own; leave it out"
            )
    return instance
