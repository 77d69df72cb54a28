"""Raw result lines: one JSON object per run, appended whole, read back on resuming."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, NamedTuple

from fripn.errors import InvalidFile

Line = dict[str, Any]


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
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise InvalidFile(f"there is no file {path}; fripn bench run writes one") from None
    except OSError as error:
        raise InvalidFile(f"{path} cannot be read: {(error.strerror or '').lower()}") from None
    return [_parse(raw, path, number) for number, raw in _whole_lines(content) if raw.strip()]


def mend(path: Path) -> None:
    """Cut off a torn last line, so that the next one starts on its own."""
    if not path.exists():
        return
    content = path.read_bytes()
    kept = content.rfind(b"\n") + 1
    if kept < len(content):
        with path.open("r+b") as file:
            file.truncate(kept)


def append(path: Path, line: Line) -> None:
    """Add a line in one write and see it to the disk."""
    data = json.dumps(line, ensure_ascii=False, allow_nan=False).encode() + b"\n"
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _whole_lines(content: bytes) -> list[tuple[int, bytes]]:
    return list(enumerate(content.split(b"\n")[:-1], start=1))


def _parse(raw: bytes, path: Path, number: int) -> Line:
    try:
        line = json.loads(raw)
        key_of(line)
    except (ValueError, TypeError):
        raise InvalidFile(f"{path}, line {number} is not JSON of a run; remove the line") from None
    except KeyError as error:
        raise InvalidFile(f"{path}, line {number} has no {error}; remove the line") from None
    return dict(line)
