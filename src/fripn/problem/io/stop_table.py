"""A table of stops, read column by column; mistakes are collected."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fripn.errors import InvalidCell, InvalidFile, InvalidSetting
from fripn.messages import named
from fripn.problem.instance_checks import UNSHOWABLE
from fripn.problem.io.cell_numbers import NumberColumn, all_marks
from fripn.problem.io.headers import Header, match_header
from fripn.problem.io.mistakes import Mistakes
from fripn.problem.io.table import Table
from fripn.problem.io.table_words import STOPS
from fripn.problem.io.text import nearest_stop
from fripn.problem.limits import MAX_EXTRA_CELLS, MAX_NAME, MAX_NUMBER, FloatArray
from fripn.problem.repeats import first_repeat

_YES = {"1", "true", "yes", "y", "x", "depot", "ja", "j", "wahr", "lager"}
_NO = {"", "0", "false", "no", "n", "customer", "nein", "falsch", "kunde", "-"}

#: Ids and names of a row that is the depot, where none is flagged.
_DEPOT_WORDS = {"depot", "lager", "zentrallager", "warehouse"}

_RANGES = {
    "x": (-MAX_NUMBER, MAX_NUMBER),
    "y": (-MAX_NUMBER, MAX_NUMBER),
    "lat": (-90.0, 90.0),
    "lon": (-180.0, 180.0),
    "demand": (0.0, MAX_NUMBER),
}


@dataclass(frozen=True, slots=True)
class StopTable:
    """The stops of a table, depot first.

    Parameters
    ----------
    header
        Its columns.
    coordinates
        (x, y), or (longitude, latitude).
    is_geographic
        Whether they are the latter.
    demands
        One number per stop.
    names, ids
        One string per stop, or None where there are none.
    extra_columns
        What else the table says, by column; empty columns are left out.
    rows
        The row of each stop in the file.
    order
        The place of each stop among the rows, counted from 0.
    decimal
        The decimal mark of its numbers.
    """

    header: Header
    coordinates: FloatArray
    is_geographic: bool
    demands: FloatArray
    names: tuple[str, ...] | None
    ids: tuple[str, ...] | None
    extra_columns: Mapping[str, tuple[str, ...]] | None
    rows: Sequence[int]
    order: Sequence[int]
    decimal: str


def read_stops(
    table: Table,
    mistakes: Mistakes,
    *,
    depot: str | None = None,
    mapping: Mapping[str, str] | None = None,
    decimal: str | None = None,
) -> StopTable | None:
    """Return the stops; None when there are mistakes.

    Parameters
    ----------
    table
        Columns as in `STOPS`; others are kept.
    mistakes
        What is wrong is added here.
    depot
        Id or name of the depot's row; it overrides flags.
    mapping
        The user's words for columns.
    decimal
        The decimal mark, where the user states it.

    Raises
    ------
    InvalidFile
        When the table cannot be read to its end.
    InvalidSetting
        When no row is called as `depot` says.
    """
    header = match_header(table.titles, STOPS, mapping)
    for mistake in header.mistakes:
        mistakes.add(mistake)
    axes = _axes(header, mistakes)
    rows = _Rows(table, header, decimal)
    rows.read()
    mistakes.extend(table.mistakes)
    if not rows.lines and not len(mistakes):
        mistakes.add(
            InvalidFile(
                "the table has a header but no rows", remedy="give the depot and the customers"
            )
        )
    if not rows.lines:
        return None
    rows.check_ids(mistakes)
    start = rows.find_depot(depot, mistakes)
    rows.check_numbers(start, mistakes)
    if len(mistakes) or start is None or axes is None:
        return None
    return rows.stops(start, axes)


class _Rows:
    """The columns of a table while it is read."""

    def __init__(self, table: Table, header: Header, decimal: str | None) -> None:
        self._table, self._header = table, header
        self.lines = array("I")
        self._ids: list[str] = []
        self._names: list[str] = []
        self._flagged: list[int] = []
        self._flags = self._column("depot")
        self._numbers = {
            column: NumberColumn(
                header.title(column),
                table.unit,
                table.dialect.separator if not table.dialect.is_workbook else "",
                decimal,
                lowest=lowest,
                highest=highest,
            )
            for column, (lowest, highest) in _RANGES.items()
            if column in header.places
        }
        self._empty_demands = array("I")
        self._extra: dict[str, list[str]] = {title: [] for title in header.extra}

    def _column(self, column: str) -> NumberColumn:
        """Return a column that collects mistakes about cells that are not numbers."""
        return NumberColumn(self._header.title(column), self._table.unit, "")

    def read(self) -> None:
        """Read all rows.

        Raises
        ------
        InvalidFile
            When the table ends in the middle of a cell, or is too large.
        """
        table, places = self._table, self._header.places
        id_place, name_place, flag_place = (places.get(key) for key in ("id", "name", "depot"))
        numbers = [
            (column, places[column], column == "demand", numbers)
            for column, numbers in self._numbers.items()
        ]
        extra = [(place, self._extra[title]) for title, place in self._header.extra.items()]
        for index, (line, cells) in enumerate(table.rows):
            self.lines.append(line)
            if id_place is not None:
                self._ids.append(table.text(cells, id_place))
            if name_place is not None:
                self._names.append(table.text(cells, name_place))
            if flag_place is not None:
                flag = table.text(cells, flag_place).lower()
                if flag in _YES:
                    self._flagged.append(index)
                elif flag not in _NO:
                    self._flags.refuse(
                        line, flag, "write 1 for the depot and 0 or nothing for a customer"
                    )
            for _, place, is_demand, column in numbers:
                cell = table.cell(cells, place)
                if is_demand and cell == "":
                    self._empty_demands.append(index)
                    column.add(line, cell, default=0.0)
                else:
                    column.add(line, cell)
            for place, texts in extra:
                texts.append(_shown_text(table.text(cells, place)))
            if len(extra) * len(self.lines) > MAX_EXTRA_CELLS:
                raise InvalidFile(
                    f"the table has over {MAX_EXTRA_CELLS} cells in columns that are not known",
                    field="header",
                    remedy="remove columns that drivers do not need",
                )

    def check_ids(self, mistakes: Mistakes) -> None:
        """Add mistakes about ids that are empty or occur twice."""
        column, remedy = self._column("id"), "give each stop its own id"
        for index, own_id in enumerate(self._ids):
            if not own_id:
                column.refuse(self.lines[index], own_id, remedy, "{field} is empty")
        if first_repeat(len(self._ids), self._ids.__getitem__) is not None:
            seen: dict[str, int] = {}
            for index, own_id in enumerate(self._ids):
                if own_id and own_id in seen:
                    column.refuse(
                        self.lines[index],
                        own_id,
                        remedy,
                        f"the {{field}} {{value}} is already used in {self._table.unit} "
                        f"{self.lines[seen[own_id]]}",
                    )
                else:
                    seen[own_id] = index
        column.finish(set(), mistakes)

    def find_depot(self, depot: str | None, mistakes: Mistakes) -> int | None:
        """Return the place of the depot's row, counted from 0; None when it is not clear."""
        if depot is not None:
            wanted = depot.strip()
            chosen = [k for k, own_id in enumerate(self._ids) if own_id == wanted]
            chosen = chosen or [k for k, name in enumerate(self._names) if name == wanted]
            if not chosen:
                raise InvalidSetting(
                    "no stop has the id or name {value} given as the depot",
                    field="depot",
                    value=depot,
                    remedy=nearest_stop(depot, self._ids or self._names),
                )
        else:
            self._flags.finish(set(), mistakes)
            chosen = self._flagged or [
                index
                for strings in (self._ids, self._names)
                for index, text in enumerate(strings)
                if text.lower() in _DEPOT_WORDS
            ]
            chosen = sorted(set(chosen))
            if not chosen:
                mistakes.add(
                    InvalidFile(
                        "no row is the depot",
                        field="depot",
                        remedy="write 1 in a column 'depot' of that row, or name its id with the "
                        "option --depot",
                    )
                )
                return None
        if len(chosen) > 1:
            unit, first, second = self._table.unit, *(self.lines[k] for k in chosen[:2])
            mistakes.add(
                InvalidFile(
                    f"{unit}s {first} and {second} are both the depot",
                    field="depot",
                    remedy="keep one",
                ),
                first,
            )
            return None
        return chosen[0]

    def check_numbers(self, start: int | None, mistakes: Mistakes) -> None:
        """Add mistakes about numbers; the demand of the depot may be empty."""
        demand = self._numbers.get("demand")
        if demand is not None and start is not None:
            for index in self._empty_demands:
                if index != start:
                    demand.refuse(self.lines[index], "", "give a number", "{field} is empty")
            if demand.values[start] > 0:
                demand.refuse(
                    self.lines[start],
                    demand.values[start],
                    "it must be 0",
                    "the depot has {field} {value}",
                )
        marks = all_marks(self._numbers.values())
        for column in self._numbers.values():
            column.finish(marks, mistakes)

    def stops(self, start: int, axes: tuple[str, str]) -> StopTable:
        """Return everything, depot first."""
        order = [start, *(k for k in range(len(self.lines)) if k != start)]
        coordinates = np.column_stack([np.array(self._numbers[axis].values) for axis in axes])
        names, ids = self._names_and_ids(order)
        extra = {
            title: tuple(texts[k] for k in order)
            for title, texts in self._extra.items()
            if any(texts)
        }
        marks = all_marks(self._numbers.values())
        dialect = self._table.dialect
        return StopTable(
            header=self._header,
            coordinates=coordinates[order],
            is_geographic=axes[0] == "lon",
            demands=np.array(self._numbers["demand"].values)[order],
            names=names,
            ids=ids,
            extra_columns=extra or None,
            rows=[self.lines[k] for k in order],
            order=order,
            decimal=marks.pop() if len(marks) == 1 else dialect.decimal,
        )

    def _names_and_ids(
        self, order: Sequence[int]
    ) -> tuple[tuple[str, ...] | None, tuple[str, ...] | None]:
        """Return names and ids of the stops, depot first.

        A row without a name is called by its id. Ids that just count the customers in file order
        are left out, unless they distinguish equal names.
        """
        numbers = ("depot", *map(str, range(1, len(order))))
        ids = tuple(self._ids[k] for k in order) if self._ids else numbers
        names = None
        if any(self._names):
            names = tuple(self._names[k] or ids[place] for place, k in enumerate(order))
        is_counting = ids[0].lower() in ("depot", "0") and ids[1:] == numbers[1:]
        is_repeated = names is not None and first_repeat(len(names), names.__getitem__) is not None
        return names, ids if is_repeated or not is_counting else None


def _axes(header: Header, mistakes: Mistakes) -> tuple[str, str] | None:
    """Return the two columns with the place of a stop."""
    has_plane = "x" in header.places or "y" in header.places
    has_globe = "lat" in header.places or "lon" in header.places
    if has_plane and has_globe:
        mistakes.add(
            InvalidCell(
                "both x/y and lat/lon columns are given", field="header", remedy="keep one pair"
            )
        )
        return None
    axes = ("lon", "lat") if has_globe else ("x", "y")
    for axis in axes:
        if axis not in header.places:
            if axis not in header.misspelt:
                mistakes.add(
                    InvalidCell(
                        f"the column {axis!r} is missing (the header has "
                        + ", ".join(map(named, header.titles[:20]))
                        + ")",
                        field=axis,
                        remedy=f"give x and y, or lat and lon, or say --map WORD={axis}",
                    )
                )
            return None
    return axes


def _shown_text(text: str) -> str:
    """Return the content of a column that is handed through, as an instance may hold it."""
    if len(text) <= MAX_NAME and not UNSHOWABLE.search(text):
        return text
    text = UNSHOWABLE.sub("", text)
    return text if len(text) <= MAX_NAME else f"{text[: MAX_NAME - 1]}…"
