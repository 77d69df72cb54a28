"""``fripn solve-many``: thousands of instances into one file of lines."""

from __future__ import annotations

from typing import Annotated

import typer

from fripn.budget import Budget
from fripn.cli.options import (
    DepotOption,
    LinesOption,
    MethodOption,
    QuietOption,
    SeedOption,
    VehiclesOption,
)
from fripn.cli.outputs import check_folder
from fripn.cli.running import num_cores
from fripn.errors import InvalidFile
from fripn.settings import PositiveCount, checked
from fripn.solve import DEFAULT_METHOD


def solve_many(
    instances: Annotated[
        list[str],
        typer.Argument(
            metavar="INSTANCE…",
            help="Files, library names, or folders of .json and .vrp files (and .csv files of "
            "stops when --vehicles is given).",
            show_default=False,
        ),
    ],
    output: LinesOption,
    *,
    method: MethodOption = None,
    time_limit: Annotated[
        float | None,
        typer.Option(
            "--time-limit",
            "-t",
            metavar="S",
            help="Seconds per instance. Default: by size, as for fripn solve.",
        ),
    ] = None,
    seed: SeedOption = 0,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", metavar="J", help="Instances at the same time. Default: all cores."),
    ] = None,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Repeat instances whose line holds an error.")
    ] = False,
    vehicles: VehiclesOption = None,
    depot: DepotOption = None,
    quiet: QuietOption = False,
) -> int:
    """Solve many instances; interrupted, the same command goes on where it stopped."""
    from fripn.batch import local_executor, run_batch
    from fripn.batch.solving import RECORD, check_tables, solve_items
    from fripn.cli.batches import follow_batch
    from fripn.problem.inputs import find_sources

    checked("--jobs", jobs, PositiveCount | None)
    budget = Budget(seconds=time_limit)
    if vehicles is not None and not vehicles.is_file():
        raise InvalidFile(
            f"there is no file {vehicles}",
            field="--vehicles",
            value=vehicles,
            remedy="check the path",
        )
    check_folder(output)
    apart = [output] if vehicles is None else [output, vehicles]
    sources = find_sources(instances, with_tables=vehicles is not None, apart=apart)
    check_tables(sources, vehicles, depot)
    entries = run_batch(
        solve_items(sources, method or DEFAULT_METHOD, budget, seed, vehicles, depot),
        RECORD,
        output=output,
        executor=local_executor(min(jobs or num_cores(), len(sources))),
        retry_failed=retry_failed,
    )
    return follow_batch(
        entries, len(sources), output, what="instance", label=RECORD.label, quiet=quiet
    )
