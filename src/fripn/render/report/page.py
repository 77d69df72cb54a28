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
from fripn.problem import Instance, Route
from fripn.problem.evaluate import RouteCost, load_factor_of
from fripn.problem.io.atomic import write_atomically
from fripn.render.colours import DARK_COLOURS, RouteColour, route_colours
from fripn.render.language import TEXTS
from fripn.render.presentation import Presentation
from fripn.render.report import sections
from fripn.render.report.comparison import FleetComparison
from fripn.render.report.curve import CurvePicture, draw_curve
from fripn.render.report.map import MapPicture, map_card, panel
from fripn.render.report.parts import CostedRoute
from fripn.render.report.scenarios import scenario_table
from fripn.render.report.timeline import timeline_card
from fripn.render.svg import TYPE_COLOURS
from fripn.render.text import escape
from fripn.result import Result


def report_html(
    result: Result,
    *,
    best_known: float | None = None,
    title: str | None = None,
    fleet: FleetComparison | None = None,
    show: Presentation | None = None,
) -> str:
    """Return a plan as one self-contained web page: map, tables, curve and how it was found.

    Parameters
    ----------
    result
        What a method gave back, with or without a plan.
    best_known
        The best cost known for this instance, for the gap.
    title
        Heading of the page; that of `show` when None. Shown as text, never as markup.
    fleet
        What other fleets would cost (see `fripn.fleet_comparison`), as a further table.
    show
        Language, units, colours, date and source files.
    """
    show = show or Presentation()
    instance, evaluation = result.instance, result.evaluation
    picture = MapPicture.of(instance)
    routes: list[CostedRoute] = []
    if result.solution is not None and evaluation is not None:
        pairs = zip(result.solution.routes, evaluation.routes, strict=True)
        routes = [(route, cost) for route, cost in pairs if route.customers]
    colours = route_colours([route.vehicle_type for route, _ in routes], show.colours)
    curve = draw_curve(result, best_known, show)
    body = []
    if evaluation is not None:
        body += [
            sections.figures(result, evaluation, best_known, show),
            '<div class="grid">',
            map_card(instance, picture, routes, colours, show),
            panel(instance, evaluation, routes, colours, show),
            "</div>",
            sections.fleet_table(instance, evaluation, show),
            timeline_card(instance, routes, colours, show),
            sections.routes_table(instance, routes, colours, show),
        ]
    if fleet is not None:
        body.append(scenario_table(fleet, show))
    run = sections.run_facts(result, evaluation, best_known, show)
    if curve is not None:
        body += [
            '<div class="two"><div class="card block"><h2>',
            f"{escape(show.text('cost_over_time'))}</h2>{curve.svg}</div>{run}</div>",
        ]
    else:
        body.append(run)
    heading = title if title is not None else show.title
    return Template(_asset("page.html")).substitute(
        language=show.language,
        title=escape(heading if heading is not None else named(instance.name)),
        lead=sections.lead(result, evaluation, show),
        origin=sections.origin(show),
        actions=escape(show.text("actions")),
        theme_label=escape(show.text("theme_label")),
        print=escape(show.text("print")),
        body="\n".join(body),
        style=_type_colours() + _asset("page.css"),
        script=_asset("page.js"),
        data=_embedded_json(_page_data(instance, picture, routes, colours, curve, show)),
        made=escape(made_text(show)),
        offline=escape(show.text("offline")),
        version=__version__,
    )


def write_report(
    result: Result,
    path: Path | str,
    *,
    best_known: float | None = None,
    title: str | None = None,
    fleet: FleetComparison | None = None,
    show: Presentation | None = None,
) -> None:
    """Write `report_html` to a file, whole or not at all.

    Raises
    ------
    InvalidFile
        When the file cannot be written.
    """
    page = report_html(result, best_known=best_known, title=title, fleet=fleet, show=show)
    write_atomically(path, page)


def made_text(show: Presentation) -> str:
    """Return what made the page, and when if that is to be said."""
    if show.made_on:
        return show.text("made_on", version=__version__, date=show.made_on)
    return show.text("made_with", version=__version__)


def _type_colours() -> str:
    """Return the colours of vehicle types, on a light and on a dark page; print has light ones."""
    values = " ".join(f"--t{k}: {colour};" for k, colour in enumerate(TYPE_COLOURS))
    dark = " ".join(f"--t{k}: {colour};" for k, colour in enumerate(DARK_COLOURS))
    return f':root {{ {values} }}\n@media screen {{ :root[data-theme="dark"] {{ {dark} }} }}\n'


def _page_data(
    instance: Instance,
    picture: MapPicture | None,
    routes: Sequence[CostedRoute],
    colours: Sequence[RouteColour],
    curve: CurvePicture | None,
    show: Presentation,
) -> dict[str, Any]:
    return {
        "points": None if picture is None else np.round(picture.points, 2).tolist(),
        "names": _labels(instance),
        # Several loads are text: the script need not know their names.
        "demands": (
            instance.demands.tolist()
            if instance.num_loads == 1
            else [show.loads(row, instance) for row in instance.load_matrix.tolist()]
        ),
        "depots": [instance.depot_node(depot) for depot in range(instance.num_depots)],
        "types": [named(vehicle.name) for vehicle in instance.vehicle_types],
        "routes": [
            {
                "type": route.vehicle_type,
                "colour": [colour.light, colour.dark],
                "number": colour.number_colours,
                "dash": [float(part) for part in colour.dash.split() if part != "none"],
                "stops": route.customers,
                "tour": instance.tour(route.vehicle_type, route.customers),
                "driven": _driven(instance, route),
                **_carried(instance, route, cost, show),
                "distance": cost.distance,
                "fixed_cost": cost.fixed_cost,
                "travel_cost": cost.travel_cost,
                "time_cost": cost.time_cost,
                "times": [
                    show.clock(visit.start, instance)
                    for visit in (cost.schedule.visits if cost.schedule is not None else ())
                ],
            }
            for (route, cost), colour in zip(routes, colours, strict=True)
        ],
        "curve": [] if curve is None else curve.points,
        "language": show.language,
        "units": {
            "money": show.currency,
            "load": show.load_unit,
            "distance": show.unit_of_distance(instance),
        },
        "words": {
            # The placeholders stay: the script fills them in.
            key: TEXTS[key][0 if show.language == "en" else 1]
            for key in (*(key for key in TEXTS if key.startswith("js_")), "depot", "route")
        },
    }


def _carried(
    instance: Instance, route: Route, cost: RouteCost, show: Presentation
) -> dict[str, float | str]:
    """Return load, capacity and the share in use; several loads as text."""
    capacities = instance.vehicle_types[route.vehicle_type].capacities
    share = load_factor_of(cost.loads, capacities)
    if instance.num_loads == 1:
        return {"load": cost.load, "capacity": capacities[0], "share": share}
    return {
        "load": show.loads(cost.loads, instance),
        "capacity": show.loads(capacities, instance),
        "share": share,
    }


def _labels(instance: Instance) -> list[str] | None:
    """Return the names of the stops; None when they are just numbered."""
    if instance.stop_names is None and instance.stop_ids is None:
        return None
    return [named(instance.stop_label(stop)) for stop in range(instance.num_nodes)]


def _driven(instance: Instance, route: Route) -> list[float]:
    """Return the distance driven on arrival at each stop, to six digits."""
    stops = np.array(instance.tour(route.vehicle_type, route.customers))[: len(route.customers) + 1]
    driven = np.cumsum(instance.distances(stops[:-1], stops[1:]))
    return [float(f"{distance:.6g}") for distance in driven]


def _embedded_json(data: dict[str, Any]) -> str:
    """JSON that cannot end the script element it stands in, whatever the names hold."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _asset(name: str) -> str:
    return files("fripn.render.report").joinpath(name).read_text(encoding="utf-8")
