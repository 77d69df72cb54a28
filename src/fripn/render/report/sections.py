"""The parts of the report around the map, each as HTML text."""

from __future__ import annotations

from collections.abc import Sequence

from fripn.messages import named
from fripn.problem import Evaluation, Instance, Route
from fripn.problem.evaluate import RouteCost, load_factor_of
from fripn.render.colours import RouteColour
from fripn.render.notes import note_in
from fripn.render.presentation import Presentation
from fripn.render.report.parts import (
    CostedRoute,
    body_row,
    colour_class,
    head_row,
    route_key,
    type_key,
    type_name,
)
from fripn.render.text import escape
from fripn.result import Result, Status, saving_percent

_STATUS = {
    Status.OPTIMAL: "status_optimal",
    Status.FEASIBLE: "status_feasible",
    Status.INTERRUPTED: "status_interrupted",
    Status.NO_PLAN: "status_no_plan",
}


def lead(result: Result, evaluation: Evaluation | None, show: Presentation) -> str:
    """Return the line under the title: the fleet."""
    customers = escape(show.customers(result.instance.num_customers))
    if evaluation is None:
        return f"{customers} · <strong>{escape(show.text('customers_unserved'))}</strong>"
    hired = ", ".join(
        f"{used.count} × {type_name(result.instance, used.vehicle_type)}"
        for used in evaluation.types
        if used.count
    )
    return f"{customers} · {escape(show.text('hire'))} <strong>{hired}</strong>"


def origin(show: Presentation) -> str:
    """Return the line with the day and the files of the plan; nothing when neither is known."""
    parts = [f"<strong>{escape(named(show.date))}</strong>"] if show.date else []
    if show.sources:
        files = ", ".join(escape(named(source)) for source in show.sources)
        parts.append(f"{escape(show.text('sources'))}: {files}")
    return f'<p class="lead">{" · ".join(parts)}</p>' if parts else ""


def figures(
    result: Result, evaluation: Evaluation, best_known: float | None, show: Presentation
) -> str:
    """Return the headline numbers."""
    total = evaluation.cost or 1.0
    cards = [
        (
            "total_cost",
            show.money(evaluation.cost),
            show.text("cost_of_everything" if evaluation.time_cost else "fixed_and_travel"),
        ),
        (
            "fixed_cost",
            show.money(evaluation.fixed_cost),
            show.percent(evaluation.fixed_cost / total),
        ),
        (
            "travel_cost",
            show.money(evaluation.travel_cost),
            show.percent(evaluation.travel_cost / total),
        ),
        *(
            [
                (
                    "time_cost",
                    show.money(evaluation.time_cost),
                    show.percent(evaluation.time_cost / total),
                )
            ]
            if evaluation.time_cost
            else []
        ),
        (
            "vehicles",
            show.count(evaluation.num_vehicles),
            f"{show.text('load_factor')} {show.percent(evaluation.load_factor)}",
        ),
        (
            "distance",
            show.distance(evaluation.distance, result.instance),
            show.duration(evaluation.duration, result.instance)
            if result.instance.has_schedule
            else show.text("all_routes"),
        ),
    ]
    if best_known is not None and best_known > 0:
        gap = evaluation.cost / best_known - 1
        note = show.text("gap_to_best", cost=show.money(best_known))
        cards.append(("gap", show.percent(gap, 2, signed=True), note))
    elif result.lower_bound is not None:
        saving = saving_percent(evaluation.cost, result.lower_bound)
        note = show.text("gap_to_bound", cost=show.money(result.lower_bound))
        cards.append(("gap", show.percent(saving / 100, 2), note))
    elif has_run(result):
        cards.append(("search", show.seconds(result.seconds), result.method))
    listed = "".join(
        f"<div><dt>{escape(show.text(key))}</dt><dd>{escape(value)}<small>{escape(note)}</small>"
        "</dd></div>"
        for key, value, note in cards
    )
    return f'<dl class="figures">{listed}</dl>'


def fleet_table(instance: Instance, evaluation: Evaluation, show: Presentation) -> str:
    """Return the table of vehicle types with their costs."""
    total = evaluation.cost or 1.0
    bar = "".join(
        f'<i class="{colour_class(used.vehicle_type)}" style="flex:{used.fixed_cost / total:.5f}">'
        f'</i><i class="travel {colour_class(used.vehicle_type)}" '
        f'style="flex:{(used.travel_cost + used.time_cost) / total:.5f}"></i>'
        for used in evaluation.types
        if used.count
    )
    titles = [
        show.text(key)
        for key in (
            "type", "vehicles", "capacity", "load_factor", "distance", "fixed_cost", "travel_cost",
            *(["time_cost"] if evaluation.time_cost else []), "cost",
        )
    ]  # fmt: skip
    rows = [
        body_row(
            titles,
            (
                f"{type_key(used.vehicle_type)} {type_name(instance, used.vehicle_type)}",
                show.count(used.count),
                _offered(instance, used.vehicle_type, show),
                f'<span class="{colour_class(used.vehicle_type)}">{_bar(used.load_factor)}</span>'
                f"{show.percent(used.load_factor)}"
                if used.count
                else "–",
                escape(show.distance(used.distance, instance)),
                escape(show.money(used.fixed_cost)),
                escape(show.money(used.travel_cost)),
                *([escape(show.money(used.time_cost))] if evaluation.time_cost else []),
                escape(show.money(used.cost)),
            ),
        )
        for used in evaluation.types
    ]
    legend = show.text("split_legend_time" if evaluation.time_cost else "split_legend")
    foot = body_row(
        titles,
        (
            escape(show.text("total")),
            show.count(evaluation.num_vehicles),
            "",
            show.percent(evaluation.load_factor),
            escape(show.distance(evaluation.distance, instance)),
            escape(show.money(evaluation.fixed_cost)),
            escape(show.money(evaluation.travel_cost)),
            *([escape(show.money(evaluation.time_cost))] if evaluation.time_cost else []),
            escape(show.money(evaluation.cost)),
        ),
    )
    return (
        f'<div class="card block"><h2>{escape(show.text("fleet_and_cost"))}</h2>'
        f'<div class="split" aria-hidden="true">{bar}</div>'
        f'<p class="legend">{escape(legend)}</p>'
        f'<div class="scroll"><table class="cards">{head_row(titles)}'
        f"<tbody>{''.join(rows)}</tbody><tfoot>{foot}</tfoot></table></div></div>"
    )


def routes_table(
    instance: Instance,
    routes: Sequence[CostedRoute],
    colours: Sequence[RouteColour],
    show: Presentation,
) -> str:
    """Return every route with its stops in order."""
    has_times = instance.has_schedule
    times = ["time"] if has_times else []
    keys = ["route", "type", "load", "load_factor", "distance", *times, "cost"]
    titles = [show.text(key) for key in (*keys, "stops_in_order")]
    texts = (0, 1, len(keys))
    rows = []
    for index, ((route, cost), colour) in enumerate(zip(routes, colours, strict=True), start=1):
        carried = cost.loads or (cost.load,)
        capacities = instance.vehicle_types[route.vehicle_type].capacities
        cells = (
            f"{route_key(colour)} {index}",
            type_name(instance, route.vehicle_type),
            escape(show.loads(carried, instance)),
            show.percent(load_factor_of(carried, capacities)),
            escape(show.distance(cost.distance, instance)),
            *([_hours(instance, cost, show)] if has_times else []),
            escape(show.money(cost.cost)),
            f"<b>{escape(show.stops(len(route.customers)))}:</b> "
            f"{_stop_list(instance, route, cost, show)}",
        )
        rows.append(body_row(titles, cells, texts=texts, marks="stops"))
    return (
        f'<div class="card"><h2>{escape(show.text("routes"))}</h2><div class="scroll">'
        f'<table class="cards">{head_row(titles, texts=texts)}<tbody>{"".join(rows)}</tbody>'
        "</table></div></div>"
    )


def run_facts(
    result: Result, evaluation: Evaluation | None, best_known: float | None, show: Presentation
) -> str:
    """Return how the plan was found."""
    facts = [("status", escape(show.text(_STATUS[result.status])))]
    if evaluation is not None:
        facts.append(
            (
                "check",
                f'<span class="good">{escape(show.text("check_passed"))}</span>: '
                f"{escape(show.text('checked_rules'))}"
                + (
                    f"; {escape(show.text('checked_day'))}"
                    if result.instance.uses_working_day
                    else ""
                ),
            )
        )
    facts.append(("method", escape(result.method)))
    if has_run(result):
        searched = show.seconds(result.seconds)
        if result.curve:
            found = show.seconds(result.curve[-1].seconds)
            text = show.text("searched_and_found", seconds=searched, found=found)
        else:
            text = show.text("searched", seconds=searched)
        facts += [
            ("search", escape(text)),
            ("seed", str(result.seed)),
            ("iterations", show.count(result.iterations)),
        ]
    if best_known is not None:
        facts.append(("best_known", escape(show.money(best_known))))
    if result.lower_bound is not None:
        facts.append(("lower_bound", escape(show.money(result.lower_bound))))
    facts.append(("distances", escape(show.text(f"metric_{result.instance.metric}"))))
    listed = "".join(f"<dt>{escape(show.text(key))}</dt><dd>{value}</dd>" for key, value in facts)
    notes = "".join(f"<li>{escape(note_in(note, show))}</li>" for note in result.notes)
    return (
        f'<div class="card block"><h2>{escape(show.text("run"))}</h2>'
        f'<dl class="facts">{listed}</dl>'
        + (f'<ul class="notes">{notes}</ul>' if notes else "")
        + "</div>"
    )


def has_run(result: Result) -> bool:
    """Return whether a method has searched for the plan; one from a file took no time."""
    return result.seconds > 0 or bool(result.curve)


def _bar(share: float) -> str:
    return f'<span class="bar"><i style="width:{100 * min(share, 1.0):.1f}%"></i></span>'


def _offered(instance: Instance, vehicle_type: int, show: Presentation) -> str:
    vehicle = instance.vehicle_types[vehicle_type]
    capacity = escape(show.loads(vehicle.capacities, instance))
    if vehicle.available is None:
        return capacity
    return f"{capacity} ({escape(show.text('availability', count=show.count(vehicle.available)))})"


def _hours(instance: Instance, cost: RouteCost, show: Presentation) -> str:
    """Return departure and end of a route."""
    if cost.schedule is None:
        return ""
    times = (cost.schedule.departure, cost.schedule.end)
    return escape(" – ".join(show.clock(time, instance) for time in times))


def _stop_list(instance: Instance, route: Route, cost: RouteCost, show: Presentation) -> str:
    """Return the stops in order, with the start of service where there are times."""
    names = [named(instance.stop_label(customer)) for customer in route.customers]
    if cost.schedule is not None:
        starts = (show.clock(visit.start, instance) for visit in cost.schedule.visits)
        names = [f"{start} {name}" for start, name in zip(starts, names, strict=True)]
    return " · ".join(map(escape, names))
