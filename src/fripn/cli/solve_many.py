"""``fripn solve-many``: thousands of instances into one file of lines."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fripn.budget import Budget
from fripn.cli.options import (
    DepotOption,
    MethodOption,
    QuietOption,
    SeedOption,
    VehiclesOption,
)
from fripn.cli.outputs import check_folder
from fripn.cli.progress import count_up
from fripn.cli.running import num_cores
from fripn.errors import InvalidFile
from fripn.settings import PositiveCount, Seed, checked
from fripn.solve import DEFAULT_METHOD, get_method

if TYPE_CHECKING:
    from fripn.batch.lines import Line


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
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Lines of JSON are appended here; instances it already holds are skipped.",
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
    from fripn.batch.lines import append, mend, read_objects
    from fripn.batch.solving import KIND, find_sources, latest, plan_tasks, solve_all, unfinished
    from fripn.cli.failures import tell_failures

    name = method or DEFAULT_METHOD
    get_method(name)
    checked("--jobs", jobs, PositiveCount | None)
    # Refused here, or every instance would fail for it.
    Budget(seconds=time_limit)
    checked("seed", seed, Seed)
    if vehicles is not None and not vehicles.is_file():
        raise InvalidFile(f"there is no file {vehicles}; check the path")
    check_folder(output)
    apart = [output] if vehicles is None else [output, vehicles]
    sources = find_sources(instances, with_tables=vehicles is not None, apart=apart)
    tasks = plan_tasks(sources, name, time_limit, seed, vehicles, depot)

    def read_lines() -> list[Line]:
        return [line for _, line in read_objects(output, KIND)] if output.exists() else []

    pending = unfinished(tasks, read_lines(), retry_failed=retry_failed)
    left = pending.tasks
    if not quiet:
        _tell(len(tasks) - len(left), pending.num_changed, len(tasks))
    if left:
        mend(output, KIND)
        workers = min(jobs or num_cores(), len(left))
        failures = 0
        try:
            with (
                count_up(len(left), quiet=quiet) as advance,
                closing(solve_all(left, workers)) as lines,
            ):
                for line in lines:
                    append(output, line)
                    failures += line["error"] is not None
                    advance(line["source"], failures)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(
                f"interrupted; finished instances are in {output}, and the same command goes on "
                "from there"
            ) from None
    return tell_failures(latest(tasks, read_lines()).values(), output, "instance")


def _tell(num_done: int, num_changed: int, num_tasks: int) -> None:
    """Say what an earlier call has left."""
    if num_done:
        print(f"{num_done} of {num_tasks} instances are done", file=sys.stderr)
    if num_changed:
        print(
            f"{num_changed} of {num_tasks} instances have changed since their line was written, or "
            "it does not say; they are solved anew, and the last line of each counts",
            file=sys.stderr,
        )
