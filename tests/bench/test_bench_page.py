"""Generated parts of pages."""

import pytest

from fripn.bench.page import replace_block
from fripn.errors import InvalidFile


def test_only_what_is_between_the_marks_changes(tmp_path):
    """Twice with the same text is the same page."""
    page = tmp_path / "page.md"
    page.write_text("# Title\n\n<!-- t: begin -->\nold\n<!-- t: end -->\n\nrest é\n", "utf-8")
    for _ in range(2):
        replace_block(page, "t", "| new |\n")
    expected = "# Title\n\n<!-- t: begin -->\n| new |\n<!-- t: end -->\n\nrest é\n"
    assert page.read_text("utf-8") == expected


@pytest.mark.parametrize(
    "content",
    ["nothing", "<!-- t: begin -->", "<!-- t: end -->\n<!-- t: begin -->", "<!-- t: begin -->" * 2],
)
def test_a_page_without_its_marks_is_left_alone(tmp_path, content):
    """It says which marks are missing."""
    page = tmp_path / "page.md"
    page.write_text(content, "utf-8")
    with pytest.raises(InvalidFile, match="t: "):
        replace_block(page, "t", "new")
    assert page.read_text("utf-8") == content
