"""Plans as tables on stdout."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.table import Table

from fripn.messages import named, shown
from fripn.problem import Evaluation, Instance, Route, Solution
from fripn.render.presentation import Presentation
from fripn.result import Result
from fripn.summary import summary_lines

if TYPE_CHECKING:
    from fripn.problem.library import BestKnown

#: Above this many routes the table of routes fills screens; the files hold them all.
MAX_ROUTES = 60

#: Columns of words are at least so wide, unless all of their words are shorter.
_NARROWEST = 12

#: Wider than any line that we print.
_NO_WIDTH = 100_000

#: Only this many broken rules are printed; --json prints them all.
MAX_VIOLATIONS = 60


def print_result(result: Result, known: BestKnown | None) -> None:
    """Print what a run found: cost, gap, fleet and routes."""
    assert result.solution is not None
    assert result.evaluation is not None
    console = make_console()
    print_plan(console, result.instance, result.solution, result.evaluation)
    for line in summary_lines(result, known):
        console.print(line)


def print_plan(
    console: Console, instance: Instance, solution: Solution, evaluation: Evaluation
) -> None:
    """Print a table of the routes and one of the vehicle types."""
    show = Presentation()
    routes = [
        [
            str(number),
            _type_name(instance, route.vehicle_type),
            str(len(route.customers)),
            f"{cost.load:g}" if len(cost.loads) == 1 else show.loads(cost.loads, instance),
            f"{cost.distance:.2f}",
            f"{cost.cost:.2f}",
            _stops_text(instance, route),
        ]
        for number, (route, cost) in enumerate(
            zip(solution.routes, evaluation.routes, strict=True), start=1
        )
        if route.customers
    ]
    columns = ["route", "type", "stops", "load", "distance", "cost", "customers"]
    if instance.has_schedule:
        columns[5:5] = ["leaves", "ends"]
        for row in routes:
            schedule = evaluation.routes[int(row[0]) - 1].schedule
            times = () if schedule is None else (schedule.departure, schedule.end)
            row[5:5] = [show.clock(time, instance) for time in times] or ["–", "–"]
    last = len(columns) - 1
    print_table(console, columns, routes[:MAX_ROUTES], words=(1, last), cut=(last,))
    if len(routes) > MAX_ROUTES:
        console.print(f"… and {len(routes) - MAX_ROUTES} more routes; -o FILE writes them all")
    console.print()
    types = [
        [
            named(vehicle.name),
            str(used.count),
            f"{100 * used.load_factor:.0f} %",
            f"{used.fixed_cost:.2f}",
            f"{used.travel_cost:.2f}",
            f"{used.cost:.2f}",
        ]
        for vehicle, used in zip(instance.vehicle_types, evaluation.types, strict=True)
        if used.count
    ]
    type_columns = ["type", "vehicles", "load factor", "fixed cost", "travel cost", "cost"]
    if evaluation.time_cost:
        type_columns.insert(-1, "time cost")
        hired = [used for used in evaluation.types if used.count]
        for row, used in zip(types, hired, strict=True):
            row.insert(-1, f"{used.time_cost:.2f}")
    print_table(console, type_columns, types, words=(0,))
    console.print()


def print_table(
    console: Console,
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    words: Sequence[int] = (),
    cut: Sequence[int] = (),
) -> None:
    """Print a table.

    Parameters
    ----------
    console
        Where to.
    columns, rows
        The header and the cells.
    words
        Columns that are set left and may be wrapped; numbers are not.
    cut
        Columns that are cut to the width of the terminal instead.
    """
    widths = [
        max((cell_len(line) for line in (column, *(row[place] for row in rows))), default=0)
        for place, column in enumerate(columns)
    ]
    # What the other columns and the two blanks between neighbours leave.
    others = sum(width for place, width in enumerate(widths) if place not in cut)
    room = (console.width - others - 2 * (len(columns) - 1)) // max(1, len(cut))
    table = Table(box=None, pad_edge=False, header_style="bold")
    for place, column in enumerate(columns):
        is_text = place in words
        table.add_column(
            column,
            # What can be wrapped must not disappear beside what cannot.
            min_width=min(widths[place], _NARROWEST) if is_text else None,
            justify="left" if is_text else "right",
            no_wrap=not is_text,
            overflow="fold",
        )
    for row in rows:
        table.add_row(
            *(
                _cut_to(cell, max(room, _NARROWEST)) if place in cut else cell
                for place, cell in enumerate(row)
            )
        )
    console.print(table)


def _cut_to(text: str, width: int) -> str:
    """Return the text, or its beginning and an ellipsis where it is wider."""
    return text if cell_len(text) <= width else f"{set_cell_size(text, width - 1).rstrip()}…"


def make_console() -> Console:
    """Return a console on stdout that takes text as it is and never breaks a line of numbers."""
    console = _Console(markup=False, highlight=False, emoji=False)
    if not console.is_terminal:
        # A pipe has no width: lines must be neither folded nor cut.
        console = _Console(markup=False, highlight=False, emoji=False, width=_NO_WIDTH)
    return console


class _Console(Console):
    """Lets the program report a closed pipe; rich would just exit."""

    def on_broken_pipe(self) -> None:
        raise


def _type_name(instance: Instance, index: int) -> str:
    if index >= instance.num_types:
        return f"#{shown(index)}"
    return named(instance.vehicle_types[index].name)


def _stops_text(instance: Instance, route: Route) -> str:
    """List the stops by name; a plan under check may have unknown ones."""
    if instance.stop_names is None and instance.stop_ids is None:
        return " ".join(map(shown, route.customers))
    return " · ".join(
        named(instance.stop_label(customer))
        if 1 <= customer <= instance.num_customers
        else shown(customer)
        for customer in route.customers
    )
