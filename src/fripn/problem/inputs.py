"""From what a person names (files, folders, library names) to instances."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fripn.errors import InvalidFile, InvalidSetting
from fripn.problem import Instance, io, library
from fripn.problem.io.headers import Vocabulary, match_header
from fripn.problem.io.matrix_table import Quantity
from fripn.problem.io.suffixes import TABLE_SUFFIXES, TEXT_TABLES
from fripn.problem.io.table import read_csv_table
from fripn.problem.io.table_dialect import TableDialect
from fripn.problem.io.table_words import STOPS, VEHICLES
from fripn.problem.io.text import checked_table, default_max_bytes, read_bytes
from fripn.problem.limits import FloatArray
from fripn.problem.own_readers import own_suffixes, read_own
from fripn.problem.roads import with_road_factor
from fripn.problem.suspicious import suspicious

#: Stands for the standard input in place of a file.
STANDARD_INPUT = "-"

#: Bytes that tell what a table holds.
_HEAD = 100_000

#: What counts as an instance when a folder is given; a table of stops only with its vehicles.
FOLDER_SUFFIXES = (".json", ".vrp", ".xlsx")
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
    warnings
        What is probably wrong with the data, one sentence each; see `suspicious`.
    """

    instance: Instance
    dialect: TableDialect = field(default_factory=TableDialect)
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


#: Fields of `InputOptions` that belong to tables; the others go with every instance.
TABLE_FIELDS = ("vehicles", "depot", "columns", "decimal")


@dataclass(frozen=True, slots=True)
class InputOptions:
    """What belongs to an instance beside its file.

    Parameters
    ----------
    vehicles
        The file of vehicle types that goes with a table of stops.
    depot
        The id or name of the depot's row in a table of stops.
    columns
        The user's words for columns of tables: ``{"Menge": "demand"}``.
    decimal
        The decimal mark of tables.
    matrix, durations
        Files with the distance and the travel time between all stops.
    road_factor
        What straight lines are multiplied by.
    """

    vehicles: str | Path | None = None
    depot: str | None = None
    columns: Mapping[str, str] | None = None
    decimal: str | None = None
    matrix: str | Path | None = None
    durations: str | Path | None = None
    road_factor: float | None = None


def open_instance(
    source: str | Path, *, vehicles: str | Path | None = None, depot: str | None = None
) -> Instance:
    """Return the instance that a path or a library name stands for; see `open_input`."""
    return open_input(source, InputOptions(vehicles, depot)).instance


def open_input(source: str | Path, options: InputOptions | None = None) -> Input:
    """Return the instance that a path or a library name stands for, and how it is written.

    Parameters
    ----------
    source
        A file, ``-`` for the standard input, or a name of the library such as ``golden-20`` or
        ``paper:20:17``. A file of that very name comes first. ``module:attribute@FILE`` is a file
        with a reader of your own.
    options
        What belongs to it.

    Raises
    ------
    InvalidInput
        When there is no such file or name, or the file describes no problem.
    """
    options = options or InputOptions()
    found = _open(str(source), options)
    instance = found.instance
    if options.matrix is not None:
        matrix = _read_matrix(options.matrix, found, "distance")
        instance = instance.replace(metric="matrix", matrix=matrix, has_map=instance.is_geographic)
    if options.durations is not None:
        instance = instance.replace(durations=_read_matrix(options.durations, found, "duration"))
    if options.road_factor is not None:
        instance = with_road_factor(instance, options.road_factor)
    warnings = [one.message for one in suspicious(instance)]
    return Input(instance, found.dialect, found.notes, tuple(warnings))


def _open(name: str, options: InputOptions) -> io.TableInput:
    if not name.strip():
        raise InvalidFile(
            "the instance is named by the empty string {value}",
            field="instance",
            value=name,
            remedy="name a file, or an instance of the library such as golden-20",
        )
    path, tables = Path(name), _table_options(options)
    if STANDARD_INPUT in (name, str(options.vehicles)):
        return _from_standard_input(name, options.vehicles, tables)
    own = read_own(name, io.INSTANCE_READ_SUFFIXES)
    if own is not None:
        return io.plain_input(own)
    if path.is_file():
        return io.read_input(path, vehicles=options.vehicles, options=tables)
    if not library.is_name(name):
        if path.is_dir():
            raise InvalidFile(f"{name} is a folder", value=name, remedy="name a file in it")
        if path.suffix or len(path.parts) > 1:
            raise InvalidFile(f"there is no file {name}", value=name, remedy="check the path")
    instance = library.load(name)
    for option in TABLE_FIELDS:
        if (value := getattr(options, option)) is not None:
            raise InvalidSetting(
                f"{{field}} {{value}} is given, but {name} is a library instance with its own",
                field=option,
                value=value,
                remedy="leave it out",
            )
    return io.plain_input(instance)


def _table_options(options: InputOptions) -> io.TableOptions:
    return io.TableOptions(
        options.depot,
        options.columns,
        options.decimal,
        has_durations=options.durations is not None,
    )


def _from_standard_input(
    name: str, vehicles: str | Path | None, options: io.TableOptions
) -> io.TableInput:
    """Read the instance, or one of its two tables, from the standard input."""
    if name == STANDARD_INPUT == str(vehicles):
        raise InvalidSetting(
            "both tables are to be read from the standard input (-)",
            field="vehicles",
            value=STANDARD_INPUT,
            remedy="name a file for one of them",
        )
    content = sys.stdin.buffer.read(default_max_bytes() + 1)
    if vehicles is None:
        return io.parse_input(content, io.form_of(content), options=options, name="standard input")
    contents = [
        content if str(one) == STANDARD_INPUT else read_bytes(one) for one in (name, vehicles)
    ]
    places = [
        "standard input" if str(one) == STANDARD_INPUT else str(one) for one in (name, vehicles)
    ]
    names = ["stops" if name == STANDARD_INPUT else Path(name).stem] * 2
    return io.read_tables(contents, places, names, options)


def _read_matrix(path: str | Path, found: io.TableInput, quantity: Quantity) -> FloatArray:
    return io.read_matrix(read_bytes(path), found.instance, found.order, str(path), quantity)


def instance_suffixes() -> tuple[str, ...]:
    """Return the endings of files that are an instance each, those of installed packages too."""
    return tuple(dict.fromkeys((*FOLDER_SUFFIXES, *own_suffixes())))


def folder_files(folder: Path, suffixes: Sequence[str] | None = None) -> list[Path]:
    """Return the instance files of a folder, sorted by name; a table of vehicles is not one."""
    suffixes = instance_suffixes() if suffixes is None else suffixes
    files = sorted(entry for entry in folder.iterdir() if entry.suffix.lower() in suffixes)
    vehicles = {io.vehicles_path(file) for file in files if is_table(file)}
    return [file for file in files if file not in vehicles]


def is_table(source: Path | str) -> bool:
    """Return whether a source is a table of stops, or a workbook, which may have vehicles."""
    return Path(source).suffix.lower() in TABLE_SUFFIXES


def is_plan_table(path: Path) -> bool:
    """Return whether a file is a table of a plan: with routes, and without capacities."""
    from fripn.problem.io.plan_table import PLAN_COLUMNS

    plan = Vocabulary(PLAN_COLUMNS)
    titles = _titles(path, (plan, VEHICLES))
    columns = match_header(titles, plan).places
    has_vehicles = "capacity" in match_header(titles, VEHICLES).places
    return {"route", "vehicle_type"} <= set(columns) and not has_vehicles


def is_vehicle_table(path: Path) -> bool:
    """Return whether a file is a table of vehicles: with capacities, and without positions."""
    if path.suffix.lower() not in TEXT_TABLES:
        return False
    return io.holds_vehicles(_titles(path, (STOPS, VEHICLES)))


def _titles(path: Path, vocabularies: Sequence[Vocabulary]) -> list[str]:
    """Return the header of a table; nothing when it cannot be read."""
    try:
        with path.open("rb") as file:
            text, _ = checked_table(file.read(_HEAD))
        return read_csv_table(text, vocabularies).titles
    except (OSError, InvalidFile):
        return []
