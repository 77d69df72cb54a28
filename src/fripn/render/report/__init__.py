"""A plan as one self-contained HTML page."""

from fripn.render.report.page import report_html, write_report

__all__ = ["report_html", "write_report"]
