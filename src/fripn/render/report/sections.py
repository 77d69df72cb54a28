"""The parts of the report, each as HTML text."""

from __future__ import annotations

from collections.abc import Sequence

from fripn.messages import named
from fripn.problem import Evaluation, Instance, Route
from fripn.problem.evaluate import RouteCost
from fripn.problem.instance import FloatArray
from fripn.render.report.comparison import FleetComparison
from fripn.render.svg import (
    TYPE_COLOURS,
    TYPE_DASHES,
    depot_arcs_data,
    dots_data,
    path_data,
    type_dash,
)
from fripn.render.text import escape, fleet_text, number, percent, quantity, seconds_text
from fripn.result import Result, Status, saving_percent

MAP_WIDTH, MAP_HEIGHT = 1000.0, 700.0

#: With more routes than this the map is drawn finer.
_DENSE_ROUTES = 60

#: A route of the plan with its cost.
CostedRoute = tuple[Route, RouteCost]

_STATUS = {
    Status.OPTIMAL: "proven optimal",
    Status.FEASIBLE: "valid plan",
    Status.INTERRUPTED: "interrupted; best plan so far",
    Status.NO_PLAN: "no plan found",
}


def lead(result: Result, evaluation: Evaluation | None) -> str:
    """Return the line under the title: the fleet."""
    customers = f"{result.instance.num_customers:,} customers"
    if evaluation is None:
        return f"{customers} · <strong>no plan was found</strong>"
    hired = ", ".join(
        f"{used.count} × {escape(named(result.instance.vehicle_types[used.vehicle_type].name))}"
        for used in evaluation.types
        if used.count
    )
    return f"{customers} · hire <strong>{hired}</strong>"


def figures(result: Result, evaluation: Evaluation, best_known: float | None) -> str:
    """Return the headline numbers."""
    capacity = sum(used.capacity for used in evaluation.types)
    load = sum(used.load for used in evaluation.types)
    total = evaluation.cost or 1.0
    cards = [
        ("Total cost", number(evaluation.cost), "fixed and travel"),
        ("Fixed cost", number(evaluation.fixed_cost), percent(evaluation.fixed_cost / total)),
        ("Travel cost", number(evaluation.travel_cost), percent(evaluation.travel_cost / total)),
        (
            "Vehicles",
            f"{evaluation.num_vehicles:,}",
            f"load factor {percent(load / (capacity or 1.0))}",
        ),
        ("Distance", number(evaluation.distance), "all routes together"),
    ]
    if best_known is not None and best_known > 0:
        gap = evaluation.cost / best_known - 1
        cards.append(("Gap", f"{100 * gap:+.2f} %", f"to best known {number(best_known)}"))
    elif result.lower_bound is not None:
        saving = saving_percent(evaluation.cost, result.lower_bound)
        cards.append(("Gap", f"{saving:.2f} %", f"to bound {number(result.lower_bound)}"))
    else:
        cards.append(("Found in", seconds_text(result.seconds), escape(result.method)))
    return (
        '<dl class="figures">'
        + "".join(
            f"<div><dt>{name}</dt><dd>{value}<small>{note}</small></dd></div>"
            for name, value, note in cards
        )
        + "</dl>"
    )


def map_card(points: FloatArray | None, routes: Sequence[CostedRoute]) -> str:
    """Return the routes for print, and the canvas on which the script draws them."""
    if points is None:
        return (
            '<div class="card mapcard"><p style="padding:0 18px">The instance gives distances '
            "but no coordinates, so there is no map.</p></div>"
        )
    shapes = "".join(
        f'<g class="route {_colour_class(route.vehicle_type)}" data-route="{index}">'
        f'<path class="depot-arcs" d="{depot_arcs_data(points, route)}"/>'
        f'<path class="line" d="{path_data(points, route.customers)}"'
        f"{_dash_style(route.vehicle_type)}/>"
        f'<path class="dots" d="{dots_data(points, route.customers)}"/></g>'
        for index, (route, _) in enumerate(routes)
    )
    dense = ' class="dense"' if len(routes) > _DENSE_ROUTES else ""
    return (
        f'<div class="card mapcard"><svg id="map" viewBox="0 0 {MAP_WIDTH:g} {MAP_HEIGHT:g}" '
        f'role="img" aria-label="map of the routes"><g id="view"{dense}>{shapes}'
        f'<path class="depot" d="{dots_data(points, (0,))}"/></g></svg>'
        '<canvas id="canvas" tabindex="0" aria-label="map of the routes; plus and minus zoom, '
        'arrows move, 0 shows everything"></canvas>'
        '<div class="zoom"><button type="button" id="zoomin" aria-label="zoom in">+</button>'
        '<button type="button" id="zoomout" aria-label="zoom out">−</button>'
        '<button type="button" id="zoomfit" aria-label="show everything">⤢</button></div>'
        '<div class="hint">Scroll to zoom, drag to move, click a route to keep it lit</div></div>'
    )


def panel(instance: Instance, evaluation: Evaluation, routes: Sequence[CostedRoute]) -> str:
    """Return the switches beside the map."""
    types = "".join(
        f'<label class="row"><input type="checkbox" checked value="{used.vehicle_type}">'
        f"{_key(used.vehicle_type)}"
        f'<span class="name">{_type_name(instance, used.vehicle_type)}</span>'
        f'<span class="side">{used.count} hired · load factor {percent(used.load_factor)}</span>'
        "</label>"
        for used in evaluation.types
        if used.count
    )
    rows = "".join(
        f'<label class="row"><input type="checkbox" checked>{_key(route.vehicle_type)}'
        f'<span class="name">{index} · {_type_name(instance, route.vehicle_type)}</span>'
        f'<span class="side">{_stops_text(route)} · {number(cost.cost)}</span></label>'
        for index, (route, cost) in enumerate(routes, start=1)
    )
    return (
        '<div class="card panel"><div class="heading"><h2>Vehicle types</h2></div>'
        f'<div id="types">{types}</div><div class="heading"><h2>Routes</h2><span>'
        '<button type="button" id="all">all</button><button type="button" id="none">none</button>'
        f'</span></div><div id="routelist">{rows}</div></div>'
    )


def fleet_table(instance: Instance, evaluation: Evaluation) -> str:
    """Return the table of vehicle types with their costs."""
    total = evaluation.cost or 1.0
    bar = "".join(
        f'<i class="{_colour_class(used.vehicle_type)}" style="flex:{used.fixed_cost / total:.5f}">'
        f'</i><i class="travel {_colour_class(used.vehicle_type)}" '
        f'style="flex:{used.travel_cost / total:.5f}"></i>'
        for used in evaluation.types
        if used.count
    )
    rows = "".join(
        f"<tr><td>{_key(used.vehicle_type)} {_type_name(instance, used.vehicle_type)}</td>"
        f"<td>{used.count}</td>"
        f"<td>{_offered(instance, used.vehicle_type)}</td>"
        f'<td class="{_colour_class(used.vehicle_type)}">'
        f"{_bar(used.load_factor) if used.count else ''}"
        f"{percent(used.load_factor) if used.count else '–'}</td>"
        f"<td>{number(used.fixed_cost)}</td><td>{number(used.travel_cost)}</td>"
        f"<td>{number(used.cost)}</td></tr>"
        for used in evaluation.types
    )
    capacity = sum(used.capacity for used in evaluation.types)
    load = sum(used.load for used in evaluation.types)
    return (
        '<div class="card block"><h2>Fleet and cost</h2>'
        f'<div class="split" aria-hidden="true">{bar}</div>'
        '<p class="legend">Strong colour: fixed cost; light: travel cost.</p>'
        '<div class="scroll"><table><thead><tr><th>Type</th><th>Vehicles</th>'
        "<th>Capacity</th><th>Load factor</th><th>Fixed cost</th>"
        "<th>Travel cost</th><th>Cost</th></tr>"
        f"</thead><tbody>{rows}</tbody><tfoot><tr><td>Total</td><td>{evaluation.num_vehicles}</td>"
        f"<td></td><td>{percent(load / (capacity or 1.0))}</td>"
        f"<td>{number(evaluation.fixed_cost)}</td><td>{number(evaluation.travel_cost)}</td>"
        f"<td>{number(evaluation.cost)}</td></tr></tfoot></table></div></div>"
    )


def routes_table(instance: Instance, routes: Sequence[CostedRoute]) -> str:
    """Return every route with its stops in order."""
    rows = "".join(
        f"<tr><td>{index}</td>"
        f'<td class="text">{_key(route.vehicle_type)} {_type_name(instance, route.vehicle_type)}'
        f"</td><td>{quantity(cost.load)}</td>"
        f"<td>{percent(cost.load / instance.vehicle_types[route.vehicle_type].capacity)}</td>"
        f"<td>{number(cost.distance)}</td><td>{number(cost.cost)}</td>"
        f'<td class="text stops">{_stop_list(instance, route)}</td></tr>'
        for index, (route, cost) in enumerate(routes, start=1)
    )
    return (
        '<div class="card"><h2>Routes</h2><div class="scroll"><table><thead><tr><th>Route</th>'
        '<th class="text">Type</th><th>Load</th><th>Full</th><th>Distance</th><th>Cost</th>'
        '<th class="text">Stops in order</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div></div>"
    )


def run_facts(result: Result, evaluation: Evaluation | None, best_known: float | None) -> str:
    """Return how the plan was found."""
    facts = [("Status", _STATUS[result.status])]
    if evaluation is not None:
        facts.append(
            (
                "Check",
                '<span class="good">✓ no violations</span>: every customer once, '
                "no vehicle overloaded, no type hired beyond its limit",
            )
        )
    facts += [
        ("Method", escape(result.method)),
        ("Time", seconds_text(result.seconds)),
        ("Seed", str(result.seed)),
        ("Iterations", f"{result.iterations:,}"),
    ]
    if result.curve:
        facts.append(("Last improvement", f"after {seconds_text(result.curve[-1].seconds)}"))
    if best_known is not None:
        facts.append(("Best known", number(best_known)))
    if result.lower_bound is not None:
        facts.append(("Lower bound", number(result.lower_bound)))
    facts.append(("Distances", result.instance.metric.replace("_", " ")))
    listed = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in facts)
    notes = "".join(f"<li>{escape(note)}</li>" for note in result.notes)
    return (
        f'<div class="card block"><h2>The run</h2><dl class="facts">{listed}</dl>'
        + (f'<ul class="notes">{notes}</ul>' if notes else "")
        + "</div>"
    )


def scenario_table(fleet: FleetComparison) -> str:
    """Return the table of other fleets with their costs."""
    best = fleet.best
    assert best.solution is not None
    rows = [
        f'<tr class="base"><td>Best mix</td><td class="text">'
        f"{escape(fleet_text(best.instance, best.solution))}</td>"
        f"<td>{number(best.cost)}</td><td>–</td><td>–</td></tr>"
    ]
    for scenario in fleet.scenarios:
        label = escape(scenario.label[0].upper() + scenario.label[1:])
        if scenario.solution is None or scenario.cost is None:
            rows.append(
                f'<tr><td>{label}</td><td class="text warn" colspan="4">'
                f"not possible: {escape(scenario.reason)}</td></tr>"
            )
            continue
        hired = escape(fleet_text(best.instance, scenario.solution))
        extra = scenario.cost - best.cost
        remark = f" ({escape(scenario.reason)})" if scenario.reason else ""
        rows.append(
            f'<tr><td>{label}</td><td class="text">{hired}{remark}</td>'
            f"<td>{number(scenario.cost)}</td><td>{extra:+,.2f}</td>"
            f"<td>{100 * extra / (best.cost or 1.0):+.2f} %</td></tr>"
        )
    return (
        '<div class="card"><h2>What if you hired otherwise?</h2><div class="scroll"><table><thead>'
        '<tr><th>Change</th><th class="text">Fleet</th><th>Cost</th><th>Difference</th>'
        f"<th>In percent</th></tr></thead><tbody>{''.join(rows)}</tbody></table></div></div>"
    )


def _colour_class(vehicle_type: int) -> str:
    return f"t{vehicle_type % len(TYPE_COLOURS)}"


def _dash_style(vehicle_type: int) -> str:
    dash = type_dash(vehicle_type)
    return "" if dash == "none" else f' style="stroke-dasharray:{dash}"'


def _key(vehicle_type: int) -> str:
    dash = TYPE_DASHES.index(type_dash(vehicle_type))
    return f'<span class="key dash{dash} {_colour_class(vehicle_type)}"></span>'


def _bar(share: float) -> str:
    return f'<span class="bar"><i style="width:{100 * min(share, 1.0):.1f}%"></i></span>'


def _type_name(instance: Instance, vehicle_type: int) -> str:
    return escape(named(instance.vehicle_types[vehicle_type].name))


def _offered(instance: Instance, vehicle_type: int) -> str:
    vehicle = instance.vehicle_types[vehicle_type]
    limit = "" if vehicle.available is None else f" (at most {vehicle.available})"
    return f"{quantity(vehicle.capacity)}{limit}"


def _stops_text(route: Route) -> str:
    return f"{len(route.customers)} stop" + ("s" if len(route.customers) > 1 else "")


def _stop_list(instance: Instance, route: Route) -> str:
    return " · ".join(escape(named(instance.stop_label(customer))) for customer in route.customers)
