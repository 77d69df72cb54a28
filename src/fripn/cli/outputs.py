"""Output files: refused before any work is done, written after it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from fripn.errors import InvalidFile, InvalidSetting
from fripn.messages import named
from fripn.problem import Instance
from fripn.problem.io.atomic import unwritable

PICTURES = (".png", ".svg")
REPORTS = (".html",)


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


def check_solution_targets(
    paths: Sequence[Path], instance: Instance, inputs: Iterable[Path | str | None]
) -> None:
    """Refuse output files of a plan that could not be written, or would destroy an input."""
    from fripn.render import PLAN_SUFFIXES
    from fripn.render.png import check_png_is_possible

    used = {Path(given).resolve() for given in inputs if given is not None}
    seen: set[Path] = set()
    for path in paths:
        check_target(path, PLAN_SUFFIXES)
        suffix = path.suffix.lower()
        if path.resolve() in used:
            raise InvalidFile(
                f"{path} is an input of this command", value=path, remedy="write to another file"
            )
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
