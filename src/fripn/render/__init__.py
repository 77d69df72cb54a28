"""Drawing and formatting: pictures, maps, notebooks, text, the report.

Pictures and files of plans are here; the report is in `fripn.render.report`.
"""

from fripn.render.geojson import solution_to_geojson
from fripn.render.pictures import draw_routes, draw_timeline
from fripn.render.plan_files import PLAN_SUFFIXES, write_plan
from fripn.render.presentation import Presentation
from fripn.render.text import fleet_text

__all__ = [
    "PLAN_SUFFIXES",
    "Presentation",
    "draw_routes",
    "draw_timeline",
    "fleet_text",
    "solution_to_geojson",
    "write_plan",
]
