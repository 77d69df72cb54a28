"""From the flags of the command line to methods with their settings.

A method with settings of its own is a dataclass. To offer one of its fields as a flag, add an
option to `fripn.cli.options` that is None when not given, and pass it to `make_method` under the
name of the field, in `fripn.cli.solve` and `fripn.cli.bench`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from fripn.errors import InvalidSetting
from fripn.run import Method
from fripn.settings import checked
from fripn.solve import DEFAULT_METHOD, method_class

#: Settings of a method by field; None for what was not given.
Settings = Mapping[str, object]


def make_method(name: str | None, settings: Settings) -> Method:
    """Return a method with the settings that were named on the command line.

    Parameters
    ----------
    name
        A name from `METHODS`; None for the default.
    settings
        By field of the method; None for what was not given.

    Raises
    ------
    InvalidSetting
        When there is no such method, or it has no such setting.
    """
    name = DEFAULT_METHOD if name is None else name
    build = method_class(name)
    given = _given(settings)
    known = _fields(build)
    for field in given:
        if field not in known:
            raise InvalidSetting(
                f"{_flag(field)} is not an option of method {name!r}",
                field=_flag(field),
                value=given[field],
                remedy="leave it out",
            )
    return build(**given)


def make_methods(names: Sequence[str], settings: Settings) -> dict[str, Method]:
    """Return several methods, each with those of the settings that it has.

    Parameters
    ----------
    names
        From `METHODS`.
    settings
        By field; None for what was not given.

    Returns
    -------
    dict
        By name, which includes the flags of its settings: ``milp --model paper``.

    Raises
    ------
    InvalidSetting
        When there is no such method, or none of them has a setting that was given.
    """
    given = _given(settings)
    known = {name: _fields(method_class(name)) for name in names}
    for field in given:
        if not any(field in fields for fields in known.values()):
            raise InvalidSetting(
                f"{_flag(field)} is not an option of {', '.join(names)}",
                field=_flag(field),
                value=settings[field],
                remedy="leave it out",
            )
    methods: dict[str, Method] = {}
    for name in names:
        mine = {field: value for field, value in given.items() if field in known[name]}
        flags = [_flag_with_value(field, value) for field, value in mine.items()]
        methods[" ".join([name, *flags])] = make_method(name, mine)
    return methods


def with_decoding(settings: Settings, decoding: str | None) -> Settings:
    """Return the settings with those that ``--decoding`` stands for.

    ``paper`` is the paper's decoding: temperature 1, no split and, where neither greedy decoding
    nor a number is named, 1,000 samples. Whether types may take turns is a setting of the weights.

    Raises
    ------
    InvalidSetting
        When there is no such decoding, or a setting contradicts it.
    """
    if decoding is None:
        return settings
    checked("--decoding", decoding, Literal["paper"])
    paper = getattr(method_class("policy"), decoding)()
    meant: dict[str, object] = {"temperature": paper.temperature, "split": paper.split}
    for field, value in meant.items():
        if settings.get(field) not in (None, value):
            raise InvalidSetting(
                f"{_flag_with_value(field, settings[field])} contradicts --decoding paper, which "
                f"means {_flag_with_value(field, value)}",
                field=_flag(field),
                value=settings[field],
                remedy="leave one out",
            )
    if settings.get("samples") is None and settings.get("decode") != "greedy":
        meant["samples"] = paper.samples
    return {**settings, **meant}


def _given(settings: Settings) -> dict[str, object]:
    return {field: value for field, value in settings.items() if value is not None}


def _flag(field: str) -> str:
    return "--" + field.replace("_", "-")


def _flag_with_value(field: str, value: object) -> str:
    if isinstance(value, bool):
        return _flag(field) if value else f"--no-{_flag(field)[2:]}"
    if isinstance(value, float):
        return f"{_flag(field)} {value:g}"
    return f"{_flag(field)} {value.as_posix() if isinstance(value, Path) else value}"


def _fields(build: object) -> set[str]:
    if not dataclasses.is_dataclass(build):
        return set()
    return {field.name for field in dataclasses.fields(build) if field.init}
