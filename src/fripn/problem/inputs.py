"""From what a person names (files, folders, library names) to instances."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fripn.errors import InvalidFile, InvalidSetting
from fripn.problem import Instance, io, library
from fripn.problem.io.table_dialect import TableDialect

#: What counts as an instance when a folder is given; a table of stops only with its vehicles.
FOLDER_SUFFIXES = (".json", ".vrp")
TABLE_SUFFIX = ".csv"


@dataclass(frozen=True, slots=True)
class Input:
    """What a person gave: the problem, and how the tables that describe it are written.

    Parameters
    ----------
    instance
        The problem.
    dialect
        How the table of stops is written; commas and decimal points where there is none.
    notes
        What the person should know about the files, one sentence each.
    """

    instance: Instance
    dialect: TableDialect = field(default_factory=TableDialect)
    notes: tuple[str, ...] = ()


def open_instance(
    source: str | Path, *, vehicles: str | Path | None = None, depot: str | None = None
) -> Instance:
    """Return the instance that a path or a library name stands for; see `open_input`."""
    return open_input(source, vehicles=vehicles, depot=depot).instance


def open_input(
    source: str | Path, *, vehicles: str | Path | None = None, depot: str | None = None
) -> Input:
    """Return the instance that a path or a library name stands for, and how it is written.

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
    path, name = Path(source), str(source)
    if not name.strip():
        raise InvalidFile(
            "the instance is named by the empty string {value}",
            field="instance",
            value=name,
            remedy="name a file, or an instance of the library such as golden-20",
        )
    if path.is_file():
        return Input(io.read_instance(path, vehicles=vehicles, depot=depot))
    if not library.is_name(name):
        if path.is_dir():
            raise InvalidFile(f"{name} is a folder", value=name, remedy="name a file in it")
        if path.suffix or len(path.parts) > 1:
            raise InvalidFile(f"there is no file {name}", value=name, remedy="check the path")
    instance = library.load(name)
    for option, value in (("vehicles", vehicles), ("depot", depot)):
        if value is not None:
            raise InvalidSetting(
                f"{{field}} {{value}} is given, but {name} is a library instance with its own",
                field=option,
                value=value,
                remedy="leave it out",
            )
    return Input(instance)


def find_sources(
    given: Sequence[Path | str], *, with_tables: bool, apart: Iterable[Path] = ()
) -> list[str]:
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
        When a folder holds no instance.
    InvalidSetting
        When nothing is given, or a file that has another part in the call.
    """
    suffixes = (*FOLDER_SUFFIXES, TABLE_SUFFIX) if with_tables else FOLDER_SUFFIXES
    others = {path.resolve() for path in apart}
    found: dict[str, None] = {}
    for item in given:
        path = Path(item)
        if not path.is_dir():
            if path.resolve() in others:
                raise InvalidSetting(
                    f"{item} is given as an instance and for another part of this command",
                    value=str(item),
                    remedy="name another file",
                )
            found[str(item)] = None
            continue
        inside = [entry for entry in folder_files(path, suffixes) if entry.resolve() not in others]
        if not inside:
            raise InvalidFile(
                f"{path} holds no file ending in {' or '.join(suffixes)}",
                value=path,
                remedy="name another folder"
                + ("" if with_tables else ", or add --vehicles for tables of stops (.csv)"),
            )
        found |= dict.fromkeys(map(str, inside))
    if not found:
        raise InvalidSetting("no instance is given", remedy="name files or a folder")
    return list(found)


def folder_files(folder: Path, suffixes: Sequence[str] = FOLDER_SUFFIXES) -> list[Path]:
    """Return the instance files of a folder, sorted by name; a table of vehicles is not one."""
    files = sorted(entry for entry in folder.iterdir() if entry.suffix.lower() in suffixes)
    vehicles = {io.vehicles_path(file) for file in files if is_table(file)}
    return [file for file in files if file not in vehicles]


def is_table(source: Path | str) -> bool:
    """Return whether a source is a table of stops, which needs one of vehicles."""
    return Path(source).suffix.lower() == TABLE_SUFFIX
