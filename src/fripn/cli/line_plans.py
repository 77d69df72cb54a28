"""What the lines of ``fripn solve-many`` become: a table on the terminal, files, or a folder."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from fripn.batch.last_lines import LastLines
from fripn.batch.lines import Line
from fripn.batch.solving import options_of_line
from fripn.cli import exit_codes
from fripn.cli.outputs import check_new_folder, check_no_input, check_target
from fripn.cli.plan_folder import INDEX_NAME, PlanFolder, day_of_line
from fripn.cli.tables import make_console, print_table
from fripn.messages import named
from fripn.problem.inputs import Input, open_input
from fripn.problem.io import TableDialect
from fripn.problem.io.atomic import write_atomically
from fripn.problem.io.formula_cells import guarded
from fripn.problem.io.table_dialect import table_lines
from fripn.problem.io.xlsx_file import xlsx_file
from fripn.render.overview import Day, Row, Sums, overview_table, vehicles_text
from fripn.render.presentation import Presentation

#: Rows that are printed, at most; the sums are of all.
MAX_ROWS = 60


class Summary:
    """The table that ends ``solve-many``: cost, distance and fleet per instance and in total.

    However many instances there are, only the rows to be printed are kept.

    Parameters
    ----------
    first
        The instances of the rows in their order: the first `MAX_ROWS`.
    num_sources
        How many instances there are.
    """

    def __init__(self, first: Iterable[str], num_sources: int) -> None:
        self._days: dict[str, Day | None] = dict.fromkeys(first)
        self._sums = Sums()
        self._num_sources = num_sources

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


def report_unwritten(folder: PlanFolder) -> int:
    """Print how many plans have no files in a folder; return the exit code, 0 if all have."""
    if not folder.num_unwritten:
        return exit_codes.DONE
    plans = "1 plan has" if folder.num_unwritten == 1 else f"{folder.num_unwritten} plans have"
    print(f"{plans} no report or sheets in {folder.folder}; {INDEX_NAME} says why", file=sys.stderr)
    return exit_codes.BAD_INPUT


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
    with LastLines(source) as lines:
        if not is_file:
            with PlanFolder(target, show, open_line, lines.sources()) as folder:
                for line in lines:
                    folder.add(line)
                target = folder.finish()
                report_unwritten(folder)
            return [target]
        types = dict.fromkeys(name for line in lines for name in day_of_line(line).vehicles)
        header, rows = overview_table(list(types), map(day_of_line, lines))
        if target.suffix.lower() == ".xlsx":
            write_atomically(target, xlsx_file(source.stem, header, rows))
        else:
            titles = [guarded(title) for title in header]
            write_atomically(target, table_lines(titles, map(_guarded_row, rows), TableDialect()))
    return [target]


def _guarded_row(row: Row) -> Row:
    return [guarded(cell) if isinstance(cell, str) else cell for cell in row]
