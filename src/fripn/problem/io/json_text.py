"""JSON without duplicate keys and NaN, and checks of what an object holds."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any, NoReturn

from fripn.errors import InvalidFile
from fripn.messages import Description, nearest

#: Characters per list or object, on average, of anything worth reading: [0,0,1] has more. Empty
#: ones take twenty times their size in memory.
_LEAST_PER_BRACKET = 6


def parse_json(text: str) -> dict[str, Any]:
    """Parse a string that must hold one JSON object.

    Raises
    ------
    InvalidFile
        When it does not, or repeats a key, or holds NaN or an infinity.
    """
    if text.count("[") + text.count("{") > len(text) / _LEAST_PER_BRACKET + 1000:
        raise InvalidFile("the file consists of brackets", remedy="check that it is the right file")
    try:
        value = json.loads(text, object_pairs_hook=_unique_keys, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        at_end = error.pos >= len(text.rstrip())
        hint = "it seems to be cut off" if at_end else "correct it there"
        raise InvalidFile(
            f"not valid JSON ({error.msg})",
            place=f"line {error.lineno}, column {error.colno}",
            remedy=hint,
        ) from None
    except RecursionError:
        raise InvalidFile(
            "brackets are nested too deeply", remedy="remove the excess ones"
        ) from None
    except ValueError as error:
        if isinstance(error, InvalidFile):
            raise
        # an integer with more digits than Python converts
        raise InvalidFile(
            "a number has thousands of digits", remedy="give one of ordinary size"
        ) from None
    if not isinstance(value, dict):
        raise InvalidFile(
            "the file holds {value}", value=value, remedy="it must hold one JSON object {…}"
        )
    return value


def dump_json(value: dict[str, Any]) -> str:
    """Return JSON text with one line per entry of each top-level list, easy to read and compare."""
    lines = []
    for key, entry in value.items():
        if isinstance(entry, list) and entry and isinstance(entry[0], (dict, list)):
            rows = ",\n".join(f"    {_compact(row)}" for row in entry)
            lines.append(f"  {_compact(key)}: [\n{rows}\n  ]")
        else:
            lines.append(f"  {_compact(key)}: {_compact(entry)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def check_keys(
    value: Any, where: str, *, required: Collection[str], optional: Collection[str]
) -> dict[str, Any]:
    """Make sure that a value is an object with all required keys and no unknown ones."""
    if not isinstance(value, dict):
        raise InvalidFile(field=where, value=value, remedy="give an object {…}")
    valid = [*required, *optional]
    for key in value:
        if key not in valid:
            raise InvalidFile(
                f"{where} has the unknown key {{value}}",
                field=where,
                value=key,
                remedy=nearest(key, valid),
            )
    for key in required:
        if key not in value:
            raise InvalidFile(f"{where} has no key {key!r}", field=key, remedy="add it")
    return value


def check_list(value: Any, where: str) -> list[Any]:
    """Make sure that a value is a list."""
    if not isinstance(value, list):
        raise InvalidFile(field=where, value=value, remedy="give a list […]")
    return value


def check_text(value: Any, where: str) -> str:
    """Make sure that a value is a string."""
    if not isinstance(value, str):
        raise InvalidFile(field=where, value=value, remedy="give a string")
    return value


def check_id(value: Any, where: str) -> str:
    """Make sure that a value is an id, and return it as a string; an integer counts as one."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise InvalidFile(field=where, value=value, remedy="give a string or an integer")
    return value


def check_whole(value: Any, where: str) -> int:
    """Make sure that a value is an integer, written as 5 or 5.0."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidFile(field=where, value=value, remedy="give an integer")
    return value


def check_version(value: dict[str, Any], expected: str, versions: Collection[int]) -> int:
    """Return the version of a file of the expected format, one that this release can read."""
    if "format" not in value:
        raise InvalidFile(
            'the key "format" is missing',
            field="format",
            remedy=f'a {expected} file has "{expected}" there',
        )
    if value["format"] != expected:
        raise InvalidFile(
            field='"format"', value=value["format"], remedy=f'it must be "{expected}"'
        )
    version: Any = value.get("version")
    if isinstance(version, bool) or version not in versions:
        raise InvalidFile(
            field='"version"',
            value=value.get("version"),
            remedy=f"this release reads version {' and '.join(map(str, versions))}",
        )
    return int(version)


def stem(path: Path | str) -> str:
    """Return the name of a file without folder and suffix, for instances that carry none."""
    return Path(path).stem or "instance"


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise InvalidFile(
                    "the key {value} appears twice in one object", value=key, remedy="keep one"
                )
            seen.add(key)
    return value


def _no_constant(name: str) -> NoReturn:
    raise InvalidFile("a number is {value}", value=Description(name), remedy="give a finite number")
