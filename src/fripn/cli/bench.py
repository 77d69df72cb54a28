"""``fripn bench``: run methods over suites, and make tables of the lines."""

from __future__ import annotations

import sys
from enum import Enum
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from fripn.cli.cluster import ClusterOption, choose_executor
from fripn.cli.groups import with_groups
from fripn.cli.methods import MethodOptions, make_methods
from fripn.cli.options import (
    LinesOption,
    complete_method,
    method_name,
)
from fripn.errors import InvalidSetting
from fripn.settings import PositiveCount, checked

app = typer.Typer(help="Measure methods on suites of instances.", no_args_is_help=True)


class ReportFormat(Enum):
    """How to print a report."""

    MD = "md"
    TEXT = "text"
    CSV = "csv"


class ReportRows(Enum):
    """What a row of a report is about."""

    METHOD = "method"
    INSTANCE = "instance"


@app.command("run")
@with_groups
def run(
    suite: Annotated[
        str,
        typer.Option(
            "--suite",
            metavar="SUITE",
            help="golden, xh, brandao, li, paper-20, paper-50, paper-75, paper-100, a variant "
            "such as golden-FSM-V, or a folder of .json and .vrp files that may hold a "
            "best_known.csv.",
            show_default=False,
        ),
    ],
    method: Annotated[
        list[str],
        typer.Option(
            "--method",
            "-m",
            metavar="M[,M…]",
            help="Methods as for fripn solve, with commas between them; may be repeated.",
            show_default=False,
            parser=method_name,
            autocompletion=complete_method,
        ),
    ],
    output: LinesOption,
    *,
    time_limit: Annotated[
        float | None, typer.Option("--time-limit", "-t", metavar="S", help="Seconds per run.")
    ] = None,
    iterations: Annotated[
        int | None, typer.Option("--iterations", metavar="N", help="Iterations per run and thread.")
    ] = None,
    seeds: Annotated[int, typer.Option("--seeds", metavar="K", help="Seeds 0 … K - 1.")] = 1,
    threads: Annotated[int, typer.Option("--threads", metavar="T", help="Threads per run.")] = 1,
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", help="Only the first N instances.")
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", metavar="J", help="Runs at the same time. Default: 1."),
    ] = None,
    cluster: ClusterOption = None,
    curve: Annotated[
        bool, typer.Option("--curve", help="Keep every improvement in the line.")
    ] = False,
    keep_plans: Annotated[
        bool, typer.Option("--keep-plans", help="Keep the routes in the line.")
    ] = False,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Repeat runs whose line holds an error.")
    ] = False,
    settings: MethodOptions,
) -> int:
    """Run methods over a suite; interrupted, the same command goes on where it stopped.

    Settings of methods go to those of the methods that have them, and into their names in the
    lines.
    """
    from fripn.batch import run_batch
    from fripn.bench.lines import RECORD
    from fripn.bench.run import bench_items, others_in, require_solvers, require_weights
    from fripn.bench.suites import open_suite
    from fripn.budget import Budget
    from fripn.cli.batches import follow_batch
    from fripn.cli.outputs import check_folder
    from fripn.method_names import split_methods

    for flag, value in (
        ("--seeds", seeds),
        ("--threads", threads),
        ("--limit", limit),
        ("--jobs", jobs),
    ):
        checked(flag, value, PositiveCount | None)
    parts = [split_methods(text) for text in method]
    if not all(parts):
        empty = method[parts.index([])]
        raise InvalidSetting(
            f"--method is {empty!r}",
            field="--method",
            value=empty,
            remedy="name at least one method",
        )
    names = list(dict.fromkeys(chain.from_iterable(parts)))
    methods = make_methods(names, settings.settings())
    require_weights(methods.values())
    require_solvers(methods.values())
    endless = [name for name, one in methods.items() if not one.ends_by_itself]
    if time_limit is None and iterations is None and endless:
        raise InvalidSetting(
            f"no limit is given for {', '.join(endless)}",
            field="--time-limit",
            remedy="add --time-limit or --iterations",
        )
    check_folder(output)
    cases = open_suite(suite)[:limit]
    budget = Budget(seconds=time_limit, iterations=iterations)
    if others := others_in(output, methods):
        print(
            f"{output} has runs of {', '.join(others)}, which differs from what runs now; finished "
            "runs are not repeated, so take a new file to measure everything again",
            file=sys.stderr,
        )
    total = len(cases) * len(methods) * seeds
    executor = choose_executor(cluster, num_runs=total, jobs=jobs, threads=threads)
    entries = run_batch(
        bench_items(cases, methods, seeds, threads, budget, keep_curve=curve, keep_plan=keep_plans),
        RECORD,
        output=output,
        executor=executor,
        retry_failed=retry_failed,
    )
    return follow_batch(entries, total, output, what="run", label=RECORD.label, executor=executor)


@app.command("report")
def report(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE…", help="Files that fripn bench run wrote.")
    ],
    *,
    form: Annotated[
        ReportFormat, typer.Option("--format", help="How to print the table.")
    ] = ReportFormat.TEXT,
    by: Annotated[
        ReportRows, typer.Option("--by", help="One row per method, or per instance and method.")
    ] = ReportRows.METHOD,
    paired: Annotated[
        bool,
        typer.Option(
            "--paired", help="Compare every two methods instance by instance, with a p-value."
        ),
    ] = False,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot",
            metavar="FILE",
            help="Draw the mean gap over time as .svg, from lines with --curve (extra 'plot').",
        ),
    ] = None,
) -> None:
    """Print per method: mean and worst gap, share of best-known reached, cost, time, failures."""
    from fripn.bench.details import by_instance, compare_pairs, instance_table, pair_table
    from fripn.bench.lines import read_lines
    from fripn.bench.report import FORMATS, summarize

    lines = [line for path in files for line in read_lines(path)]
    if plot is not None:
        from fripn.bench.convergence import plot_convergence

        plot_convergence(lines, plot)
    if by is ReportRows.INSTANCE:
        print(instance_table(by_instance(lines), form.value), end="")
    elif not paired:
        print(FORMATS[form.value](summarize(lines)), end="")
    if paired:
        print("\n" * (by is ReportRows.INSTANCE), end="")
        print(pair_table(compare_pairs(lines), form.value), end="")
