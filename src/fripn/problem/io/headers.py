"""Which column of a table is which: our names, other words for them, and words we do not know."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import lru_cache

from fripn.errors import InvalidCell, InvalidInput
from fripn.messages import MAX_WORD, named, shown
from fripn.problem.limits import MAX_EXTRA_COLUMNS

#: A word that `--map` accepts in place of a column: the column is kept as it is.
KEEP = "keep"

#: Unknown headers that are compared with the known words, at most, and how alike they must be to be
#: questioned. Headers of four letters are too short for that: "Last" is not "lat".
_MAX_COMPARED = 200
_ALIKE = 0.84
_MIN_COMPARED = 5

_TO_ASCII = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "€": "eur", "$": "usd"})
_BRACKETS = re.compile(r"[(\[][^)\]]*[)\]]")
_GAPS = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """The columns of one table.

    Parameters
    ----------
    columns
        The names that may appear, each with its other words. Words are compared as `plain_word`
        returns them.
    required
        Columns that must appear.
    refused
        Words of what cannot be planned, each with a sentence on what to do instead.
    """

    columns: Mapping[str, Sequence[str]]
    required: Sequence[str] = ()
    refused: Mapping[str, str] = field(default_factory=dict)

    def words(self) -> Mapping[str, str]:
        """Return every word with the column it stands for."""
        return _words_of(self)

    def knows(self, header: str) -> bool:
        """Return whether a header is a word for one of the columns."""
        return plain_word(header) in self.words()


@lru_cache(maxsize=64)
def _words_of(vocabulary: Vocabulary) -> Mapping[str, str]:
    words = {word: column for column, others in vocabulary.columns.items() for word in others}
    return words | {plain_word(column): column for column in vocabulary.columns}


@dataclass(frozen=True, slots=True)
class Header:
    """The columns of a table, found.

    Parameters
    ----------
    titles
        The header as the table has it.
    places
        Place of each known column, counted from 0.
    extra
        Place of each column that is not known, by its title.
    misspelt
        Columns that one of the mistakes is about, so that they need not be called missing.
    mistakes
        What is wrong with the header.
    """

    titles: Sequence[str]
    places: Mapping[str, int]
    extra: Mapping[str, int]
    misspelt: Set[str]
    mistakes: Sequence[InvalidInput]

    def title(self, column: str) -> str:
        """Return what the table calls a column."""
        return self.titles[self.places[column]] if column in self.places else column


def plain_word(header: str) -> str:
    """Return a header in lower case and ASCII, without units in brackets.

    ``Länge (°)`` is ``laenge``.

    Blanks, hyphens and other signs between words become underscores.
    """
    text = header[: 4 * MAX_WORD].strip().casefold().translate(_TO_ASCII)
    text = unicodedata.normalize("NFKD", text)
    without = _BRACKETS.sub(" ", text)
    letters = "".join(
        one for one in (without if without.strip() else text) if not unicodedata.combining(one)
    )
    return _GAPS.sub("_", letters).strip("_")


def match_header(
    titles: Sequence[str], vocabulary: Vocabulary, mapping: Mapping[str, str] | None = None
) -> Header:
    """Find the columns of a table; mistakes are collected, not raised.

    Parameters
    ----------
    titles
        The cells of the header.
    vocabulary
        What may appear.
    mapping
        The user's word for a column to its name, or to `KEEP`. Words that are not in this header
        are passed over.
    """
    chosen = {plain_word(word): column for word, column in (mapping or {}).items()}
    known = vocabulary.words()
    claims: dict[str, list[int]] = {}
    unknown: list[int] = []
    kept: set[int] = set()
    mistakes: list[InvalidInput] = []
    for place, title in enumerate(titles):
        word = plain_word(title)
        column = chosen.get(word, "")
        if column != KEEP and column not in vocabulary.columns:  # a column of the other table
            column = known.get(word, "")
        if column in vocabulary.columns:
            claims.setdefault(column, []).append(place)
        elif word or title.strip():
            unknown.append(place)
            if column == KEEP:
                kept.add(place)
    places: dict[str, int] = {}
    for column, candidates in claims.items():
        place, others, mistake = _choose(column, candidates, titles, chosen)
        places[column] = place
        unknown.extend(others)
        kept.update(others)
        if mistake is not None:
            mistakes.append(mistake)
    extra: dict[str, int] = {}
    misspelt: set[str] = set()
    for number, place in enumerate(sorted(unknown)):
        title = titles[place].strip()
        if place not in kept and number < _MAX_COMPARED:
            word = plain_word(title)
            if word in vocabulary.refused:
                mistakes.append(_refused(title, vocabulary.refused[word]))
            elif (meant := _near(word, known, places)) is not None:
                mistakes.append(_questioned(title, meant))
                misspelt.add(known[meant])
        name, count = title, 1
        while name in extra:
            count += 1
            name = f"{title} ({count})"
        extra[name] = place
    if len(extra) > MAX_EXTRA_COLUMNS:
        mistakes.append(
            InvalidCell(
                f"{len(extra)} columns are not known, such as {{value}}",
                field="header",
                value=next(iter(extra)),
                remedy=f"at most {MAX_EXTRA_COLUMNS} can be kept; remove some, or check the file",
            )
        )
        return Header(titles, places, {}, misspelt, mistakes)
    for column in vocabulary.required:
        if column not in places and column not in misspelt:
            mistakes.append(_missing(column, titles))
    return Header(titles, places, extra, misspelt, mistakes)


def unused_words(mapping: Mapping[str, str], headers: Sequence[Sequence[str]]) -> list[str]:
    """Return the words of a mapping that none of the headers has."""
    present = {plain_word(title) for titles in headers for title in titles}
    return [word for word in mapping if plain_word(word) not in present]


def _choose(
    column: str, candidates: list[int], titles: Sequence[str], chosen: Mapping[str, str]
) -> tuple[int, list[int], InvalidInput | None]:
    """Return the place of a column, those of other words for it, and what is wrong with them."""
    by_order = [place for place in candidates if plain_word(titles[place]) in chosen]
    by_name = by_order or [place for place in candidates if plain_word(titles[place]) == column]
    best = by_name or candidates
    if len(best) == 1:
        return best[0], [place for place in candidates if place != best[0]], None
    first, second = (titles[place].strip() for place in best[:2])
    if plain_word(first) == plain_word(second):
        problem, remedy = f"the column {column!r} appears twice ({{value}})", "keep one"
    else:
        problem = f"the columns {shown(first)} and {{value}} may both be the {column}"
        remedy = f"say which, with --map {named(first)}={column}"
    return best[0], [], InvalidCell(problem, field=column, value=second, remedy=remedy)


def _near(word: str, known: Mapping[str, str], places: Mapping[str, int]) -> str | None:
    """Return the known word that a header may be a misspelling of, if its column is not there."""
    if not _MIN_COMPARED <= len(word) <= MAX_WORD:
        return None
    absent = [other for other, column in known.items() if column not in places and len(other) > 3]
    close = difflib.get_close_matches(word, absent, n=1, cutoff=_ALIKE)
    return close[0] if close else None


def _questioned(title: str, meant: str) -> InvalidInput:
    return InvalidCell(
        "unknown column {value}",
        field="header",
        value=title,
        remedy=f"did you mean {meant!r}? rename it, or keep it as it is with "
        f"--map '{named(title)}={KEEP}'",
    )


def _refused(title: str, instead: str) -> InvalidInput:
    return InvalidCell(
        "the column {value} is not supported",
        field="header",
        value=title,
        remedy=f"{instead}; --map '{named(title)}={KEEP}' keeps it as information only",
    )


def _missing(column: str, titles: Sequence[str]) -> InvalidInput:
    listed = ", ".join(named(title.strip()) for title in titles[:20] if title.strip())
    return InvalidCell(
        f"the column {column!r} is missing (the header has {listed}"
        + (", …)" if len(titles) > 20 else ")"),
        field=column,
        remedy=f"add it, or say which column it is: --map WORD={column}",
    )
