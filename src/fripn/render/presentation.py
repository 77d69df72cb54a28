"""How reports and sheets show a plan: language, units, colours, and what stands in their heads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from fripn.errors import InvalidSetting
from fripn.messages import nearest
from fripn.problem.clock import clock, known_hour
from fripn.problem.instance import Instance
from fripn.render.language import LANGUAGES, Language, text_in
from fripn.render.text import number, quantity, seconds_text

#: What the colour of a route stands for; ``shade``: its type, in a shade of its own.
Colours = Literal["shade", "type", "route"]

COLOURS: tuple[Colours, ...] = get_args(Colours)

#: Map applications that links of driver sheets open; ``geo`` is the one that a phone prefers.
MapLinks = Literal["google", "osm", "apple", "geo"]

MAP_LINKS: tuple[MapLinks, ...] = get_args(MapLinks)

#: Characters of a unit or currency, at most: it stands beside every number.
MAX_UNIT = 12


@dataclass(frozen=True, slots=True)
class Presentation:
    """What a page says beside the plan, and how it writes numbers.

    Parameters
    ----------
    language
        ``en`` or ``de``; German numbers have a decimal comma.
    currency
        A sign such as ``€`` or a code such as ``EUR``, written with every cost.
    load_unit, distance_unit
        Written with loads and distances; without `distance_unit`, distances between latitudes and
        longitudes are in km, and others have no unit.
    title
        Heading; the name of the instance when None.
    date
        The day the plan is for, as it should be read; nothing when empty.
    made_on
        The day the page was made; nothing when empty, so that the same plan gives the same page.
    sources
        Names of the files the plan was made from.
    colours
        What the colour of a route stands for.
    map_links
        What the links of driver sheets open: Google Maps, OpenStreetMap, Apple Maps, or (``geo``)
        the application that a phone prefers. Links to whole routes exist for the first and third.

    Raises
    ------
    InvalidSetting
        When language, colours or map links do not exist, or a unit is longer than a unit is.
    """

    language: Language = "en"
    currency: str = ""
    load_unit: str = ""
    distance_unit: str | None = None
    title: str | None = None
    date: str = ""
    made_on: str = ""
    sources: tuple[str, ...] = ()
    colours: Colours = "shade"
    map_links: MapLinks = "google"

    def __post_init__(self) -> None:
        """Check what the user may have typed."""
        choices: tuple[tuple[str, tuple[str, ...]], ...] = (
            ("language", LANGUAGES),
            ("colours", COLOURS),
            ("map_links", MAP_LINKS),
        )
        for field, valid in choices:
            if getattr(self, field) not in valid:
                value = getattr(self, field)
                raise InvalidSetting(field=field, value=value, remedy=nearest(str(value), valid))
        for field in ("currency", "load_unit", "distance_unit"):
            unit = getattr(self, field) or ""
            if len(unit) > MAX_UNIT or not unit.isprintable():
                raise InvalidSetting(
                    field=field,
                    value=unit,
                    remedy=f"write at most {MAX_UNIT} visible characters, such as kg or EUR",
                )

    def text(self, key: str, **values: object) -> str:
        """Return one of the texts in the language of the page."""
        return text_in(self.language, key, **values)

    def localised(self, figure: str) -> str:
        """Return a number that was written in English as the language writes it."""
        if self.language == "en":
            return figure
        return figure.translate(str.maketrans(",.", ".,"))

    def number(self, value: float) -> str:
        """Return a number with two decimals."""
        return self.localised(number(value))

    def count(self, value: int) -> str:
        """Return an integer with its thousands separated."""
        return self.localised(f"{value:,}")

    def percent(self, share: float, decimals: int = 0, *, signed: bool = False) -> str:
        """Return a share as percent."""
        # Rounding may leave a minus sign before nothing.
        shown = round(100 * share, decimals) + 0.0
        return self.localised(f"{shown:{'+' if signed else ''}.{decimals}f}") + " %"

    def seconds(self, seconds: float) -> str:
        """Return a duration."""
        return self.localised(seconds_text(seconds))

    def money(self, value: float, *, signed: bool = False) -> str:
        """Return a cost with its currency: ``€12.50``, ``12.50 EUR``, ``12,50 €``."""
        figure = self.number(abs(value) if signed else value)
        sign = ("+" if value >= 0 else "−") if signed else ""
        if not self.currency:
            return sign + figure
        if self.language == "en" and len(self.currency) == 1:
            return f"{sign}{self.currency}{figure}"
        return f"{sign}{figure} {self.currency}"

    def load(self, value: float) -> str:
        """Return a load with its unit."""
        return _with_unit(self.localised(quantity(value)), self.load_unit)

    def loads(self, values: Sequence[float], instance: Instance) -> str:
        """Return a load with its unit; several dimensions with their names: ``20 kg, 3 m³``."""
        if len(values) == 1:
            return self.load(values[0])
        names = instance.load_names or ("",) * len(values)
        return ", ".join(
            _with_unit(self.localised(quantity(value)), name)
            for value, name in zip(values, names, strict=True)
        )

    def clock(self, time: float, instance: Instance) -> str:
        """Return a time of the day: ``8:05`` where the unit of time is known, else a number."""
        hour = known_hour(instance)
        if hour is None:
            return _with_unit(self.number(time), instance.time_unit or "")
        return clock(time, hour)

    def has_clock(self, instance: Instance) -> bool:
        """Return whether times can be shown as times of the day."""
        return known_hour(instance) is not None

    def duration(self, time: float, instance: Instance) -> str:
        """Return a length of time: ``3:25 h`` where the unit of time is known, else a number."""
        text = self.clock(time, instance)
        return f"{text} h" if self.has_clock(instance) else text

    def unit_of_distance(self, instance: Instance) -> str:
        """Return the unit of the distances of an instance; may be empty."""
        if self.distance_unit is not None:
            return self.distance_unit
        if instance.distance_unit is not None:
            return instance.distance_unit
        return "km" if instance.metric == "great_circle" else ""

    def distance(self, value: float, instance: Instance) -> str:
        """Return a distance with its unit; kilometres have one decimal."""
        unit = self.unit_of_distance(instance)
        figure = f"{value:,.1f}" if unit == "km" and not 0 < value < 0.1 else number(value)
        return _with_unit(self.localised(figure), unit)

    def stops(self, count: int) -> str:
        """Return a number of stops in words."""
        return self.text("stop") if count == 1 else self.text("stops", count=self.count(count))

    def customers(self, count: int) -> str:
        """Return a number of customers in words."""
        if count == 1:
            return self.text("customer")
        return self.text("customers", count=self.count(count))


def _with_unit(figure: str, unit: str) -> str:
    return f"{figure} {unit}" if unit else figure
