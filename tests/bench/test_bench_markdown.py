"""Tables in Markdown."""

import pytest

from fripn.bench.markdown import markdown_table

pytestmark = pytest.mark.pure


def test_columns_of_text_come_first():
    """They are aligned to the left, numbers to the right; an empty cell stays empty."""
    assert markdown_table(["a", "b", "c"], [["x", "", "1"]], num_left=2) == (
        "| a | b | c |\n| --- | --- | ---: |\n| x |  | 1 |"
    )
    assert markdown_table(["n"], [], num_left=0) == "| n |\n| ---: |"


def test_a_row_has_a_cell_for_every_column():
    """A table with holes would be shown shifted."""
    with pytest.raises(ValueError, match="a row of 1 cells under 2 titles"):
        markdown_table(["a", "b"], [["x"]])
