"""What all readers share: the text of a file, numbers, and messages that name place and remedy."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from fripn.errors import InvalidFile, InvalidInput
from fripn.messages import nearest, shown
from fripn.problem.io.atomic import reason


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
    """Add a place, the file or a line of it, to any `InvalidInput` raised inside."""
    try:
        yield
    except InvalidInput as error:
        error.within(str(path))
        raise


def nearest_stop(text: str, stops: Sequence[str]) -> str:
    """Say which stop is nearest in spelling, or how stops are called: there may be thousands."""
    listed = stops if len(stops) <= 6 else [*stops[:5], "…"]
    return nearest(text, stops, listed)


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
