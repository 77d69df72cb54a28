"""JSON without duplicate keys and NaN, and checks of what an object holds."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any, NoReturn

from fripn.errors import InvalidFile
from fripn.messages import nearest, shown


def parse_json(text: str) -> dict[str, Any]:
    """Parse a text that must hold one JSON object.

    Raises
    ------
    InvalidFile
        When it does not, or repeats a key, or holds NaN or an infinity.
    """
    try:
        value = json.loads(text, object_pairs_hook=_unique_keys, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        at_end = error.pos >= len(text.rstrip())
        hint = "it seems to be cut off" if at_end else "correct it there"
        raise InvalidFile(
            f"line {error.lineno}, column {error.colno}: not valid JSON ({error.msg}); {hint}"
        ) from None
    except RecursionError:
        raise InvalidFile("brackets are nested too deeply; remove the excess ones") from None
    except ValueError as error:
        if isinstance(error, InvalidFile):
            raise
        # an integer with more digits than Python converts
        raise InvalidFile("a number has thousands of digits; give one of ordinary size") from None
    if not isinstance(value, dict):
        raise InvalidFile(f"the file holds {shown(value)}; it must hold one JSON object {{…}}")
    return value


def dump_json(value: dict[str, Any]) -> str:
    """Give JSON text with one line per entry of each top-level list, easy to read and compare."""
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
        raise InvalidFile(f"{where} is {shown(value)}; give an object {{…}}")
    valid = [*required, *optional]
    for key in value:
        if key not in valid:
            raise InvalidFile(f"{where} has the unknown key {shown(key)}; {nearest(key, valid)}")
    for key in required:
        if key not in value:
            raise InvalidFile(f"{where} has no key {key!r}; add it")
    return value


def check_list(value: Any, where: str) -> list[Any]:
    """Make sure that a value is a list."""
    if not isinstance(value, list):
        raise InvalidFile(f"{where} is {shown(value)}; give a list […]")
    return value


def check_text(value: Any, where: str) -> str:
    """Make sure that a value is a text."""
    if not isinstance(value, str):
        raise InvalidFile(f"{where} is {shown(value)}; give a text")
    return value


def check_id(value: Any, where: str) -> str:
    """Make sure that a value is an id, and give it as a text; a whole number counts as one."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise InvalidFile(f"{where} is {shown(value)}; give a text or a whole number")
    return value


def check_whole(value: Any, where: str) -> int:
    """Make sure that a value is a whole number, written as 5 or 5.0."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidFile(f"{where} is {shown(value)}; give a whole number")
    return value


def check_version(value: dict[str, Any], expected: str, version: int) -> None:
    """Make sure that a file is of the expected format, in a version this release can read."""
    if "format" not in value:
        raise InvalidFile(f'the key "format" is missing; a {expected} file has "{expected}" there')
    if value["format"] != expected:
        raise InvalidFile(f'"format" is {shown(value["format"])}; it must be "{expected}"')
    if value.get("version") != version or isinstance(value["version"], bool):
        raise InvalidFile(
            f'"version" is {shown(value.get("version"))}; this release reads version {version}'
        )


def stem(path: Path | str) -> str:
    """Give the name of a file without folder and suffix, for instances that carry none."""
    return Path(path).stem or "instance"


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise InvalidFile(f"the key {shown(key)} appears twice in one object; keep one")
            seen.add(key)
    return value


def _no_constant(name: str) -> NoReturn:
    raise InvalidFile(f"a number is {name}; give a finite number")
