"""The numbers that the paper published, read from ``fripn/data/paper``."""

from __future__ import annotations

import csv
from functools import cache
from importlib import resources
from typing import NamedTuple

#: Sizes of Table 1.
SIZES = (20, 50, 75, 100)

#: The paper itself, among the sources of Table 2.
PAPER = "Wan et al."

#: The averages below its Table 2: cost, and the gap that is called average.
TABLE2_AVERAGE_COST = 4095.91
TABLE2_AVERAGE_GAP = 1.10


class Cell(NamedTuple):
    """What a method achieved: cost, seconds per instance, and percent above the best.

    ``seconds`` and ``gap_percent`` are None where the paper has none.
    """

    cost: float
    seconds: float | None
    gap_percent: float | None = None


def seconds_text(seconds: float | None) -> str:
    """Return seconds as the paper prints them: integers, or two decimals."""
    if seconds is None:
        return "–"
    return f"{seconds:.0f}" if seconds == int(seconds) else f"{seconds:.2f}"


@cache
def table1() -> dict[tuple[str, str], dict[int, Cell]]:
    """Return Table 1: by method and decoding (empty for heuristics), then by size."""
    table: dict[tuple[str, str], dict[int, Cell]] = {}
    for row in _rows("table1.csv"):
        cells = table.setdefault((row["method"], row["decoding"]), {})
        cells[int(row["size"])] = Cell(
            float(row["cost"]), float(row["seconds"]), float(row["gap_percent"])
        )
    return table


@cache
def table2() -> dict[str, dict[str, Cell]]:
    """Return Table 2: by source, then by instance of the library."""
    table: dict[str, dict[str, Cell]] = {}
    for row in _rows("table2.csv"):
        seconds = float(row["seconds"]) if row["seconds"] else None
        table.setdefault(row["source"], {})[row["instance"]] = Cell(float(row["cost"]), seconds)
    return table


@cache
def sources() -> dict[str, str]:
    """Return the reference of each source of Table 2."""
    return {row["source"]: row["reference"] for row in _rows("sources.csv")}


def _rows(name: str) -> list[dict[str, str]]:
    file = resources.files("fripn") / "data" / "paper" / name
    return list(csv.DictReader(file.read_text(encoding="utf-8").splitlines()))
