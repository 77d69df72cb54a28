"""Generated parts of pages."""

from pathlib import Path

import pytest

from fripn.bench.page import Block, wrapped, write_blocks
from fripn.errors import InvalidFile

pytestmark = pytest.mark.pure


def test_only_what_is_between_the_marks_changes(tmp_path):
    """Twice with the same text is the same page; one page may have several parts."""
    page = tmp_path / "page.md"
    old = (
        "# Title\n\n<!-- t: begin -->\nold\n<!-- t: end -->\n\n<!-- u: begin --><!-- u: end -->é\n"
    )
    page.write_text(old, "utf-8")
    for _ in range(2):
        write_blocks([Block(page, "t", "| new |\n"), Block(page, "u", "other")])
    expected = "# Title\n\n<!-- t: begin -->\n| new |\n<!-- t: end -->\n\n"
    expected += "<!-- u: begin -->\nother\n<!-- u: end -->é\n"
    assert page.read_text("utf-8") == expected


@pytest.mark.parametrize(
    "content",
    ["nothing", "<!-- t: begin -->", "<!-- t: end -->\n<!-- t: begin -->", "<!-- t: begin -->" * 2],
)
def test_pages_are_left_alone_when_one_lacks_its_marks(tmp_path, content):
    """It says which marks are missing, and nothing is written."""
    whole = "<!-- t: begin --><!-- t: end -->"
    first, second = tmp_path / "first.md", tmp_path / "second.md"
    first.write_text(whole, "utf-8")
    second.write_text(content, "utf-8")
    with pytest.raises(InvalidFile, match=r"second\.md .*t: "):
        write_blocks([Block(first, "t", "new"), Block(second, "t", "new")])
    assert (first.read_text("utf-8"), second.read_text("utf-8")) == (whole, content)
    with pytest.raises(InvalidFile, match=r"none\.md cannot be read"):
        write_blocks([Block(tmp_path / "none.md", "t", "new")])


def test_prose_of_a_block_is_wrapped_and_tables_are_not():
    """Items of lists go on below their text; wrapping again changes nothing."""
    row = f"| {'cell ' * 40}|"
    item = "- " + "word " * 40
    text = f"{row}\n\n{item.strip()}\n{'x' * 150}\nshort"
    block = Block(Path("page.md"), "name", text)
    lines = block.text.split("\n")
    assert lines[0] == row
    assert max(len(line) for line in lines[1:] if "x" not in line) <= 100
    assert lines[3].startswith("  word")
    assert lines[-2:] == ["x" * 150, "short"]
    assert wrapped(block.text) == block.text
