"""Generated parts of Markdown pages: between two marks, rewritten by the script that owns them."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from fripn.errors import InvalidFile
from fripn.problem.io.atomic import write_all_atomically

#: Characters of a line of prose, at most.
MAX_LINE = 100


@dataclass(frozen=True, slots=True)
class Block:
    """A generated part of a page.

    Parameters
    ----------
    page
        A Markdown file that holds ``<!-- NAME: begin -->`` and ``<!-- NAME: end -->``.
    name
        What the marks are called.
    text
        Markdown; lines of prose are wrapped, those of tables are not.
    """

    page: Path
    name: str
    text: str

    def __post_init__(self) -> None:
        """Wrap the text."""
        object.__setattr__(self, "text", wrapped(self.text))


def wrapped(text: str) -> str:
    """Return Markdown whose lines of prose are not longer than the pages allow."""
    lines: list[str] = []
    for line in text.split("\n"):
        if len(line) <= MAX_LINE or line.startswith(("|", "#", "!", "<")):
            lines.append(line)
            continue
        item = re.match(r"\s*(?:[-*]|\d+\.)\s+|\s*", line)
        indent = " " * len(item[0]) if item else ""
        lines += textwrap.wrap(
            line,
            MAX_LINE,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
    return "\n".join(lines)


def write_blocks(blocks: Iterable[Block]) -> None:
    """Put every text between the marks of its name; all pages are written, or none.

    Raises
    ------
    InvalidFile
        When a page cannot be read or does not have the marks, once each and in order.
    """
    pages: dict[Path, str] = {}
    for block in blocks:
        content = pages[block.page] if block.page in pages else _read(block.page)
        pages[block.page] = _with_block(content, block)
    write_all_atomically(pages)


def _read(page: Path) -> str:
    try:
        return page.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidFile(
            f"{page} cannot be read: {error}",
            field="page",
            value=page,
            remedy="check the path and its permissions",
        ) from None


def _with_block(content: str, block: Block) -> str:
    begin, end = f"<!-- {block.name}: begin -->", f"<!-- {block.name}: end -->"
    if content.count(begin) != 1 or content.count(end) != 1:
        raise InvalidFile(
            f"{block.page} does not have the marks {begin} and {end}",
            field="page",
            value=block.page,
            remedy="add both, once",
        )
    before, rest = content.split(begin)
    if end not in rest:
        raise InvalidFile(
            f"{block.page} has {end} before {begin}",
            field="page",
            value=block.page,
            remedy="put them in order",
        )
    return f"{before}{begin}\n{block.text.strip()}\n{end}{rest.split(end)[1]}"
