"""A folder of plans: per instance a table, a report and driver sheets, and a page with links."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import asdict, replace
from pathlib import Path
from types import TracebackType

from fripn.batch.lines import Line
from fripn.batch.solving import result_of_line
from fripn.batch.temporary_table import TemporaryTables, from_bytes, to_bytes
from fripn.errors import InvalidInput
from fripn.messages import escaped
from fripn.problem.inputs import Input
from fripn.problem.io.atomic import write_atomically
from fripn.render.overview import Day, overview_html
from fripn.render.presentation import Presentation
from fripn.render.result_files import write_result
from fripn.render.sheets import write_sheets
from fripn.render.sheets.files import file_stem, make_folder

#: The page with links.
INDEX_NAME = "index.html"


class PlanFolder:
    """Writes plans into a folder as they come; close it at the end.

    What the page will say is kept on the disk, however many plans there are.

    Parameters
    ----------
    folder
        Made if it is not there.
    show
        Language, units and title of the pages.
    open_line
        Returns the instance of a line.
    sources
        The sources of all lines, each once, in the order of the rows of the page. Names of files
        follow this order too, not the one in which plans are finished: a repeated call gives every
        plan the same name.

    Raises
    ------
    InvalidFile
        When the folder cannot be made, or there is no room for what is kept.
    """

    def __init__(
        self,
        folder: Path,
        show: Presentation,
        open_line: Callable[[Line], Input],
        sources: Iterable[str],
    ) -> None:
        make_folder(folder)
        self.folder, self.show, self.open_line = folder, show, open_line
        #: Plans of which no files could be written.
        self.num_unwritten = 0
        with ExitStack() as stack:
            self._tables = stack.enter_context(
                TemporaryTables(
                    "plans (place INTEGER PRIMARY KEY, source BLOB UNIQUE, stem BLOB, day TEXT)",
                    "taken (name BLOB PRIMARY KEY)",
                    "numbers (stem BLOB PRIMARY KEY, next INTEGER)",
                )
            )
            for stem in ("index", "lines"):
                self._take(stem)
            for source in sources:
                row = (to_bytes(source), to_bytes(self._free_stem(file_stem(_name(source)))))
                self._tables.change("INSERT INTO plans (source, stem) VALUES (?, ?)", row)
            stack.pop_all()

    def __enter__(self) -> PlanFolder:
        """Return the folder."""
        return self

    def __exit__(
        self,
        exception_type: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Delete what was kept for the page."""
        self._tables.close()

    def add(self, line: Line) -> None:
        """Write the files of one line; a failure becomes a row of the page."""
        day = self._write(line)
        if day.error is not None and line.get("error") is None:
            self.num_unwritten += 1
        row = (json.dumps(asdict(day)), to_bytes(str(line["source"])))
        self._tables.change("UPDATE plans SET day = ? WHERE source = ?", row)

    def finish(self) -> Path:
        """Write the page with links, and return its path."""
        title = self.show.title or self.folder.resolve().name
        index = self.folder / INDEX_NAME
        write_atomically(index, overview_html(self._days(), title, self.show))
        return index

    def _days(self) -> Iterator[Day]:
        query = "SELECT day FROM plans WHERE day IS NOT NULL ORDER BY place"
        for (day,) in self._tables.rows(query):
            yield Day(**json.loads(day))

    def _write(self, line: Line) -> Day:
        day = day_of_line(line)
        if day.error is not None:
            return day
        try:
            given = self.open_line(line)
            if line.get("digest") not in (None, given.instance.digest):
                return _failed(day, "the file has changed since it was solved")
            result = result_of_line(line, given.instance)
            show = self._show(line, day.name)
            stem = self._stem(str(line["source"]))
            links = {
                "plan_report": f"{stem}.html",
                "sheets": f"{stem}-sheets.html",
                "plan_table": f"{stem}.csv",
            }
            for key in ("plan_report", "plan_table"):
                write_result(result, self.folder / links[key], show=show, dialect=given.dialect)
            assert result.solution is not None
            write_sheets(result.instance, result.solution, self.folder / links["sheets"], show)
        except InvalidInput as error:
            return _failed(day, str(error))
        unit = self.show.unit_of_distance(given.instance)
        return Day(day.name, day.cost, day.distance, day.vehicles, None, unit, links)

    def _show(self, line: Line, name: str) -> Presentation:
        """Return how the pages of one instance are shown: with its name and its files."""
        files = (line["source"], line.get("vehicles_file"))
        return replace(
            self.show,
            title=escaped(name if self.show.title is None else f"{self.show.title}: {name}"),
            sources=tuple(escaped(Path(file).name) for file in files if file is not None),
        )

    def _stem(self, source: str) -> str:
        """Return the beginning of the names of files about an instance, its own for each."""
        row = self._tables.row("SELECT stem FROM plans WHERE source = ?", (to_bytes(source),))
        assert row is not None
        return from_bytes(row[0])

    def _free_stem(self, wanted: str) -> str:
        """Take a beginning that no other instance has: the wanted one, or with a number."""
        if not self._is_taken(wanted):
            self._take(wanted)
            return wanted
        # The next number is kept: trying all from 2 on would take hours for very many equal names.
        key = to_bytes(wanted.casefold())
        row = self._tables.row("SELECT next FROM numbers WHERE stem = ?", (key,))
        number = 2 if row is None else int(row[0])
        while self._is_taken(f"{wanted}-{number}"):
            number += 1
        self._take(f"{wanted}-{number}")
        self._tables.change("REPLACE INTO numbers VALUES (?, ?)", (key, number + 1))
        return f"{wanted}-{number}"

    def _take(self, stem: str) -> None:
        rows = [(name,) for name in _file_names(stem)]
        self._tables.change_all("INSERT OR IGNORE INTO taken VALUES (?)", rows)

    def _is_taken(self, stem: str) -> bool:
        query = "SELECT 1 FROM taken WHERE name IN (?, ?)"
        return self._tables.row(query, _file_names(stem)) is not None


def _file_names(stem: str) -> tuple[bytes, bytes]:
    """Return the names that files about an instance begin with, without regard to case."""
    return to_bytes(stem.casefold()), to_bytes(f"{stem.casefold()}-sheets")


def day_of_line(line: Line) -> Day:
    """Return what the line of an instance says, without its files."""
    return Day(
        name=_name(str(line["source"])),
        cost=line.get("cost"),
        distance=line.get("distance"),
        vehicles=line.get("vehicles") or {},
        error=line.get("error"),
    )


def _failed(day: Day, reason: str) -> Day:
    return Day(day.name, None, None, {}, reason)


def _name(source: str) -> str:
    """Return the name of an instance: that of its file without ending, or that of the library."""
    path = Path(source)
    return path.stem if path.suffix and path.is_file() else path.name
