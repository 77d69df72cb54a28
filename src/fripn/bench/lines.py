"""Raw result lines: one JSON object per run, appended whole, read back on resuming."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from fripn.errors import InvalidFile
from fripn.jsonl import Line, append, mend, read_objects

__all__ = ["Key", "Line", "append", "key_of", "mend", "read_lines"]


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


def read_lines(path: Path) -> list[Line]:
    """Read all whole lines; a torn last line, left by a kill, is passed over.

    Raises
    ------
    InvalidFile
        When the file cannot be read or another line is not one of ours.
    """
    if not path.exists():
        raise InvalidFile(f"there is no file {path}; fripn bench run writes one")
    lines = []
    for number, line in read_objects(path):
        try:
            key_of(line)
        except KeyError as error:
            raise InvalidFile(f"{path}, line {number} has no {error}; remove the line") from None
        lines.append(line)
    return lines
