"""Instances as files; see ``docs/data-format.md``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from fripn.errors import InvalidFile, InvalidSetting
from fripn.problem.instance import Instance
from fripn.problem.io.atomic import write_all_atomically, write_atomically
from fripn.problem.io.instance_csv import (
    TableInput,
    TableOptions,
    read_tables,
    read_vehicle_types,
)
from fripn.problem.io.instance_json import instance_from_dict, instance_to_dict
from fripn.problem.io.json_text import dump_json, parse_json, stem
from fripn.problem.io.suffixes import (
    BENCHMARK_SUFFIXES,
    INSTANCE_READ_SUFFIXES,
    INSTANCE_SUFFIXES,
    TABLE_SUFFIXES,
    TEXT_TABLES,
    check_suffix,
)
from fripn.problem.io.table_dialect import TableDialect
from fripn.problem.io.text import checked_table, checked_text, located, read_bytes, read_text
from fripn.problem.io.workbook import is_workbook

#: Formats of `parse_instance`.
InstanceForm = Literal["json", "csv", "xlsx", "vrp", "txt"]


def read_instance(
    path: Path | str,
    *,
    vehicles: Path | str | None = None,
    depot: str | None = None,
    columns: Mapping[str, str] | None = None,
    decimal: str | None = None,
    max_bytes: int | None = None,
) -> Instance:
    """Read an instance from a file.

    Parameters
    ----------
    path
        A ``.json`` or ``.vrp`` file, a workbook (``.xlsx``) with a sheet of stops and one of
        vehicles, the stops of a pair of tables (``.csv``, ``.txt``, ``.xlsx``), or a text file in
        Solomon's or Cordeau's format (``.txt``, or no ending).
    vehicles
        The vehicle table that belongs to a table of stops, or that stands in place of the vehicles
        of a file of Solomon's.
    depot
        Id or name of the depot in a table that does not flag it.
    columns
        The user's words for columns of tables: ``{"Menge": "demand"}``.
    decimal
        The decimal mark of tables, where numbers such as 1.050 leave it open.
    max_bytes
        Size up to which a file is read; None for `MAX_BYTES`, or ``FRIPN_MAX_SIZE``.

    Raises
    ------
    InvalidInput
        The only exception: when the file is missing or wrong; the message names the place.
    """
    options = TableOptions(depot, columns, decimal)
    return read_input(path, vehicles=vehicles, options=options, max_bytes=max_bytes).instance


def read_input(
    path: Path | str,
    *,
    vehicles: Path | str | None = None,
    options: TableOptions | None = None,
    max_bytes: int | None = None,
) -> TableInput:
    """Read an instance from a file, and how its tables are written; see `read_instance`.

    Raises
    ------
    InvalidInput
        The only exception: when the file is missing or wrong; the message names the place.
    """
    path = Path(path)
    options = options or TableOptions()
    if path.suffix.lower() in BENCHMARK_SUFFIXES and path.is_file():
        found = _read_benchmark(
            read_bytes(path, max_bytes), stem(path), str(path), vehicles, options, max_bytes
        )
        if found is not None:
            return found
    suffix = check_suffix(path, INSTANCE_READ_SUFFIXES, "an instance")
    if suffix in TEXT_TABLES and vehicles is None:
        raise _vehicles_missing(path)
    _check_options(suffix, str(path), vehicles, options)
    files = [path] if vehicles is None else [path, Path(vehicles)]
    if suffix in TABLE_SUFFIXES:
        contents = [read_bytes(one, max_bytes) for one in files]
        return read_tables(contents, [*map(str, files)], [*map(stem, files)], options, max_bytes)
    text = read_text(path, max_bytes)
    return plain_input(_build_instance(text, suffix, stem(path), str(path)))


def parse_instance(
    text: str | bytes,
    form: InstanceForm,
    *,
    vehicles: str | bytes | None = None,
    depot: str | None = None,
    columns: Mapping[str, str] | None = None,
    decimal: str | None = None,
    name: str = "instance",
    max_bytes: int | None = None,
) -> Instance:
    """Build an instance from the content of a file.

    Parameters
    ----------
    text
        The content: ``json`` or ``vrp``, a workbook (``xlsx``), or the stops of a pair of tables
        (``csv`` or ``xlsx``).
    form
        Which of these formats it is.
    vehicles
        The table of vehicles that belongs to a table of stops.
    depot, columns, decimal
        How to read tables; see `read_instance`.
    name
        Name of the content in messages, and of the instance if the content has none.
    max_bytes
        Size up to which content is read; None for `MAX_BYTES`, or ``FRIPN_MAX_SIZE``.

    Raises
    ------
    InvalidInput
        The only exception: when the text is wrong; the message names the place.
    """
    options = TableOptions(depot, columns, decimal)
    return parse_input(
        text, form, vehicles=vehicles, options=options, name=name, max_bytes=max_bytes
    ).instance


def parse_input(
    text: str | bytes,
    form: InstanceForm,
    *,
    vehicles: str | bytes | None = None,
    options: TableOptions | None = None,
    name: str = "instance",
    max_bytes: int | None = None,
) -> TableInput:
    """Build an instance from the content of a file, with the dialect; see `parse_instance`.

    Raises
    ------
    InvalidInput
        The only exception: when the text is wrong; the message names the place.
    """
    suffix = check_suffix(Path(f"x.{form}"), INSTANCE_READ_SUFFIXES, "an instance")
    options = options or TableOptions()
    if suffix in BENCHMARK_SUFFIXES:
        found = _read_benchmark(text, name, name, vehicles, options, max_bytes)
        if found is not None:
            return found
    if suffix in TEXT_TABLES and vehicles is None:
        raise InvalidFile(
            "a table holds stops only", place=name, remedy="give the table of vehicles too"
        )
    _check_options(suffix, name, vehicles, options)
    if suffix in TABLE_SUFFIXES:
        given = [text] if vehicles is None else [text, vehicles]
        places = [name, f"{name}, vehicles"][: len(given)]
        return read_tables(given, places, name, options, max_bytes)
    with located(name):
        content = checked_text(text, max_bytes)
    return plain_input(_build_instance(content, suffix, name, name))


def plain_input(instance: Instance) -> TableInput:
    """Return an instance that was not read from tables."""
    return TableInput(instance, TableDialect(), range(instance.num_nodes), ())


def form_of(content: bytes) -> InstanceForm:
    """Return the format of content that has no file name."""
    if is_workbook(content):
        return "xlsx"
    start = content[:10_000].lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith((b"{", b"[")):
        return "json"
    return "vrp" if re.search(rb"^\s*(?:DIMENSION|NAME)\s*:", start, re.MULTILINE) else "csv"


def _read_benchmark(
    content: str | bytes,
    name: str,
    place: str,
    vehicles: Path | str | bytes | None,
    options: TableOptions,
    max_bytes: int | None,
) -> TableInput | None:
    """Return the instance of a benchmark's text file; None when the content is not one.

    `vehicles` is the table that stands in place of the vehicles of a file of Solomon's: a path
    where the content is that of a file, else its content.
    """
    from fripn.problem.io.benchmark_text import benchmark_form, instance_from_benchmark

    with located(place):
        text, _ = checked_table(content, max_bytes)
        form = benchmark_form(text)
    if form is None:
        return None
    wrong = [("depot", options.depot), *([("vehicles", vehicles)] if form == "cordeau" else [])]
    for option, value in wrong:
        if value is not None:
            raise InvalidSetting(
                f"{{field}} {{value}} is given, but {place} has its own",
                field=option,
                value=str(value),
                remedy="leave the option out",
            )
    types, notes = None, tuple[str, ...]()
    if vehicles is not None:
        is_file = Path(place).is_file() and not isinstance(vehicles, bytes)
        table = read_bytes(Path(str(vehicles)), max_bytes) if is_file else vehicles
        vehicles_place = str(vehicles) if is_file else f"{place}, vehicles"
        assert not isinstance(table, Path)
        types, notes = read_vehicle_types(table, vehicles_place, options, max_bytes)
    with located(place):
        instance = instance_from_benchmark(text, form, name, types)
    return TableInput(instance, TableDialect(), range(instance.num_customers + 1), notes)


def _check_options(suffix: str, place: str, vehicles: object, options: TableOptions) -> None:
    given = (
        ("vehicles", vehicles),
        ("depot", options.depot),
        ("map", options.columns or None),
        ("decimal", options.decimal),
    )
    for option, value in given:
        if suffix not in TABLE_SUFFIXES and value is not None:
            raise InvalidSetting(
                f"{{field}} {{value}} is given, but {place} is not a table of stops (.csv, .xlsx)",
                field=option,
                value=value,
                remedy="leave the option out",
            )


def _build_instance(content: str, suffix: str, name: str, place: str) -> Instance:
    with located(place):
        if suffix == ".vrp":
            from fripn.problem.io.vrplib_text import instance_from_vrplib

            return instance_from_vrplib(content, name)
        return instance_from_dict(parse_json(content), name)


def write_instance(instance: Instance, path: Path | str) -> None:
    """Write an instance, whole or not at all.

    Parameters
    ----------
    instance
        The problem.
    path
        Ending in ``.json``, ``.vrp``, ``.xlsx`` (a workbook with the sheets ``stops`` and
        ``vehicles``) or ``.csv``; the last writes the stops there and the vehicles to
        ``<stem>-vehicles.csv`` beside it.

    Raises
    ------
    InvalidInput
        When the file cannot be written, or the format cannot hold the instance.
    """
    path = Path(path)
    suffix = check_suffix(path, INSTANCE_SUFFIXES, "an instance")
    if suffix == ".csv":
        from fripn.problem.io.instance_rows import instance_tables

        stops, vehicles = instance_tables(instance)
        write_all_atomically({path: stops, vehicles_path(path): vehicles})
    elif suffix == ".xlsx":
        from fripn.problem.io.instance_rows import instance_rows
        from fripn.problem.io.xlsx_file import xlsx_book

        names = ("stops", "vehicles")
        write_atomically(path, xlsx_book(dict(zip(names, instance_rows(instance), strict=True))))
    elif suffix == ".vrp":
        from fripn.problem.io.vrplib_text import vrplib_text

        write_atomically(path, vrplib_text(instance))
    else:
        write_atomically(path, dump_json(instance_to_dict(instance)))


def vehicles_path(path: Path | str) -> Path:
    """Return where `write_instance` puts the vehicles that belong to a ``.csv`` file of stops."""
    path = Path(path)
    return path.with_name(f"{path.stem}-vehicles.csv")


def _vehicles_missing(path: Path) -> InvalidFile:
    if not path.exists():
        return InvalidFile("the file does not exist", place=str(path), remedy="check the path")
    for sibling in (vehicles_path(path), path.with_name("vehicles.csv")):
        if sibling.is_file() and sibling != path:
            return InvalidFile(
                f"{path} holds stops only",
                field="vehicles",
                remedy=f"add --vehicles {sibling} (vehicles=… in Python)",
            )
    return InvalidFile(
        f"{path} holds stops only",
        field="vehicles",
        remedy="name the table of vehicles too, with --vehicles vehicles.csv (vehicles=… in "
        "Python)",
    )
