"""Raw result lines: one JSON object per run, appended whole, read back on resuming."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from fripn.errors import InvalidFile
from fripn.jsonl import Kind, Line, append, read_objects
from fripn.jsonl import mend as mend_kind

__all__ = ["WITH_WEIGHTS", "Key", "Line", "append", "key_of", "mend", "read_lines"]

KIND = Kind("fripn bench run", "suite")

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
        When the file cannot be read, or a line of it is not one of ours: the message names the
        line, the field and its value.
    """
    if not path.exists():
        raise InvalidFile(f"there is no file {path}; fripn bench run writes one")
    lines = []
    for number, line in read_objects(path, KIND):
        _check(line, f"{path}, line {number}")
        lines.append(line)
    return lines


# -- what a line must hold -------------------------------------------------------------------------


class _Rule(NamedTuple):
    """What a field may hold, in words and as a test."""

    words: str
    holds: Callable[[Any], bool]


def _is_number(value: Any) -> bool:
    is_numeric = isinstance(value, (int, float)) and not isinstance(value, bool)
    # NaN is within nothing, and a whole number may be too large for a float.
    return is_numeric and abs(value) <= sys.float_info.max


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _or_null(rule: _Rule) -> _Rule:
    return _Rule(f"{rule.words}, or null", lambda value: value is None or rule.holds(value))


_TEXT = _Rule("a text", lambda value: isinstance(value, str))
_COUNT = _Rule("a whole number, 0 or more", lambda value: _is_whole(value) and value >= 0)
_SOME = _Rule("a whole number, 1 or more", lambda value: _is_whole(value) and value >= 1)
_AMOUNT = _Rule("a number, 0 or more", lambda value: _is_number(value) and value >= 0)
_POSITIVE = _Rule("a positive number", lambda value: _is_number(value) and value > 0)

_REQUIRED = {
    "suite": _TEXT,
    "instance": _TEXT,
    "method": _TEXT,
    "seed": _COUNT,
    "threads": _SOME,
    "time_limit": _or_null(_POSITIVE),
    "iterations": _or_null(_COUNT),
    "cost": _or_null(_AMOUNT),
    "seconds": _or_null(_AMOUNT),
    "best_known": _or_null(_POSITIVE),
}

#: What no table needs; lines of earlier versions may lack some of it.
_OPTIONAL = {
    "error": _or_null(_TEXT),
    "status": _or_null(_TEXT),
    "version": _or_null(_TEXT),
    "commit": _or_null(_TEXT),
    "cpus": _or_null(_SOME),
    "weights": _or_null(_TEXT),
}


_REMEDY = "remove the line"


def _check(line: Line, where: str) -> None:
    for field, rule in {**_REQUIRED, **_OPTIONAL}.items():
        if field not in line:
            if field in _REQUIRED:
                raise InvalidFile(f"{where} has no {field!r}; give {rule.words}, or {_REMEDY}")
            continue
        if not rule.holds(line[field]):
            raise InvalidFile(
                f"{where} has {field} {_shown(line[field])}; give {rule.words}, or {_REMEDY}"
            )
    if line["cost"] is not None and line["seconds"] is None:
        raise InvalidFile(
            f"{where} has a cost but seconds null; give the seconds of the run, or {_REMEDY}"
        )


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}…"
