"""The one resumable runner: items are solved by an executor, and their lines are written here.

However many items there are, only the running ones are in memory. A failure is a line like any
other; interrupted, the same call goes on where it stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, NamedTuple

from fripn.batch.index import LineIndex
from fripn.batch.lines import Line, LineFormat, append
from fripn.budget import Budget
from fripn.errors import FripnError, InvalidSetting
from fripn.executors import Executor, InProcess
from fripn.problem import Instance
from fripn.result import Result, Status
from fripn.run import Method
from fripn.solve import solve

#: Status of a line about an instance that could not be read.
UNREADABLE = "unreadable"

#: Status of a line about a run that failed.
FAILED = "error"

#: Reads an instance, where it is needed.
Loader = Callable[[], Instance]


@dataclass(frozen=True, slots=True)
class WorkItem:
    """One run: an instance or how to get it, and how to solve it. A value that can be sent.

    Parameters
    ----------
    fields
        Fields of its line however the run ends, which identify it.
    source
        The instance, or what reads it.
    method
        Name of the method, or a method with settings of its own.
    describe
        Makes the line of what became of it: a function of a module, called where the item runs.
    budget, seed, threads
        As for `fripn.solve`.
    """

    fields: Line
    source: Instance | Loader
    method: str | Method
    describe: Callable[[Outcome], Line]
    budget: Budget
    seed: int = 0
    threads: int = 1

    def load(self) -> Instance:
        """Return the instance; raises what its reader raises."""
        return self.source if isinstance(self.source, Instance) else self.source()


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of an item.

    Parameters
    ----------
    item
        What was to be done.
    status
        That of the result, `UNREADABLE` or `FAILED`.
    error
        What went wrong, in a sentence; None when there is a plan.
    instance
        None when it could not be read.
    result
        None when the run failed.
    """

    item: WorkItem
    status: str
    error: str | None
    instance: Instance | None = None
    result: Result | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """How a file records items.

    Parameters
    ----------
    form
        What its lines hold; ``error`` among it.
    key
        The fields by which a line and its item are known.
    label
        The field that names the instance to people.
    checks_instance
        Whether a line counts only while the instance is the one that it was made of, by the field
        ``digest``.
    """

    form: LineFormat
    key: tuple[str, ...]
    label: str
    checks_instance: bool = False

    def counts(self, line: Line, item: WorkItem) -> bool:
        """Return whether an earlier line is still valid for an item."""
        if not self.checks_instance:
            return True
        return "digest" in line and line["digest"] == _digest_now(item)


class Entry(NamedTuple):
    """The line of an item, and where it comes from.

    ``earlier``: the file held it before. ``again``: the file held one, but the instance has
    changed since, or the line does not say. ``new``: the item had none, or a failed one.
    """

    line: Line
    origin: Literal["earlier", "again", "new"]

    @property
    def has_failed(self) -> bool:
        """Whether there is no plan."""
        return self.line.get("error") is not None

    @property
    def is_unreadable(self) -> bool:
        """Whether the instance could not be read."""
        return self.has_failed and self.line.get("status") == UNREADABLE


def run_batch(
    items: Iterable[WorkItem],
    record: Record,
    *,
    output: Path | None = None,
    executor: Executor | None = None,
    retry_failed: bool = False,
) -> Generator[Entry]:
    """Run every item that has no line yet, and yield the lines of all, as they are finished.

    Parameters
    ----------
    items
        What to do; taken as needed, so there may be very many.
    record
        How lines and items are known.
    output
        The file that lines are appended to, by this process alone. An item whose line it holds is
        not run again; when None, all are run and nothing is written.
    executor
        Where the items run; in this process when None.
    retry_failed
        Whether items with a failed line are run again.

    Raises
    ------
    InvalidFile
        When the output holds something else.
    InvalidSetting
        When two items are known by the same fields.
    KeyboardInterrupt
        When Ctrl-C was pressed: half a run is not a result.
    """
    # Opened here, so that a wrong file is refused before the first entry is requested.
    index = LineIndex(output, record.form, record.key)
    executor = InProcess() if executor is None else executor
    return _entries(items, record, output, executor, index, retry_failed=retry_failed)


def _entries(
    items: Iterable[WorkItem],
    record: Record,
    output: Path | None,
    executor: Executor,
    index: LineIndex,
    *,
    retry_failed: bool,
) -> Generator[Entry]:
    # By number of the item: a line alone does not tell whether another was there before.
    changed: set[int] = set()
    num_running = 0
    with index, executor.open(_run_numbered, _died) as workers:

        def next_entry() -> Entry:
            return finish(*workers.wait())

        def finish(number: int, line: Line) -> Entry:
            if output is not None:
                append(output, line)
            origin: Literal["again", "new"] = "again" if number in changed else "new"
            changed.discard(number)
            return Entry(line, origin)

        for number, item in enumerate(items):
            if not index.is_new(item.fields):
                raise InvalidSetting(
                    f"{item.fields[record.label]!r} comes twice with the same settings",
                    field=record.label,
                    value=item.fields[record.label],
                    remedy="leave one out, or give it another name",
                )
            line = index.find(item.fields)
            if line is not None and not (retry_failed and line.get("error") is not None):
                if record.counts(line, item):
                    yield Entry(line, "earlier")
                    continue
                changed.add(number)
            while num_running >= workers.capacity:
                yield next_entry()
                num_running -= 1
            if not executor.has_our_files:
                loaded = _loaded(item)
                if isinstance(loaded, Outcome):
                    yield finish(number, item.describe(loaded))
                    continue
                item = loaded
            workers.submit((number, item))
            num_running += 1
        for _ in range(num_running):
            yield next_entry()


def run_item(item: WorkItem) -> Line:
    """Do one run and return its line; whatever goes wrong becomes part of it.

    Raises
    ------
    KeyboardInterrupt
        When the run was cut short.
    """
    return item.describe(_outcome(item))


def _loaded(item: WorkItem) -> WorkItem | Outcome:
    """Return the item with its instance inside, or its outcome when that cannot be read."""
    try:
        return replace(item, source=item.load())
    except (Exception, SystemExit) as error:  # one bad file must not end a night of runs
        return Outcome(item, UNREADABLE, _reason(error))


def _outcome(item: WorkItem) -> Outcome:
    loaded = _loaded(item)
    if isinstance(loaded, Outcome):
        return loaded
    instance = loaded.load()
    try:
        result = solve(
            instance, item.method, budget=item.budget, seed=item.seed, threads=item.threads
        )
    except (Exception, SystemExit) as error:  # nor must one bad run, or the exit of foreign code
        return Outcome(item, FAILED, _reason(error), instance)
    if result.status is Status.INTERRUPTED:
        raise KeyboardInterrupt
    missing = None
    if result.solution is None:
        missing = "no plan was found"
        if result.why_impossible is not None:
            missing = f"no plan exists: {result.why_impossible}"
        elif result.why_unlikely is not None:
            missing = f"{missing}: {result.why_unlikely}"
    return Outcome(item, result.status.value, missing, instance, result)


def _reason(error: Exception | SystemExit) -> str:
    """Return the message of an error; errors of other packages with their type."""
    name = type(error).__name__
    return str(error) if isinstance(error, FripnError) else f"{name}: {error}"


_Numbered = tuple[int, WorkItem]


def _run_numbered(numbered: _Numbered) -> tuple[int, Line]:
    number, item = numbered
    return number, run_item(item)


def _died(numbered: _Numbered) -> tuple[int, Line]:
    number, item = numbered
    message = "the process died; the instance may be too large for the memory"
    return number, item.describe(Outcome(item, FAILED, message, _try_to_load(item)))


def _try_to_load(item: WorkItem) -> Instance | None:
    try:
        return item.load()
    except (Exception, SystemExit):  # the run itself reports it
        return None


def _digest_now(item: WorkItem) -> str | None:
    """Return the digest of the instance as it is now; None when it cannot be read."""
    instance = _try_to_load(item)
    return None if instance is None else instance.digest
