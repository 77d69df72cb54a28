"""An executor on a Ray cluster: on this machine, or on as many as there are.

Items travel in chunks. A worker or node that dies costs the items it was at alone; they are tried
again one by one, so that one of them that kills its workers takes no other with it.
"""

from __future__ import annotations

import logging
import os
import pickle
import socket
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic, NamedTuple

from fripn._version import __version__
from fripn.errors import ClusterFailed, InvalidSetting, MissingExtra
from fripn.executors.chunks import MAX_BYTES, MAX_ITEMS, ChunkSize, run_chunk
from fripn.executors.executor import Item, Outcome, Workers
from fripn.executors.interrupt import CHECK_SECONDS, Deadline, held_interrupt, kept_sigterm
from fripn.settings import PositiveCount, Threads, check_fields, require

#: Chunks per slot that are on their way: one runs, the next one waits at its worker.
_CHUNKS_PER_SLOT = 2

#: Bytes of all items on their way, at most, unless there are fewer items than slots.
_MAX_BYTES_UNDER_WAY = 512 * 2**20

#: Seconds between two counts of the nodes and their processors.
_COUNT_SECONDS = 2.0

#: Seconds within which the head of a cluster answers.
_ANSWER_SECONDS = 5.0

_LARGEST_PORT = 65535

#: Seconds without an answer after which the head is given up. Ray itself would end the whole
#: program after 60.
_SILENT_SECONDS = 20.0

#: What is set for Ray unless the user has set it: connections need a token, nothing is reported to
#: the makers of Ray, workers without a GPU do not change what others see, and workers of a local
#: cluster have the priority of their driver, not the lowest.
_ENVIRONMENT = {
    "RAY_AUTH_MODE": "token",
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_worker_niceness": "0",
}


@dataclass(frozen=True, slots=True)
class RayCluster:
    """Executes the items on a Ray cluster (extra ``cluster``).

    Parameters
    ----------
    address
        ``local`` for a cluster on this machine alone that ends with the work, ``auto`` for the one
        that this machine belongs to, or ``HOST:PORT`` of its head.
    threads
        Processors that an item uses.
    jobs
        Processors of a local cluster; None for all. Other clusters have their own number.
    max_attempts
        How often an item is begun before it counts as failed: its worker died each time.
    max_chunk
        Items that travel together, at most.

    Raises
    ------
    InvalidSetting
        When a setting is out of range.
    """

    has_our_files: ClassVar[bool] = False

    address: str = "local"
    threads: Threads = 1
    jobs: PositiveCount | None = None
    max_attempts: PositiveCount = 3
    max_chunk: PositiveCount = MAX_ITEMS

    def __post_init__(self) -> None:
        """Check the settings."""
        check_fields(self)
        require(bool(self.address), "--cluster", self.address, "give local, auto or HOST:PORT")
        if self.address.startswith("ray://"):
            raise InvalidSetting(
                "--cluster is {value}, an address of Ray's client for other machines",
                field="--cluster",
                value=self.address,
                remedy="start the command on a node of the cluster, as with `ray job submit`, and "
                "give auto",
            )
        if self.jobs is not None and self.address != "local":
            raise InvalidSetting(
                "the cluster {value} has its own number of processors",
                field="--jobs",
                value=self.address,
                remedy="leave --jobs out",
            )

    @property
    def num_nodes(self) -> int:
        """Nodes with processors; 0 where there is no connection."""
        ray = _import_ray()
        is_connected = ray.is_initialized() and _head_answers(ray)
        return len(_node_processors(ray)) if is_connected else 0

    @contextmanager
    def open(
        self, work: Callable[[Item], Outcome], on_death: Callable[[Item], Outcome]
    ) -> Iterator[Workers[Item, Outcome]]:
        """Connect to the cluster; see `Executor`.

        Raises
        ------
        MissingExtra
            When Ray is not installed.
        InvalidSetting
            When there is no such cluster, or it does not admit us.
        ClusterFailed
            When the workers cannot do the work, as they lack this package, or the head is gone.
        """
        with self.connected(), held_interrupt() as check_interrupt:
            workers = _RayWorkers(_import_ray(), self, work, on_death, check_interrupt)
            try:
                yield workers
            finally:
                # All outcomes are there when the work ends well, so nothing is running then.
                workers.cancel()

    @contextmanager
    def connected(self) -> Iterator[None]:
        """Connect to the cluster ahead of the work, which uses the connection then.

        So a wrong address is noticed, and a local cluster started, before anything else is done.

        Raises
        ------
        MissingExtra
            When Ray is not installed.
        InvalidSetting
            When there is no such cluster, or it does not admit us.
        """
        ray = _import_ray()
        if ray.is_initialized():  # a connection of the caller's is used and kept
            yield
            return
        try:
            # Ray writes what happens to nodes to the standard output, among ours. It logs it too.
            with _replaced(ray._private.worker, "print_to_stdstream", _ignore):
                # Half a cluster could not be ended; one that exists may never admit us.
                with held_interrupt() if self.address == "local" else nullcontext():
                    _connect(ray, self)
                yield
        finally:
            with held_interrupt():
                ray.shutdown()


def _import_ray() -> Any:
    if "ray" not in sys.modules:  # it reads them once, when it is imported
        for name, value in _ENVIRONMENT.items():
            os.environ.setdefault(name, value)
    try:
        import ray
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != "ray":
            raise
        raise MissingExtra(
            "a cluster needs the package 'ray', which is not installed",
            field="package",
            value="ray",
            remedy="run: pip install 'fripn[cluster]'",
        ) from None
    return ray


def _connect(ray: Any, cluster: RayCluster) -> None:
    options: dict[str, Any] = {}
    if cluster.address == "local":
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None
        wanted = cluster.jobs or cores or os.cpu_count() or 1
        options = {"num_cpus": max(wanted, cluster.threads), "include_dashboard": False}
    else:
        _check_answer(ray, cluster.address)
    try:
        # Of Ray's own handlers of SIGTERM one leaves half a cluster behind; the other, which its
        # core sets, prints a stack.
        with _replaced(ray._private.utils, "set_sigterm_handler", _ignore), kept_sigterm():
            ray.init(cluster.address, log_to_driver=False, logging_level=logging.ERROR, **options)
    except (ConnectionError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
        ray.shutdown()
        is_missing = cluster.address == "local" or "find any running" in str(error)
        raise InvalidSetting(
            f"there is no connection to the cluster {{value}} ({_first_line(error)})",
            field="--cluster",
            value=cluster.address,
            remedy="start one with `ray start --head`, or give local"
            if is_missing
            else "see that it is the head of a cluster, and copy its token to ~/.ray/auth_token "
            "(ray get-auth-token shows it)",
        ) from None
    if cluster.address == "local":
        _protect_token()


@contextmanager
def _replaced(module: Any, name: str, function: Callable[..., None]) -> Iterator[None]:
    """Let a function of Ray, which has no setting for it, be another one."""
    before = getattr(module, name)
    setattr(module, name, function)
    try:
        yield
    finally:
        setattr(module, name, before)


def _ignore(*arguments: Any, **named: Any) -> None:
    pass


def _protect_token() -> None:
    """Let nobody else read the token that Ray writes for local clusters, with the usual rights."""
    token = Path.home() / ".ray" / "auth_token"
    with suppress(OSError):  # there is none, or it is somebody else's
        if token.stat().st_mode & 0o077:
            token.chmod(0o600)


def _check_answer(ray: Any, address: str) -> None:
    """Refuse an address where nothing answers; Ray itself would try for minutes."""
    place = address
    if address == "auto":
        try:  # RAY_ADDRESS, or a file of Ray, which a head that was killed leaves behind
            place = ray._private.services.get_ray_address_from_environment(address, None)
        except ConnectionError:
            return  # there is none, which Ray reports at once
    host, _, port = place.rpartition(":")
    if not host or not port.isdecimal() or int(port) > _LARGEST_PORT:
        raise InvalidSetting(
            "--cluster is {value}",
            field="--cluster",
            value=place,
            remedy="give local, auto, or the HOST:PORT that `ray start --head` shows",
        )
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_ANSWER_SECONDS).close()
    except OSError as error:
        where = "" if place == address else f"{place}: "
        raise InvalidSetting(
            f"there is no connection to the cluster {{value}} ({where}{_reason(error)})",
            field="--cluster",
            value=address,
            remedy="give local, auto, or the HOST:PORT that `ray start --head` shows"
            if place == address
            else "start one with `ray start --head`, or give local",
        ) from None


def _reason(error: OSError) -> str:
    return (error.strerror or str(error) or type(error).__name__).lower()


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")


def _head_answers(ray: Any) -> bool:
    """Return whether the head can be reached; while it cannot, calls that need it block."""
    host, _, port = ray.get_runtime_context().gcs_address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=1.0).close()
    except OSError:
        return False
    return True


def _node_processors(ray: Any) -> list[int]:
    """Return the processors of every node that is alive and has some."""
    return [
        int(node["Resources"]["CPU"])
        for node in ray.nodes()
        if node["Alive"] and node.get("Resources", {}).get("CPU", 0) >= 1
    ]


class _Parcel(NamedTuple):
    """A pickled item, and how many workers died over it."""

    data: bytes
    deaths: int = 0


class _RayWorkers(Generic[Item, Outcome]):
    """The processors of a cluster as workers."""

    def __init__(
        self,
        ray: Any,
        cluster: RayCluster,
        work: Callable[[Item], Outcome],
        on_death: Callable[[Item], Outcome],
        check_interrupt: Callable[[], None],
    ) -> None:
        self._ray = ray
        self._cluster = cluster
        self._work = work
        self._on_death = on_death
        self._check_interrupt = check_interrupt
        # Retries are ours: Ray would repeat a whole chunk for one item that kills its worker.
        self._task = ray.remote(num_cpus=cluster.threads, max_retries=0)(run_chunk)
        self._size = ChunkSize()
        self._waiting: deque[_Parcel] = deque()
        self._suspects: deque[_Parcel] = deque()
        self._running: dict[Any, list[_Parcel]] = {}
        self._ready: deque[Outcome] = deque()
        self._mean_bytes = 0.0
        self._counted = float("-inf")
        self._silent_since: float | None = None
        self._num_slots = 1
        errors = ray.exceptions
        self._deaths = (
            errors.WorkerCrashedError,
            errors.NodeDiedError,
            errors.ObjectLostError,
            errors.OutOfMemoryError,
        )

    @property
    def capacity(self) -> int:
        """Items of all chunks on their way, as far as they fit into the memory."""
        slots = self._slots()
        wanted = _CHUNKS_PER_SLOT * slots * self._chunk_size()
        fitting = int(_MAX_BYTES_UNDER_WAY / max(self._mean_bytes, 1.0))
        return max(slots, min(wanted, fitting))

    @property
    def num_slots(self) -> int:
        """Chunks that run at the same time."""
        return self._slots()

    def submit(self, item: Item) -> None:
        self._check_interrupt()
        data = pickle.dumps(item)
        self._mean_bytes += 0.1 * (len(data) - self._mean_bytes)
        self._waiting.append(_Parcel(data))
        self._send(self._chunk_size())

    def wait(self, seconds: float | None = None) -> Outcome:
        deadline = Deadline(seconds)
        while not self._ready:
            self._check_interrupt()
            self._send_suspects()
            num_idle = self._slots() - len(self._running)
            if num_idle > 0 and self._waiting:
                # No more items are coming for now, so those here are shared out.
                size = self._chunk_size()
                self._send(min(size, -(-len(self._waiting) // num_idle)))
            self._collect()
            if not self._ready:
                deadline.check()
        return self._ready.popleft()

    def cancel(self) -> None:
        """End the chunks that are running, with their workers."""
        for reference in self._running:
            self._ray.cancel(reference, force=True)
        self._running.clear()

    def _slots(self) -> int:
        """Return how many chunks can run at the same time; nodes come and go."""
        now = time.monotonic()
        if now - self._counted >= _COUNT_SECONDS:
            self._counted = now
            if _head_answers(self._ray):
                self._silent_since = None
                self._num_slots = self._count_slots()
            else:
                self._note_silence(now)
        return self._num_slots

    def _count_slots(self) -> int:
        threads = self._cluster.threads
        nodes = _node_processors(self._ray)
        if nodes and max(nodes) < threads:
            raise InvalidSetting(
                f"an item uses {{value}} processors, but no node has more than {max(nodes)}",
                field="--threads",
                value=threads,
                remedy="give fewer threads",
            )
        return max(1, sum(number // threads for number in nodes))

    def _note_silence(self, now: float) -> None:
        if self._silent_since is None:
            self._silent_since = now
        elif now - self._silent_since >= _SILENT_SECONDS:
            raise ClusterFailed(
                "the head of the cluster {value} does not answer any more",
                field="--cluster",
                value=self._cluster.address,
                remedy="start the cluster again, then the same command",
            )

    def _chunk_size(self) -> int:
        return min(self._size.choose(self._slots()), self._cluster.max_chunk)

    def _send(self, size: int) -> None:
        """Send full chunks while there is room for them."""
        while len(self._waiting) >= size and self._has_room():
            chunk = [self._waiting.popleft()]
            num_bytes = len(chunk[0].data)
            while len(chunk) < size and num_bytes + len(self._waiting[0].data) <= MAX_BYTES:
                chunk.append(self._waiting.popleft())
                num_bytes += len(chunk[-1].data)
            self._start(chunk)

    def _send_suspects(self) -> None:
        while self._suspects and self._has_room():
            self._start([self._suspects.popleft()])

    def _has_room(self) -> bool:
        return len(self._running) < _CHUNKS_PER_SLOT * self._slots()

    def _start(self, chunk: list[_Parcel]) -> None:
        items = [parcel.data for parcel in chunk]
        self._running[self._task.remote(self._work, items, __version__)] = chunk

    def _collect(self) -> None:
        """Take what is finished; wait a moment where nothing is."""
        running = list(self._running)
        finished, _ = self._ray.wait(running, num_returns=1, timeout=CHECK_SECONDS)
        if finished:
            finished, _ = self._ray.wait(running, num_returns=len(running), timeout=0)
        for reference in finished:
            chunk = self._running.pop(reference)
            try:
                outcomes, seconds = self._ray.get(reference)
            except self._deaths:
                self._note_deaths(chunk)
            except self._ray.exceptions.LocalRayletDiedError:
                # Nothing can be sent any more, so no item is to blame.
                raise ClusterFailed(
                    "the node of the cluster {value} on this machine has died",
                    field="--cluster",
                    value=self._cluster.address,
                    remedy="run the same command again"
                    if self._cluster.address == "local"
                    else "start the node again, then the same command",
                ) from None
            except self._ray.exceptions.RayTaskError as error:
                raise _cause_of(error) from None
            except self._ray.exceptions.RayError as error:
                raise ClusterFailed(
                    f"the cluster {{value}} does not do the work ({_first_line(error)})",
                    field="--cluster",
                    value=self._cluster.address,
                    remedy=f"see that fripn {__version__} is installed on every node",
                ) from None
            else:
                self._size.observe(len(chunk), seconds)
                self._ready.extend(outcomes)

    def _note_deaths(self, chunk: list[_Parcel]) -> None:
        for data, deaths in chunk:
            if deaths + 1 < self._cluster.max_attempts:
                self._suspects.append(_Parcel(data, deaths + 1))
            else:
                self._ready.append(self._on_death(pickle.loads(data)))


def _cause_of(error: Any) -> BaseException:
    """Return what the work raised; a package that the worker lacks is a fault of the cluster."""
    cause: BaseException = error.cause
    if isinstance(cause, ModuleNotFoundError):
        return ClusterFailed(
            f"the workers lack the package {cause.name!r}",
            field="--cluster",
            value=cause.name,
            remedy=f"install fripn {__version__}, and packages of your own, on every node",
        )
    return cause
