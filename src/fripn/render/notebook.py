"""Instances and plans in notebooks: a small table beside a picture."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from fripn.messages import named
from fripn.problem.evaluate import Evaluation
from fripn.problem.instance import Instance
from fripn.problem.solution import Solution
from fripn.render.svg import instance_svg, plan_svg, type_colour


def instance_html(instance: Instance) -> str:
    """Show the stops and what can be hired."""
    rows = [
        (
            _swatch(index, named(vehicle.name)),
            vehicle.capacity_text,
            f"{vehicle.fixed_cost:g}",
            f"{vehicle.unit_cost:g}",
            "any number" if vehicle.available is None else str(vehicle.available),
        )
        for index, vehicle in enumerate(instance.vehicle_types)
    ]
    demands = ", ".join(f"{demand:g}" for demand in instance.load_matrix.sum(axis=0))
    head = f"{instance.num_customers:,} customers, total demand {demands}"
    columns = ("type", "capacity", "fixed cost", "unit cost", "available")
    return _side_by_side(named(instance.name), head, _table(columns, rows), instance_svg(instance))


def plan_html(
    instance: Instance, solution: Solution | None, evaluation: Evaluation | None, head: str
) -> str:
    """Show the routes and what they cost by vehicle type; `head` is the line above."""
    if solution is None or evaluation is None:
        return _side_by_side(named(instance.name), f"no plan ({head})", "", instance_svg(instance))
    rows = [
        (
            _swatch(used.vehicle_type, named(instance.vehicle_types[used.vehicle_type].name)),
            str(used.count),
            f"{100 * used.load_factor:.0f} %",
            f"{used.fixed_cost:,.2f}",
            f"{used.travel_cost:,.2f}",
            f"{used.cost:,.2f}",
        )
        for used in evaluation.types
        if used.count
    ]
    columns = ("type", "vehicles", "load factor", "fixed cost", "travel cost", "cost")
    return _side_by_side(
        f"{named(instance.name)}: cost {evaluation.cost:,.2f}",
        head,
        _table(columns, rows),
        plan_svg(instance, solution),
    )


def _side_by_side(title: str, head: str, table: str, picture: str) -> str:
    return (
        '<div style="display:flex;gap:20px;flex-wrap:wrap;align-items:flex-start">'
        f"<div><strong>{escape(title)}</strong><br>{escape(head)}{table}</div>"
        f"<div>{picture}</div></div>"
    )


def _swatch(vehicle_type: int, name: str) -> str:
    return f'<span style="color:{type_colour(vehicle_type)}">■</span> {escape(name)}'


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f"<th>{column}</th>" for column in columns)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<table style="margin-top:8px"><tr>{head}</tr>{body}</table>'
