"""Tables of cells as Markdown, as aligned text and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any


def text_table(header: Sequence[str], rows: Iterable[Sequence[str]], *, num_left: int = 1) -> str:
    """Return aligned columns, without a newline at the end.

    Parameters
    ----------
    header, rows
        Titles and cells.
    num_left
        How many columns, counted from the first, hold text and are aligned to the left.
    """
    table = [header, *rows]
    widths = [max(len(row[place]) for row in table) for place in range(len(header))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if place < num_left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in table
    )


def csv_table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return CSV text with all digits."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue()


def number_cell(value: float | None, digits: int) -> str:
    """Return a number, or a dash where there is none; what rounds to 0 has no sign."""
    if value is None:
        return "–"
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0.0 else text
