"""``fripn solve-many``: thousands of instances into one file of lines."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from fripn.cli.options import MethodOption, QuietOption, SeedOption, VehiclesOption
from fripn.cli.outputs import check_folder
from fripn.cli.progress import count_up
from fripn.cli.running import num_cores
from fripn.errors import InvalidFile, InvalidSetting
from fripn.solve import DEFAULT_METHOD, get_method


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
    quiet: QuietOption = False,
) -> int:
    """Solve many instances; interrupted, the same command goes on where it stopped."""
    from fripn.jsonl import append, mend, read_objects
    from fripn.many import KIND, Task, find_sources, solve_all, unfinished

    name = method or DEFAULT_METHOD
    get_method(name)
    if jobs is not None and jobs < 1:
        raise InvalidSetting(f"--jobs is {jobs}; give a whole number, 1 or more")
    if vehicles is not None and not vehicles.is_file():
        raise InvalidFile(f"there is no file {vehicles}; check the path")
    check_folder(output)
    sources = find_sources(instances, with_csv=vehicles is not None)
    tasks = [
        Task(source, name, time_limit, seed, None if vehicles is None else str(vehicles))
        for source in sources
        if Path(source).resolve() not in (output.resolve(), vehicles and vehicles.resolve())
    ]
    done = [line for _, line in read_objects(output, KIND)] if output.exists() else []
    left = unfinished(tasks, done, retry_failed=retry_failed)
    if len(left) < len(tasks) and not quiet:
        print(f"{len(tasks) - len(left)} of {len(tasks)} instances are done", file=sys.stderr)
    failures = 0
    if left:
        mend(output, KIND)
        workers = min(jobs or num_cores(), len(left))
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
    if failures:
        what = (
            "1 instance failed; its line"
            if failures == 1
            else f"{failures} instances failed; their lines"
        )
        print(f"{what} in {output} say{'s' if failures == 1 else ''} why", file=sys.stderr)
    return 1 if failures else 0
