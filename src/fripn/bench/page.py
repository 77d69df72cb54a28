"""Generated parts of Markdown pages: between two marks, rewritten by the script that owns them."""

from __future__ import annotations

from pathlib import Path

from fripn.errors import InvalidFile


def replace_block(page: Path, name: str, text: str) -> None:
    """Put text between the marks of a name.

    Parameters
    ----------
    page
        A Markdown file that holds ``<!-- NAME: begin -->`` and ``<!-- NAME: end -->``.
    name
        What the marks are called.
    text
        Markdown.

    Raises
    ------
    InvalidFile
        When the page does not have the marks, once each and in order.
    """
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    content = page.read_text(encoding="utf-8")
    if content.count(begin) != 1 or content.count(end) != 1:
        raise InvalidFile(f"{page} does not have the marks {begin} and {end}; add both, once")
    before, rest = content.split(begin)
    if end not in rest:
        raise InvalidFile(f"{page} has {end} before {begin}; put them in order")
    after = rest.split(end)[1]
    page.write_text(f"{before}{begin}\n{text.strip()}\n{end}{after}", encoding="utf-8")
