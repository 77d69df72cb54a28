"""Files of JSON lines: appended whole, checked and read back after a kill."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fripn.errors import InvalidFile

Line = dict[str, Any]

#: Status of a line about an instance that could not be read.
UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Rule:
    """What a field may hold, in words and as a test."""

    words: str
    holds: Callable[[Any], bool]

    @property
    def or_null(self) -> Rule:
        """The same, or nothing."""
        return Rule(f"{self.words}, or null", lambda value: value is None or self.holds(value))


def _is_number(value: Any) -> bool:
    is_numeric = isinstance(value, (int, float)) and not isinstance(value, bool)
    # NaN is within nothing, and a whole number may be too large for a float.
    return is_numeric and abs(value) <= sys.float_info.max


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


TEXT = Rule("a text", lambda value: isinstance(value, str))
NUMBER = Rule("a number", _is_number)
AMOUNT = Rule("a number, 0 or more", lambda value: _is_number(value) and value >= 0)
POSITIVE = Rule("a positive number", lambda value: _is_number(value) and value > 0)
COUNT = Rule("a whole number, 0 or more", lambda value: _is_whole(value) and value >= 0)
SOME = Rule("a whole number, 1 or more", lambda value: _is_whole(value) and value >= 1)


@dataclass(frozen=True, slots=True)
class Kind:
    """Whose lines a file holds.

    Parameters
    ----------
    writer
        The command that writes them, for messages.
    required
        The fields that every line must have. Every line begins with the first of them.
    optional
        Fields that are checked where they are; lines of earlier versions may lack them.
    """

    writer: str
    required: Mapping[str, Rule]
    optional: Mapping[str, Rule] = field(default_factory=dict)

    @property
    def first_field(self) -> str:
        """What every line begins with."""
        return next(iter(self.required))

    def is_begun(self, raw: bytes) -> bool:
        """Whether these bytes are the beginning of a line of this kind, and not somebody's text."""
        opening = f'{{"{self.first_field}": '.encode()
        return raw.startswith(opening) or opening.startswith(raw)

    def check(self, line: Line, where: str) -> None:
        """Refuse a line that lacks a field, or whose field holds something else."""
        if self.first_field not in line:
            raise InvalidFile(
                f"{where} has no {self.first_field!r}, so {self.writer} did not write it; "
                "name another file, or remove the line"
            )
        for name, rule in {**self.required, **self.optional}.items():
            if name not in line:
                if name in self.required:
                    raise InvalidFile(
                        f"{where} has no {name!r}; give {rule.words}, or remove the line"
                    )
            elif not rule.holds(line[name]):
                raise InvalidFile(
                    f"{where} has {name} {_shown(line[name])}; "
                    f"give {rule.words}, or remove the line"
                )


def read_objects(path: Path, kind: Kind) -> Iterator[tuple[int, Line]]:
    """Give every line with its number; a torn last one, left by a kill, is passed over.

    A last line that lacks only its newline, as some editors leave it, is whole.

    Raises
    ------
    InvalidFile
        When the file cannot be read, or something in it is not of this kind: the message names the
        line, and the field with its value.
    """
    *whole, last = _read(path).split(b"\n")
    for number, raw in enumerate([*whole, last], start=1):
        if not raw.strip():
            continue
        line = _parse(raw)
        if line is None and raw is last and kind.is_begun(raw):
            return
        where = f"{path}, line {number}"
        if line is None:
            raise InvalidFile(
                f"{where} is {_shown(raw.decode(errors='replace').strip())}, which {kind.writer} "
                "did not write; name another file, or remove the line"
            )
        kind.check(line, where)
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


def _parse(raw: bytes) -> Line | None:
    try:
        line = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return line if isinstance(line, dict) else None


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}…"
