"""Files of JSON lines: appended whole, and read back after a kill."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fripn.errors import InvalidFile

Line = dict[str, Any]


def read_objects(path: Path) -> Iterator[tuple[int, Line]]:
    """Give every whole line with its number; a torn last line, left by a kill, is passed over.

    Raises
    ------
    InvalidFile
        When the file cannot be read, or a line is no JSON object.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InvalidFile(f"{path} cannot be read: {(error.strerror or '').lower()}") from None
    for number, raw in enumerate(content.split(b"\n")[:-1], start=1):
        if not raw.strip():
            continue
        try:
            line = json.loads(raw)
        except ValueError:
            line = None
        if not isinstance(line, dict):
            raise InvalidFile(f"{path}, line {number} is not JSON of a run; remove the line")
        yield number, line


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
