"""A folder of plans: per instance a table, a report and driver sheets, and a page with links."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from fripn.batch.lines import Line
from fripn.batch.solving import result_of_line
from fripn.errors import InvalidInput
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
    """Writes plans into a folder as they come.

    Parameters
    ----------
    folder
        Made if it is not there.
    show
        Language, units and title of the pages.
    open_line
        Returns the instance of a line.

    Raises
    ------
    InvalidFile
        When the folder cannot be made.
    """

    def __init__(
        self, folder: Path, show: Presentation, open_line: Callable[[Line], Input]
    ) -> None:
        make_folder(folder)
        self.folder, self.show, self.open_line = folder, show, open_line
        self._days: dict[str, Day] = {}
        self._stems: dict[str, str] = {}

    def add(self, line: Line) -> None:
        """Write the files of one line; a failure becomes a row of the page."""
        self._days[str(line["source"])] = self._write(line)

    def finish(self, order: list[str]) -> list[Path]:
        """Write the page with links, its rows in the order of these sources; return its path."""
        days = [self._days[source] for source in order if source in self._days]
        title = self.show.title or self.folder.resolve().name
        index = self.folder / INDEX_NAME
        write_atomically(index, overview_html(days, title, self.show))
        return [index]

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
            title=name if self.show.title is None else f"{self.show.title}: {name}",
            sources=tuple(Path(file).name for file in files if file is not None),
        )

    def _stem(self, source: str) -> str:
        """Return the beginning of the names of files about an instance, its own for each."""
        if source not in self._stems:
            wanted = file_stem(_name(source))
            taken = {stem.casefold() for stem in self._stems.values()} | {"index", "lines"}
            taken |= {f"{stem}-sheets" for stem in taken}
            stem, number = wanted, 2
            while {stem.casefold(), f"{stem.casefold()}-sheets"} & taken:
                stem, number = f"{wanted}-{number}", number + 1
            self._stems[source] = stem
        return self._stems[source]


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
