"""Many plans on one page: a row per day with links to its files, and the sums."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files

from fripn._version import __version__
from fripn.messages import escaped, named
from fripn.render.presentation import Presentation
from fripn.render.report.page import made_text
from fripn.render.report.parts import body_row, head_row
from fripn.render.text import escape, number

#: One row of a table.
Row = list[str | int | float | None]


@dataclass(frozen=True, slots=True)
class Day:
    """One of many plans.

    Parameters
    ----------
    name
        What it is for: usually the name of a file, such as ``monday``.
    cost, distance
        Of its plan; None when there is none.
    vehicles
        How many of each type are used, by name.
    error
        Why there is no plan, in a sentence; None when there is one.
    distance_unit
        May be empty.
    links
        Files beside the page, by the key of their text.
    """

    name: str
    cost: float | None
    distance: float | None
    vehicles: Mapping[str, int]
    error: str | None = None
    distance_unit: str = ""
    links: Mapping[str, str] = field(default_factory=dict)


class Sums:
    """The sums of many plans, added one by one."""

    def __init__(self) -> None:
        self.cost = self.distance = 0.0
        self.num_plans = 0
        self.vehicles: Counter[str] = Counter()
        self.largest: Counter[str] = Counter()
        self._units: set[str] = set()

    def add(self, day: Day) -> None:
        """Add a plan; a day without one adds nothing."""
        if day.cost is None or day.distance is None:
            return
        self.num_plans += 1
        self.cost += day.cost
        self.distance += day.distance
        self.vehicles.update(day.vehicles)
        self.largest |= Counter(day.vehicles)
        self._units.add(day.distance_unit)

    @property
    def distance_unit(self) -> str:
        """The unit of all distances; empty when there are several."""
        return next(iter(self._units)) if len(self._units) == 1 else ""


def vehicles_text(vehicles: Mapping[str, int]) -> str:
    """Return what is used, such as ``2 × A, 5 × C``."""
    return ", ".join(f"{count} × {named(name)}" for name, count in vehicles.items() if count)


def overview_html(days: Iterable[Day], title: str, show: Presentation) -> Iterator[str]:
    """Yield the parts of the page: cost, distance and vehicles of every day, its files, the sums.

    One day at a time is in memory.
    """
    sums = Sums()
    titles = [show.text(key) for key in ("day", "cost", "distance", "vehicles", "fleet", "files")]
    style = files("fripn.render.report").joinpath("page.css").read_text(encoding="utf-8")
    day_text = f" · <strong>{escape(named(show.date))}</strong>" if show.date else ""
    yield (
        f'<!DOCTYPE html>\n<html lang="{show.language}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="generator" content="fripn {__version__}">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>\n"
        f"<header><div><h1>{escape(title)}</h1>"
        f'<p class="lead">{escape(show.text("overview"))}{day_text}</p></div></header>\n'
        f'<div class="card"><div class="scroll"><table class="cards">'
        f"{head_row(titles, texts=(0, 4, 5))}<tbody>"
    )
    for day in days:
        sums.add(day)
        yield _day_row(day, titles, show)
    foot = body_row(
        titles,
        (
            escape(show.text("total")),
            escape(show.money(sums.cost)),
            escape(_distance(sums.distance, sums.distance_unit, show)),
            show.count(sums.vehicles.total()),
            escape(vehicles_text(sums.vehicles)),
            "",
        ),
        texts=(0, 4, 5),
    )
    largest = escape(show.text("largest_fleet", fleet=vehicles_text(sums.largest)))
    yield (
        f'</tbody><tfoot>{foot}</tfoot></table></div><p class="legend">{largest}</p></div>\n'
        f"<footer>{escape(made_text(show))} {escape(show.text('offline'))}</footer>\n"
        "</main>\n</body>\n</html>\n"
    )


def _day_row(day: Day, titles: Sequence[str], show: Presentation) -> str:
    name = escape(named(day.name))
    if day.cost is None or day.distance is None:
        reason = escape(show.text("failed", reason=day.error or ""))
        return (
            f'<tr><td class="text" data-label="{escape(titles[0])}">{name}</td>'
            f'<td class="text warn" colspan="5">{reason}</td></tr>'
        )
    links = " · ".join(
        f'<a href="{escape(target)}">{escape(show.text(key))}</a>'
        for key, target in day.links.items()
    )
    return body_row(
        titles,
        (
            name,
            escape(show.money(day.cost)),
            escape(_distance(day.distance, day.distance_unit, show)),
            show.count(sum(day.vehicles.values())),
            escape(vehicles_text(day.vehicles)),
            links,
        ),
        texts=(0, 4, 5),
    )


def overview_table(types: Sequence[str], days: Iterable[Day]) -> tuple[list[str], Iterator[Row]]:
    """Return the same as a table: its header and its rows, a column per vehicle type.

    Parameters
    ----------
    types
        Names of the vehicle types of all days.
    days
        One at a time is in memory.
    """
    header = ["name", "cost", "distance", "vehicles", *(f"{name} used" for name in types), "error"]
    return header, (_table_row(day, types) for day in days)


def _table_row(day: Day, types: Sequence[str]) -> Row:
    return [
        escaped(day.name),
        None if day.cost is None else round(day.cost, 2),
        None if day.distance is None else round(day.distance, 3),
        sum(day.vehicles.values()) if day.cost is not None else None,
        *(day.vehicles.get(name, 0) if day.cost is not None else None for name in types),
        None if day.error is None else escaped(day.error),
    ]


def _distance(value: float, unit: str, show: Presentation) -> str:
    figure = show.localised(f"{value:,.1f}" if unit == "km" else number(value))
    return f"{figure} {unit}" if unit else figure
