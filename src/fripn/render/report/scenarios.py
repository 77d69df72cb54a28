"""The part of the report about other fleets, as HTML text."""

from __future__ import annotations

from collections import Counter

from fripn.messages import named
from fripn.render.presentation import Presentation
from fripn.render.report.comparison import Alternative, BreakEven, FleetComparison
from fripn.render.report.parts import body_row, head_row, type_name
from fripn.render.text import escape, fleet_text


def scenario_table(fleet: FleetComparison, show: Presentation) -> str:
    """Return the table of other fleets with their costs."""
    best = fleet.best
    assert best.solution is not None
    titles = [show.text(key) for key in ("change", "fleet", "cost", "difference", "in_percent")]
    has_bounds = best.lower_bound is not None
    if has_bounds:
        titles.append(show.text("proven_extra"))
    no_bound = ("–",) if has_bounds else ()
    rows = []
    given = fleet.as_given
    if given is not None and given.solution is not None:
        rows.append(
            body_row(
                titles,
                (
                    escape(show.text("prices_as_given")),
                    escape(fleet_text(given.instance, given.solution)),
                    escape(show.money(given.cost)),
                    escape(show.money(given.cost - best.cost, signed=True)),
                    show.percent((given.cost - best.cost) / (best.cost or 1.0), 2, signed=True),
                    *no_bound,
                ),
                texts=(0, 1),
            )
        )
    rows.append(
        body_row(
            titles,
            (
                escape(show.text("best_mix")),
                escape(fleet_text(best.instance, best.solution)),
                escape(show.money(best.cost)),
                "–",
                "–",
                *no_bound,
            ),
            texts=(0, 1),
            row_class="base",
        )
    )
    for scenario in fleet.scenarios:
        label = escape(_label(fleet, scenario, show))
        if scenario.solution is None or scenario.cost is None:
            reason = escape(show.text("not_possible", reason=scenario.reason))
            rows.append(
                f'<tr><td class="text" data-label="{escape(titles[0])}">{label}</td>'
                f'<td class="text warn" colspan="{len(titles) - 1}">{reason}</td></tr>'
            )
            continue
        hired = escape(fleet_text(best.instance, scenario.solution))
        extra = scenario.cost - best.cost
        remark = f" ({escape(scenario.reason)})" if scenario.reason else ""
        proven = fleet.proven_extra_cost(scenario)
        at_least = no_bound if proven is None else (escape(show.money(proven, signed=True)),)
        cells = (
            label,
            f"{hired}{remark}",
            escape(show.money(scenario.cost)),
            escape(show.money(extra, signed=True)),
            show.percent(extra / (best.cost or 1.0), 2, signed=True),
            *at_least,
        )
        rows.append(body_row(titles, cells, texts=(0, 1)))
    return (
        f'<div class="card"><h2>{escape(show.text("what_if"))}</h2><div class="scroll">'
        f'<table class="cards">{head_row(titles, texts=(0, 1))}<tbody>{"".join(rows)}</tbody>'
        f"</table></div></div>{_break_even_table(fleet, show)}"
    )


def _break_even_table(fleet: FleetComparison, show: Presentation) -> str:
    if not fleet.break_even:
        return ""
    instance = fleet.best.instance
    titles = [show.text(key) for key in ("type", "break_even_today", "break_even")]
    rows = "".join(
        body_row(
            titles,
            (
                type_name(instance, item.vehicle_type),
                escape(show.money(instance.vehicle_types[item.vehicle_type].fixed_cost)),
                escape(_price_text(item, show)),
            ),
        )
        for item in fleet.break_even
    )
    return (
        f'<div class="card block"><h2>{escape(show.text("break_even"))}</h2>'
        f'<p class="legend">{escape(show.text("break_even_hint"))}</p><div class="scroll">'
        f'<table class="cards">{head_row(titles)}<tbody>{rows}</tbody></table></div></div>'
    )


def _price_text(item: BreakEven, show: Presentation) -> str:
    if item.is_needed:
        return show.text("break_even_always")
    if item.price is None:
        return show.text("break_even_unknown")
    return show.text("break_even_never") if item.price < 0 else show.money(item.price)


def _label(fleet: FleetComparison, scenario: Alternative, show: Presentation) -> str:
    best = fleet.best
    assert best.solution is not None
    counts = Counter(route.vehicle_type for route in best.solution.routes if route.customers)
    change = {"fewer": -1, "more": 1}.get(scenario.change, 0)
    return show.text(
        f"change_{scenario.change}",
        name=named(best.instance.vehicle_types[scenario.vehicle_type].name),
        count=counts[scenario.vehicle_type] + change,
    )
