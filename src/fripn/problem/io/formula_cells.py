"""Text cells that a spreadsheet program would run as a formula."""

from __future__ import annotations

import re

#: A cell that begins with one of these is a formula for spreadsheet programs.
_OPENING = ("=", "+", "-", "@", "\t", "\r")

#: Telephone numbers and ids such as +49 (341) 12-34: nothing in them can be run.
_HARMLESS = re.compile(r"[+-][\d\s().,/+-]*")


def is_formula(text: str) -> bool:
    """Return whether a spreadsheet program would run the text."""
    return text.startswith(_OPENING) and not _HARMLESS.fullmatch(text)


def guarded(text: str) -> str:
    """Return the text so that it is shown and not run: behind an apostrophe where needed.

    What already stands behind apostrophes gets one more, so that `unguarded` returns it.
    """
    return f"'{text}" if is_formula(text.lstrip("'")) else text


def unguarded(text: str) -> str:
    """Return what `guarded` was given."""
    return text[1:] if text.startswith("'") and is_formula(text.lstrip("'")) else text
