"""A table of stops, read column by column; mistakes are collected."""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fripn.errors import InvalidCell, InvalidFile, InvalidSetting
from fripn.messages import named
from fripn.problem.instance_checks import UNSHOWABLE
from fripn.problem.io.cell_numbers import NumberColumn, all_marks
from fripn.problem.io.day_cells import TimeColumn, clock_text, read_windows, read_words
from fripn.problem.io.headers import Header, match_header
from fripn.problem.io.mistakes import Mistakes
from fripn.problem.io.table import Table
from fripn.problem.io.table_words import load_names, stop_words
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
    "service_min": (0.0, MAX_NUMBER),
}

#: Columns whose cells are read when all rows are known.
_ACCESS_COLUMNS = ("vehicle_types", "requires")
_TEXT_COLUMNS = ("time_window", *_ACCESS_COLUMNS)


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
    unit
        What a row is called in messages.
    num_depots
        How many depots there are; the first comes first, the others last.
    loads
        Names of the load dimensions; none when there is just one.
    windows
        The time windows of each stop in minutes, or None.
    service_times
        Minutes at each stop, or None.
    vehicle_types, requires
        Words for each stop, or None.
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
    unit: str = "line"
    num_depots: int = 1
    loads: Sequence[str] = ()
    windows: Sequence[Sequence[tuple[float, float]]] | None = None
    service_times: FloatArray | None = None
    vehicle_types: Sequence[tuple[str, ...]] | None = None
    requires: Sequence[tuple[str, ...]] | None = None

    @property
    def num_customers(self) -> int:
        """Number of customers."""
        return len(self.rows) - self.num_depots


def read_stops(
    table: Table,
    mistakes: Mistakes,
    *,
    depot: str | None = None,
    mapping: Mapping[str, str] | None = None,
    decimal: str | None = None,
    may_have_depots: bool = False,
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
    may_have_depots
        Whether several rows may be depots, as the vehicles say where they start.

    Raises
    ------
    InvalidFile
        When the table cannot be read to its end.
    InvalidSetting
        When no row is called as `depot` says.
    """
    loads = load_names(table.titles)
    header = match_header(table.titles, stop_words(loads), mapping)
    for mistake in header.mistakes:
        mistakes.add(mistake)
    axes = _axes(header, mistakes)
    rows = _Rows(table, header, decimal, loads)
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
    depots = rows.find_depots(depot, mistakes, may_be_many=may_have_depots)
    rows.check_numbers(depots, mistakes)
    windows = rows.read_windows(mistakes)
    if len(mistakes) or not depots or axes is None:
        return None
    return rows.stops(depots, axes, windows)


class _Rows:
    """The columns of a table while it is read."""

    def __init__(
        self, table: Table, header: Header, decimal: str | None, loads: Sequence[str]
    ) -> None:
        self._table, self._header = table, header
        self.lines = array("I")
        self._ids: list[str] = []
        self._names: list[str] = []
        self._flagged: list[int] = []
        self._flags = self._column("depot")
        separator = "" if table.dialect.is_workbook else table.dialect.separator
        self._loads = loads
        self._demands = [f"demand_{load}" for load in loads] or ["demand"]
        ranges = _RANGES | dict.fromkeys(self._demands, _RANGES["demand"])
        self._numbers = {
            column: NumberColumn(
                header.title(column),
                table.unit,
                separator,
                decimal,
                lowest=lowest,
                highest=highest,
            )
            for column, (lowest, highest) in ranges.items()
            if column in header.places
        }
        self._times = {
            column: TimeColumn(header.title(column), table.unit, separator, decimal)
            for column in ("open", "close")
            if column in header.places
        }
        self._texts: dict[str, list[str]] = {
            column: [] for column in _TEXT_COLUMNS if column in header.places
        }
        self._empty = {column: array("I") for column in self._demands}
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
            (places[column], self._empty.get(column), column == "service_min", values)
            for column, values in (self._numbers | self._times).items()
        ]
        texts_of = [(places[column], texts) for column, texts in self._texts.items()]
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
            for place, empty, may_be_empty, column in numbers:
                cell = table.cell(cells, place)
                if empty is not None and cell == "":
                    empty.append(index)
                    column.add(line, cell, default=0.0)
                else:
                    column.add(line, cell, default=0.0 if may_be_empty else None)
            for place, texts in texts_of:
                texts.append(table.text(cells, place))
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

    def find_depots(self, depot: str | None, mistakes: Mistakes, *, may_be_many: bool) -> list[int]:
        """Return the places of the depots' rows, counted from 0; none when it is not clear."""
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
                return []
        if len(chosen) > 1 and not may_be_many:
            unit, first, second = self._table.unit, *(self.lines[k] for k in chosen[:2])
            mistakes.add(
                InvalidFile(
                    f"{unit}s {first} and {second} are both the depot",
                    field="depot",
                    remedy="keep one, or say in a column 'depot' of the vehicles where each starts",
                ),
                first,
            )
            return []
        return chosen

    def check_numbers(self, depots: Sequence[int], mistakes: Mistakes) -> None:
        """Add mistakes about numbers; the demand of a depot may be empty."""
        for name in self._demands:
            demand = self._numbers.get(name)
            if demand is None or not depots:
                continue
            for index in self._empty[name]:
                if index not in depots:
                    demand.refuse(self.lines[index], "", "give a number", "{field} is empty")
            for depot in depots:
                if demand.values[depot] > 0:
                    demand.refuse(
                        self.lines[depot],
                        demand.values[depot],
                        "it must be 0",
                        "the depot has {field} {value}",
                    )
        for name, texts in self._texts.items():
            column = self._column(name)
            for depot in depots if name in _ACCESS_COLUMNS else ():
                if texts[depot]:
                    column.refuse(
                        self.lines[depot],
                        texts[depot],
                        "leave it empty: only customers can have any",
                        "the depot has {field} {value}",
                    )
            column.finish(set(), mistakes)
        for times in self._times.values():
            times.finish(set(), mistakes)
        marks = all_marks(self._numbers.values())
        for column in self._numbers.values():
            column.finish(marks, mistakes)

    def read_windows(self, mistakes: Mistakes) -> list[list[tuple[float, float]]] | None:
        """Return the time windows of each row; None when no column has any."""
        if not self._times and "time_window" not in self._texts:
            return None
        column = self._column("time_window" if "time_window" in self._texts else "close")
        windows: list[list[tuple[float, float]]] = []
        for index, line in enumerate(self.lines):
            text = self._texts["time_window"][index] if "time_window" in self._texts else ""
            opens, closes = (
                self._times[name].values[index] if name in self._times else math.nan
                for name in ("open", "close")
            )
            found = read_windows(text) if text else []
            if found is None:
                column.refuse(line, text, "give times such as 08:00-12:00, 14:00-17:00")
                found = []
            if not (math.isnan(opens) and math.isnan(closes)):
                if text:
                    column.refuse(line, text, "give either a window or open and close")
                elif closes < opens:
                    column.refuse(
                        line,
                        clock_text(closes),
                        "give a later time",
                        f"{{field}} is {{value}}, before it opens at {clock_text(opens)}",
                    )
                found = [
                    (
                        -math.inf if math.isnan(opens) else opens,
                        math.inf if math.isnan(closes) else closes,
                    )
                ]
            windows.append(found)
        column.finish(set(), mistakes)
        return windows if any(windows) else None

    def stops(
        self,
        depots: Sequence[int],
        axes: tuple[str, str],
        windows: list[list[tuple[float, float]]] | None,
    ) -> StopTable:
        """Return everything: the first depot, the customers, the other depots."""
        is_depot = set(depots)
        customers = [k for k in range(len(self.lines)) if k not in is_depot]
        order = [depots[0], *customers, *depots[1:]]
        num_stops = len(customers) + 1
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
            demands=np.column_stack([self._numbers[name].values for name in self._demands])[
                order[:num_stops]
            ],
            names=names,
            ids=ids,
            extra_columns=extra or None,
            rows=[self.lines[k] for k in order],
            order=order,
            decimal=marks.pop() if len(marks) == 1 else dialect.decimal,
            unit=self._table.unit,
            num_depots=len(depots),
            loads=self._loads,
            windows=None if windows is None else [windows[k] for k in order],
            service_times=self._service_times(order),
            vehicle_types=self._words("vehicle_types", order[:num_stops]),
            requires=self._words("requires", order[:num_stops]),
        )

    def _service_times(self, order: Sequence[int]) -> FloatArray | None:
        if "service_min" not in self._numbers:
            return None
        minutes = np.array(self._numbers["service_min"].values)[order]
        return minutes if minutes.any() else None

    def _words(self, column: str, order: Sequence[int]) -> list[tuple[str, ...]] | None:
        words = [read_words(self._texts[column][k]) for k in order if column in self._texts]
        return words if any(words) else None

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
