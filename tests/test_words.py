"""Documents and messages are written in plain words, and their prose fits a screen.

The words are those that readers of the field would have to translate. Programs are read for their
comments, docstrings and strings; names are not checked.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.pure

ROOT = Path(__file__).resolve().parent.parent
MAX_LINE = 100

#: What is checked, as patterns of paths below the root.
PLACES = (
    "*.md",
    "docs/**/*.md",
    "tasks.py",
    "benchmarks/*.py",
    "cpp/**/*.cpp",
    "cpp/**/*.h",
    "examples/**/*.py",
    "experiments/*.py",
    "runs/*.py",
    "src/fripn/**/*.py",
    "tests/**/*.py",
    "tools/*.py",
)

#: A word not to use, and what to write instead.
WORDS = {
    r"(?<![-\w])laws?\b": "distribution",
    r"\bjudg(?:e[sd]?|ing|e?ments?)\b": "evaluate, evaluation",
    r"\bdear(?:er|est)?\b": "expensive, costlier",
    r"\bmend(?:s|ed|ing)?\b": "repair, fix",
    r"\banew\b": "again",
    r"\bwhole numbers?\b": "integer",
    r"(?<!there )\b(?:is|are) no (?:valid|number|integer|positive|finite|known)\b": "is not a …",
    r"\ba text\b(?! (?:file|editor|block))": "string",
    r"\bseed of all chance\b": "random seed",
    r"\bkinds? of (?:vehicles?|fleets?)\b": "vehicle type; limited or unlimited fleet",
    r"\bplay(?:s|ed|ers?|ing)?\b": "REINFORCE step, sample",
    r"\bextremes\b": "top and bottom k",
    r"\blegs?\b": "arc",
    r'"""Gives? ': "Return the …",
}
NOT_PLAIN = re.compile("|".join(WORDS), re.IGNORECASE)

#: From Python 3.12 on the text of an f-string is a token of its own.
TEXT_TOKENS = {tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", -1)}

Lines = Iterator[tuple[int, str]]


def lines_of_markdown(text: str) -> Lines:
    """Return the numbered lines outside code blocks and generated parts.

    The words of a generated part are those of the script that makes it.
    """
    is_skipped = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            is_skipped = not is_skipped
        elif re.match(r"<!-- \w+: (?:begin|end) -->", line):
            is_skipped = "begin" in line
        elif not is_skipped:
            yield number, line


def text_of_markdown(text: str) -> Lines:
    """Return the lines to read, without code in them."""
    for number, line in lines_of_markdown(text):
        yield number, re.sub(r"`[^`]*`", "``", line)


def text_of_python(text: str) -> Lines:
    """Return comments, docstrings and strings."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in TEXT_TOKENS:
            for offset, line in enumerate(token.string.splitlines()):
                yield token.start[0] + offset, line


def text_of_cpp(text: str) -> Lines:
    """Return comments and strings."""
    for match in re.finditer(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"', text, re.S):
        first = text.count("\n", 0, match.start()) + 1
        for offset, line in enumerate(match[0].splitlines()):
            yield first + offset, line


READERS: dict[str, Callable[[str], Lines]] = {
    ".md": text_of_markdown,
    ".py": text_of_python,
    ".h": text_of_cpp,
    ".cpp": text_of_cpp,
}


def words_to_replace(text: str, suffix: str) -> list[str]:
    """Return a remark for every word that should be another."""
    remarks = []
    for number, line in READERS[suffix](text):
        for match in NOT_PLAIN.finditer(line):
            better = next(b for w, b in WORDS.items() if re.fullmatch(w, match[0], re.IGNORECASE))
            remarks.append(f"line {number}: '{match[0]}'; write {better}")
    return remarks


def long_lines(text: str) -> list[str]:
    """Return a remark for every line of prose that is too long.

    Tables, headings, pictures and a single word such as a link may be longer.
    """
    remarks = []
    for number, line in lines_of_markdown(text):
        words = re.sub(r"^\s*(?:[-*]|\d+\.)\s", "", line).split()
        is_prose = len(words) > 1 and not words[0].startswith(("|", "#", "![", "<"))
        if is_prose and len(line) > MAX_LINE:
            remarks.append(f"line {number} has {len(line)} characters; wrap it at {MAX_LINE}")
    return remarks


def checked_files() -> list[str]:
    """Return the paths of what is checked."""
    found = {path for place in PLACES for path in ROOT.glob(place)}
    found.discard(Path(__file__).resolve())  # it holds the words themselves
    return sorted(path.relative_to(ROOT).as_posix() for path in found)


@pytest.mark.parametrize("name", checked_files())
def test_words_are_plain(name):
    """No word of the list stands in a document or a message."""
    path = ROOT / name
    remarks = words_to_replace(path.read_text(encoding="utf-8"), path.suffix)
    assert not remarks, "\n".join([name, *remarks])


@pytest.mark.parametrize("name", [name for name in checked_files() if name.endswith(".md")])
def test_prose_is_wrapped(name):
    """No line of prose is longer than 100 characters."""
    remarks = long_lines((ROOT / name).read_text(encoding="utf-8"))
    assert not remarks, "\n".join([name, *remarks])


@pytest.mark.parametrize(
    ("suffix", "text"),
    [
        (".md", "The plan is judged by `evaluate`."),
        (".py", 'raise ValueError(f"{name} is no valid plan")'),
        (".py", '"""Give the cost."""'),
        (".cpp", "int k = 0;  // the dearer type"),
        (".h", 'throw Error("give a whole number");'),
    ],
)
def test_a_word_of_the_list_is_found(suffix, text):
    """In a page, a message, a comment and a string of the core."""
    assert len(words_to_replace(text, suffix)) == 1


@pytest.mark.parametrize(
    ("suffix", "text"),
    [
        (".md", "Pass `--law wide`.\n```python\njudge(plan)\n```\n"),
        (".md", "<!-- x: begin -->\n| paper law |\n<!-- x: end -->\nThere is no valid plan."),
        (".py", "judged = law(mend)"),
        (".cpp", "double leg = 0.0;"),
    ],
)
def test_names_and_generated_parts_are_not_read(suffix, text):
    """Code, options and what scripts write may hold such words."""
    assert not words_to_replace(text, suffix)


def test_long_lines_are_found_in_prose_alone():
    """A paragraph is wrapped; a table, a block of code and a link need not be."""
    long = "word " * 30
    assert len(long_lines(f"{long}\n- {long}\n")) == 2
    assert not long_lines(f"| {long} |\n```sh\n{long}\n```\n- https://{'x' * 120}\n# {long}\n")
