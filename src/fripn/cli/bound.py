"""``fripn bound``: a lower bound on the cost of all plans."""

from __future__ import annotations

from fripn.budget import Budget
from fripn.cli.groups import with_groups
from fripn.cli.inputs import ProblemOptions, read_problem
from fripn.cli.json_output import print_json
from fripn.cli.options import (
    GapOption,
    InstanceArgument,
    JsonOption,
    ProgressOption,
    QuietOption,
    SeedOption,
    ThreadsOption,
    TimeLimitOption,
    VehicleFileArgument,
)
from fripn.cli.progress import ProgressMode, shown_mode
from fripn.cli.running import solve_followed
from fripn.problem.library import best_known_of
from fripn.result import Result
from fripn.solve import get_method, with_defaults


@with_groups
def bound(
    instance: InstanceArgument,
    vehicle_file: VehicleFileArgument = None,
    *,
    time_limit: TimeLimitOption = None,
    gap: GapOption = None,
    seed: SeedOption = 0,
    threads: ThreadsOption = None,
    problem: ProblemOptions,
    progress: ProgressOption = ProgressMode.AUTO,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Print a lower bound on the cost of every plan."""
    given = read_problem(instance, problem.with_vehicles(vehicle_file), quiet=quiet).instance
    method = get_method("exact")
    budget = with_defaults(Budget(seconds=time_limit, gap=gap), given, method)
    known = best_known_of(given)
    result = solve_followed(
        given,
        method,
        budget,
        shown_mode(progress, as_json=as_json, quiet=quiet),
        seed=seed,
        threads=threads,
        best_known=known.cost if known else None,
    )
    if as_json:
        print_json(result.to_dict(best_known=known.cost if known else None))
    elif not quiet:
        _print(result)
    return 0


def _print(result: Result) -> None:
    if result.lower_bound is None:
        print("bound   none yet; allow more time")
    else:
        print(f"bound   {result.lower_bound:.4f} ({result.proved_by})")
    if result.gap is not None:
        print(f"plan    {result.cost:.4f}: at most {result.gap:z.3f} % could be saved")
    print(f"method  {result.method}, {result.status.value} after {result.seconds:.2f} s")
    for note in result.notes:
        print(f"note    {note}")
