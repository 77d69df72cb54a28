"""Text files of benchmarks, recognised by their first lines: Solomon's and Cordeau's formats."""

from __future__ import annotations

from itertools import islice
from typing import Literal

from fripn.problem.instance import Instance, VehicleType
from fripn.problem.io.cordeau_text import instance_from_cordeau
from fripn.problem.io.solomon_text import instance_from_solomon
from fripn.problem.io.text import lines_of

BenchmarkForm = Literal["solomon", "cordeau"]

#: Lines that are looked at.
_HEAD = 10


def benchmark_form(text: str) -> BenchmarkForm | None:
    """Return the format of the content of a file; None for neither, a table for example."""
    head = [line.strip()[:200] for line in islice(lines_of(text), _HEAD) if line.strip()]
    if any(line.upper() == "VEHICLE" for line in head):
        return "solomon"
    words = head[0].split() if head else []
    if len(words) == 4 and all(word.isascii() and word.isdigit() for word in words):
        return "cordeau"
    return None


def instance_from_benchmark(
    text: str,
    form: BenchmarkForm,
    default_name: str,
    vehicle_types: tuple[VehicleType, ...] | None = None,
) -> Instance:
    """Build an instance from the text of a benchmark file.

    Parameters
    ----------
    text, form
        The content, and its format.
    default_name
        Name of the instance when the file has none.
    vehicle_types
        Types in place of the one that a file of Solomon's has.

    Raises
    ------
    InvalidFile, InvalidInstance
        With the line that is wrong.
    """
    if form == "solomon":
        return instance_from_solomon(text, default_name, vehicle_types)
    return instance_from_cordeau(text, default_name)
