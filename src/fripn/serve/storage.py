"""Jobs on disk: an SQLite file that survives a kill of the service at any moment."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fripn.errors import InvalidFile
from fripn.problem.io.atomic import reason
from fripn.result import saving_percent

#: Raised with every change of the tables below.
_VERSION = 1

#: States of a job; in the last four it has ended.
QUEUED, RUNNING = "queued", "running"
FINISHED, STOPPED, INTERRUPTED, FAILED = "finished", "stopped", "interrupted", "failed"
ENDED = (FINISHED, STOPPED, INTERRUPTED, FAILED)

_TABLES = """
CREATE TABLE IF NOT EXISTS jobs (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    state TEXT NOT NULL,
    created REAL NOT NULL,
    started REAL,
    ended REAL,
    queued REAL NOT NULL,
    limit_seconds REAL NOT NULL,
    seconds REAL NOT NULL DEFAULT 0,
    cost REAL,
    bound REAL,
    proven INTEGER NOT NULL DEFAULT 0,
    stops INTEGER NOT NULL,
    types INTEGER NOT NULL,
    request TEXT NOT NULL,
    instance TEXT NOT NULL,
    plan TEXT,
    notes TEXT NOT NULL DEFAULT '[]',
    rows TEXT,
    error TEXT,
    key TEXT UNIQUE,
    key_digest TEXT
);
CREATE INDEX IF NOT EXISTS jobs_by_state ON jobs (state, queued);
CREATE TABLE IF NOT EXISTS events (
    job INTEGER NOT NULL REFERENCES jobs (number) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    event TEXT NOT NULL,
    seconds REAL,
    cost REAL,
    bound REAL,
    data TEXT,
    PRIMARY KEY (job, number)
) WITHOUT ROWID;
"""

#: Columns of a status; plan, rows and instance are large and read on their own.
_STATUS = (
    "number, id, kind, name, state, created, started, ended, queued, limit_seconds, seconds, "
    "cost, bound, proven, stops, types, notes, error"
)


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to a job, as its listeners see it.

    Parameters
    ----------
    number
        Counted from 1 for each job.
    event
        ``state``, ``better``, ``bound``, ``row`` or ``end``.
    seconds, cost, bound
        Of the run at that moment, where the event has them.
    data
        The row of a comparison of fleets, as JSON.
    """

    number: int
    event: str
    seconds: float | None
    cost: float | None
    bound: float | None
    data: str | None


@dataclass(frozen=True, slots=True)
class NewJob:
    """A job to be stored.

    Parameters
    ----------
    id
        Its name in addresses.
    kind
        ``solve`` or ``fleet``.
    name
        What the user calls it.
    limit_seconds
        How long it may run.
    stops, types
        Size of the instance.
    request, instance
        Settings of the run, and the instance document, as JSON.
    key, key_digest
        The idempotency key of the request and a digest of its content, if it has one.
    """

    id: str
    kind: str
    name: str
    limit_seconds: float
    stops: int
    types: int
    request: str
    instance: str
    key: str | None = None
    key_digest: str | None = None


class Store:
    """The jobs of one service.

    All calls may come from any thread. What a call has written is on disk when it returns: a kill
    of the process loses none of it.

    Parameters
    ----------
    path
        The file; it is made if it is not there.

    Raises
    ------
    InvalidFile
        When it cannot be opened, or a later release has written it.
    """

    def __init__(self, path: Path) -> None:
        self._lock = threading.RLock()
        try:
            self._db = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
            self._db.row_factory = sqlite3.Row
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.execute("PRAGMA foreign_keys=ON")
            version = self._db.execute("PRAGMA user_version").fetchone()[0]
            if version not in (0, _VERSION):
                raise InvalidFile(
                    "the stored jobs are of version {value}, which this release cannot read",
                    value=version,
                    place=str(path),
                    remedy="name another folder with --data",
                )
            self._db.executescript(_TABLES)
            if version != _VERSION:  # a write, which a full disk would refuse
                self._db.execute(f"PRAGMA user_version={_VERSION}")
        except sqlite3.Error as error:
            raise InvalidFile(
                f"the stored jobs cannot be opened ({error})",
                place=str(path),
                remedy="name another folder with --data, or move the file away",
            ) from None
        except OSError as error:
            raise InvalidFile(
                f"the stored jobs cannot be opened ({reason(error)})",
                place=str(path),
                remedy="name another folder with --data",
            ) from None

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

    @contextmanager
    def _changes(self) -> Iterator[sqlite3.Connection]:
        """Do all that is inside as one transaction."""
        with self._lock:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:  # a full disk has ended it already
                    self._db.execute("ROLLBACK")
                raise

    def add(self, job: NewJob) -> None:
        """Store a job that waits to be run."""
        now = time.time()
        with self._changes() as db:
            db.execute(
                "INSERT INTO jobs (id, kind, name, state, created, queued, limit_seconds, stops, "
                "types, request, instance, key, key_digest) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    job.id,
                    job.kind,
                    job.name,
                    QUEUED,
                    now,
                    now,
                    job.limit_seconds,
                    job.stops,
                    job.types,
                    job.request,
                    job.instance,
                    job.key,
                    job.key_digest,
                ),
            )
            self._log(db, job.id, "state")

    def by_key(self, key: str) -> tuple[str, str] | None:
        """Return the job with an idempotency key, and the digest of its request."""
        with self._lock:
            row = self._db.execute(
                "SELECT id, key_digest FROM jobs WHERE key = ?", (key,)
            ).fetchone()
        return None if row is None else (row["id"], row["key_digest"])

    def recover(self) -> int:
        """Mark the jobs that ran when the service was killed; return how many there were."""
        with self._changes() as db:
            lost = db.execute("SELECT id FROM jobs WHERE state = ?", (RUNNING,)).fetchall()
            for row in lost:
                self._end(db, row["id"], INTERRUPTED, time.time())
        return len(lost)

    def next_queued(self) -> str | None:
        """Return the job that has waited longest."""
        with self._lock:
            row = self._db.execute(
                "SELECT id FROM jobs WHERE state = ? ORDER BY queued, number LIMIT 1", (QUEUED,)
            ).fetchone()
        return None if row is None else row["id"]

    def start(self, job: str) -> bool:
        """Mark a waiting job as running; return whether it still waited."""
        with self._changes() as db:
            changed = db.execute(
                "UPDATE jobs SET state = ?, started = COALESCE(started, ?), ended = NULL "
                "WHERE id = ? AND state = ?",
                (RUNNING, time.time(), job, QUEUED),
            ).rowcount
            if changed:
                self._log(db, job, "state")
        return bool(changed)

    def better(self, job: str, seconds: float, cost: float, bound: float | None, plan: str) -> None:
        """Store a better plan of a running job."""
        with self._changes() as db:
            db.execute(
                "UPDATE jobs SET seconds = MAX(seconds, ?), cost = ?, plan = ?, "
                "bound = CASE WHEN ? IS NULL THEN bound ELSE MAX(COALESCE(bound, ?), ?) END "
                "WHERE id = ?",
                (seconds, cost, plan, bound, bound, bound, job),
            )
            self._log(db, job, "better", seconds, cost, bound)

    def bound(self, job: str, seconds: float, bound: float) -> None:
        """Store a better bound of a running job."""
        with self._changes() as db:
            db.execute(
                "UPDATE jobs SET seconds = MAX(seconds, ?), bound = MAX(COALESCE(bound, ?), ?) "
                "WHERE id = ?",
                (seconds, bound, bound, job),
            )
            self._log(db, job, "bound", seconds, None, bound)

    def row(self, job: str, row: dict[str, Any]) -> None:
        """Store a row of a comparison of fleets; it replaces the one with the same id."""
        text = json.dumps(row)
        with self._changes() as db:
            found = db.execute("SELECT rows FROM jobs WHERE id = ?", (job,)).fetchone()
            if found is None:
                return
            rows = [one for one in json.loads(found["rows"] or "[]") if one["id"] != row["id"]]
            rows.insert(min(row["place"], len(rows)), row)
            db.execute("UPDATE jobs SET rows = ? WHERE id = ?", (json.dumps(rows), job))
            self._log(db, job, "row", None, None, None, text)

    def keep_rows(self, job: str, ids: Sequence[str]) -> None:
        """Keep some rows of a comparison, in the order of their ids."""
        with self._changes() as db:
            found = db.execute("SELECT rows FROM jobs WHERE id = ?", (job,)).fetchone()
            if found is None:
                return
            rows = {one["id"]: one for one in json.loads(found["rows"] or "[]")}
            kept = [rows[one] for one in ids if one in rows]
            db.execute("UPDATE jobs SET rows = ? WHERE id = ?", (json.dumps(kept), job))

    def end(
        self,
        job: str,
        state: str,
        *,
        seconds: float | None = None,
        proven: bool = False,
        notes: Sequence[str] = (),
        error: dict[str, Any] | None = None,
    ) -> None:
        """Mark a job as ended."""
        with self._changes() as db:
            db.execute(
                "UPDATE jobs SET seconds = COALESCE(?, seconds), proven = ?, notes = ?, error = ? "
                "WHERE id = ?",
                (
                    seconds,
                    int(proven),
                    json.dumps(list(notes)),
                    None if error is None else json.dumps(error),
                    job,
                ),
            )
            self._end(db, job, state, time.time())

    def _end(self, db: sqlite3.Connection, job: str, state: str, now: float) -> None:
        db.execute("UPDATE jobs SET state = ?, ended = ? WHERE id = ?", (state, now, job))
        self._log(db, job, "end")

    def requeue(self, job: str, more_seconds: float) -> bool:
        """Let an ended job wait again, with more time; return whether it had ended."""
        with self._changes() as db:
            changed = db.execute(
                "UPDATE jobs SET state = ?, queued = ?, ended = NULL, error = NULL, "
                "limit_seconds = seconds + ? WHERE id = ? AND state IN (?, ?, ?, ?)",
                (QUEUED, time.time(), more_seconds, job, *ENDED),
            ).rowcount
            if changed:
                self._log(db, job, "state")
        return bool(changed)

    def forget(self, job: str) -> bool:
        """Remove a job that has ended; return whether it was there and had ended."""
        with self._changes() as db:
            return bool(
                db.execute(
                    "DELETE FROM jobs WHERE id = ? AND state IN (?, ?, ?, ?)", (job, *ENDED)
                ).rowcount
            )

    def forget_oldest(self, keep: int) -> int:
        """Remove the oldest ended jobs beyond a number; return how many were removed."""
        with self._changes() as db:
            return db.execute(
                "DELETE FROM jobs WHERE number IN (SELECT number FROM jobs WHERE state IN "
                "(?, ?, ?, ?) ORDER BY ended DESC, number DESC LIMIT -1 OFFSET ?)",
                (*ENDED, keep),
            ).rowcount

    def _log(
        self,
        db: sqlite3.Connection,
        job: str,
        event: str,
        seconds: float | None = None,
        cost: float | None = None,
        bound: float | None = None,
        data: str | None = None,
    ) -> None:
        db.execute(
            "INSERT INTO events SELECT jobs.number, COALESCE((SELECT MAX(events.number) "
            "FROM events WHERE events.job = jobs.number), 0) + 1, ?, ?, ?, ?, ? "
            "FROM jobs WHERE id = ?",
            (event, seconds, cost, bound, data, job),
        )

    def count(self, state: str) -> int:
        """Return how many jobs are in a state."""
        with self._lock:
            found = self._db.execute("SELECT COUNT(*) FROM jobs WHERE state = ?", (state,))
            return int(found.fetchone()[0])

    def queue_position(self, job: str) -> int | None:
        """Return how many jobs are before a waiting one, counted from 1; None if it is not one."""
        with self._lock:
            row = self._db.execute(
                "SELECT (SELECT COUNT(*) FROM jobs AS other WHERE other.state = ? AND "
                "(other.queued, other.number) <= (jobs.queued, jobs.number)) AS place "
                "FROM jobs WHERE id = ? AND state = ?",
                (QUEUED, job, QUEUED),
            ).fetchone()
        return None if row is None else int(row["place"])

    def state(self, job: str) -> str | None:
        """Return the state of a job; None if there is none."""
        with self._lock:
            row = self._db.execute("SELECT state FROM jobs WHERE id = ?", (job,)).fetchone()
        return None if row is None else str(row["state"])

    def text(self, job: str, column: str) -> str | None:
        """Return the instance, the plan, the request or the rows of a job, as JSON."""
        assert column in ("instance", "plan", "request", "rows")
        with self._lock:
            row = self._db.execute(f"SELECT {column} FROM jobs WHERE id = ?", (job,)).fetchone()
        return None if row is None else row[0]

    def status(self, job: str, *, with_curve: bool = True) -> dict[str, Any] | None:
        """Return what is known of a job but its plan; None if there is none."""
        with self._lock:
            row = self._db.execute(f"SELECT {_STATUS} FROM jobs WHERE id = ?", (job,)).fetchone()
            if row is None:
                return None
            status = _status(row)
            status["queue_position"] = self.queue_position(job)
            if with_curve:
                status["curve"] = self._curve(row["number"])
            if row["kind"] == "fleet":
                status["rows"] = json.loads(self.text(job, "rows") or "[]")
        return status

    def statuses(self, most: int) -> list[dict[str, Any]]:
        """Return the newest jobs without plans and curves."""
        with self._lock:
            rows = self._db.execute(
                f"SELECT {_STATUS} FROM jobs ORDER BY number DESC LIMIT ?", (most,)
            ).fetchall()
            waiting = self._db.execute(
                "SELECT id FROM jobs WHERE state = ? ORDER BY queued, number", (QUEUED,)
            ).fetchall()
        places = {row["id"]: place for place, row in enumerate(waiting, start=1)}
        return [{**_status(row), "queue_position": places.get(row["id"])} for row in rows]

    def _curve(self, number: int) -> list[list[float | None]]:
        curve: list[list[float | None]] = []
        cost: float | None = None
        bound: float | None = None
        for row in self._db.execute(
            "SELECT seconds, cost, bound FROM events WHERE job = ? AND event IN ('better', "
            "'bound') ORDER BY number",
            (number,),
        ):
            cost = cost if row["cost"] is None else row["cost"]
            bound = bound if row["bound"] is None else max(row["bound"], bound or row["bound"])
            curve.append([row["seconds"], cost, bound])
        return curve

    def events_after(self, job: str, number: int) -> list[Event]:
        """Return what happened to a job after an event."""
        with self._lock:
            rows = self._db.execute(
                "SELECT events.number, event, events.seconds, events.cost, events.bound, data "
                "FROM events JOIN jobs ON events.job = jobs.number "
                "WHERE jobs.id = ? AND events.number > ? ORDER BY events.number",
                (job, number),
            ).fetchall()
        return [Event(*row) for row in rows]


def _status(row: sqlite3.Row) -> dict[str, Any]:
    cost, bound = row["cost"], row["bound"]
    if cost is not None and bound is not None:
        bound = min(bound, cost)
    return {
        "id": row["id"],
        "kind": row["kind"],
        "name": row["name"],
        "state": row["state"],
        "created": _iso(row["created"]),
        "started": _iso(row["started"]),
        "ended": _iso(row["ended"]),
        "limit_seconds": row["limit_seconds"],
        "seconds": row["seconds"],
        "cost": cost,
        "bound": bound,
        "gap_percent": None if cost is None or bound is None else saving_percent(cost, bound),
        "proven": bool(row["proven"]),
        "notes": json.loads(row["notes"]),
        "error": None if row["error"] is None else json.loads(row["error"]),
        "stops": row["stops"],
        "types": row["types"],
    }


def _iso(seconds: float | None) -> str | None:
    if seconds is None:
        return None
    whole, part = divmod(seconds, 1)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(whole))}.{int(1000 * part):03d}Z"
