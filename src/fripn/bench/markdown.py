"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def markdown_table(
    header: Sequence[str], rows: Iterable[Sequence[str]], *, num_left: int = 1
) -> str:
    """Return a table, without a newline at its end.

    Parameters
    ----------
    header
        Titles of the columns.
    rows
        Cells, as many in each row as there are titles.
    num_left
        How many columns, counted from the first, hold text and are aligned to the left; the others
        hold numbers.

    Raises
    ------
    ValueError
        When a row has another number of cells than the header.
    """
    rule = ["---" if place < num_left else "---:" for place in range(len(header))]
    lines = [header, rule]
    for row in rows:
        if len(row) != len(header):
            raise ValueError(f"a row of {len(row)} cells under {len(header)} titles: {row}")
        lines.append(row)
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
