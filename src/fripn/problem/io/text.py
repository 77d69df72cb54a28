"""What all readers share: the text of a file, numbers, and messages that name place and remedy."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from fripn.errors import InvalidFile, InvalidInput
from fripn.problem.io.atomic import reason

#: Looking for the nearest spelling among more stops than this would take seconds.
_MAX_STOPS = 2000


def read_text(path: Path | str) -> str:
    """Give the text of a UTF-8 file, without its byte-order mark.

    Raises
    ------
    InvalidFile
        When the file is missing, unreadable, empty or not text.
    """
    path = Path(path)
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        raise InvalidFile(f"{path} does not exist; check the path") from None
    except IsADirectoryError:
        raise InvalidFile(f"{path} is a folder; name a file in it") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL character in the path
        why = reason(error) if isinstance(error, OSError) else str(error)
        raise InvalidFile(f"{path} cannot be read: {why}") from None
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidFile(
            f"{path} is not UTF-8 text (byte {error.start}); save it with UTF-8 encoding"
        ) from None
    if "\0" in text:
        raise InvalidFile(f"{path} holds binary data, not text; check that it is the right file")
    if not text.strip():
        raise InvalidFile(f"{path} is empty; check that it was saved completely")
    return text


@contextmanager
def located(path: Path | str) -> Iterator[None]:
    """Put the file's name in front of the message of any `InvalidInput` raised inside."""
    try:
        yield
    except InvalidInput as error:
        raise type(error)(f"{path}: {error}") from None


def nearest(word: str, valid: Iterable[str], listed: Iterable[str] | None = None) -> str:
    """Say which valid word is nearest; when none is near, list those in `listed`, else all."""
    choices = list(valid)
    close = difflib.get_close_matches(word, choices, n=1, cutoff=0.5)
    if close:
        return f"did you mean {close[0]!r}?"
    return f"use one of {', '.join(choices if listed is None else listed)}"


def nearest_stop(text: str, stops: Sequence[str]) -> str:
    """Say which stop is nearest in spelling, or how stops are called: there may be thousands."""
    choices = stops[:_MAX_STOPS]
    listed = choices if len(stops) <= 6 else [*choices[:5], "…"]
    return nearest(text, choices, listed)


def shown(value: object) -> str:
    """Give a value as it may appear in a message: short, on one line."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # an integer of thousands of digits, endless nesting
        return f"a very large {type(value).__name__}"
    return text if len(text) <= 60 else f"{text[:57]}…"


def finite(value: object, where: str) -> float:
    """Turn a parsed number into a float.

    Raises
    ------
    InvalidFile
        When it is no number, or not a finite one; `where` names it.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InvalidFile(f"{where} is {shown(value)}; give a number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise InvalidFile(f"{where} is {shown(value)}; give a finite number")
    return number
