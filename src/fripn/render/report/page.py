"""The whole page: data, style and script in one file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

import numpy as np

from fripn._version import __version__
from fripn.messages import named
from fripn.problem.instance import FloatArray, Instance
from fripn.problem.io.atomic import write_atomically
from fripn.render.report import sections
from fripn.render.report.comparison import FleetComparison
from fripn.render.report.curve import CurvePicture, draw_curve
from fripn.render.svg import TYPE_COLOURS, screen_points
from fripn.render.text import escape
from fripn.result import Result


def report_html(
    result: Result,
    *,
    best_known: float | None = None,
    title: str | None = None,
    fleet: FleetComparison | None = None,
) -> str:
    """Return a plan as one self-contained web page: map, tables, curve and how it was found.

    Parameters
    ----------
    result
        What a method gave back, with or without a plan.
    best_known
        The best cost known for this instance, for the gap.
    title
        Heading of the page; the instance's name when None. Shown as text, never as markup.
    fleet
        What other fleets would cost (see `fripn.fleet_comparison`), as a further table.
    """
    instance, evaluation = result.instance, result.evaluation
    points = screen_points(instance, sections.MAP_WIDTH, sections.MAP_HEIGHT)
    routes: list[sections.CostedRoute] = []
    if result.solution is not None and evaluation is not None:
        pairs = zip(result.solution.routes, evaluation.routes, strict=True)
        routes = [(route, cost) for route, cost in pairs if route.customers]
    curve = draw_curve(result, best_known)
    body = []
    if evaluation is not None:
        body += [
            sections.figures(result, evaluation, best_known),
            '<div class="grid">',
            sections.map_card(points, routes),
            sections.panel(instance, evaluation, routes),
            "</div>",
            sections.fleet_table(instance, evaluation),
        ]
    if fleet is not None:
        body.append(sections.scenario_table(fleet))
    run = sections.run_facts(result, evaluation, best_known)
    if curve is not None:
        body += [
            '<div class="two"><div class="card block"><h2>Cost of the best plan over time</h2>',
            f"{curve.svg}</div>{run}</div>",
        ]
    else:
        body.append(run)
    if evaluation is not None:
        body.append(sections.routes_table(instance, routes))
    return Template(_asset("page.html")).substitute(
        title=escape(title if title is not None else named(instance.name)),
        lead=sections.lead(result, evaluation),
        body="\n".join(body),
        style=_type_colours() + _asset("page.css"),
        script=_asset("page.js"),
        data=_embedded_json(_page_data(instance, points, routes, curve)),
        version=__version__,
    )


def write_report(
    result: Result,
    path: Path | str,
    *,
    best_known: float | None = None,
    title: str | None = None,
    fleet: FleetComparison | None = None,
) -> None:
    """Write `report_html` to a file, whole or not at all.

    Raises
    ------
    InvalidFile
        When the file cannot be written.
    """
    write_atomically(path, report_html(result, best_known=best_known, title=title, fleet=fleet))


def _type_colours() -> str:
    """Return the style sheet with the colours of pictures; it has others for a dark page."""
    values = " ".join(f"--t{k}: {colour};" for k, colour in enumerate(TYPE_COLOURS))
    return f":root {{ {values} }}\n"


def _page_data(
    instance: Instance,
    points: FloatArray | None,
    routes: Sequence[sections.CostedRoute],
    curve: CurvePicture | None,
) -> dict[str, Any]:
    return {
        "points": None if points is None else np.round(points, 2).tolist(),
        "names": _labels(instance),
        "demands": instance.demands.tolist(),
        "types": [named(vehicle.name) for vehicle in instance.vehicle_types],
        "routes": [
            {
                "type": route.vehicle_type,
                "stops": route.customers,
                "driven": _driven(instance, route.customers),
                "load": cost.load,
                "capacity": instance.vehicle_types[route.vehicle_type].capacity,
                "distance": cost.distance,
                "fixed_cost": cost.fixed_cost,
                "travel_cost": cost.travel_cost,
            }
            for route, cost in routes
        ],
        "curve": [] if curve is None else curve.points,
    }


def _labels(instance: Instance) -> list[str] | None:
    """Return the names of the stops; None when they are just numbered."""
    if instance.stop_names is None and instance.stop_ids is None:
        return None
    return [named(instance.stop_label(stop)) for stop in range(instance.num_customers + 1)]


def _driven(instance: Instance, customers: Sequence[int]) -> list[float]:
    """Return the distance driven on arrival at each stop, to six digits."""
    stops = np.array([0, *customers])
    driven = np.cumsum(instance.distances(stops[:-1], stops[1:]))
    return [float(f"{distance:.6g}") for distance in driven]


def _embedded_json(data: dict[str, Any]) -> str:
    """JSON that cannot end the script element it stands in, whatever the names hold."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _asset(name: str) -> str:
    return files("fripn.render.report").joinpath(name).read_text(encoding="utf-8")
