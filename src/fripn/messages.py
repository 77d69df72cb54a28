"""How values and names appear in messages: on one line, escaped, and cut to a readable length."""

from __future__ import annotations

import difflib
import reprlib
from collections.abc import Iterable
from enum import Enum
from itertools import islice
from pathlib import PurePath

#: Characters of a value and of a name in a message, at most.
MAX_VALUE = 60
MAX_NAME = 80

#: What an error keeps of a value: characters of a string, entries of a list, lists in lists.
_MAX_TEXT, _MAX_ENTRIES, _MAX_DEPTH = 200, 20, 3

#: Words longer than this, and words beyond this many, are not searched for the nearest spelling:
#: the time is proportional to the product of the lengths, for each word.
MAX_WORD = 60
MAX_WORDS = 2000


def shown(value: object) -> str:
    """Return a value as it appears in a message: quoted if it is a string, on one line, short."""
    value = plain(value)
    text = repr(value)
    if isinstance(value, float):
        text = text.removesuffix(".0")
    return text if len(text) <= MAX_VALUE else f"{text[: MAX_VALUE - 3]}…"


def named(text: str) -> str:
    """Return a name as it appears in messages, tables and pictures: escaped and cut."""
    return escaped(text if len(text) <= MAX_NAME else f"{text[: MAX_NAME - 1]}…")


def escaped(text: str) -> str:
    r"""Return the text with control and other invisible characters written as ``\x1b``."""
    if text.isprintable():
        return text
    return "".join(
        one if one.isprintable() else one.encode("unicode_escape").decode("ascii") for one in text
    )


def cut(text: str, most: int) -> str:
    """Return the text escaped and, where it is longer than `most`, without its middle."""
    if len(text) > most:
        text = f"{text[: most // 2]}…{text[-most // 2 :]}"
    return escaped(text)


class Description(str):
    """Stands for a value that is not plain data: its `repr`."""

    __slots__ = ()

    def __repr__(self) -> str:
        """Return the text without quotes: it is not a string of the user."""
        return str(self)


def plain(value: object, depth: int = 0) -> object:
    """Return a value as plain data: long strings and lists cut, objects as their `repr`."""
    if isinstance(value, Enum):
        return plain(value.value)
    if value is None or isinstance(value, (bool, Description)):
        return value
    if isinstance(value, int):
        # Python refuses to print thousands of digits.
        return int(value) if abs(value) < 10**30 else Description("an integer of over 30 digits")
    if isinstance(value, float):
        return float(value)  # not numpy's, which would be shown with its class
    if isinstance(value, (str, PurePath)):
        text = str(value)
        return text if len(text) <= _MAX_TEXT else f"{text[:_MAX_TEXT]}…"
    if isinstance(value, (list, tuple, dict)) and depth == _MAX_DEPTH:
        return Description("…")
    if isinstance(value, (list, tuple)):
        rest = [] if len(value) <= _MAX_ENTRIES else [Description("…")]
        return [plain(entry, depth + 1) for entry in value[:_MAX_ENTRIES]] + rest
    if isinstance(value, dict):
        keys = islice(value, _MAX_ENTRIES)
        return {str(plain(key)): plain(value[key], depth + 1) for key in keys}
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:  # a scalar of numpy
        return plain(value.item())
    return Description(escaped(reprlib.repr(value)))


def listed(words: Iterable[str]) -> str:
    """Return words as a list in a sentence: ``a``, ``a and b``, ``a, b and c``."""
    *rest, last = words
    return f"{', '.join(rest)} and {last}" if rest else last


def nearest(word: str, valid: Iterable[str], named_words: Iterable[str] | None = None) -> str:
    """Return a remedy: the nearest valid word, else the `named_words`, else all valid ones."""
    choices = list(valid)
    near = [] if len(word) > MAX_WORD else [w for w in choices[:MAX_WORDS] if len(w) <= MAX_WORD]
    close = difflib.get_close_matches(word, near, n=1, cutoff=0.5)
    if close:
        return f"did you mean {shown(close[0])}?"
    return f"use one of {', '.join(map(named, choices if named_words is None else named_words))}"
