"""``fripn fleet``: the best mix of vehicles, and what other fleets would cost."""

from __future__ import annotations

import signal
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fripn.cli.cluster import ClusterOption
from fripn.cli.groups import with_groups
from fripn.cli.inputs import ProblemOptions, read_problem
from fripn.cli.json_output import print_json
from fripn.cli.methods import proving_method
from fripn.cli.options import (
    InstanceArgument,
    JsonOption,
    MethodOption,
    ProgressOption,
    ProveOption,
    QuietOption,
    ReportOption,
    SeedOption,
    ThreadsOption,
    VehicleFileArgument,
    seconds,
)
from fripn.cli.outputs import REPORTS, check_target
from fripn.cli.price_changes import changed_instance
from fripn.cli.progress import ProgressMode
from fripn.cli.showing import ReportOptions
from fripn.errors import NoPlanFound
from fripn.messages import named
from fripn.problem.library import best_known_of
from fripn.result import Status
from fripn.run import Stop, stop_on_interrupt
from fripn.solve import DEFAULT_METHOD

if TYPE_CHECKING:
    from fripn.fleet_comparison import BreakEven, FleetComparison
    from fripn.render.presentation import Presentation
    from fripn.result import Result


@with_groups
def fleet(
    instance: InstanceArgument,
    vehicle_file: VehicleFileArgument = None,
    *,
    method: MethodOption = None,
    time_limit: Annotated[
        float,
        typer.Option(
            "--time-limit",
            "-t",
            metavar="S",
            parser=seconds,
            help="Seconds per scenario; there are up to four per vehicle type.",
        ),
    ] = 2.0,
    prove: ProveOption = False,
    seed: SeedOption = 0,
    threads: ThreadsOption = None,
    cluster: ClusterOption = None,
    changes: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="TYPE.FIELD=VALUE",
            help="What if: 'van.fixed_cost=+10%', 'van.unit_cost=0.4', '*.fixed_cost=-5%'; fields "
            "are fixed_cost, unit_cost, cost_per_hour, capacity, available, max_duration and "
            "max_distance. May be repeated.",
        ),
    ] = None,
    report: ReportOption = None,
    showing: ReportOptions,
    problem: ProblemOptions,
    progress: ProgressOption = ProgressMode.AUTO,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Find the best mix of vehicles, and what it costs to hire otherwise."""
    from fripn.fleet_comparison import compare_fleets, no_plan

    if prove:
        method = proving_method(method)
    problem = problem.with_vehicles(vehicle_file)
    given = read_problem(instance, problem, quiet=quiet).instance
    changed = changed_instance(given, changes or ())
    show = showing.presentation(instance, problem.vehicles)
    if report is not None:
        check_target(report, REPORTS)
    is_live = progress in (ProgressMode.AUTO, ProgressMode.LIVE) and sys.stderr.isatty()
    is_plain = progress is ProgressMode.PLAIN

    def show_scenario(label: str, done: int, total: int) -> None:
        if is_live:
            # One line that is written over; the escape sequence clears what was longer before.
            print(f"\r\x1b[2K{done + 1} of {total}: {label}", end="", file=sys.stderr, flush=True)
        elif is_plain:
            print(f"{done + 1} of {total}: {label}", file=sys.stderr, flush=True)

    executor = None
    connection: AbstractContextManager[None] = nullcontext()
    if cluster is not None:
        from fripn.executors import RayCluster

        executor = RayCluster(cluster, threads or 1)
        connection = executor.connected()
    stop = Stop()
    try:
        with connection, stop_on_interrupt(stop, again=signal.SIG_DFL):
            comparison = compare_fleets(
                changed,
                method or DEFAULT_METHOD,
                time_limit=time_limit,
                seed=seed,
                threads=threads,
                on_scenario=None if quiet or not (is_live or is_plain) else show_scenario,
                stop=stop,
                as_given=given if changes else None,
                executor=executor,
            )
    except NoPlanFound:
        if as_json:
            print_json(no_plan(changed, method or DEFAULT_METHOD))
        raise
    finally:
        if is_live and not quiet:
            print("\r\x1b[2K", end="", file=sys.stderr, flush=True)
    if report is not None:
        _write(comparison, report, show)
    if as_json:
        print_json(comparison.to_dict())
    elif not quiet:
        _print(comparison)
    if not comparison.is_complete:
        print("interrupted; scenarios are missing", file=sys.stderr)
    if report is not None and not quiet:
        print(f"wrote {report}", file=sys.stderr)
    return 0


def _write(comparison: FleetComparison, report: Path, show: Presentation) -> None:
    from fripn.render.report import write_report

    known = best_known_of(comparison.best.instance)
    write_report(
        comparison.best,
        report,
        best_known=known.cost if known else None,
        fleet=comparison,
        show=show,
    )


def _print(comparison: FleetComparison) -> None:
    from fripn.cli.tables import make_console, print_table
    from fripn.render.text import fleet_text

    best = comparison.best
    assert best.solution is not None
    hired = fleet_text(best.instance, best.solution)
    rows = [["best mix", f"{best.cost:.2f}", "", "", _best_text(best), hired]]
    given = comparison.as_given
    if given is not None and given.solution is not None:
        share = f"{100 * (given.cost - best.cost) / best.cost:+.2f} %" if best.cost else ""
        hired = fleet_text(given.instance, given.solution)
        row = [
            "prices as given",
            f"{given.cost:.2f}",
            f"{given.cost - best.cost:+.2f}",
            share,
            "",
            hired,
        ]
        rows.insert(0, row)
    for scenario in comparison.scenarios:
        extra = comparison.extra_cost(scenario)
        if scenario.solution is None or scenario.cost is None or extra is None:
            rows.append([scenario.label, "–", "", "", "", f"not possible: {scenario.reason}"])
            continue
        share = f"{100 * extra / best.cost:+.2f} %" if best.cost else ""
        hired = fleet_text(best.instance, scenario.solution)
        remark = f" ({scenario.reason})" if scenario.reason else ""
        proven = comparison.proven_extra_cost(scenario)
        at_least = "" if proven is None else f"{proven:+.2f}"
        cost = f"{scenario.cost:.2f}"
        rows.append([scenario.label, cost, f"{extra:+.2f}", share, at_least, hired + remark])
    console = make_console()
    header = ["change", "cost", "difference", "percent", "proven", "fleet"]
    if best.lower_bound is None:
        header.pop(4)
        for row in rows:
            row.pop(4)
    print_table(console, header, rows, words=(0, len(header) - 1))
    prices = [
        [
            named(best.instance.vehicle_types[item.vehicle_type].name),
            f"{best.instance.vehicle_types[item.vehicle_type].fixed_cost:.2f}",
            _price_text(item),
        ]
        for item in comparison.break_even
    ]
    if prices:
        console.print()
        print_table(console, ("type", "fixed cost", "pays up to"), prices, words=(0,))


def _best_text(best: Result) -> str:
    if best.status is Status.OPTIMAL:
        return "optimal"
    return "" if best.gap is None else f"within {best.gap:.2f} %"


def _price_text(item: BreakEven) -> str:
    if item.is_needed:
        return "needed at any price"
    if item.price is None:
        return "not known"
    return "not even for free" if item.price < 0 else f"{item.price:.2f}"
