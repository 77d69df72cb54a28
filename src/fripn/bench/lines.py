"""Raw result lines: one JSON object per run, appended whole, read back on resuming."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from fripn.batch.lines import Line, LineFormat, iter_lines
from fripn.batch.runner import Record
from fripn.errors import InvalidFile
from fripn.settings import Count, NonNegative, Positive, PositiveCount

__all__ = ["RECORD", "WITH_WEIGHTS", "Key", "Line", "key_of", "read_lines"]

#: What tables are made of, and what they only mention.
FORMAT = LineFormat(
    "fripn bench run",
    required={
        "suite": str,
        "instance": str,
        "method": str,
        "seed": Count,
        "threads": PositiveCount,
        "time_limit": Positive | None,
        "iterations": Count | None,
        "cost": NonNegative | None,
        "seconds": NonNegative | None,
        "best_known": Positive | None,
    },
    optional={
        "status": str | None,
        "error": str | None,
        "version": str | None,
        "commit": str | None,
        "cpus": PositiveCount | None,
        "weights": str | None,
    },
    renamed={"fixed": "fixed_cost", "travel": "travel_cost"},
)

#: Methods whose plans depend on the policy's weights; their lines name them.
WITH_WEIGHTS = ("policy", "hybrid")


class Key(NamedTuple):
    """What makes two runs the same run; finished ones are not repeated."""

    suite: str
    instance: str
    method: str
    seed: int
    threads: int
    time_limit: float | None
    iterations: int | None


#: Files of bench run.
RECORD = Record(FORMAT, key=Key._fields, label="instance")


def key_of(line: Line) -> Key:
    """Return the key of a line, or of the fields of an item."""
    return Key(*(line[field] for field in Key._fields))


def read_lines(path: Path) -> list[Line]:
    """Read all lines; a torn last one, left by a kill, is passed over.

    Raises
    ------
    InvalidFile
        When the file cannot be read, or a line of it is not one of ours: the message names the
        line, the field and its value.
    """
    if not path.exists():
        raise InvalidFile(
            f"there is no file {path}",
            field="file",
            value=path,
            remedy="fripn bench run writes one",
        )
    lines = []
    for number, _, line in iter_lines(path, FORMAT):
        if line["cost"] is not None and line["seconds"] is None:
            raise InvalidFile(
                f"{path}, line {number} has a cost but seconds null",
                field="seconds",
                remedy="give the seconds of the run, or remove the line",
            )
        lines.append(line)
    return lines
