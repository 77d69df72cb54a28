"""What all readers share: checked text, its lines, numbers, and places for messages."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from fripn.errors import InvalidFile, InvalidInput
from fripn.messages import nearest
from fripn.problem.io.atomic import reason
from fripn.settings import Size, checked

#: Larger files are refused unless the caller allows more: reading takes up to ten times the
#: memory, and what people plan fits into a fraction of it.
MAX_BYTES = 50_000_000

#: Variable of the environment with another limit, in megabytes; worker processes inherit it.
MAX_MEGABYTES_VARIABLE = "FRIPN_MAX_SIZE"

#: No format needs more lines than this; each takes time, even an empty one.
MAX_LINES = 2_000_000

#: Long lines of numbers are read in pieces of about so many characters.
_PIECE = 20_000

_NOT_IN_NUMBERS = re.compile(r"[^0-9eE+\-.\s]", re.ASCII)


def default_max_bytes() -> int:
    """Return the size up to which files are read by default.

    Raises
    ------
    InvalidSetting
        When the variable of the environment is not a positive integer.
    """
    text = os.environ.get(MAX_MEGABYTES_VARIABLE)
    if not text:
        return MAX_BYTES
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else text
    return 1_000_000 * int(checked(MAX_MEGABYTES_VARIABLE, number, Size))


def read_bytes(path: Path | str, max_bytes: int | None = None) -> bytes:
    """Return the content of a file.

    Parameters
    ----------
    path
        The file.
    max_bytes
        Size up to which it is read; None for `default_max_bytes`.

    Raises
    ------
    InvalidFile
        When the file is missing, unreadable or too large.
    """
    path = Path(path)
    max_bytes = default_max_bytes() if max_bytes is None else max_bytes
    with located(path):
        try:
            with path.open("rb") as file:
                content = file.read(max_bytes + 1)
        except FileNotFoundError:
            raise InvalidFile("the file does not exist", remedy="check the path") from None
        except IsADirectoryError:
            raise InvalidFile("this is a folder", remedy="name a file in it") from None
        except (OSError, ValueError) as error:  # ValueError: a NUL character in the path
            why = reason(error) if isinstance(error, OSError) else str(error)
            raise InvalidFile(f"the file cannot be read ({why})", remedy="check it") from None
        check_size(content, max_bytes)
    return content


def read_text(path: Path | str, max_bytes: int | None = None) -> str:
    """Return the text of a UTF-8 file, without its byte-order mark; see `read_bytes`.

    Raises
    ------
    InvalidFile
        When the file is missing, unreadable, too large, empty or not text.
    """
    content = read_bytes(path, max_bytes)
    with located(path):
        return checked_text(content, max_bytes)


def check_size(content: str | bytes, max_bytes: int | None = None) -> None:
    """Refuse content that is too large.

    Raises
    ------
    InvalidFile
        When it is.
    """
    max_bytes = default_max_bytes() if max_bytes is None else max_bytes
    # A character is one byte at least, so that a string need not be encoded to be refused.
    if len(content) > max_bytes:
        raise InvalidFile(
            f"the file has more than {max_bytes / 1e6:g} MB",
            field="size",
            value=len(content),
            remedy="check that it is the right file, or raise the limit: fripn --max-size MB … "
            "(max_bytes in Python)",
        )


def checked_text(content: str | bytes, max_bytes: int | None = None) -> str:
    """Return the content of a file as text, without its byte-order mark.

    Raises
    ------
    InvalidFile
        When it is too large, empty or not text.
    """
    check_size(content, max_bytes)
    if isinstance(content, bytes):
        try:
            content = content.decode("utf-8")
        except UnicodeDecodeError as error:
            raise InvalidFile(
                f"the file is not UTF-8 text (byte {error.start})",
                remedy="save it with UTF-8 encoding",
            ) from None
    return _not_empty(content)


def checked_table(content: str | bytes, max_bytes: int | None = None) -> tuple[str, str]:
    """Return the content of a table as text, and its encoding.

    Spreadsheets save UTF-8, UTF-16 or, on Windows, the code page of Western Europe, with or without
    a byte-order mark.

    Raises
    ------
    InvalidFile
        When it is too large, empty or not text.
    """
    check_size(content, max_bytes)
    if isinstance(content, str):
        return _not_empty(content), "utf-8"
    encoding = _encoding(content)
    try:
        return _not_empty(content.decode(encoding)), encoding
    except UnicodeDecodeError as error:
        raise InvalidFile(
            f"the file is not text in UTF-8, UTF-16 or Windows-1252 (byte {error.start})",
            remedy="save it with UTF-8 encoding",
        ) from None


def _encoding(content: bytes) -> str:
    if content.startswith(b"\xef\xbb\xbf"):
        return "utf-8-sig"
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    start = content[:1000]
    if start[1::2].count(0) > len(start) // 4 and not start[::2].count(0):
        return "utf-16-le"
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def _not_empty(content: str) -> str:
    text = content.removeprefix("\ufeff")
    if "\0" in text:
        raise InvalidFile(
            "the file holds binary data, not text", remedy="check that it is the right file"
        )
    if not text or text.isspace():
        raise InvalidFile("the file is empty", remedy="check that it was saved completely")
    return text


def lines_of(text: str) -> Iterator[str]:
    """Return the lines one by one, with their ends; the list of all would be several times as long.

    Raises
    ------
    InvalidFile
        When there are too many.
    """
    end = "\n" if "\n" in text else "\r"
    count = text.count(end)
    if count > MAX_LINES:
        raise InvalidFile(
            "the file has {value} lines",
            field="lines",
            value=count,
            remedy=f"at most {MAX_LINES} can be read; check that it is the right file",
        )
    return _each_line(text, end)


def _each_line(text: str, line_end: str) -> Iterator[str]:
    start = 0
    while (end := text.find(line_end, start) + 1) > 0:
        yield text[start:end]
        start = end
    if start < len(text):
        yield text[start:]


@contextmanager
def located(place: Path | str) -> Iterator[None]:
    """Add a place, the file or a line of it, to any `InvalidInput` raised inside."""
    try:
        yield
    except InvalidInput as error:
        error.within(str(place))
        raise


def nearest_stop(text: str, stops: Sequence[str]) -> str:
    """Return a remedy: the stop nearest in spelling, or how stops are called if none is near."""
    listed = stops if len(stops) <= 6 else [*stops[:5], "…"]
    return nearest(text, stops, listed)


def words_of(line: str) -> Iterator[list[str]]:
    """Return the words of a line, a list for each piece of it: lines may have tens of megabytes."""
    start = 0
    while start < len(line):
        end = start + _PIECE
        while end < len(line) and not line[end].isspace():
            end += 1
        yield line[start:end].split()
        start = end


def to_numbers(words: Sequence[str], section: str) -> list[float]:
    """Return words as numbers.

    Raises
    ------
    InvalidFile
        At the first word that is not a finite number.
    """
    try:
        numbers = [float(word) for word in words]
        # Python reads more than we do: nan, infinity, 1_000, digits of other scripts.
        if not _NOT_IN_NUMBERS.search(" ".join(words)) and all(map(math.isfinite, numbers)):
            return numbers
    except ValueError:
        pass
    for word in words:
        if not is_number(word) or not math.isfinite(float(word)):
            finite = "finite " if is_number(word) else ""
            raise InvalidFile(
                f"{section} has {{value}}",
                field=section,
                value=word,
                remedy=f"give {finite}numbers",
            )
    raise AssertionError("one of the words is wrong")


def is_number(word: str) -> bool:
    """Whether a word is a decimal number; infinities are none, but numbers beyond floats are."""
    if _NOT_IN_NUMBERS.search(word):
        return False
    try:
        float(word)
    except ValueError:
        return False
    return True


def finite(value: object, where: str) -> float:
    """Turn a parsed number into a float.

    Raises
    ------
    InvalidFile
        When it is not a number, or not a finite one; `where` names it.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InvalidFile(field=where, value=value, remedy="give a number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise InvalidFile(field=where, value=value, remedy="give a finite number")
    return number
