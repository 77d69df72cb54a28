"""Options about how plans are shown to people: language, units, title, colours, driver sheets."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date as calendar_date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from fripn.problem.inputs import STANDARD_INPUT

if TYPE_CHECKING:
    from fripn.render.language import Language
    from fripn.render.presentation import Colours, MapLinks, Presentation

SheetsOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--sheets",
        metavar="DIR|FILE",
        help="Write driver sheets: .html, .pdf (extra 'sheets'), or a folder with a page and a GPX "
        "file per vehicle; may be repeated.",
    ),
]
LanguageOption = Annotated[
    str, typer.Option("--language", metavar="en|de", help="Language of reports and driver sheets.")
]
CurrencyOption = Annotated[
    str | None, typer.Option("--currency", metavar="SIGN", help="Of costs in reports: €, EUR, …")
]
LoadUnitOption = Annotated[
    str | None,
    typer.Option("--load-unit", metavar="UNIT", help="Of loads in reports and sheets: kg, …"),
]
DistanceUnitOption = Annotated[
    str | None,
    typer.Option(
        "--distance-unit",
        metavar="UNIT",
        help="Of distances in reports and sheets; km between latitudes and longitudes.",
    ),
]
TitleOption = Annotated[
    str | None, typer.Option("--title", metavar="TEXT", help="Heading of reports and sheets.")
]
DateOption = Annotated[
    str | None,
    typer.Option(
        "--date", metavar="TEXT", help="The day the plan is for, in reports and sheets; or today."
    ),
]
ColoursOption = Annotated[
    str,
    typer.Option(
        "--colours",
        metavar="shade|type|route",
        help="What colours in the report tell apart: types, with shades for their routes; types "
        "alone; or routes.",
    ),
]

MapLinksOption = Annotated[
    str,
    typer.Option(
        "--map-links",
        metavar="google|osm|apple|geo",
        help="What links of driver sheets open: Google Maps, OpenStreetMap, Apple Maps, or the "
        "application that a phone prefers.",
    ),
]


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """How a report shows a plan."""

    title: TitleOption = None
    date: DateOption = None
    language: LanguageOption = "en"
    currency: CurrencyOption = None
    load_unit: LoadUnitOption = None
    distance_unit: DistanceUnitOption = None
    colours: ColoursOption = "shade"

    def presentation(self, *sources: Path | str | None) -> Presentation:
        """Return what the options mean; pages say when they were made, and from which files.

        Raises
        ------
        InvalidSetting
            When one of them is wrong.
        """
        from fripn.render.presentation import Presentation

        today = calendar_date.today().isoformat()
        return Presentation(
            # Other words are refused there.
            language=cast("Language", self.language),
            currency=self.currency or "",
            load_unit=self.load_unit or "",
            distance_unit=self.distance_unit,
            title=self.title,
            date=today if self.date == "today" else self.date or "",
            made_on=today,
            sources=tuple(
                Path(source).name
                for source in sources
                if source is not None and source != STANDARD_INPUT
            ),
            colours=cast("Colours", self.colours),
        )


@dataclass(frozen=True, slots=True)
class ShowingOptions(ReportOptions):
    """How reports and driver sheets show a plan."""

    map_links: MapLinksOption = "google"

    def presentation(self, *sources: Path | str | None) -> Presentation:
        """Return what the options mean; see `ReportOptions.presentation`."""
        # Not super(), which does not know a class with slots that `dataclass` has made again.
        show = ReportOptions.presentation(self, *sources)
        return replace(show, map_links=cast("MapLinks", self.map_links))
