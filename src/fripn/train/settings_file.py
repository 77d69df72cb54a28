"""From TOML tables to settings: unknown keys and values of a wrong type are errors."""

from __future__ import annotations

import dataclasses
import difflib
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, get_origin, get_type_hints

from fripn.errors import InvalidFile, InvalidSetting


def read_tables(path: Path, overrides: Iterable[str]) -> dict[str, Any]:
    """Read a TOML file; each override is ``key=value`` with a dotted key and a TOML value."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidFile(
            f"{path} is not valid TOML ({error})", field="config", value=path, remedy="correct it"
        ) from None
    for text in overrides:
        key, found, value = text.partition("=")
        if not found:
            raise InvalidSetting("--set {value} has no '='", value=text, remedy="write key=value")
        place = table
        *parents, last = key.strip().split(".")
        for parent in parents:
            place = place.setdefault(parent, {})
            if not isinstance(place, dict):
                raise InvalidSetting(
                    f"--set {{value}}: {parent} is a value, not a table of keys",
                    field=parent,
                    remedy="set the value itself, or name another key",
                    value=text,
                )
        place[last] = _toml_value(value)
    return table


def build(cls: Any, table: Mapping[str, Any]) -> Any:
    """Make a dataclass, with dataclasses for its tables, from nested tables."""
    return _build(cls, table, "", list(_dotted_keys(cls, "")))


def flat(table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return the values of nested tables by their dotted keys."""
    values: dict[str, Any] = {}
    for key, value in table.items():
        if isinstance(value, Mapping):
            values |= flat(value, f"{prefix}{key}.")
        else:
            values[prefix + key] = value
    return values


def differences(
    before: Mapping[str, Any], now: Mapping[str, Any], where: str, but: Collection[str] = ()
) -> list[str]:
    """Return the differences key by key, except for some keys.

    Parameters
    ----------
    before, now
        Nested tables of plain values.
    where
        Where the values of `before` stand.
    but
        Dotted keys that do not matter.
    """
    old, new = flat(before), flat(now)
    return [
        f"{key} is {old.get(key, 'not set')!r} {where}, {new.get(key, 'not set')!r} now"
        for key in dict.fromkeys([*old, *new])
        if key not in but and old.get(key) != new.get(key)
    ]


def _build(cls: Any, table: Mapping[str, Any], prefix: str, all_keys: list[str]) -> Any:
    hints = get_type_hints(cls)
    values = {}
    for key, value in table.items():
        if key not in hints:
            hint = _hint(key, prefix, list(hints), all_keys)
            raise InvalidSetting("there is no setting {value}", value=prefix + key, remedy=hint)
        if dataclasses.is_dataclass(hints[key]):
            if not isinstance(value, Mapping):
                raise InvalidSetting(
                    field=prefix + key, value=value, remedy="it must be a table of keys"
                )
            values[key] = _build(hints[key], value, f"{prefix}{key}.", all_keys)
        else:
            values[key] = _convert(value, hints[key], prefix + key)
    try:
        return cls(**values)
    except InvalidSetting as error:  # which names the field without its table
        error.field = f"{prefix}{error.field}"
        raise


def _dotted_keys(cls: Any, prefix: str) -> Iterator[str]:
    for key, annotation in get_type_hints(cls).items():
        if dataclasses.is_dataclass(annotation):
            yield from _dotted_keys(annotation, f"{prefix}{key}.")
        else:
            yield prefix + key


def _hint(key: str, prefix: str, names: list[str], all_keys: list[str]) -> str:
    """Name the nearest key: the same one of another table, a similar one here, or anywhere."""
    by_name: dict[str, list[str]] = {}
    for full in all_keys:
        by_name.setdefault(full.rpartition(".")[2], []).append(full)
    near = difflib.get_close_matches(key, names, n=1)
    if key in by_name:
        meant = by_name[key]
    elif near:
        meant = [prefix + near[0]]
    else:
        meant = [m for name in difflib.get_close_matches(key, by_name, n=1) for m in by_name[name]]
    if not meant:
        return f"known: {', '.join(names)}"
    return f"did you mean {' or '.join(repr(one) for one in meant)}?"


def _convert(value: Any, annotation: Any, name: str) -> Any:
    """Return the TOML value of a field; the settings themselves check it."""
    if get_origin(annotation) is not tuple or isinstance(value, (list, tuple)):
        return value
    in_brackets = _toml_value(f"[{value}]")
    example = f"[{value}]" if isinstance(in_brackets, list) else "[20, 50]"
    raise InvalidSetting(field=name, value=value, remedy=f"give a list, such as {example}")


def _toml_value(text: str) -> Any:
    """Read a TOML value; bare words are strings."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text.strip()
