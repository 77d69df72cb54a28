"""Driver sheets as one web page that prints one vehicle per page; no scripts."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files

from fripn._version import __version__
from fripn.render.presentation import Presentation
from fripn.render.sheets.model import RouteSheet, SheetRow
from fripn.render.text import escape


def sheets_html(sheets: Sequence[RouteSheet], title: str, show: Presentation) -> str:
    """Return the sheets as one self-contained page."""
    style = files("fripn.render.sheets").joinpath("sheets.css").read_text(encoding="utf-8")
    heading = f"{title}: {show.text('sheets')}"
    pages = "\n".join(_page(sheet, title, show) for sheet in sheets)
    return (
        f'<!DOCTYPE html>\n<html lang="{show.language}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="generator" content="fripn {__version__}">\n'
        f"<title>{escape(heading)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        f"{pages}\n</body>\n</html>\n"
    )


def _page(sheet: RouteSheet, title: str, show: Presentation) -> str:
    number = show.text("sheet_of", number=sheet.number, count=sheet.count)
    facts = " · ".join(escape(text) for text in (sheet.stops, sheet.load, sheet.distance))
    links = "".join(
        f'<a href="{escape(link.address)}" rel="noopener noreferrer">{escape(link.text)}</a>'
        for link in sheet.links
    )
    blanks = "".join(
        f"<span>{escape(show.text(key))}</span>"
        for key in ("driver", "vehicle_number", "signature")
    )
    keys = ["number", "done", *(["time"] if sheet.has_times else []), "name", "load"]
    titles = [show.text(key) for key in (*keys, "distance_so_far")]
    has_links = any(row.map_link for row in sheet.rows)
    titles += [show.text("map")] if has_links else []
    classes = {show.text("load"): "load", show.text("distance_so_far"): "far"}
    head = "".join(f'<th class="{classes.get(text, "")}">{escape(text)}</th>' for text in titles)
    rows = "".join(_row(row, titles, show, sheet.has_times, has_links) for row in sheet.rows)
    return (
        f'<section class="sheet"><header><p>{escape(title)}</p><p>{escape(show.date)}</p></header>'
        f"<h1>{escape(number)} · {escape(sheet.vehicle)}</h1>"
        f'<p class="facts">{facts}</p><p class="links">{links}</p>'
        f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        f'<p class="blanks">{blanks}</p></section>'
    )


def _row(
    row: SheetRow, titles: Sequence[str], show: Presentation, has_times: bool, has_links: bool
) -> str:
    own_id = f' <span class="id">{escape(row.own_id)}</span>' if row.own_id else ""
    details = " · ".join(f"{escape(title)}: {escape(text)}" for title, text in row.details)
    tick = f"{show.text('done')}: {row.name}"
    box = f'<input type="checkbox" aria-label="{escape(tick)}">' if row.position else ""
    link = ""
    if row.map_link:
        link = (
            f'<a href="{escape(row.map_link)}" rel="noopener noreferrer">'
            f"{escape(show.text('map'))}</a>"
        )
    cells = [
        ("no", str(row.position) if row.position else ""),
        ("box", box),
        *([("time", escape(row.time))] if has_times else []),
        (
            "stop",
            f"<b>{escape(row.name)}</b>{own_id}" + (f"<small>{details}</small>" if details else ""),
        ),
        ("load", escape(row.load)),
        ("far", escape(row.distance)),
        *([("map", link)] if has_links else []),
    ]
    shown = "".join(
        f'<td class="{name}" data-label="{escape(title)}">{cell}</td>'
        for title, (name, cell) in zip(titles, cells, strict=True)
    )
    mark = "" if row.position else ' class="depot"'
    return f"<tr{mark}>{shown}</tr>"
