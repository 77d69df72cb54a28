"""Run methods over suites and record every run as a line, so that nothing is lost or repeated."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fripn._version import __version__
from fripn.batch.lines import UNREADABLE
from fripn.batch.processes import run_all
from fripn.bench.lines import WITH_WEIGHTS, Key, Line, append, key_of, mend, read_lines
from fripn.bench.suites import Case
from fripn.budget import Budget
from fripn.errors import InvalidFile
from fripn.result import Status, gap_percent
from fripn.solve import solve


@dataclass(frozen=True, slots=True)
class Job:
    """One run to do: a method on a case, with a seed and a budget."""

    case: Case
    method: str
    seed: int
    threads: int
    budget: Budget
    keep_curve: bool = False

    @property
    def key(self) -> Key:
        """What the line of this run will be known by."""
        return Key(
            self.case.suite,
            self.case.name,
            self.method,
            self.seed,
            self.threads,
            self.budget.seconds,
            self.budget.iterations,
        )


def plan_jobs(
    cases: Sequence[Case],
    methods: Sequence[str],
    seeds: int,
    threads: int,
    budget: Budget,
    keep_curve: bool = False,
) -> list[Job]:
    """Give every run, seed by seed, so that an interrupted file is fair to all methods."""
    return [
        Job(case, method, seed, threads, budget, keep_curve)
        for seed in range(seeds)
        for case in cases
        for method in methods
    ]


def unfinished(jobs: Sequence[Job], path: Path, retry_failed: bool = False) -> list[Job]:
    """Give the jobs that have no line in the file yet (or only a failed one, if asked)."""
    if not path.exists():
        return list(jobs)
    lines = read_lines(path)
    done = {key_of(line) for line in lines if not (retry_failed and line.get("error"))}
    return [job for job in jobs if job.key not in done]


def others_in(path: Path, methods: Sequence[str]) -> list[str]:
    """Say what the lines of a file come from, where it is not what would run now.

    Parameters
    ----------
    path
        The file of lines, which need not exist.
    methods
        The methods that would run; the weights of the others do not matter.

    Returns
    -------
    list of str
        Such as ``commit 1324cfeee7b6`` or ``weights 6693ce5cb1a3``, each once.
    """
    lines = read_lines(path) if path.exists() else []
    found = {_origin(line.get("commit"), line.get("version")) for line in lines}
    others = sorted(found - {_origin(current_commit(), __version__)})
    weights = {
        f"weights {line['weights']}"
        for line in lines
        if line["method"] in methods
        and line.get("weights") not in (None, weights_of(line["method"]))
    }
    return [*others, *sorted(weights)]


def _origin(commit: str | None, version: str | None) -> str:
    return f"commit {commit}" if commit else f"version {version or 'unknown'}"


def run_jobs(
    jobs: Sequence[Job], path: Path, workers: int, on_line: Callable[[Line], None]
) -> None:
    """Run the jobs and append a line for each as it finishes.

    Parameters
    ----------
    jobs
        What to do.
    path
        The file of lines; a torn last line is cut off first.
    workers
        Processes. With one, the jobs run in this process, one after the other.
    on_line
        Hears of every line after it is on the disk.
    """
    mend(path)
    # Closing ends the processes at once when a line cannot be written.
    with closing(run_all(run_job, jobs, workers, _died)) as lines:
        for line in lines:
            append(path, line)
            on_line(line)


def run_job(job: Job) -> Line:
    """Do one run and describe it; whatever goes wrong becomes part of the line.

    Raises
    ------
    KeyboardInterrupt
        When the run was cut short: half a run is no result.
    """
    line = _blank_line(job)
    try:
        instance = job.case.load()
    except Exception as error:  # one bad file must not end a night of runs
        return line | {"status": UNREADABLE, "error": f"{type(error).__name__}: {error}"}
    try:
        line["weights"] = weights_of(job.method)
        line |= {"n": instance.num_customers, "types": instance.num_types}
        result = solve(instance, job.method, budget=job.budget, seed=job.seed, threads=job.threads)
    except Exception as error:  # nor must one bad run
        return line | {"status": "error", "error": f"{type(error).__name__}: {error}"}
    if result.status is Status.INTERRUPTED:
        raise KeyboardInterrupt
    line |= {
        "status": result.status.value,
        "seconds": result.seconds,
        "iterations_done": result.iterations,
        "lower_bound": result.lower_bound,
    }
    if result.evaluation is None:
        return line | {"error": "no plan was found"}
    evaluation, known = result.evaluation, job.case.best_known
    line |= {
        "cost": evaluation.cost,
        "fixed": evaluation.fixed_cost,
        "travel": evaluation.travel_cost,
        "gap_percent": None if known is None else gap_percent(evaluation.cost, known),
    }
    if job.keep_curve:
        line["curve"] = [[point.seconds, point.cost] for point in result.curve]
    return line


def _blank_line(job: Job) -> Line:
    return {
        "suite": job.case.suite,
        "instance": job.case.name,
        "n": None,
        "types": None,
        "method": job.method,
        "seed": job.seed,
        "threads": job.threads,
        "time_limit": job.budget.seconds,
        "iterations": job.budget.iterations,
        "status": None,
        "cost": None,
        "fixed": None,
        "travel": None,
        "seconds": None,
        "iterations_done": None,
        "lower_bound": None,
        "best_known": job.case.best_known,
        "gap_percent": None,
        "error": None,
        "version": __version__,
        "commit": current_commit(),
        "cpus": os.cpu_count(),
        "weights": None,
    }


@cache
def weights_of(method: str) -> str | None:
    """Give the fingerprint of the weights that a method uses, or None when it uses none."""
    if method not in WITH_WEIGHTS:
        return None
    from fripn.policy.weights import default_weights

    try:
        return default_weights().fingerprint
    except InvalidFile:  # an installation without weights: the method says what that means
        return None


@cache
def current_commit() -> str | None:
    """Give the commit of the checkout this package runs from, with ``+`` when it was changed."""
    folder = Path(__file__).parent
    try:
        answer = subprocess.run(
            ["git", "describe", "--always", "--dirty=+", "--exclude=*", "--abbrev=12"],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=10,
        )
        tracked = subprocess.run(
            ["git", "ls-files", "--error-unmatch", Path(__file__).name],
            cwd=folder,
            capture_output=True,
            timeout=10,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    # An installed copy may lie below somebody else's repository; only ours tracks this file.
    if answer.returncode or tracked.returncode:
        return None
    return answer.stdout.strip()


def _died(job: Job) -> Line:
    return _blank_line(job) | {"status": "error", "error": "the process died"}
