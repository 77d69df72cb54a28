"""``fripn solve``: an instance in, a plan out."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer

from fripn.budget import Budget
from fripn.cli.methods import make_method
from fripn.cli.options import DepotOption, InstanceArgument, JsonOption, VehiclesOption
from fripn.cli.outputs import PICTURES, check_solution_targets, check_target, write_solutions
from fripn.cli.progress import ProgressMode, follow
from fripn.errors import InvalidSetting, InvalidSolution, NoPlanFound
from fripn.problem import Instance, Solution, evaluate
from fripn.result import Improvement, Method, OnImprovement, Result, Status
from fripn.solve import METHODS, default_time_limit
from fripn.solve import solve as solve_instance
from fripn.source import best_known, open_instance


def solve(
    instance: InstanceArgument,
    vehicle_file: Annotated[
        Path | None,
        typer.Argument(
            metavar="[VEHICLES]", help="Short for --vehicles: fripn solve stops.csv vehicles.csv."
        ),
    ] = None,
    *,
    method: Annotated[
        str | None,
        typer.Option("--method", "-m", metavar="M", help=f"One of {', '.join(METHODS)}."),
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(
            "--time-limit",
            "-t",
            metavar="S",
            help="Seconds. Without any limit: 0.1 s per customer, at least 2 s, at most 60 s.",
        ),
    ] = None,
    iterations: Annotated[
        int | None,
        typer.Option("--iterations", metavar="N", help="Stop after N iterations of the method."),
    ] = None,
    stall: Annotated[
        int | None,
        typer.Option("--stall", metavar="N", help="Stop after N iterations without improvement."),
    ] = None,
    target: Annotated[
        float | None,
        typer.Option("--target", metavar="COST", help="Stop as soon as a plan costs no more."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Seed of all chance.")] = 0,
    threads: Annotated[
        int | None,
        typer.Option(
            "--threads",
            metavar="T",
            help="Threads. Default: all cores; 1 with --iterations, so that it can be repeated.",
        ),
    ] = None,
    start: Annotated[
        Path | None,
        typer.Option("--start", metavar="FILE", help="A plan to start from; never made worse."),
    ] = None,
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write the plan: .json .sol .csv .geojson .png .svg; may be repeated.",
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="FILE", help="Write a picture of the routes: .png or .svg."),
    ] = None,
    vehicles: VehiclesOption = None,
    depot: DepotOption = None,
    progress: Annotated[
        ProgressMode,
        typer.Option("--progress", help="What to show on stderr while it runs."),
    ] = ProgressMode.AUTO,
    as_json: JsonOption = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print nothing but errors (and --json).")
    ] = False,
) -> int:
    """Find the cheapest fleet and its routes."""
    if vehicle_file is not None and vehicles is not None:
        raise InvalidSetting(f"vehicles are given twice ({vehicle_file}, {vehicles}); give one")
    vehicles = vehicle_file or vehicles
    problem = open_instance(instance, vehicles=vehicles, depot=depot)
    budget = _budget(problem, time_limit, iterations, stall, target)
    name, chosen = make_method(method, {})
    first = _read_start(start, problem)
    if plot is not None:
        check_target(plot, PICTURES)
    files = [*(output or []), *([plot] if plot else [])]
    check_solution_targets(files, problem, (instance, vehicles, start))
    if threads is None:
        threads = 1 if iterations is not None else num_cores()

    known = best_known(problem)
    shown = ProgressMode.NONE if quiet and progress is ProgressMode.AUTO else progress
    with follow(shown, problem, budget, known.cost if known else None) as on_improvement:
        result = _run(name, chosen, problem, budget, seed, threads, first, on_improvement)

    if result.solution is not None:
        write_solutions(files, problem, result.solution)
    if as_json:
        print(result.to_json())
    elif not quiet and result.solution is not None:
        from fripn.cli.tables import print_result

        print_result(result, known)
    if result.solution is None:
        raise NoPlanFound(
            f"no plan was found for {problem.name} in {result.seconds:.3g} s by method {name!r}; "
            "give it more time, or more vehicles where their number is limited"
        )
    if not quiet:
        for path in files:
            print(f"wrote {path}", file=sys.stderr)
    return 0


def num_cores() -> int:
    """Give the number of cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _budget(
    instance: Instance,
    time_limit: float | None,
    iterations: int | None,
    stall: int | None,
    target: float | None,
) -> Budget:
    if time_limit is None and iterations is None and stall is None:
        time_limit = default_time_limit(instance.num_customers)
    return Budget(seconds=time_limit, iterations=iterations, stall=stall, target=target)


def _read_start(path: Path | None, instance: Instance) -> Solution | None:
    if path is None:
        return None
    from fripn.problem.io import read_solution

    solution = read_solution(path, instance)
    violations = evaluate(instance, solution).violations
    if violations:
        raise InvalidSolution(
            f"{path} is no valid plan for {instance.name}: {violations[0].message}; mend it or "
            "leave --start out"
        )
    return solution


def _run(
    name: str,
    method: Method,
    instance: Instance,
    budget: Budget,
    seed: int,
    threads: int,
    start: Solution | None,
    on_improvement: OnImprovement,
) -> Result:
    """Solve; when Ctrl-C comes and the method does not answer it, give the best plan seen."""
    curve: list[Improvement] = []
    best = start

    def remember(seconds: float, cost: float, solution: Solution) -> None:
        nonlocal best
        best = solution
        curve.append(Improvement(seconds, cost))
        on_improvement(seconds, cost, solution)

    began = time.perf_counter()
    previous = signal.signal(signal.SIGINT, _interrupt_once)
    try:
        return solve_instance(
            instance,
            method,
            budget=budget,
            seed=seed,
            threads=threads,
            start=start,
            on_improvement=remember,
        )
    except KeyboardInterrupt:
        if best is None:
            raise
        return Result.judged(
            instance,
            best,
            method=name,
            status=Status.INTERRUPTED,
            seconds=time.perf_counter() - began,
            seed=seed,
            curve=tuple(curve),
        )
    finally:
        signal.signal(signal.SIGINT, previous)


def _interrupt_once(number: int, frame: FrameType | None) -> None:
    """Interrupt the method; a second Ctrl-C ends the process at once."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    raise KeyboardInterrupt
