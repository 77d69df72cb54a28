"""Files of JSON lines: appended whole, checked and read back after a kill, one line at a time."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from fripn.errors import InvalidFile, InvalidSetting
from fripn.problem.io.atomic import reason, unwritable
from fripn.settings import checked

#: One line of a file: a JSON object.
Line = dict[str, Any]


@dataclass(frozen=True, slots=True)
class LineFormat:
    """What the lines of a file hold.

    Parameters
    ----------
    writer
        The command that writes them, for messages.
    required
        The fields that every line must have, and their types as `fripn.settings` states them:
        ``str``, ``Count``, ``Positive | None``. Every line begins with the first of them.
    optional
        Fields that are checked where they are; lines of earlier versions may lack them.
    renamed
        Names of fields in lines of earlier versions, and the present ones that readers see.
    """

    writer: str
    required: Mapping[str, Any]
    optional: Mapping[str, Any] = field(default_factory=dict)
    renamed: Mapping[str, str] = field(default_factory=dict)

    @property
    def first_field(self) -> str:
        """What every line begins with."""
        return next(iter(self.required))

    def is_begun(self, raw: bytes) -> bool:
        """Whether these bytes begin a line of this format, rather than other text."""
        opening = f'{{"{self.first_field}": '.encode()
        return raw.startswith(opening) or opening.startswith(raw)

    def parse(self, raw: bytes, where: str) -> Line:
        """Return the line that these bytes are.

        Raises
        ------
        InvalidFile
            When they are not a line of this format: the message names the field with its value.
        """
        line = _parse(raw)
        if line is None:
            raise InvalidFile(
                f"{where} is {_shown(raw.decode(errors='replace').strip())}, which {self.writer} "
                "did not write",
                value=raw.decode(errors="replace").strip(),
                remedy="name another file, or remove the line",
            )
        line = {self.renamed.get(name, name): value for name, value in line.items()}
        self._check(line, where)
        return line

    def _check(self, line: Line, where: str) -> None:
        if self.first_field not in line:
            raise InvalidFile(
                f"{where} has no {self.first_field!r}, so {self.writer} did not write it",
                field=self.first_field,
                remedy="name another file, or remove the line",
            )
        for name in self.required:
            if name not in line:
                raise InvalidFile(
                    f"{where} has no {name!r}",
                    field=name,
                    remedy="add it, or remove the line",
                )
        for fields in (self.required, self.optional):
            for name, annotation in fields.items():
                if name in line:
                    self._check_value(name, line[name], annotation, where)

    @staticmethod
    def _check_value(name: str, value: Any, annotation: Any, where: str) -> None:
        try:
            checked(name, value, annotation)
        except InvalidSetting as error:
            raise InvalidFile(
                f"{where} has {name} {_shown(value)}",
                field=name,
                value=value,
                remedy=f"{error.remedy}, or remove the line",
            ) from None


class PlacedLine(NamedTuple):
    """A line, its number from 1, and the place of its first byte in the file."""

    number: int
    place: int
    line: Line


def iter_lines(path: Path, form: LineFormat) -> Iterator[PlacedLine]:
    """Yield every line; a torn last one, left by a kill, is passed over.

    A last line that lacks only its newline, as some editors leave it, is complete. One line at a
    time is in memory.

    Raises
    ------
    InvalidFile
        When the file cannot be read, or something in it is not of this format: the message names
        the line, and the field with its value.
    """
    place = 0
    with open_lines(path) as file:
        for number, raw in enumerate(file, start=1):
            if raw.strip() and not _is_torn(raw, form):
                yield PlacedLine(number, place, form.parse(raw, f"{path}, line {number}"))
            place += len(raw)


def open_lines(path: Path) -> BinaryIO:
    """Open a file of lines.

    Raises
    ------
    InvalidFile
        When that is not possible.
    """
    try:
        return path.open("rb")
    except OSError as error:
        raise InvalidFile(
            f"{path} cannot be read: {(error.strerror or '').lower()}",
            field="path",
            value=path,
            remedy="check the path",
        ) from None


def repair(path: Path, form: LineFormat) -> None:
    """Cut off a torn last line, so that the next one starts on its own.

    Raises
    ------
    InvalidFile
        When the file is not of this format; it is left as it is.
    """
    if not path.exists():
        return
    for _ in iter_lines(path, form):
        pass
    repair_end(path)


def repair_end(path: Path) -> None:
    """Repair a file that has just been read to its end; see `repair`."""
    with path.open("r+b") as file:
        last = _last_line(file)
        if not last:
            return
        size = file.seek(0, os.SEEK_END)
        if _parse(last) is None:
            file.truncate(size - len(last))
        else:
            file.write(b"\n")


def append(path: Path, line: Line) -> None:
    """Add a line in one write and see it to the disk.

    Raises
    ------
    InvalidFile
        When it cannot be written. The end of the file may be torn then, which `repair` corrects.
    """
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            view = memoryview(_encoded(line))
            while view:
                view = view[os.write(descriptor, view) :]
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        remedy = "make room or name another file; the lines before are kept"
        raise unwritable(path, reason(error), remedy) from None


def _encoded(line: Line) -> bytes:
    text = json.dumps(line, ensure_ascii=False, allow_nan=False)
    try:
        return text.encode() + b"\n"
    except UnicodeEncodeError:  # a name of a file that is not UTF-8
        return json.dumps(line, allow_nan=False).encode() + b"\n"


def _is_torn(raw: bytes, form: LineFormat) -> bool:
    """Whether this is the beginning of a line that a kill has cut off; only the last can be."""
    return not raw.endswith(b"\n") and form.is_begun(raw) and _parse(raw) is None


def _last_line(file: BinaryIO) -> bytes:
    """Return what follows the last newline, reading backwards from the end."""
    place = file.seek(0, os.SEEK_END)
    last = b""
    while place and b"\n" not in last:
        step = min(place, 2**16)
        place -= step
        file.seek(place)
        last = file.read(step) + last
    return last[last.rfind(b"\n") + 1 :]


def _parse(raw: bytes) -> Line | None:
    try:
        line = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return line if isinstance(line, dict) else None


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}…"
