"""Cells about the working day: clock times, windows, hours and lists of words."""

from __future__ import annotations

import math
import re

from fripn.problem.io.cell_numbers import Cell, NumberColumn, read_number

#: Times of tables are minutes; costs per hour need to know how many an hour has.
MINUTES_PER_HOUR = 60.0

_TIME = r"\d{1,3}:[0-5]\d(?::[0-5]\d)?"
_CLOCK = re.compile(
    r"(\d{1,3}):([0-5]\d)(?::([0-5]\d))?(?:\s*(?:h|uhr))?", re.ASCII | re.IGNORECASE
)
#: 0830: a clock time without its colon, which would be 830 minutes.
_MILITARY = re.compile(r"0\d{2,3}", re.ASCII)
_WINDOW = re.compile(
    rf"\s*({_TIME})\s*(?:-|–|—|bis|to)\s*({_TIME})(?:\s*uhr)?\s*",
    re.ASCII | re.IGNORECASE,
)
_BETWEEN_WINDOWS = re.compile(r"[,;/|+&]|\bund\b|\band\b", re.IGNORECASE)
_BETWEEN_WORDS = re.compile(r"[,;/|+&]")


def clock_minutes(text: str) -> float | None:
    """Return the minutes after midnight of a clock time such as 08:30; None for anything else."""
    found = _CLOCK.fullmatch(text.strip())
    if found is None:
        return None
    return 60.0 * int(found[1]) + int(found[2]) + int(found[3] or 0) / 60.0


def clock_text(minutes: float) -> str:
    """Return minutes after midnight as a clock time: 08:30."""
    return f"{int(minutes) // 60:02}:{int(minutes) % 60:02}"


def read_windows(text: str) -> list[tuple[float, float]] | None:
    """Return the windows of a cell such as ``08:00-10:00, 14:00-16:00``; None if it has others."""
    windows = []
    for piece in _BETWEEN_WINDOWS.split(text):
        found = _WINDOW.fullmatch(piece)
        if found is None:
            return None
        opens, closes = clock_minutes(found[1]), clock_minutes(found[2])
        if opens is None or closes is None or closes < opens:
            return None
        windows.append((opens, closes))
    return windows


def read_words(text: str) -> tuple[str, ...]:
    """Return the words of a cell that lists some, each once."""
    return tuple(dict.fromkeys(w.strip() for w in _BETWEEN_WORDS.split(text) if w.strip()))


class TimeColumn(NumberColumn):
    """Times of a day in minutes, from 08:30 or 510; an empty cell is NaN."""

    def _read(self, row: int, cell: Cell, default: float | None) -> float:
        if cell == "":
            return math.nan
        if isinstance(cell, str) and (minutes := clock_minutes(cell)) is not None:
            return minutes
        reading = read_number(cell) if isinstance(cell, str) else None
        value = reading.value if reading is not None else cell if isinstance(cell, float) else None
        if value is None or not math.isfinite(value) or value < 0:
            self._refuse(row, cell, "give a time such as 08:30, or minutes after midnight")
            return math.nan
        is_military = isinstance(cell, str) and _MILITARY.fullmatch(cell) is not None
        if 0 < value <= 24 or is_military:
            self._refuse(
                row,
                cell,
                "write it as 08:00",
                "{field} is {value}, which may mean hours or minutes",
            )
        return value


class HoursColumn(NumberColumn):
    """Lengths of time in hours, from 8.5 or 8:30; an empty cell is NaN."""

    def _read(self, row: int, cell: Cell, default: float | None) -> float:
        if isinstance(cell, str) and (minutes := clock_minutes(cell)) is not None:
            return minutes / MINUTES_PER_HOUR
        return super()._read(row, cell, math.nan)
