"""Thousands of instances, one line of JSON each; resumable, and no failure stops the rest."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fripn.errors import InvalidFile, InvalidSetting
from fripn.jsonl import COUNT, POSITIVE, TEXT, Kind, Line
from fripn.result import Status
from fripn.solve import solve
from fripn.workers import run_all

#: What counts as an instance when a folder is given; a CSV only together with vehicles.
SUFFIXES = (".json", ".vrp")

KIND = Kind(
    "fripn solve-many",
    {"source": TEXT, "method": TEXT, "time_limit": POSITIVE.or_null, "seed": COUNT},
)


@dataclass(frozen=True, slots=True)
class Task:
    """One instance to solve, and how."""

    source: str
    method: str
    time_limit: float | None
    seed: int
    vehicles: str | None = None

    @property
    def settings(self) -> Line:
        """What a line of this task starts with; equal settings are the same task."""
        return {
            "source": self.source,
            "method": self.method,
            "time_limit": self.time_limit,
            "seed": self.seed,
        }


def find_sources(given: Sequence[Path | str], *, with_csv: bool) -> list[str]:
    """Give the instances that files, folders and library names stand for, each once.

    Parameters
    ----------
    given
        A folder stands for the instance files in it, sorted by name.
    with_csv
        Whether CSV files in a folder are instances.

    Raises
    ------
    InvalidFile
        When a folder holds no instance.
    InvalidSetting
        When nothing is given.
    """
    suffixes = (*SUFFIXES, ".csv") if with_csv else SUFFIXES
    found: dict[str, None] = {}
    for item in given:
        path = Path(item)
        if not path.is_dir():
            found[str(item)] = None
            continue
        inside = sorted(entry for entry in path.iterdir() if entry.suffix.lower() in suffixes)
        if not inside:
            raise InvalidFile(f"{path} holds no file ending in {' or '.join(suffixes)}")
        found |= dict.fromkeys(map(str, inside))
    if not found:
        raise InvalidSetting("no instance is given; name files or a folder")
    return list(found)


def unfinished(tasks: Iterable[Task], lines: Iterable[Line], *, retry_failed: bool) -> list[Task]:
    """Give the tasks that have no line yet (or only a failed one, if asked)."""
    done = {_key(line) for line in lines if not (retry_failed and line.get("error") is not None)}
    return [task for task in tasks if _key(task.settings) not in done]


def solve_task(task: Task) -> Line:
    """Solve one instance; whatever goes wrong becomes part of its line.

    Raises
    ------
    KeyboardInterrupt
        When the run was cut short: half a run is no result.
    """
    try:
        result = solve(
            task.source,
            task.method,
            vehicles=task.vehicles,
            time_limit=task.time_limit,
            seed=task.seed,
        )
    except Exception as error:  # one bad instance must not stop the rest
        return _failed(task, str(error) or type(error).__name__)
    if result.status is Status.INTERRUPTED:
        raise KeyboardInterrupt
    problem = None if result.solution is not None else "no plan was found in the time"
    return {**task.settings, **result.to_dict(), **task.settings, "error": problem}


def solve_all(tasks: Sequence[Task], workers: int) -> Generator[Line]:
    """Solve the tasks on several processes and give the lines as they come."""
    return run_all(solve_task, tasks, workers, _died)


def _died(task: Task) -> Line:
    return _failed(task, "the process died; the instance may be too large for the memory")


def _failed(task: Task, message: str) -> Line:
    return {**task.settings, "status": "error", "cost": None, "routes": [], "error": message}


def _key(line: Line) -> tuple[Any, ...]:
    return tuple(line.get(name) for name in ("source", "method", "time_limit", "seed"))
