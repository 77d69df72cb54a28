"""``fripn solve-many``: thousands of instances into one file of lines, or a week into a folder."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from fripn.budget import Budget
from fripn.cli.cluster import ClusterOption, choose_executor
from fripn.cli.groups import with_groups
from fripn.cli.inputs import ProblemOptions, split_vehicles
from fripn.cli.options import (
    MethodOption,
    QuietOption,
    SeedOption,
    complete_instance,
    seconds,
)
from fripn.cli.outputs import LINES_NAME, LINES_SUFFIXES, check_folder, check_new_folder
from fripn.cli.showing import ShowingOptions
from fripn.errors import InvalidFile, InvalidSetting
from fripn.settings import PositiveCount, checked
from fripn.solve import DEFAULT_METHOD, num_cores


@with_groups
def solve_many(
    instances: Annotated[
        list[str],
        typer.Argument(
            metavar="INSTANCE… [VEHICLES]",
            autocompletion=complete_instance,
            help="Files, library names, or folders of .json, .vrp and .xlsx files (and .csv files "
            "of stops when a table of vehicles is given too).",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE.jsonl|DIR",
            help="Lines of JSON are appended to FILE.jsonl; what it holds is not run again. "
            "A folder also gets a table, a report and driver sheets per instance, and a page with "
            "links to them.",
            show_default=False,
        ),
    ],
    *,
    method: MethodOption = None,
    time_limit: Annotated[
        float | None,
        typer.Option(
            "--time-limit",
            "-t",
            metavar="S",
            parser=seconds,
            help="Seconds per instance. Default: by size, as for fripn solve.",
        ),
    ] = None,
    seed: SeedOption = 0,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", metavar="J", help="Instances at the same time. Default: all cores."),
    ] = None,
    cluster: ClusterOption = None,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Repeat instances whose line holds an error.")
    ] = False,
    showing: ShowingOptions,
    problem: ProblemOptions,
    quiet: QuietOption = False,
) -> int:
    """Solve many instances; interrupted, the same command goes on where it stopped."""
    from fripn.batch import Entry, run_batch
    from fripn.batch.solving import RECORD, check_tables, solve_items
    from fripn.batch.sources import find_sources
    from fripn.cli.batches import follow_batch
    from fripn.cli.line_plans import MAX_ROWS, Summary, open_line, report_unwritten

    checked("--jobs", jobs, PositiveCount | None)
    budget = Budget(seconds=time_limit)
    show = showing.presentation()
    instances, vehicles = split_vehicles(instances, problem.vehicles)
    problem = replace(problem, vehicles=vehicles)
    others = [file for file in problem.files() if file is not None]
    for file in others:
        if not file.is_file():
            raise InvalidFile(
                f"there is no file {file}", field="file", value=file, remedy="check the path"
            )
    lines, folder = _targets(output, instances)
    with ExitStack() as stack:
        sources = stack.enter_context(
            find_sources(instances, with_tables=vehicles is not None, apart=[lines, *others])
        )
        options = problem.input_options()
        check_tables(sources, options)
        items = solve_items(sources, method or DEFAULT_METHOD, budget, seed, options)
        plans = None
        if folder is not None:
            from fripn.cli.plan_folder import PlanFolder

            plans = stack.enter_context(PlanFolder(folder, show, open_line, sources))
        total = len(sources)
        summary = Summary(sources.first(MAX_ROWS), total)
        executor = choose_executor(cluster, num_runs=total, jobs=jobs, default_jobs=num_cores())
        entries = run_batch(
            items,
            RECORD,
            output=lines,
            executor=executor,
            retry_failed=retry_failed,
        )

        def hand_on() -> Generator[Entry]:
            with closing(entries):
                for entry in entries:
                    summary.add(entry.line)
                    if plans is not None:
                        plans.add(entry.line)
                    yield entry

        code = follow_batch(
            hand_on(),
            total,
            lines,
            what="instance",
            label=RECORD.label,
            executor=executor,
            quiet=quiet,
        )
        if not quiet:
            summary.print()
        if plans is None:
            return code
        index = plans.finish()
        if not quiet:
            print(f"wrote {index}", file=sys.stderr)
        return report_unwritten(plans) or code


def _targets(output: Path, instances: list[str]) -> tuple[Path, Path | None]:
    """Return the file of lines, and the folder of plans if one is named."""
    suffix = output.suffix.lower()
    if output.is_dir() or (not suffix and not output.exists()):
        if not output.is_dir():
            check_new_folder(output)
        if any(output.resolve() == Path(given).resolve() for given in instances):
            raise InvalidSetting(
                f"{output} is a folder of instances",
                field="--output",
                value=output,
                remedy="name another folder for the plans",
            )
        return output / LINES_NAME, output
    if suffix not in ("", *LINES_SUFFIXES):
        raise InvalidSetting(
            f"{output} ends in {{value}}, but lines of JSON are written",
            field="--output",
            value=suffix,
            remedy=f"end it in {LINES_SUFFIXES[0]}, or name a folder for tables, reports and "
            "driver sheets (fripn convert makes them from the lines as well)",
        )
    check_folder(output)
    return output, None
