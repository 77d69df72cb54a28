"""Distances or travel times between all stops, as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from fripn.errors import InvalidCell, InvalidFile
from fripn.messages import named, shown
from fripn.problem.instance import Instance
from fripn.problem.io.cell_numbers import Cell, NumberColumn
from fripn.problem.io.headers import Vocabulary, match_header
from fripn.problem.io.mistakes import MAX_MISTAKES, Mistakes
from fripn.problem.io.table import Table, csv_rows, make_table, number_text, separator_of
from fripn.problem.io.table_dialect import TableDialect
from fripn.problem.io.text import checked_table, located, nearest_stop
from fripn.problem.io.workbook import Workbook, is_workbook
from fripn.problem.limits import MAX_NUMBER, FloatArray

#: A table with one row for each pair of stops.
PAIRS = Vocabulary(
    columns={
        "from": ("von", "start", "origin", "source"),
        "to": ("nach", "ziel", "destination", "target"),
        "distance": ("km", "kilometer", "kilometre", "entfernung", "distanz", "strecke", "value"),
        "duration": (
            "min", "minutes", "minuten", "dauer", "fahrzeit", "travel_time", "time", "hours",
        ),
    },
    required=("from", "to"),
)  # fmt: skip

#: What a matrix holds.
Quantity = Literal["distance", "duration"]


def read_matrix(
    content: str | bytes,
    instance: Instance,
    order: Sequence[int],
    place: str,
    quantity: Quantity = "distance",
    max_bytes: int | None = None,
) -> FloatArray:
    """Return a matrix with one row and one column per stop, in the order of the instance.

    Parameters
    ----------
    content
        CSV or a workbook. Either one row and one column per stop, with or without ids (or names)
        of the stops before the rows and above the columns; without, in the order of the table of
        stops. Or the columns from, to and distance; a pair in one direction holds for both.
    instance
        The stops.
    order
        The place of each stop among the rows of the table of stops, counted from 0.
    place
        Name of the content in messages.
    quantity
        What to read; it matters where pairs have both.
    max_bytes
        Size up to which content is read; None for the default.

    Raises
    ------
    InvalidInput
        With the mistakes: row, column and value that are wrong.
    """
    with located(place):
        unit, separator, rows = _rows(content, max_bytes)
        mistakes = Mistakes()
        numbers = NumberColumn(f"the {quantity}", unit, separator, lowest=0, highest=MAX_NUMBER)
        if _has_pairs(rows):
            matrix = _from_pairs(rows, unit, instance, quantity, numbers, mistakes)
        else:
            matrix = _from_square(rows, unit, instance, order, numbers, mistakes)
        numbers.finish(numbers.marks, mistakes)
        mistakes.raise_any()
    return matrix


_Rows = list[tuple[int, list[Cell]]]


def _rows(content: str | bytes, max_bytes: int | None) -> tuple[str, str, _Rows]:
    if isinstance(content, bytes) and is_workbook(content):
        book = Workbook(content, max_bytes)
        sheet = next((one for one in book.sheets if not book.is_empty(one)), None)
        return "row", "", [] if sheet is None else list(book.rows(sheet))
    text, _ = checked_table(content, max_bytes)
    separator, start = separator_of(text, (PAIRS,))
    return "line", separator, list(csv_rows(text, separator, start))


def _has_pairs(rows: _Rows) -> bool:
    titles = [cell for cell in rows[0][1] if isinstance(cell, str)] if rows else []
    return {"from", "to"} <= set(match_header(titles, PAIRS).places)


def _from_pairs(
    rows: _Rows,
    unit: str,
    instance: Instance,
    quantity: Quantity,
    numbers: NumberColumn,
    mistakes: Mistakes,
) -> FloatArray:
    table: Table = make_table(iter(rows), (PAIRS,), unit=unit, dialect=TableDialect())
    header = match_header(table.titles, PAIRS)
    for mistake in header.mistakes:
        mistakes.add(mistake)
    size = instance.num_nodes
    matrix = np.full((size, size), np.nan)
    np.fill_diagonal(matrix, 0.0)
    places = {"distance", "duration"} & set(header.places)
    if not places:
        mistakes.add(
            InvalidCell(f"the column {quantity!r} is missing", field=quantity, remedy="add it")
        )
    if header.mistakes or not places:
        return matrix
    place = header.places[quantity if quantity in places else places.pop()]
    stops = _Labels(instance, unit, mistakes)
    for row, cells in table.rows:
        start = stops.find(row, table.text(cells, header.places["from"]))
        end = stops.find(row, table.text(cells, header.places["to"]))
        numbers.add(row, table.cell(cells, place))
        if start is not None and end is not None:
            matrix[start, end] = numbers.values[-1]
    matrix = np.where(np.isnan(matrix), matrix.T, matrix)
    if not len(mistakes):
        absent = np.argwhere(np.isnan(matrix))
        for start, end in absent[:MAX_MISTAKES].tolist():
            mistakes.add(
                InvalidFile(
                    f"there is no row from {instance.describe_stop(start)} to "
                    f"{instance.describe_stop(end)}",
                    field="matrix",
                    remedy="add it",
                )
            )
        mistakes.skip(max(0, len(absent) - MAX_MISTAKES))
    return matrix


def _from_square(
    rows: _Rows,
    unit: str,
    instance: Instance,
    order: Sequence[int],
    numbers: NumberColumn,
    mistakes: Mistakes,
) -> FloatArray:
    size = instance.num_nodes
    width = max((len(cells) for _, cells in rows), default=0)
    if len(rows) not in (size, size + 1) or width not in (size, size + 1):
        raise InvalidFile(
            f"the table has {len(rows)} rows and {width} columns",
            field="matrix",
            value=[len(rows), width],
            remedy=f"give one row and one column for each of the {size} stops (depot included), "
            "perhaps with ids before and above, or the columns from, to and distance",
        )
    has_header, has_labels = len(rows) > size, width > size
    stops = _Labels(instance, unit, mistakes)
    columns = rows_of = _inverse(order)
    if has_header:
        titles = rows[0][1][has_labels:]
        titles += [""] * (size - len(titles))  # rows may end early
        columns = stops.find_all([(rows[0][0], cell) for cell in titles])
    if has_labels:
        labels = [(row, cells[0] if cells else "") for row, cells in rows[has_header:]]
        rows_of = stops.find_all(labels)
    elif has_header:
        rows_of = columns
    if has_labels and not has_header:
        columns = rows_of
    matrix = np.zeros((size, size))
    for index, (row, cells) in enumerate(rows[has_header:]):
        start = len(numbers.values)
        for place in range(size):
            cell = cells[place + has_labels] if place + has_labels < len(cells) else ""
            is_same = (
                rows_of is not None and columns is not None and rows_of[index] == columns[place]
            )
            numbers.add(row, cell, default=0.0 if is_same else None)
        if rows_of is not None and columns is not None:
            matrix[rows_of[index], columns] = numbers.values[start:]
    return matrix


def _inverse(order: Sequence[int]) -> list[int] | None:
    """Return the stop of each row of the table of stops."""
    stops = [0] * len(order)
    for stop, row in enumerate(order):
        stops[row] = stop
    return stops


class _Labels:
    """Finds the stops that the labels of a matrix mean: by id, else by name."""

    def __init__(self, instance: Instance, unit: str, mistakes: Mistakes) -> None:
        self._instance, self._unit, self._mistakes = instance, unit, mistakes
        self._stops: dict[str, int] = {}
        for stop in range(instance.num_nodes):
            self._stops.setdefault(instance.stop_name(stop), stop)
        # Two stops may have one name, but ids are unique, and they come first.
        for stop in range(instance.num_nodes):
            self._stops[instance.stop_id(stop)] = stop
        if instance.stop_ids is None:
            self._stops.setdefault("0", 0)

    def find(self, row: int, label: Cell) -> int | None:
        """Return a stop; None, and a mistake, when there is none."""
        text = label if isinstance(label, str) else number_text(label)
        if text in self._stops:
            return self._stops[text]
        self._mistakes.add(
            InvalidCell(
                f"no stop of {named(self._instance.name)} has the id or name {{value}}",
                field="label",
                value=text,
                place=f"{self._unit} {row}",
                remedy=nearest_stop(text, [*self._stops][:1000]),
                row=row,
            ),
            row,
        )
        return None

    def find_all(self, labels: Sequence[tuple[int, Cell]]) -> list[int] | None:
        """Return a stop per label, all different; None, and mistakes, when that is not so."""
        found = [self.find(row, label) for row, label in labels]
        stops = [stop for stop in found if stop is not None]
        if len(stops) < len(found):
            return None
        if len(set(stops)) < len(stops):
            row, label = next(
                labels[place] for place, stop in enumerate(stops) if stop in stops[:place]
            )
            self._mistakes.add(
                InvalidCell(
                    f"the label {shown(label)} occurs twice",
                    field="label",
                    value=label,
                    place=f"{self._unit} {row}",
                    remedy="give each stop one row and one column",
                    row=row,
                ),
                row,
            )
            return None
        return stops
