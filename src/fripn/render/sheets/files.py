"""Driver sheets as files: one page, one PDF, or a folder with a page and a GPX file per vehicle."""

from __future__ import annotations

import re
from pathlib import Path

from fripn.messages import named
from fripn.problem import Instance, Solution
from fripn.problem.io.atomic import (
    reason,
    unwritable,
    write_all_atomically,
    write_atomically,
)
from fripn.problem.io.solution_files import evaluate_valid
from fripn.problem.io.suffixes import check_suffix
from fripn.render.presentation import Presentation
from fripn.render.sheets.gpx import route_gpx
from fripn.render.sheets.html import sheets_html
from fripn.render.sheets.model import RouteSheet, route_sheets

#: Endings of files of driver sheets; a path without ending is a folder.
SHEET_SUFFIXES = (".html", ".pdf")

#: Stands at the beginning of our files.
_MADE_HERE = re.compile(rb'content="fripn |creator="fripn"')

#: Names that stand for devices on Windows, also with an ending.
_IS_DEVICE = re.compile("con|prn|aux|nul|(com|lpt)[0-9¹²³]", re.IGNORECASE)


def check_sheets(instance: Instance, path: Path, show: Presentation) -> None:
    """Refuse sheets that could not be written later: an unknown ending, or letters no PDF has.

    Raises
    ------
    InvalidInput
        With what to do.
    """
    if is_folder(path):
        return
    if check_suffix(path, SHEET_SUFFIXES, "driver sheets") == ".pdf":
        from fripn.render.sheets.pdf import check_letters, check_pdf_is_possible

        check_pdf_is_possible()
        columns = instance.extra_columns or {}
        check_letters(
            (
                sheets_title(instance, show),
                show.date,
                show.currency,
                show.load_unit,
                *(vehicle.name for vehicle in instance.vehicle_types),
                *(instance.stop_names or ()),
                *(instance.stop_ids or ()),
                *columns,
                *(text for texts in columns.values() for text in texts),
            )
        )


def write_sheets(
    instance: Instance, solution: Solution, path: Path | str, show: Presentation | None = None
) -> None:
    """Write driver sheets, one page per vehicle.

    Parameters
    ----------
    instance, solution
        The problem and a plan that keeps its rules.
    path
        Ending in ``.html`` or ``.pdf`` (extra ``[sheets]``): all vehicles. Without ending, or an
        existing folder: ``sheets.html`` with all vehicles, and per vehicle a page of its own and,
        where latitudes and longitudes are known, a GPX file.
    show
        Language, units, title and date.

    Raises
    ------
    InvalidSolution
        When the plan breaks a rule.
    InvalidInput
        When a file cannot be written, or the PDF cannot hold a letter.
    """
    path = Path(path)
    show = show or Presentation()
    check_sheets(instance, path, show)
    evaluation = evaluate_valid(instance, solution, path)
    sheets = route_sheets(instance, solution, evaluation, show)
    title = sheets_title(instance, show)
    if is_folder(path):
        _write_folder(instance, solution, sheets, path, title, show)
    elif path.suffix.lower() == ".pdf":
        from fripn.render.sheets.pdf import sheets_pdf

        write_atomically(path, sheets_pdf(sheets, title, show))
    else:
        write_atomically(path, sheets_html(sheets, title, show))


def is_folder(path: Path) -> bool:
    """Return whether sheets go into a folder of this name."""
    return path.is_dir() or not path.suffix


def sheets_title(instance: Instance, show: Presentation) -> str:
    """Return the heading of the sheets."""
    return show.title if show.title is not None else named(instance.name)


def _write_folder(
    instance: Instance,
    solution: Solution,
    sheets: list[RouteSheet],
    folder: Path,
    title: str,
    show: Presentation,
) -> None:
    make_folder(folder)
    contents: dict[Path, str | bytes] = {folder / "sheets.html": sheets_html(sheets, title, show)}
    routes = [route for route in solution.routes if route.customers]
    for sheet, route in zip(sheets, routes, strict=True):
        stem = f"{sheet.number:0{max(2, len(str(sheet.count)))}d}-{file_stem(sheet.vehicle)}"
        contents[folder / f"{stem}.html"] = sheets_html([sheet], title, show)
        if instance.is_geographic:
            name = f"{show.text('route')} {sheet.number} {sheet.vehicle}"
            contents[folder / f"{stem}.gpx"] = route_gpx(instance, route, name)
    write_all_atomically(contents)
    for old in _earlier_sheets(folder) - contents.keys():
        old.unlink()


def make_folder(folder: Path) -> None:
    """Make a folder unless it is there.

    Raises
    ------
    InvalidFile
        When that is not possible.
    """
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise unwritable(folder, reason(error), "name another folder") from None


def _earlier_sheets(folder: Path) -> set[Path]:
    """Return the sheets of single vehicles in a folder that an earlier call has written.

    A driver must not get the sheet of an earlier plan that had more routes.
    """
    return {
        path
        for path in folder.iterdir()
        if re.fullmatch(r"\d+-.*\.(html|gpx)", path.name) and path.is_file()
        if _MADE_HERE.search(path.read_bytes()[:400])
    }


def file_stem(name: str) -> str:
    """Return a name as part of a file name: letters, digits and hyphens, short."""
    stem = re.sub(r"[^\w]+", "-", name).strip("-_")[:40] or "vehicle"
    return f"{stem}-1" if _IS_DEVICE.fullmatch(stem) else stem
