"""Live progress of jobs as server-sent events."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from typing import Any

from starlette.concurrency import run_in_threadpool

from fripn.serve.storage import ENDED, Event, Store

#: Seconds without an event after which a comment is sent, so that a dead connection is noticed.
_KEEP_ALIVE = 15.0


class Listeners:
    """Wakes the streams of a job when something about it has changed."""

    def __init__(self) -> None:
        self._waiting: defaultdict[str, set[asyncio.Event]] = defaultdict(set)
        self._loop: asyncio.AbstractEventLoop | None = None
        self.is_closing = False

    def attach(self) -> None:
        """Use the event loop of the caller."""
        self._loop = asyncio.get_running_loop()

    def notify(self, job: str) -> None:
        """Wake the streams of a job; may be called from any thread."""
        self._call(self._wake, job)

    def close(self) -> None:
        """End all streams; may be called from any thread."""
        self.is_closing = True
        self._call(self._wake_all)

    def _call(self, function: Callable[..., None], *arguments: str) -> None:
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop has ended, and with it all streams
                self._loop.call_soon_threadsafe(function, *arguments)

    def add(self, job: str) -> asyncio.Event:
        """Return an event that is set at every change of a job."""
        change = asyncio.Event()
        self._waiting[job].add(change)
        return change

    def remove(self, job: str, change: asyncio.Event) -> None:
        """Forget an event."""
        self._waiting[job].discard(change)
        if not self._waiting[job]:
            del self._waiting[job]

    def _wake(self, job: str) -> None:
        for change in self._waiting.get(job, ()):
            change.set()

    def _wake_all(self) -> None:
        for job in list(self._waiting):
            self._wake(job)


async def stream(store: Store, listeners: Listeners, job: str, after: int) -> AsyncIterator[bytes]:
    """Return the events of a job from one on, until it ends.

    A listener that is slower than the search misses plans in between: of several better plans at
    once only the last comes with its routes.

    Parameters
    ----------
    store, listeners
        Where jobs are, and what tells about changes.
    job
        The job.
    after
        Number of the last event that the client has seen.
    """
    change = listeners.add(job)
    try:
        while not listeners.is_closing:
            change.clear()
            text, after, is_over = await run_in_threadpool(_news, store, job, after)
            if text:
                yield text
            if is_over:
                return
            try:
                await asyncio.wait_for(change.wait(), _KEEP_ALIVE)
            except TimeoutError:
                yield b": still there\n\n"
    finally:
        listeners.remove(job, change)


def _news(store: Store, job: str, after: int) -> tuple[bytes, int, bool]:
    """Return what happened since an event, the last number, and whether the job has ended."""
    news = store.events_after(job, after)
    if not news:
        return b"", after, store.state(job) in (*ENDED, None)
    status = store.status(job)
    if status is None:
        return b"", after, True
    last = {event.event: event.number for event in news}
    is_over = news[-1].event == "end"
    texts = [
        text
        for event in news
        if (text := _text(store, job, event, status, last, is_over=is_over)) is not None
    ]
    return "".join(texts).encode(), news[-1].number, is_over


def _text(
    store: Store,
    job: str,
    event: Event,
    status: dict[str, Any],
    last: dict[str, int],
    *,
    is_over: bool,
) -> str | None:
    is_last = last[event.event] == event.number
    if event.event == "better":
        head = json.dumps({"seconds": event.seconds, "cost": event.cost, "bound": event.bound})
        plan = store.text(job, "plan") if is_last else None
        return _framed(event, f'{head[:-1]}, "plan": {plan or "null"}}}')
    if event.event == "bound":
        return _framed(event, json.dumps({"seconds": event.seconds, "bound": event.bound}))
    if event.event == "row":
        return _framed(event, event.data or "null")
    if not is_last:
        return None
    if event.event == "state":
        return _framed(event, json.dumps({**status, "plan": None}))
    return _framed(event, status_text(store, job, status)) if is_over else None


def _framed(event: Event, data: str) -> str:
    return f"id: {event.number}\nevent: {event.event}\ndata: {data}\n\n"


def status_text(store: Store, job: str, status: dict[str, Any]) -> str:
    """Return a status with its plan as JSON; the plan is stored as JSON already."""
    head = json.dumps(status)
    return f'{head[:-1]}, "plan": {store.text(job, "plan") or "null"}}}'
