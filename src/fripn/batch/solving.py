"""Thousands of instances, one line of JSON each; resumable, and no failure stops the rest."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from fripn.batch.lines import COUNT, POSITIVE, TEXT, UNREADABLE, Kind, Line
from fripn.batch.processes import run_all
from fripn.errors import InvalidFile, InvalidSetting
from fripn.problem import Instance
from fripn.problem.inputs import open_instance
from fripn.problem.library import best_known_of
from fripn.result import Status
from fripn.solve import solve

#: What counts as an instance when a folder is given; a table of stops only with its vehicles.
SUFFIXES = (".json", ".vrp")
TABLE_SUFFIX = ".csv"

KIND = Kind(
    "fripn solve-many",
    required={"source": TEXT, "method": TEXT, "time_limit": POSITIVE.or_null, "seed": COUNT},
    optional={
        "vehicles_file": TEXT.or_null,
        "depot": TEXT.or_null,
        "digest": TEXT.or_null,
        "status": TEXT,
        "error": TEXT.or_null,
    },
)


@dataclass(frozen=True, slots=True)
class Task:
    """One instance to solve, and how.

    Parameters
    ----------
    source
        A file or a library name.
    method, time_limit, seed
        As for `fripn.solve.solve`.
    vehicles, depot
        What goes with a table of stops.
    """

    source: str
    method: str
    time_limit: float | None
    seed: int
    vehicles: str | None = None
    depot: str | None = None

    @property
    def settings(self) -> Line:
        """What a line of this task starts with; equal settings are the same task."""
        return {
            "source": self.source,
            "vehicles_file": self.vehicles,
            "depot": self.depot,
            "method": self.method,
            "time_limit": self.time_limit,
            "seed": self.seed,
        }

    def load(self) -> Instance:
        """Read the instance."""
        return open_instance(self.source, vehicles=self.vehicles, depot=self.depot)


@dataclass(frozen=True, slots=True)
class Pending:
    """What is left to do, and how many of it had been done before the instance changed."""

    tasks: list[Task]
    num_changed: int


def find_sources(
    given: Sequence[Path | str], *, with_tables: bool, apart: Iterable[Path] = ()
) -> list[str]:
    """Give the instances that files, folders and library names stand for, each once.

    Parameters
    ----------
    given
        A folder stands for the instance files in it, sorted by name.
    with_tables
        Whether CSV files in a folder are tables of stops. One that holds the vehicles of another,
        as ``fripn convert`` names it, is none.
    apart
        Files that have another part in the call; in a folder they are passed over.

    Raises
    ------
    InvalidFile
        When a folder holds no instance.
    InvalidSetting
        When nothing is given, or a file that has another part in the call.
    """
    suffixes = (*SUFFIXES, TABLE_SUFFIX) if with_tables else SUFFIXES
    others = {path.resolve() for path in apart}
    found: dict[str, None] = {}
    for item in given:
        path = Path(item)
        if not path.is_dir():
            if path.resolve() in others:
                raise InvalidSetting(
                    f"{item} is given as an instance and for another part of this command; "
                    "name another file"
                )
            found[str(item)] = None
            continue
        inside = [entry for entry in _files(path, suffixes) if entry.resolve() not in others]
        if not inside:
            raise InvalidFile(
                f"{path} holds no file ending in {' or '.join(suffixes)}; name another folder"
                + ("" if with_tables else ", or add --vehicles for tables of stops (.csv)")
            )
        found |= dict.fromkeys(map(str, inside))
    if not found:
        raise InvalidSetting("no instance is given; name files or a folder")
    return list(found)


def plan_tasks(
    sources: Sequence[str],
    method: str,
    time_limit: float | None,
    seed: int,
    vehicles: Path | None = None,
    depot: str | None = None,
) -> list[Task]:
    """Give a task for each source; vehicles and depot are for tables of stops alone.

    Raises
    ------
    InvalidSetting
        When vehicles or a depot are given, but no table of stops.
    """
    has_table = any(map(_is_table, sources))
    for option, value in (("vehicles", vehicles), ("depot", depot)):
        if value is not None and not has_table:
            raise InvalidSetting(
                f"{option} {str(value)!r} is given, but none of the instances is a table of stops "
                f"({TABLE_SUFFIX}); leave the option out"
            )
    beside = None if vehicles is None else str(vehicles)
    return [
        Task(source, method, time_limit, seed, beside, depot)
        if _is_table(source)
        else Task(source, method, time_limit, seed)
        for source in sources
    ]


def latest(tasks: Iterable[Task], lines: Iterable[Line]) -> dict[Task, Line]:
    """Give the line of each task that has one: the last, where there are several."""
    last = {_key(line): line for line in lines}
    found = {task: last.get(_key(task.settings)) for task in tasks}
    return {task: line for task, line in found.items() if line is not None}


def unfinished(tasks: Sequence[Task], lines: Iterable[Line], *, retry_failed: bool) -> Pending:
    """Give the tasks that have no line yet, or one that does not count.

    A line counts while the instance is what it was. It does not when it has no digest, as in files
    of earlier versions, nor when it failed and `retry_failed` is set.
    """
    last = latest(tasks, lines)
    left, num_changed = [], 0
    for task in tasks:
        line = last.get(task)
        if line is not None and not (retry_failed and line.get("error") is not None):
            if "digest" in line and line["digest"] == _digest_of_source(task):
                continue
            num_changed += 1
        left.append(task)
    return Pending(left, num_changed)


def solve_task(task: Task) -> Line:
    """Solve one instance; whatever goes wrong becomes part of its line.

    Raises
    ------
    KeyboardInterrupt
        When the run was cut short: half a run is not a result.
    """
    try:
        instance = task.load()
    except Exception as error:  # one bad file must not stop the rest
        return _failed(task, None, UNREADABLE, str(error) or type(error).__name__)
    digest = instance.digest
    try:
        result = solve(instance, task.method, time_limit=task.time_limit, seed=task.seed)
    except Exception as error:  # nor must one bad run
        return _failed(task, digest, "error", str(error) or type(error).__name__)
    if result.status is Status.INTERRUPTED:
        raise KeyboardInterrupt
    problem = None if result.solution is not None else "no plan was found in the time"
    known = best_known_of(instance)
    head = {**task.settings, "digest": digest}
    record = result.to_dict(best_known=known.cost if known else None)
    return {**head, **record, **head, "error": problem}


def solve_all(tasks: Sequence[Task], workers: int) -> Generator[Line]:
    """Solve the tasks on several processes and give the lines as they come."""
    return run_all(solve_task, tasks, workers, _died)


def _died(task: Task) -> Line:
    message = "the process died; the instance may be too large for the memory"
    return _failed(task, _digest_of_source(task), "error", message)


def _failed(task: Task, digest: str | None, status: str, message: str) -> Line:
    return {
        **task.settings,
        "digest": digest,
        "status": status,
        "cost": None,
        "routes": [],
        "error": message,
    }


def _digest_of_source(task: Task) -> str | None:
    """Give the digest of a task's instance as it is now; None when it cannot be read."""
    try:
        return task.load().digest
    except Exception:  # the task itself will say why
        return None


def _key(line: Line) -> tuple[object, ...]:
    names = ("source", "vehicles_file", "depot", "method", "time_limit", "seed")
    return tuple(line.get(name) for name in names)


def _is_table(source: str) -> bool:
    return Path(source).suffix.lower() == TABLE_SUFFIX


def _files(folder: Path, suffixes: Sequence[str]) -> list[Path]:
    """Give the instance files of a folder, sorted by name."""
    from fripn.problem.io import vehicles_path

    files = sorted(entry for entry in folder.iterdir() if entry.suffix.lower() in suffixes)
    vehicles = {vehicles_path(file) for file in files if _is_table(file.name)}
    return [file for file in files if file not in vehicles]
