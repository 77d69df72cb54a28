"""Output files: refused before any work is done, written after it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fripn.errors import InvalidFile, InvalidSetting
from fripn.messages import named
from fripn.problem import Instance
from fripn.problem.io.atomic import unwritable

if TYPE_CHECKING:
    from fripn.render.presentation import Presentation

PICTURES = (".png", ".svg")
REPORTS = (".html",)

#: Endings of files of lines; the first is the usual one. In a folder of plans their file is this.
LINES_SUFFIXES = (".jsonl", ".ndjson")
LINES_NAME = "lines.jsonl"


def check_target(path: Path, suffixes: Sequence[str]) -> None:
    """Refuse a file that could not be written, with the reason.

    Parameters
    ----------
    path
        The file to be written later.
    suffixes
        The endings that are possible here.
    """
    if path.suffix.lower() not in suffixes:
        raise InvalidSetting(
            f"{path} ends in {{value}}" if path.suffix else f"{path} has no ending",
            value=path.suffix,
            remedy=f"choose one of {', '.join(suffixes)}",
        )
    check_folder(path)


def check_folder(path: Path) -> None:
    """Refuse a file whose folder is missing or read-only, or that is a folder itself."""
    if not path.parent.is_dir():
        raise unwritable(path, f"the folder {path.parent} does not exist", "create it first")
    if path.is_dir():
        raise unwritable(path, "it is a folder", "name a file")
    if path.exists() and not path.is_file():
        raise unwritable(path, "it is not an ordinary file", "name one")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise unwritable(path, "permission denied", "choose another place")


def check_no_input(path: Path, inputs: Iterable[Path | str | None]) -> None:
    """Refuse an output that is an input."""
    if any(path.resolve() == Path(given).resolve() for given in inputs if given is not None):
        raise InvalidFile(
            f"{path} is an input of this command", value=path, remedy="write to another file"
        )


def check_sheet_targets(
    paths: Sequence[Path],
    instance: Instance,
    inputs: Sequence[Path | str | None],
    show: Presentation,
) -> None:
    """Refuse driver sheets that could not be written, or would destroy an input."""
    if not paths:
        return
    from fripn.render.sheets import check_sheets
    from fripn.render.sheets.files import is_folder

    for path in paths:
        check_sheets(instance, path, show)
        check_no_input(path, inputs)
        if not is_folder(path):
            check_folder(path)
        elif not path.is_dir():
            check_new_folder(path)


def check_timeline_target(
    path: Path, instance: Instance, others: Sequence[Path | str | None]
) -> None:
    """Refuse a picture of times that could not be written, or would destroy an input or output."""
    from fripn.render.pictures import check_timeline
    from fripn.render.png import check_png_is_possible

    check_target(path, PICTURES)
    check_no_input(path, others)
    check_timeline(instance)
    if path.suffix.lower() == ".png":
        check_png_is_possible()


def check_new_folder(path: Path) -> None:
    """Refuse a folder that could not be made."""
    if path.exists():
        raise unwritable(path, "it is a file without ending", "name a folder, or a file with one")
    check_folder(path)


def check_solution_targets(
    paths: Sequence[Path],
    instance: Instance,
    inputs: Sequence[Path | str | None],
    show: Presentation,
) -> None:
    """Refuse output files of a plan that could not be written, or would destroy an input."""
    if not paths:
        return  # nothing of the drawing is loaded then
    from fripn.render.png import check_png_is_possible
    from fripn.render.result_files import RESULT_SUFFIXES
    from fripn.render.sheets import check_sheets

    seen: set[Path] = set()
    for path in paths:
        check_target(path, RESULT_SUFFIXES)
        suffix = path.suffix.lower()
        check_no_input(path, inputs)
        if suffix == ".pdf":
            check_sheets(instance, path, show)
        if path.resolve() in seen:
            raise InvalidSetting(
                f"{path} is given twice as an output", value=path, remedy="name it once"
            )
        if suffix in PICTURES and instance.coordinates is None:
            raise InvalidSetting(
                f"{path} cannot be drawn: {named(instance.name)} has a distance matrix and no "
                "coordinates",
                value=path,
                remedy="choose another format",
            )
        if suffix == ".png":
            check_png_is_possible()
        if suffix == ".geojson" and not instance.is_geographic:
            raise InvalidSetting(
                f"{path} needs latitude and longitude, but the metric of {named(instance.name)} "
                f"is {instance.metric!r}",
                value=path,
                remedy="choose another format",
            )
        seen.add(path.resolve())
