"""Files of JSON lines: appended whole, and read back after a kill."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fripn.errors import InvalidFile

Line = dict[str, Any]

#: Status of a line about an instance that could not be read.
UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Kind:
    """Whose lines a file holds.

    Parameters
    ----------
    writer
        The command that writes them, for messages.
    first_field
        What every line begins with.
    """

    writer: str
    first_field: str

    @property
    def opening(self) -> bytes:
        """The first bytes of every line."""
        return f'{{"{self.first_field}": '.encode()


def read_objects(path: Path, kind: Kind) -> Iterator[tuple[int, Line]]:
    """Give every line with its number; a torn last one, left by a kill, is passed over.

    A last line that lacks only its newline, as some editors leave it, is whole.

    Raises
    ------
    InvalidFile
        When the file cannot be read, or something in it is not of this kind.
    """
    *whole, last = _read(path).split(b"\n")
    for number, raw in enumerate([*whole, last], start=1):
        if not raw.strip():
            continue
        line = _parse(raw)
        if line is None and raw is last and _is_torn(raw, kind):
            return
        if line is None:
            raise InvalidFile(
                f"{path}, line {number} is {_shown(raw)}, which {kind.writer} did not write; "
                "name another file, or remove the line"
            )
        if kind.first_field not in line:
            raise InvalidFile(
                f"{path}, line {number} has no {kind.first_field!r}, so {kind.writer} did not "
                "write it; name another file, or remove the line"
            )
        yield number, line


def mend(path: Path, kind: Kind) -> None:
    """Cut off a torn last line, so that the next one starts on its own.

    Raises
    ------
    InvalidFile
        When the file is not of this kind; it is left as it is.
    """
    if not path.exists():
        return
    for _ in read_objects(path, kind):
        pass
    content = _read(path)
    last = content[content.rfind(b"\n") + 1 :]
    if not last:
        return
    with path.open("r+b") as file:
        if _parse(last) is None:
            file.truncate(len(content) - len(last))
        else:
            file.seek(0, os.SEEK_END)
            file.write(b"\n")


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


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InvalidFile(
            f"{path} cannot be read: {(error.strerror or '').lower()}; check the path"
        ) from None


def _is_torn(raw: bytes, kind: Kind) -> bool:
    """Whether these bytes are the beginning of a line of this kind, and not somebody's text."""
    opening = kind.opening
    return raw.startswith(opening) or opening.startswith(raw)


def _parse(raw: bytes) -> Line | None:
    try:
        line = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return line if isinstance(line, dict) else None


def _shown(raw: bytes) -> str:
    text = raw.decode(errors="replace").strip()
    return repr(text if len(text) <= 30 else f"{text[:30]}…")
