"""The exceptions that callers can catch.

FripnError
├── InvalidInput            what the user gave us is wrong; the command line exits with code 2
│   ├── InvalidInstance     problem data that describe no solvable problem
│   ├── InvalidSolution     a solution that cannot be read, or breaks a rule where none may
│   ├── InvalidFile         a file that is missing, unreadable, or not in the format it claims
│   │   ├── InvalidCell     one cell of a table, with its row
│   │   └── InvalidTable    several mistakes of tables, all listed
│   ├── InvalidSetting      an option, setting or method name that does not exist or is out of range
│   ├── MissingExtra        a method needs a package that is not installed
│   ├── Unsupported         a method cannot handle the instance
│   └── CheckpointMismatch  weights that do not fit the network they are loaded into
├── TrainingFailed          training cannot go on; exit code 1
├── ClusterFailed           the connection to a cluster was lost; exit code 1
└── NoPlanFound             the instance is valid, but no feasible plan was found; exit code 1
"""

from __future__ import annotations

import math
import re
from typing import Any, TypedDict, Unpack

from fripn.messages import cut, plain, shown

#: Characters of a place, of a problem and of a remedy in a sentence, at most.
_MAX_PLACE, _MAX_PROBLEM, _MAX_REMEDY = 150, 400, 250


class _Fields(TypedDict, total=False):
    """What every error has beside the problem, for the classes that have more; see `FripnError`."""

    field: str
    value: object
    remedy: str
    place: str | tuple[str, ...]


class FripnError(Exception):
    """Base of everything this package raises on purpose.

    The fields hold what is wrong; the sentence is built from them here only.

    Parameters
    ----------
    problem
        What is wrong. ``{field}`` and ``{value}`` in it stand for the two below, the value quoted,
        escaped and cut. Without it: "{field} is {value}".
    field
        Name of the setting, key or column that is wrong.
    value
        What was given there; anything but plain data is kept as its text.
    remedy
        What to do about it.
    place
        Where it is wrong, from the outside in: a file, a line, a section.
    """

    def __init__(
        self,
        problem: str = "",
        *,
        field: str = "",
        value: object = None,
        remedy: str = "",
        place: str | tuple[str, ...] = (),
    ) -> None:
        super().__init__(problem)  # what `pickle` calls the class with; the rest is in __dict__
        self.problem = problem or ("{field} is {value}" if field else "")
        self.field = field
        self.value = plain(value)
        self.remedy = remedy
        self.place = (place,) if isinstance(place, str) else tuple(place)

    def within(self, place: str) -> None:
        """Add what surrounds the place that is wrong: the file of a line, the table of a key."""
        self.place = (place, *self.place)

    @property
    def code(self) -> str:
        """The name of the class, as a word for programs: ``invalid_file``."""
        return re.sub(r"(?<!^)(?=[A-Z])", "_", type(self).__name__).lower()

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain data, ready for JSON."""
        return {
            "code": self.code,
            "message": str(self),
            "place": list(self.place),
            "field": self.field or None,
            "value": _json_value(self.value),
            "remedy": self.remedy or None,
        }

    def __str__(self) -> str:
        """Place, what is wrong there, and the remedy, in one sentence on one line."""
        # One pass over the pattern, so that a value which contains "{field}" stays as it is.
        known = {"{field}": self.field, "{value}": shown(self.value)}
        problem = re.sub(r"\{(?:field|value)\}", lambda found: known[found[0]], self.problem)
        places = [cut(place, _MAX_PLACE) for place in self.place]
        sentence = ": ".join([*places, cut(problem, _MAX_PROBLEM)])
        return f"{sentence}; {cut(self.remedy, _MAX_REMEDY)}" if self.remedy else sentence


class InvalidInput(FripnError, ValueError):
    """The input of the user is wrong; the message names place, value and remedy."""


class InvalidInstance(InvalidInput):
    """Problem data that do not describe a solvable problem.

    Parameters
    ----------
    problem, field, value, remedy, place
        See `FripnError`.
    stop
        Index of the stop that is wrong, so that a reader can name its place in the file; None when
        it is not a single stop.
    """

    def __init__(
        self,
        problem: str = "",
        *,
        stop: int | None = None,
        **fields: Unpack[_Fields],
    ) -> None:
        super().__init__(problem, **fields)
        self.stop = stop

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain data, ready for JSON."""
        return {**super().to_dict(), "stop": self.stop}


class InvalidSolution(InvalidInput):
    """A solution that cannot be read, or breaks a rule where none may be broken."""


class InvalidFile(InvalidInput):
    """A file that is missing, unreadable, or not in the format it claims."""


class InvalidCell(InvalidFile):
    """A cell of a table that cannot be used.

    Parameters
    ----------
    problem, value, remedy, place
        See `FripnError`.
    field
        The header of the column, as the table has it.
    row
        Number of the line or row, counted from 1 as spreadsheets do; None when it is the header.
    """

    def __init__(
        self,
        problem: str = "",
        *,
        row: int | None = None,
        **fields: Unpack[_Fields],
    ) -> None:
        super().__init__(problem, **fields)
        self.row = row

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain data, ready for JSON."""
        return {**super().to_dict(), "row": self.row}


class InvalidTable(InvalidFile):
    """Several mistakes of one or two tables; its own fields are those of the first.

    Parameters
    ----------
    problem, field, value, remedy, place
        See `FripnError`.
    mistakes
        The first ones, in the order of the files; each has a place, a field, a value and a remedy.
    num_mistakes
        How many there are in all.
    """

    def __init__(
        self,
        problem: str = "",
        *,
        mistakes: tuple[InvalidInput, ...] = (),
        num_mistakes: int = 0,
        **fields: Unpack[_Fields],
    ) -> None:
        super().__init__(problem, **fields)
        self.mistakes = mistakes
        self.num_mistakes = max(num_mistakes, len(mistakes))

    @classmethod
    def of(cls, mistakes: tuple[InvalidInput, ...], num_mistakes: int) -> InvalidTable:
        """Return the error about several mistakes."""
        first = mistakes[0]
        return cls(
            first.problem,
            field=first.field,
            value=first.value,
            remedy=first.remedy,
            place=first.place,
            mistakes=mistakes,
            num_mistakes=num_mistakes,
        )

    def within(self, place: str) -> None:
        """Add what surrounds all the places that are wrong."""
        super().within(place)
        for mistake in self.mistakes:
            mistake.within(place)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain data, ready for JSON."""
        return {
            **super().to_dict(),
            "mistakes": [mistake.to_dict() for mistake in self.mistakes],
            "num_mistakes": self.num_mistakes,
        }

    def __str__(self) -> str:
        """Return the sentence about the first mistake, and how many others there are."""
        others = self.num_mistakes - 1
        more = "" if others < 1 else f" (and {others} more mistake{'s' if others > 1 else ''})"
        return super().__str__() + more


class InvalidSetting(InvalidInput):
    """An option, setting or method name that does not exist or is out of range."""


class MissingExtra(InvalidInput):
    """A method needs an optional package that is not installed."""


class Unsupported(InvalidInput):
    """A method does not support what the instance uses."""


class CheckpointMismatch(InvalidInput):
    """Weights that do not fit the network they are loaded into."""


class TrainingFailed(FripnError):
    """Training cannot go on, for example because the loss is no longer finite."""


class ClusterFailed(FripnError):
    """The cluster that runs the work does not answer any more, or cannot do the work at all."""


class NoPlanFound(FripnError):
    """The instance is valid, but no feasible plan was found within the budget."""


def _json_value(value: object) -> object:
    """Return the value as JSON can hold it: neither infinities nor NaN."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, list):
        return [_json_value(entry) for entry in value]
    if isinstance(value, dict):
        return {key: _json_value(entry) for key, entry in value.items()}
    return value
