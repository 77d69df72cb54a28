"""An instance as a table of stops and a table of vehicles: what `instance_csv` reads, written.

Tables have minutes, hours and speeds in distance per hour, whatever the units of the instance.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from fripn.errors import Unsupported
from fripn.messages import named
from fripn.problem.instance import Instance
from fripn.problem.io.day_cells import MINUTES_PER_HOUR, clock_text, read_words
from fripn.problem.io.formula_cells import guarded
from fripn.problem.io.headers import match_header
from fripn.problem.io.table_dialect import TableDialect, table_text
from fripn.problem.io.table_words import load_names, stop_words
from fripn.problem.limits import MAX_NUMBER, MIN_NUMBER

#: The header of a table, and its rows.
HeaderAndRows = tuple[list[str], list[list[object]]]

#: The columns of a table by their headers.
_Columns = dict[str, Sequence[object]]

#: Minutes from which a time is written as a number: clock times have three digits of hours.
_CLOCK_END = 60_000

#: The largest integer up to which all are exact.
_MOST_MINUTES = 2**53


def instance_tables(instance: Instance, dialect: TableDialect | None = None) -> tuple[str, str]:
    """Return the two tables as CSV text: stops, vehicles.

    Text that a spreadsheet program would run as a formula stands behind an apostrophe.

    Parameters
    ----------
    instance
        The problem.
    dialect
        How to write them; None for commas and decimal points.

    Raises
    ------
    Unsupported
        See `instance_rows`.
    """
    stops, vehicles = (
        table_text(list(map(guarded, header)), map(_guarded_row, rows), dialect)
        for header, rows in instance_rows(instance)
    )
    return stops, vehicles


def _guarded_row(row: Sequence[object]) -> list[object]:
    return [guarded(cell) if isinstance(cell, str) else cell for cell in row]


def instance_rows(instance: Instance) -> tuple[HeaderAndRows, HeaderAndRows]:
    """Return the tables of stops and of vehicles, each as its header and rows.

    Raises
    ------
    Unsupported
        With what tables cannot hold: a matrix of distances or travel times, times that are not full
        minutes, several windows without an end, names that look like lists, and extra columns that
        would be taken for others.
    """
    if instance.metric == "matrix" or instance.coordinates is None:
        raise _refused(instance, "has a distance matrix", "metric", instance.metric)
    if instance.durations is not None:
        raise _refused(instance, "has a matrix of travel times", "durations", "a matrix")
    _check_units(instance)
    loads = _loads(instance)
    stops = _stop_columns(instance, loads)
    extra = instance.extra_columns or {}
    found = match_header([*stops, *extra], stop_words(loads))
    if found.mistakes or list(found.extra) != list(extra):
        raise Unsupported(
            f"an extra column of {named(instance.name)} would be read as another one",
            field="extra_columns",
            value=list(extra),
            remedy="rename it, or write .json",
        )
    return _by_rows({**stops, **extra}), _by_rows(_type_columns(instance, loads))


def _check_units(instance: Instance) -> None:
    """Refuse times and speeds that are out of range once they are in minutes."""
    minutes = MINUTES_PER_HOUR / instance.hour
    services = [] if instance.service_times is None else instance.service_times.tolist()
    durations = [one.max_duration for one in instance.vehicle_types]
    converted = [time * minutes for time in (*services, *durations) if time]
    converted += [one.speed / minutes for one in instance.vehicle_types]
    for value in converted:
        if not MIN_NUMBER <= value <= MAX_NUMBER:
            raise _refused(instance, f"has {value:g} as a time or speed in minutes", "hour", value)


def _by_rows(columns: _Columns) -> HeaderAndRows:
    return list(columns), [list(row) for row in zip(*columns.values(), strict=True)]


def _stop_columns(instance: Instance, loads: Sequence[str]) -> _Columns:
    """Return the columns of the stops; those of the working day where it is used."""
    assert instance.coordinates is not None
    nodes = range(instance.num_nodes)
    # Depots beyond the first come after the customers: they have no demands and no access.
    others = [None] * (instance.num_depots - 1)
    columns: _Columns = {"id": [instance.stop_id(node) for node in nodes]}
    if instance.stop_names is not None:
        columns["name"] = instance.stop_names
    axes = ("lon", "lat") if instance.is_geographic else ("x", "y")
    columns |= dict(zip(axes, instance.coordinates.T.tolist(), strict=True))
    titles = [f"demand_{load}" for load in loads] or ["demand"]
    for title, demands in zip(titles, instance.load_matrix.T.tolist(), strict=True):
        columns[title] = [*demands, *others]
    columns["depot"] = [int(instance.is_depot(node)) for node in nodes]
    if instance.time_windows is not None:
        columns |= _window_columns(instance, instance.time_windows)
    if instance.service_times is not None:
        factor = MINUTES_PER_HOUR / instance.hour
        columns["service_min"] = (instance.service_times * factor).tolist()
    if instance.allowed_types is not None:
        names = [one.name for one in instance.vehicle_types]
        columns["vehicle_types"] = [
            *(_words(instance, [names[k] for k in own or ()]) for own in instance.allowed_types),
            *others,
        ]
    if instance.requires is not None:
        columns["requires"] = [*(_words(instance, tags) for tags in instance.requires), *others]
    return columns


def _window_columns(
    instance: Instance, windows: Sequence[Sequence[tuple[float, float]]]
) -> _Columns:
    """Return opening and closing times, and a column for the stops with several windows."""
    real = [[window for window in own if any(map(math.isfinite, window))] for own in windows]
    columns: _Columns = {
        title: [_time(instance, own[0][end]) if len(own) == 1 else None for own in real]
        for end, title in enumerate(("open", "close"))
    }
    if any(len(own) > 1 for own in real):
        columns["time_window"] = [_several(instance, own) if len(own) > 1 else None for own in real]
    return columns


def _type_columns(instance: Instance, loads: Sequence[str]) -> _Columns:
    """Return the columns of the vehicle types; those of the working day where one uses them."""
    types, hour = instance.vehicle_types, instance.hour
    titles = [f"capacity_{load}" for load in loads] or ["capacity"]
    capacities = zip(*(one.capacities for one in types), strict=True)
    columns: _Columns = {
        "type": [one.name for one in types],
        **dict(zip(titles, capacities, strict=True)),
        "fixed_cost": [one.fixed_cost for one in types],
        "unit_cost": [one.unit_cost for one in types],
        "available": [one.available for one in types],
    }
    if instance.has_schedule:
        columns["speed_kmh"] = [one.speed * hour for one in types]
    optional: _Columns = {
        "shift_start": [_time(instance, one.shift_start) for one in types],
        "shift_end": [_time(instance, one.shift_end) for one in types],
        "max_hours": [one.max_duration and one.max_duration / hour for one in types],
        "max_km": [one.max_distance for one in types],
        "max_stops": [one.max_stops for one in types],
        "cost_per_hour": [one.cost_per_hour or None for one in types],
        "offers": [_words(instance, one.offers) or None for one in types],
        "returns": [None if one.returns else 0 for one in types],
    }
    columns |= {
        title: cells for title, cells in optional.items() if any(cell is not None for cell in cells)
    }
    if instance.num_depots > 1:
        depots = [instance.depot_node(one.depot) for one in types]
        columns["depot"] = [instance.stop_id(node) for node in depots]
    return columns


def _loads(instance: Instance) -> list[str]:
    """Return the names of the load dimensions in headers; none when there is just one."""
    if instance.num_loads == 1:
        return []
    names = list(instance.load_names or map(str, range(1, instance.num_loads + 1)))
    if load_names([f"demand_{name}" for name in names]) != names:
        raise _refused(instance, "has load dimensions of other letters", "load_names", names)
    return names


def _several(instance: Instance, windows: Sequence[tuple[float, float]]) -> str:
    """Return several windows as one cell."""
    texts = [[_time(instance, time) for time in window] for window in windows]
    if not all(isinstance(text, str) for pair in texts for text in pair):
        value = [list(window) for window in windows]
        raise _refused(instance, "has several windows without an end", "time_windows", value)
    return ", ".join(f"{opens}-{closes}" for opens, closes in texts)


def _time(instance: Instance, time: float | None) -> str | int | None:
    """Return a time of the day: ``08:30``, or minutes beyond the clock."""
    if time is None or math.isinf(time):
        return None
    minutes = time * MINUTES_PER_HOUR / instance.hour
    if not (0 <= minutes <= _MOST_MINUTES and float(minutes).is_integer()):
        raise _refused(instance, f"has the time {time:g}, not a full minute of a day", "time", time)
    return clock_text(minutes) if minutes < _CLOCK_END else int(minutes)


def _words(instance: Instance, words: Sequence[str]) -> str:
    """Return words as the list of a cell, where it can be read as the same words."""
    cell = ", ".join(words)
    if read_words(cell) != tuple(words):
        raise _refused(instance, "has names or tags with commas or the like", "names", list(words))
    return cell


def _refused(instance: Instance, what: str, field: str, value: object) -> Unsupported:
    return Unsupported(
        f"{named(instance.name)} {what}, which tables of stops and vehicles cannot hold",
        field=field,
        value=value,
        remedy="write .json" + (" or .vrp" if field == "metric" else ""),
    )
