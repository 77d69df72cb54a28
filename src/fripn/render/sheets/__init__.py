"""Driver sheets: one page per vehicle, as a web page, as PDF, or as a folder with GPX files."""

from fripn.render.sheets.files import SHEET_SUFFIXES, check_sheets, write_sheets
from fripn.render.sheets.gpx import route_gpx
from fripn.render.sheets.html import sheets_html
from fripn.render.sheets.model import RouteSheet, route_sheets

__all__ = [
    "SHEET_SUFFIXES",
    "RouteSheet",
    "check_sheets",
    "route_gpx",
    "route_sheets",
    "sheets_html",
    "write_sheets",
]
