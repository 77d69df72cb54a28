"""One function that reads a problem, whatever it is written in."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol, runtime_checkable

from fripn.errors import InvalidSetting
from fripn.problem import Instance
from fripn.problem.inputs import InputOptions, open_input
from fripn.problem.io import TableOptions, parse_input
from fripn.problem.io.text import read_bytes
from fripn.problem.roads import with_road_factor


@runtime_checkable
class Frame(Protocol):
    """A table in memory, such as a pandas DataFrame."""

    def to_csv(self, *, index: bool, float_format: str) -> str | None:
        """Return the table as CSV text."""
        ...


def read(
    source: str | Path | Frame,
    vehicles: str | Path | Frame | None = None,
    *,
    depot: str | None = None,
    columns: Mapping[str, str] | None = None,
    decimal: str | None = None,
    matrix: str | Path | None = None,
    durations: str | Path | None = None,
    road_factor: float | None = None,
    name: str = "stops",
) -> Instance:
    """Read a problem from a file, from the library, or from tables in memory.

    Parameters
    ----------
    source
        A file, a library name such as ``golden-20``, ``module:attribute@FILE`` for a reader of your
        own, or a DataFrame of stops with the columns of a table of stops.
    vehicles
        The file or DataFrame of vehicle types that belongs to a table of stops.
    depot
        Id or name of the depot, where no column of the stops flags it.
    columns
        Your words for columns: ``{"Menge": "demand"}``.
    decimal
        The decimal mark of tables in files, where it is not clear.
    matrix, durations
        Files with the distance and the travel time between all stops.
    road_factor
        What straight lines are multiplied by.
    name
        Name of an instance that is read from a DataFrame.

    Raises
    ------
    InvalidInput
        When it cannot be read; the message names the place.
    """
    if not isinstance(source, Frame) and not isinstance(vehicles, Frame):
        options = InputOptions(vehicles, depot, columns, decimal, matrix, durations, road_factor)
        return open_input(source, options).instance
    for option, value in (("matrix", matrix), ("durations", durations), ("decimal", decimal)):
        if value is not None:
            raise InvalidSetting(
                f"{option} is given beside a table in memory",
                field=option,
                value=value,
                remedy="write the tables to files, or leave it out",
            )
    if vehicles is None:
        raise InvalidSetting(
            "a table holds stops only", field="vehicles", remedy="give the table of vehicles too"
        )
    instance = parse_input(
        _content(source),
        "csv",
        vehicles=_content(vehicles),
        options=TableOptions(depot, columns, "."),
        name=name,
    ).instance
    return instance if road_factor is None else with_road_factor(instance, road_factor)


def _content(table: str | Path | Frame) -> str | bytes:
    if not isinstance(table, Frame):
        return read_bytes(Path(table))
    # Integers beside empty cells are floats in a DataFrame: 1.0 has to be written as 1.
    text = table.to_csv(index=False, float_format="%.17g")
    assert text is not None  # without a file to write to
    return text
