"""Sets of instances that belong in one table."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fripn.errors import InvalidFile, InvalidSetting
from fripn.problem import Instance, library
from fripn.problem.inputs import folder_files, instance_suffixes, open_instance

BEST_KNOWN_FILE = "best_known.csv"


@dataclass(frozen=True, slots=True)
class Case:
    """One instance of a suite; it is loaded where it is solved.

    Parameters
    ----------
    suite
        The suite's name, or the folder's.
    name
        What the lines call the instance.
    path
        The file, when the suite is a folder.
    best_known
        The cost to compare with, if any.
    """

    suite: str
    name: str
    path: Path | None
    best_known: float | None

    def load(self) -> Instance:
        """Read the instance."""
        return library.load(self.name) if self.path is None else open_instance(self.path)


def open_suite(name: str) -> list[Case]:
    """Return the cases of a suite of the library, or of a folder of instance files.

    Raises
    ------
    InvalidInput
        When there is no such suite or folder, or it holds no instance.
    """
    if name not in library.suites() and Path(name).is_dir():
        return list(_folder(Path(name)))
    if name not in library.suites() and len(Path(name).parts) > 1:
        raise InvalidFile(
            f"there is no folder {name}",
            field="suite",
            value=name,
            remedy="name one, or a suite of the library",
        )
    cases = []
    for instance in library.names(name):
        known = library.best_known(instance)
        cases.append(Case(name, instance, None, known.cost if known else None))
    return cases


def _folder(folder: Path) -> Iterator[Case]:
    # A folder of CSV pairs would be ambiguous.
    paths = folder_files(folder)
    if not paths:
        raise InvalidSetting(
            f"{folder} holds no instance",
            field="suite",
            value=folder,
            remedy=f"put files ending in {' or '.join(instance_suffixes())} there",
        )
    suite = folder.resolve().name
    best_known = _read_best_known(folder / BEST_KNOWN_FILE)
    stems = [path.stem for path in paths]
    for path in paths:
        # Two files that differ in their ending alone keep it, so that lines distinguish them.
        name = path.stem if stems.count(path.stem) == 1 else path.name
        yield Case(suite, name, path, best_known.get(path.stem, best_known.get(path.name)))


def _read_best_known(path: Path) -> dict[str, float]:
    """Read the columns ``instance`` and ``cost``; others may stand beside them."""
    if not path.exists():
        return {}
    values: dict[str, float] = {}
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.DictReader(file)
            for row in rows:
                where = f"{path}, line {rows.line_num}"
                if not row.get("instance"):
                    raise InvalidFile(
                        f"{where} has no instance",
                        field="instance",
                        remedy="the columns are instance, cost",
                    )
                values[row["instance"]] = _cost(row.get("cost"), where)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InvalidFile(
            f"{path} cannot be read: {error}",
            field="file",
            value=path,
            remedy="check that it is a readable CSV table",
        ) from None
    return values


def _cost(text: str | None, where: str) -> float:
    try:
        cost = float(text or "")
    except ValueError:
        cost = math.nan
    if not (math.isfinite(cost) and cost > 0):
        raise InvalidFile(
            f"{where} has the cost {text!r}",
            field="cost",
            value=text,
            remedy="give a positive number, or remove the line",
        )
    return cost
