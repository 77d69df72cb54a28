"""What the lines of ``fripn solve-many`` become: a table on the terminal, files, or a folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from fripn.batch.lines import Line, iter_lines
from fripn.batch.solving import FORMAT, RECORD, options_of_line
from fripn.cli.outputs import check_new_folder, check_no_input, check_target
from fripn.cli.plan_folder import PlanFolder, day_of_line
from fripn.cli.tables import make_console, print_table
from fripn.errors import InvalidFile
from fripn.messages import named
from fripn.problem.inputs import Input, open_input
from fripn.problem.io import TableDialect
from fripn.problem.io.atomic import write_atomically
from fripn.problem.io.formula_cells import guarded
from fripn.problem.io.table_dialect import table_text
from fripn.problem.io.xlsx_file import xlsx_file
from fripn.render.overview import Day, Sums, overview_table, vehicles_text
from fripn.render.presentation import Presentation

#: Rows that are printed, at most; the sums are of all.
MAX_ROWS = 60


class Summary:
    """The table that ends ``solve-many``: cost, distance and fleet per instance and in total.

    However many instances there are, only the rows to be printed are kept.

    Parameters
    ----------
    sources
        The instances in the order of the rows.
    """

    def __init__(self, sources: list[str]) -> None:
        self._days: dict[str, Day | None] = dict.fromkeys(sources[:MAX_ROWS])
        self._sums = Sums()
        self._num_sources = len(sources)

    def add(self, line: Line) -> None:
        """Add the line of an instance."""
        day = day_of_line(line)
        self._sums.add(day)
        if line["source"] in self._days:
            self._days[line["source"]] = day

    def print(self) -> None:
        """Print the table on stdout."""
        console = make_console()
        rows = []
        for day in filter(None, self._days.values()):
            if day.cost is None or day.distance is None:
                rows.append([named(day.name), "–", "", "", f"failed: {named(day.error or '')}"])
                continue
            rows.append(_row(named(day.name), day.cost, day.distance, day.vehicles))
        sums = self._sums
        if sums.num_plans > 1:
            rows.append(_row("total", sums.cost, sums.distance, sums.vehicles))
        columns = ("instance", "cost", "distance", "vehicles", "fleet")
        print_table(console, columns, rows, words=(0, 4))
        if self._num_sources > MAX_ROWS:
            console.print(f"… {self._num_sources - MAX_ROWS} more instances are in the total")
        if sums.num_plans > 1:
            console.print(f"most on one day  {vehicles_text(sums.largest)}")


def _row(name: str, cost: float, distance: float, vehicles: Mapping[str, int]) -> list[str]:
    count = sum(vehicles.values())
    return [name, f"{cost:.2f}", f"{distance:.2f}", str(count), vehicles_text(vehicles)]


def open_line(line: Line) -> Input:
    """Return the instance of a line, read from the files that the line names.

    Raises
    ------
    InvalidInput
        When it cannot be read any more.
    """
    return open_input(str(line["source"]), options_of_line(line))


def convert_lines(source: Path, target: Path, show: Presentation) -> list[Path]:
    """Write what a file of lines holds as a table, or as a folder of plans.

    Parameters
    ----------
    source
        A file of ``solve-many``.
    target
        ``.csv`` or ``.xlsx`` for a table with a row per instance; else a folder.
    show
        Language, units and title of the pages.

    Returns
    -------
    list
        The files to name to the user.

    Raises
    ------
    InvalidInput
        When the source is not such a file, or the target cannot be written.
    """
    check_no_input(target, (source,))
    is_file = bool(target.suffix) and not target.is_dir()
    if is_file:
        check_target(target, (".csv", ".xlsx"))
    elif not target.is_dir():
        check_new_folder(target)
    lines = _last_lines(source)
    if not is_file:
        folder = PlanFolder(target, show, open_line)
        for line in lines.values():
            folder.add(line)
        return folder.finish([str(line["source"]) for line in lines.values()])
    header, rows = overview_table([day_of_line(line) for line in lines.values()])
    if target.suffix.lower() == ".xlsx":
        write_atomically(target, xlsx_file(source.stem, header, rows))
    else:
        cells = [[guarded(cell) if isinstance(cell, str) else cell for cell in row] for row in rows]
        titles = [guarded(title) for title in header]
        write_atomically(target, table_text(titles, cells, TableDialect()))
    return [target]


def _last_lines(source: Path) -> dict[str, Line]:
    """Return the last line of every instance, by its source; settings must be the same for all."""
    lines: dict[str, Line] = {}
    for number, _, line in iter_lines(source, FORMAT):
        other = lines.get(line["source"])
        if other is not None and any(line.get(key) != other.get(key) for key in RECORD.key):
            raise InvalidFile(
                f"{line['source']} was solved with several settings",
                place=(str(source), f"line {number}"),
                field="source",
                value=line["source"],
                remedy="keep the lines of one method, time limit and seed",
            )
        lines[line["source"]] = line
    if not lines:
        raise InvalidFile("the file has no lines", place=str(source), remedy="name another file")
    return lines
