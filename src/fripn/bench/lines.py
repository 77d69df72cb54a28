"""Raw result lines: one JSON object per run, appended whole, read back on resuming."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from fripn.errors import InvalidFile
from fripn.jsonl import Kind, Line, append, read_objects
from fripn.jsonl import mend as mend_kind

__all__ = ["Key", "Line", "append", "key_of", "mend", "read_lines"]

KIND = Kind("fripn bench run", "suite")


class Key(NamedTuple):
    """What makes two runs the same run; finished ones are not repeated."""

    suite: str
    instance: str
    method: str
    seed: int
    threads: int
    time_limit: float | None
    iterations: int | None


def key_of(line: Line) -> Key:
    """Give the key of a line."""
    return Key(*(line[field] for field in Key._fields))


def mend(path: Path) -> None:
    """Cut off a torn last line; see `fripn.jsonl.mend`."""
    mend_kind(path, KIND)


def read_lines(path: Path) -> list[Line]:
    """Read all lines; a torn last one, left by a kill, is passed over.

    Raises
    ------
    InvalidFile
        When the file cannot be read, or a line of it is not one of ours.
    """
    if not path.exists():
        raise InvalidFile(f"there is no file {path}; fripn bench run writes one")
    lines = []
    for number, line in read_objects(path, KIND):
        try:
            key_of(line)
        except KeyError as error:
            raise InvalidFile(f"{path}, line {number} has no {error}; remove the line") from None
        lines.append(line)
    return lines
