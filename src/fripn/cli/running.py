"""What the commands that solve have in common: limits, start plans, running, and handing over."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from fripn.budget import Budget
from fripn.cli.json_output import print_json
from fripn.cli.outputs import (
    PICTURES,
    REPORTS,
    check_solution_targets,
    check_target,
    write_solutions,
)
from fripn.errors import InvalidSolution, NoPlanFound
from fripn.problem import Instance, Solution, evaluate
from fripn.result import Improvement, Method, OnImprovement, Result, Status
from fripn.solve import default_budget
from fripn.solve import solve as solve_instance

if TYPE_CHECKING:
    from fripn.problem.library import BestKnown


def num_cores() -> int:
    """Give the number of cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def make_budget(
    instance: Instance,
    method: Method,
    time_limit: float | None,
    iterations: int | None = None,
    stall: int | None = None,
    target: float | None = None,
) -> Budget:
    """Give the limits that were named, or the default ones."""
    if time_limit is None and iterations is None and stall is None:
        default = default_budget(instance, method)
        return replace(default, target=default.target if target is None else target)
    return Budget(seconds=time_limit, iterations=iterations, stall=stall, target=target)


def read_plan(path: Path, instance: Instance) -> Solution:
    """Read a plan to start from.

    Raises
    ------
    InvalidInput
        When it cannot be read, or breaks a rule.
    """
    from fripn.problem.io import read_solution

    solution = read_solution(path, instance)
    violations = evaluate(instance, solution).violations
    if violations:
        raise InvalidSolution(
            f"{path} is no valid plan for {instance.name}: {violations[0].message}; mend it first"
        )
    return solution


def run_method(
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


def _remedy(result: Result, budget: Budget) -> str:
    """Say what may help a run without a plan; time does only where it was what ended the run."""
    limits = ((budget.seconds, result.seconds), (budget.iterations, result.iterations))
    if any(limit is not None and used >= 0.9 * limit for limit, used in limits):
        return "give it more time, or more vehicles where their number is limited"
    return "try another method, or offer more vehicles where their number is limited"


def check_files(
    instance: Instance,
    output: Sequence[Path] | None,
    plot: Path | None,
    report: Path | None,
    inputs: Sequence[Path | str | None],
) -> list[Path]:
    """Refuse files that could not be written later; give those that hold the plan."""
    if plot is not None:
        check_target(plot, PICTURES)
    if report is not None:
        check_target(report, REPORTS)
    files = [*(output or []), *([plot] if plot else [])]
    check_solution_targets(files, instance, inputs)
    return files


def hand_over(
    result: Result,
    budget: Budget,
    known: BestKnown | None,
    files: Sequence[Path],
    report: Path | None,
    *,
    as_json: bool,
    quiet: bool,
) -> None:
    """Write the files, and print the plan.

    Raises
    ------
    NoPlanFound
        When there is no plan; the JSON object is printed all the same.
    """
    if result.solution is not None:
        write_solutions(files, result.instance, result.solution)
        if report is not None:
            from fripn.render.report import write_report

            write_report(result, report, best_known=known.cost if known else None)
    if as_json:
        print_json(result.to_dict())
    elif not quiet and result.solution is not None:
        from fripn.cli.tables import print_result

        print_result(result, known)
    if result.solution is None:
        raise NoPlanFound(
            f"no plan was found for {result.instance.name} in {result.seconds:.3g} s by method "
            f"{result.method!r}; {_remedy(result, budget)}"
        )
    if not quiet:
        for path in [*files, *([report] if report else [])]:
            print(f"wrote {path}", file=sys.stderr)
