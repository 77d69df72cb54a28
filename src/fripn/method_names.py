"""How a method is written as text: ``hgs``, ``policy:decode=greedy,samples=100``, ``mine:Method``.

Settings follow a colon, as ``key=value`` with commas between them. Several methods are separated by
commas too: what has a ``=`` but no colon before it belongs to the method before.
"""

from __future__ import annotations

import dataclasses
import inspect
import types
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from fripn.errors import InvalidSetting
from fripn.messages import nearest

#: Words for true and false.
_SWITCH = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


def split_methods(text: str) -> list[str]:
    """Return the methods of a list with commas, each with its settings, each once."""
    found: list[str] = []
    for piece in filter(None, map(str.strip, text.split(","))):
        key = piece.partition("=")[0]
        if found and "=" in piece and ":" not in key:
            found[-1] += f",{piece}"
        else:
            found.append(piece)
    return list(dict.fromkeys(found))


def split_settings(text: str, known: Collection[str]) -> tuple[str, str]:
    """Return the name of a method and the text of its settings.

    Parameters
    ----------
    text
        A name or an import path, perhaps with settings.
    known
        The names; anything else is an import path, which has a colon of its own.
    """
    first, _, rest = text.partition(":")
    if first in known:
        return first, rest
    attribute, _, settings = rest.partition(":")
    return (f"{first}:{attribute}" if attribute else first), settings


def setting_names(build: Callable[..., Any]) -> list[str]:
    """Return the names of the settings that a method's class or function takes."""
    if dataclasses.is_dataclass(build):
        return [field.name for field in dataclasses.fields(build) if field.init]
    return [parameter.name for parameter in _parameters(build)]


def parse_settings(method: str, build: Callable[..., Any], text: str) -> dict[str, Any]:
    """Return the settings in a string, in the types that the method states for them.

    Parameters
    ----------
    method
        Name of the method, for messages.
    build
        Its class.
    text
        ``key=value`` with commas between them; empty for none.

    Raises
    ------
    InvalidSetting
        When the text has another form, or the method has no such setting.
    """
    hints = _hints(build)
    known = setting_names(build)
    found: dict[str, Any] = {}
    for piece in filter(None, map(str.strip, text.split(","))):
        key, is_given, value = (part.strip() for part in piece.partition("="))
        if not is_given:
            raise InvalidSetting(
                f"{{value}} of method {method!r} has no '='",
                field="method",
                value=piece,
                remedy="write key=value",
            )
        name = key.replace("-", "_")
        if name not in known:
            raise InvalidSetting(
                f"method {method!r} has no setting {{value}}",
                field="method",
                value=key,
                remedy=nearest(name, known) if known else "leave it out",
            )
        if name in found:
            raise InvalidSetting(
                f"{{field}} of method {method!r} is given twice",
                field=key,
                value=value,
                remedy="leave one out",
            )
        found[name] = _converted(value, hints.get(name))
    return found


def build_method(method: str, found: Any, settings: dict[str, Any]) -> Any:
    """Return the method with its settings: an object of a class, or what is one already.

    Parameters
    ----------
    method
        Its name, for messages.
    found
        A class or function that makes the method, or the method itself.
    settings
        Arguments for the first.

    Raises
    ------
    InvalidSetting
        When a setting is missing, or it is not a method: it lacks ``name``, ``supports`` or
        ``ends_by_itself``, or cannot be called.
    """
    made = found
    if inspect.isclass(found) or (inspect.isfunction(found) and not hasattr(found, "supports")):
        missing = [
            parameter.name
            for parameter in _parameters(found)
            if parameter.default is parameter.empty and parameter.name not in settings
        ]
        if missing:
            raise InvalidSetting(
                f"method {method!r} needs the setting {{value}}",
                field="method",
                value=missing[0],
                remedy=f"write {method}:{missing[0]}=…",
            )
        made = found(**settings)
    elif settings:
        raise InvalidSetting(
            f"{method!r} is an object, which takes no settings",
            field="method",
            value=next(iter(settings)),
            remedy="name its class",
        )
    lacking = [name for name in ("name", "supports", "ends_by_itself") if not hasattr(made, name)]
    if lacking or not callable(made):
        raise InvalidSetting(
            f"{method!r} is not a method: it "
            + (f"has no attribute {lacking[0]!r}" if lacking else "cannot be called"),
            field="method",
            value=method,
            remedy="see docs/howto/own-method.md",
        )
    return made


def _parameters(build: Callable[..., Any]) -> Iterator[inspect.Parameter]:
    try:
        signature = inspect.signature(build)
    except (TypeError, ValueError):  # a class of an extension module
        return
    for parameter in signature.parameters.values():
        if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            yield parameter


def _hints(build: Callable[..., Any]) -> dict[str, Any]:
    is_plain_class = inspect.isclass(build) and not dataclasses.is_dataclass(build)
    target = build.__init__ if is_plain_class else build
    try:
        return get_type_hints(target, include_extras=True)
    except (NameError, TypeError, AttributeError):  # hints that only a type checker can resolve
        return {}


def _converted(text: str, hint: Any) -> Any:
    """Return a value in the first of its types that can hold the text; else the text itself."""
    choices = list(_flat(hint)) or [type(None), bool, int, float, str]
    if type(None) in choices and text.lower() == "none":
        return None
    if bool in choices and text.lower() in _SWITCH:
        return _SWITCH[text.lower()]
    for number in (int, float):
        if number in choices:
            try:
                return number(text)
            except ValueError:
                continue
    return Path(text) if Path in choices and str not in choices else text


def _flat(hint: Any) -> Iterator[Any]:
    """Yield the types that a hint allows; nothing without a hint."""
    if hint is None or hint is Any:
        return
    origin = get_origin(hint)
    if origin is Annotated:
        yield from _flat(get_args(hint)[0])
    elif origin in (Union, types.UnionType):
        for one in get_args(hint):
            yield from _flat(one) if one is not type(None) else (one,)
    elif origin is Literal:
        yield from {type(one) for one in get_args(hint)}
    else:
        yield hint
