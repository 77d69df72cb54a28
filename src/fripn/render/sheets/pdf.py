"""Driver sheets as PDF (extra ``[sheets]``), in a font that has every letter of Europe."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import cache
from importlib.resources import as_file, files
from typing import TYPE_CHECKING

from fripn.errors import MissingExtra, Unsupported
from fripn.messages import shown
from fripn.render.presentation import Presentation
from fripn.render.sheets.model import RouteSheet, SheetRow

if TYPE_CHECKING:
    from fpdf import FPDF

_FONT = "DejaVu"
#: Millimetres.
_MARGIN, _PAGE_WIDTH, _PAGE_HEIGHT = 12.0, 210.0, 297.0
_NUMBER, _BOX, _TIME, _LOAD, _DISTANCE, _MAP = 9.0, 8.0, 14.0, 24.0, 27.0, 13.0
_LINE, _SMALL_LINE, _PADDING = 4.6, 3.8, 1.3
#: Lines of details of a stop, at most: a row is never higher than a page.
_MAX_LINES = 50
#: A document without a clock: the same plan gives the same bytes.
_NO_DATE = datetime(2000, 1, 1, tzinfo=UTC)


def check_pdf_is_possible() -> None:
    """Refuse at once where the library for PDF is not installed.

    Raises
    ------
    MissingExtra
        With what to do.
    """
    if importlib.util.find_spec("fpdf") is None:
        raise MissingExtra(
            "driver sheets as .pdf need the package 'fpdf2', which is not installed",
            field="package",
            value="fpdf2",
            remedy="run: pip install 'fripn[sheets]', or write .html, which needs nothing",
        )


def check_letters(texts: Iterable[str]) -> None:
    """Refuse texts with letters that the font of the PDF lacks.

    Raises
    ------
    Unsupported
        With the letter and what to do.
    """
    letters = _letters()
    for text in texts:
        for letter in text:
            # What cannot be seen is written as a blank or an escape, both of which there are.
            if ord(letter) not in letters and letter.isprintable():
                raise Unsupported(
                    f"the font of the PDF has no {letter!r} (U+{ord(letter):04X}), which {{value}} "
                    "needs",
                    value=shown(text),
                    remedy="write driver sheets as .html and print them from the browser",
                )


def sheets_pdf(sheets: Sequence[RouteSheet], title: str, show: Presentation) -> bytes:
    """Return the sheets as a PDF, every vehicle on a page of its own.

    Raises
    ------
    MissingExtra
        When fpdf2 is not installed.
    Unsupported
        When a name has a letter that the font lacks.
    """
    check_pdf_is_possible()
    check_letters(_texts(sheets, title, show))
    from fpdf import FPDF

    pdf = FPDF(format="A4")
    pdf.set_auto_page_break(False)
    pdf.set_margins(_MARGIN, _MARGIN)
    pdf.set_creation_date(_NO_DATE)
    pdf.set_title(f"{title}: {show.text('sheets')}")
    pdf.set_lang(show.language)
    folder = files("fripn.render.sheets").joinpath("fonts")
    for style, name in (("", "DejaVuSans.ttf"), ("B", "DejaVuSans-Bold.ttf")):
        with as_file(folder.joinpath(name)) as path:
            pdf.add_font(_FONT, style, path)
    for sheet in sheets:
        _Page(pdf, sheet, title, show).draw()
    return bytes(pdf.output())


@cache
def _letters() -> frozenset[int]:
    from fontTools.ttLib import TTFont

    path = files("fripn.render.sheets").joinpath("fonts", "DejaVuSans.ttf")
    with as_file(path) as name, TTFont(name) as font:
        return frozenset(font.getBestCmap())


def _texts(sheets: Sequence[RouteSheet], title: str, show: Presentation) -> Iterable[str]:
    yield from (title, show.date, show.currency, show.load_unit, show.distance_unit or "")
    for sheet in sheets:
        yield sheet.vehicle
        for row in sheet.rows:
            yield row.name
            yield row.own_id
            for detail in row.details:
                yield from detail


class _Page:
    """Draws the sheet of one vehicle, on as many pages as it needs."""

    def __init__(self, pdf: FPDF, sheet: RouteSheet, title: str, show: Presentation) -> None:
        self.pdf, self.sheet, self.title, self.show = pdf, sheet, title, show
        self.has_links = any(row.map_link for row in sheet.rows)
        self.name_width = _PAGE_WIDTH - 2 * _MARGIN - _NUMBER - _BOX - _LOAD - _DISTANCE
        self.name_width -= _MAP if self.has_links else 0.0
        self.time_width = _TIME if sheet.has_times else 0.0
        self.name_width -= self.time_width
        self.page = 0

    def draw(self) -> None:
        """Draw the head, a line per stop, and the lines to be filled in."""
        self._start_page()
        for row in self.sheet.rows:
            self._row(row)
        self._blanks()

    def _start_page(self) -> None:
        pdf, show, sheet = self.pdf, self.show, self.sheet
        self.page += 1
        pdf.add_page()
        self._set(8.5)
        pdf.set_text_color(70)
        half = (_PAGE_WIDTH - 2 * _MARGIN) / 2
        pdf.cell(half, 5, self._cut(self.title, half))
        right = show.date if self.page == 1 else show.text("page_of", page=self.page)
        pdf.cell(half, 5, self._cut(right, half), align="R", new_x="LMARGIN", new_y="NEXT")
        pdf.set_text_color(0)
        self._set(15, "B")
        heading = show.text("sheet_of", number=sheet.number, count=sheet.count)
        pdf.cell(0, 8, self._cut(f"{heading} · {sheet.vehicle}", 2 * half))
        pdf.ln(8)
        self._set(10)
        pdf.cell(0, 5.5, " · ".join((sheet.stops, sheet.load, sheet.distance)))
        pdf.ln(6.5)
        if self.page == 1 and sheet.links:
            self._links()
        self._head()

    def _links(self) -> None:
        pdf = self.pdf
        self._set(9)
        pdf.set_text_color(0, 88, 163)
        for link in self.sheet.links:
            width = pdf.get_string_width(link.text) + 6
            if pdf.get_x() + width > _PAGE_WIDTH - _MARGIN:
                pdf.ln(5)
            pdf.cell(width, 5, link.text, link=link.address)
        pdf.ln(6.5)
        pdf.set_text_color(0)

    def _head(self) -> None:
        pdf, show = self.pdf, self.show
        self._set(8)
        pdf.set_text_color(70)
        pdf.cell(_NUMBER, 5, show.text("number"), align="R")
        pdf.cell(_BOX, 5, "")
        if self.time_width:
            pdf.cell(self.time_width, 5, show.text("time"))
        pdf.cell(self.name_width, 5, show.text("name"))
        pdf.cell(_LOAD, 5, show.text("load"), align="R")
        pdf.cell(_DISTANCE, 5, show.text("distance_so_far"), align="R")
        pdf.ln(5)
        pdf.set_text_color(0)
        self._line(0.4)

    def _row(self, row: SheetRow) -> None:
        pdf = self.pdf
        name = f"{row.name}  {row.own_id}" if row.own_id else row.name
        details = " · ".join(f"{title}: {text}" for title, text in row.details)
        self._set(10, "B")
        names = self._lines(name, _LINE)
        self._set(8)
        small = self._lines(details, _SMALL_LINE)[:_MAX_LINES] if details else []
        height = 2 * _PADDING + _LINE * len(names) + _SMALL_LINE * len(small)
        if pdf.get_y() + height > _PAGE_HEIGHT - _MARGIN:
            self._start_page()
        top = pdf.get_y() + _PADDING
        self._set(10, "B")
        self._cell(_MARGIN, top, _NUMBER, str(row.position) if row.position else "", "R")
        if row.position:
            pdf.set_line_width(0.3)
            pdf.rect(_MARGIN + _NUMBER + 2.2, top + 0.4, 3.8, 3.8)
        left = _MARGIN + _NUMBER + _BOX
        if row.time:
            self._cell(left, top, self.time_width, self._cut(row.time, self.time_width))
        left += self.time_width
        for index, line in enumerate(names):
            self._cell(left, top + _LINE * index, self.name_width, line)
        self._set(8)
        for index, line in enumerate(small):
            y = top + _LINE * len(names) + _SMALL_LINE * index
            self._cell(left, y, self.name_width, line, height=_SMALL_LINE)
        self._set(9.5)
        left += self.name_width
        self._cell(left, top, _LOAD, self._cut(row.load, _LOAD), "R")
        self._cell(left + _LOAD, top, _DISTANCE, self._cut(row.distance, _DISTANCE), "R")
        if row.map_link:
            pdf.set_text_color(0, 88, 163)
            x = left + _LOAD + _DISTANCE
            self._cell(x, top, _MAP, self.show.text("map"), "R", link=row.map_link)
            pdf.set_text_color(0)
        pdf.set_xy(_MARGIN, top - _PADDING + height)
        self._line(0.15)

    def _blanks(self) -> None:
        pdf = self.pdf
        if pdf.get_y() + 22 > _PAGE_HEIGHT - _MARGIN:
            self._start_page()
        self._set(8)
        y = pdf.get_y() + 16
        width = (_PAGE_WIDTH - 2 * _MARGIN - 20) / 3
        pdf.set_line_width(0.2)
        for index, key in enumerate(("driver", "vehicle_number", "signature")):
            x = _MARGIN + index * (width + 10)
            pdf.line(x, y, x + width, y)
            self._cell(x, y + 0.5, width, self.show.text(key))

    def _set(self, size: float, style: str = "") -> None:
        self.pdf.set_font(_FONT, style, size)

    def _cell(
        self,
        x: float,
        y: float,
        width: float,
        text: str,
        align: str = "L",
        *,
        height: float = _LINE,
        link: str = "",
    ) -> None:
        self.pdf.set_xy(x, y)
        self.pdf.cell(width, height, text, align=align, link=link)

    def _lines(self, text: str, height: float) -> list[str]:
        lines = self.pdf.multi_cell(self.name_width, height, text, dry_run=True, output="LINES")
        assert isinstance(lines, list)
        return lines

    def _cut(self, text: str, width: float) -> str:
        """Return the text, or as much of it as fits."""
        while text and self.pdf.get_string_width(text) > width - 2:
            text = f"{text[:-2]}…" if len(text) > 2 else ""
        return text

    def _line(self, width: float) -> None:
        y = self.pdf.get_y()
        self.pdf.set_line_width(width)
        self.pdf.set_draw_color(0)
        self.pdf.line(_MARGIN, y, _PAGE_WIDTH - _MARGIN, y)
