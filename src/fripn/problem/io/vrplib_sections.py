"""The text of a VRPLIB file as its specifications and sections, each value checked once."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field

import numpy as np

from fripn.errors import InvalidFile
from fripn.messages import nearest, shown
from fripn.problem.instance import FloatArray
from fripn.problem.io.text import finite, is_number, lines_of, to_numbers, words_of

#: Specifications: "KEY : value". All but the first three matter to this problem.
SPECIFICATIONS = (
    "NAME",
    "COMMENT",
    "TYPE",
    "DIMENSION",
    "VEHICLES",
    "CAPACITY",
    "EDGE_WEIGHT_TYPE",
    "EDGE_WEIGHT_FORMAT",
    "NODE_COORD_TYPE",
    "DISPLAY_DATA_TYPE",
    "VEHICLES_FIXED_COST",
    "VEHICLES_UNIT_DISTANCE_COST",
    "VEHICLES_MAX_DURATION",
    "VEHICLES_MAX_DISTANCE",
    "SERVICE_TIME",
)

#: How the rows of a section look: number of entries, and their meaning. None: any number.
_ROWS: dict[str, tuple[int | None, str]] = {
    "NODE_COORD_SECTION": (3, "node x y"),
    "DEMAND_SECTION": (2, "node demand"),
    "DEPOT_SECTION": (1, "a node"),
    "EDGE_WEIGHT_SECTION": (None, ""),
    "TIME_WINDOW_SECTION": (3, "node open close"),
    "SERVICE_TIME_SECTION": (2, "node time"),
    "CAPACITY_SECTION": (2, "vehicle capacity"),
    "VEHICLES_FIXED_COST_SECTION": (2, "vehicle cost"),
    "VEHICLES_UNIT_DISTANCE_COST_SECTION": (2, "vehicle cost"),
    "VEHICLES_MAX_DURATION_SECTION": (2, "vehicle duration"),
    "VEHICLES_MAX_DISTANCE_SECTION": (2, "vehicle distance"),
    "VEHICLES_DEPOT_SECTION": (2, "vehicle depot"),
    "VEHICLES_ALLOWED_CLIENTS_SECTION": (None, "vehicle client client …"),
}

#: Sections with an entry per load dimension: the first row decides how many.
_LOAD_SECTIONS = ("DEMAND_SECTION", "CAPACITY_SECTION")

#: Sections whose rows have any number of entries each.
_RAGGED_SECTIONS = ("VEHICLES_ALLOWED_CLIENTS_SECTION",)

#: Sections that number the nodes from 1.
_NODE_SECTIONS = (
    "NODE_COORD_SECTION",
    "DEMAND_SECTION",
    "TIME_WINDOW_SECTION",
    "SERVICE_TIME_SECTION",
)

#: Rows of a fixed number of entries are not longer than this.
_MAX_ROW = 500

#: A load dimension more than this many is a mistake.
_MAX_WIDTH = 20


@dataclass(slots=True)
class VrplibFile:
    """Content of a file: specifications as strings, and the numbers of each section in a row."""

    specifications: dict[str, str] = field(default_factory=dict)
    sections: dict[str, array[float]] = field(default_factory=dict)
    widths: dict[str, int] = field(default_factory=dict)
    ragged: dict[str, list[array[float]]] = field(default_factory=dict)

    def has(self, name: str) -> bool:
        """Whether there is such a section, rows or not."""
        return f"{name}_SECTION" in self.sections

    def number(self, name: str, default: float | None = None) -> float:
        """Return the number of a specification; `default` if there is none."""
        if name not in self.specifications and default is not None:
            return default
        text = self.specifications[name]
        if not is_number(text):
            raise InvalidFile(field=name, value=text, remedy="give a number")
        return finite(float(text), name)

    def integer(self, name: str, default: int) -> int:
        """Return the integer of a specification, 1 or more; `default` if there is none."""
        if name not in self.specifications:
            return default
        text = self.specifications[name]
        if not (text.isascii() and text.isdigit() and len(text) <= 18 and int(text) >= 1):
            raise InvalidFile(field=name, value=text, remedy="give an integer, 1 or more")
        return int(text)

    def rows(self, name: str) -> FloatArray:
        """Return the rows of a section that numbers its rows, without these numbers."""
        section = f"{name}_SECTION"
        if section not in self.sections:
            if name in self.specifications:
                raise InvalidFile(
                    field=name, value=self.specifications[name], remedy=f"give a {section}"
                )
            raise InvalidFile(f"{section} is missing", field=section, remedy="add it")
        width = self.widths.get(section) or _ROWS[section][0]
        assert width is not None
        values = np.frombuffer(self.sections[section], dtype=np.float64)
        return values.reshape(-1, width)[:, 1:]

    def column(self, name: str) -> FloatArray:
        """Return a section that has one number per row."""
        return self.rows(name)[:, 0]


def parse_sections(text: str) -> VrplibFile:
    """Read the text in one pass.

    Raises
    ------
    InvalidFile
        With the line that is wrong.
    """
    file = VrplibFile()
    section, number = "", 0
    lines = lines_of(text)
    try:
        for line in map(str.strip, lines):
            number += 1
            if not line or line.startswith("#"):
                continue
            if line[0].isalpha() or not section:
                head = line[:_MAX_ROW]
                if "EOF" in head:
                    break
                if "_SECTION" in head:
                    section = head.strip(" \t:")
                    _begin(file, section)
                    continue
            if section:
                _add_row(file, section, line)
            else:
                _add_specification(file, line[:_MAX_ROW])
    except InvalidFile as error:
        error.within(f"line {number}")
        raise
    return file


def _begin(file: VrplibFile, section: str) -> None:
    name = section.removesuffix("_SECTION")
    if section not in _ROWS:
        known = [name.removesuffix("_SECTION") for name in _ROWS]
        raise InvalidFile(
            f"{shown(name)[1:-1]} is not part of this problem",
            field=section,
            remedy=nearest(name, known),
        )
    if section in file.sections:
        raise InvalidFile(f"{section} appears twice", field=section, remedy="keep one of them")
    if name in file.specifications:
        raise InvalidFile(
            f"{name} is given as a line and as a section", field=name, remedy="keep one of them"
        )
    file.sections[section] = array("d")


def _add_specification(file: VrplibFile, line: str) -> None:
    key, colon, value = (part.strip() for part in line.partition(":"))
    key = key.upper()
    if not colon:
        raise InvalidFile(
            f"this is {shown(line)}",
            value=line,
            remedy="write 'KEY : value', or the name of a section",
        )
    if key not in SPECIFICATIONS:
        raise InvalidFile(
            f"{shown(key)[1:-1]} is not part of this problem",
            field=key,
            value=value,
            remedy=nearest(key, SPECIFICATIONS),
        )
    if key in file.specifications:
        raise InvalidFile(f"{key} appears twice", field=key, value=value, remedy="keep one of them")
    file.specifications[key] = value


def _add_row(file: VrplibFile, section: str, line: str) -> None:
    width, form = _ROWS[section]
    values = file.sections[section]
    if width is None:
        row_values = values
        if section in _RAGGED_SECTIONS:
            row_values = array("d")
            file.ragged.setdefault(section, []).append(row_values)
        for words in words_of(line):
            row_values.extend(to_numbers(words, section))
        return
    numbers = to_numbers(line.split(), section) if len(line) <= _MAX_ROW else []
    if section in _LOAD_SECTIONS and not values and width <= len(numbers) <= _MAX_WIDTH:
        file.widths[section] = len(numbers)
    width = file.widths.get(section, width)
    if len(numbers) != width:
        raise InvalidFile(
            f"{section} has {{value}}",
            field=section,
            value=line,
            remedy=f"write {form} in each row",
        )
    row = len(values) // width + 1
    if section in _NODE_SECTIONS and numbers[0] != row:
        raise InvalidFile(
            f"{section} has node {shown(numbers[0])} where node {row} belongs",
            field=section,
            value=numbers[0],
            remedy="number the nodes 1, 2, 3, … in this order",
        )
    values.extend(numbers)
