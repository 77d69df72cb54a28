"""Start and end the service: folder, socket, logs, web server, browser."""

from __future__ import annotations

import ipaddress
import os
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import IO

import uvicorn

from fripn.errors import InvalidFile, InvalidSetting
from fripn.problem.io.atomic import reason
from fripn.serve.access import Access, Gate
from fripn.serve.app import make_app
from fripn.serve.limits import Limits
from fripn.serve.logs import start_logs
from fripn.serve.service import Service
from fripn.serve.storage import Store

#: Characters of a token that a user states, at least.
MIN_TOKEN = 16

#: Connections at the same time; each stream of events is one.
_MAX_CONNECTIONS = 1000

#: Seconds that connections have to end when the service does.
_GRACE = 5


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Where and how the service runs.

    Parameters
    ----------
    token
        What clients must know.
    host, port
        Where to listen; port 0 for any free one.
    data
        Folder of the stored jobs.
    limits
        What clients may ask for.
    hosts
        Further names under which the service is reached.
    tile_url
        Address of map tiles for the page.
    log
        File of the log; None for stderr.
    opens_browser
        Whether to open the page in a browser.
    """

    token: str = field(repr=False)
    data: Path
    host: str = "127.0.0.1"
    port: int = 8765
    limits: Limits = field(default_factory=Limits)
    hosts: tuple[str, ...] = ()
    tile_url: str | None = None
    log: Path | None = None
    opens_browser: bool = True


def is_loopback(host: str) -> bool:
    """Return whether only this computer can reach an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def default_folder() -> Path:
    """Return where jobs are stored when no folder is named."""
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return base / "fripn" / "serve"


def run_server(settings: ServerSettings, announce: Callable[[str], None]) -> None:
    """Run the service until a signal ends it.

    Parameters
    ----------
    settings
        Where and how.
    announce
        Called with the address of the page once the service answers.

    Raises
    ------
    InvalidInput
        When the port is in use, or the folder cannot be used.
    """
    os.umask(0o077)  # jobs name customers: nobody else may read them
    folder = _folder(settings.data)
    with _locked(folder / "lock"):
        listening = listen(settings.host, settings.port)
        with listening:
            port = int(listening.getsockname()[1])
            start_logs(settings.log)
            access = Access(
                token=settings.token,
                port=port,
                hosts=_names(settings),
                any_address=not is_loopback(settings.host),
                tile_url=settings.tile_url,
            )
            service = Service(Store(folder / "jobs.sqlite"), settings.limits)
            gate = Gate(make_app(service, settings.tile_url), access, settings.limits.body_bytes)
            config = uvicorn.Config(
                gate,
                lifespan="on",
                log_config=None,
                access_log=False,
                server_header=False,
                date_header=False,
                timeout_graceful_shutdown=_GRACE,
                timeout_keep_alive=30,
                limit_concurrency=_MAX_CONNECTIONS,
                h11_max_incomplete_event_size=65536,
                proxy_headers=False,
                ws="none",
            )
            address = f"http://{_shown_host(settings.host)}:{port}/?token="
            server = _Server(config, service, lambda: announce(f"{address}{settings.token}"))
            if settings.opens_browser:
                server.when_ready.append(lambda: _open_browser(f"{address}{access.new_code()}"))
            server.run(sockets=[listening])


class _Server(uvicorn.Server):
    """A web server that says when it answers, and ends streams when it is to end."""

    def __init__(
        self, config: uvicorn.Config, service: Service, announce: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._service = service
        self.when_ready = [announce]

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if not self.should_exit:
            for call in self.when_ready:
                call()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._service.listeners.close()
        super().handle_exit(sig, frame)


def _open_browser(address: str) -> None:
    # A browser may take seconds to start, and one that works in the terminal would take it.
    threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()


def _names(settings: ServerSettings) -> tuple[str, ...]:
    names = [name.lower() for name in settings.hosts]
    if not is_loopback(settings.host):
        names.append(socket.gethostname().lower())
    return tuple(names)


def _shown_host(host: str) -> str:
    if host in ("0.0.0.0", "::"):
        return socket.gethostname()
    return f"[{host}]" if ":" in host else host


def _folder(path: Path) -> Path:
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidFile(
            f"the folder of stored jobs cannot be made ({reason(error)})",
            place=str(path),
            remedy="name another one with --data",
        ) from None
    return path


class _locked:  # noqa: N801 - a context manager, used like a function
    """Holds a folder, so that no second service runs its jobs; a kill lets go of it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: IO[bytes] | None = None

    def __enter__(self) -> None:
        try:
            self._file = self._path.open("ab")
            if sys.platform == "win32":
                import msvcrt

                msvcrt.locking(self._file.fileno(), msvcrt.LK_NBLCK, 1)
            else:
                import fcntl

                fcntl.flock(self._file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            is_held = self._file is not None
            raise InvalidFile(
                "another fripn serve uses this folder"
                if is_held
                else f"the folder of stored jobs cannot be used ({reason(error)})",
                place=str(self._path.parent),
                remedy="end that one, or name another folder with --data",
            ) from None

    def __exit__(self, *_: object) -> None:
        assert self._file is not None
        self._file.close()


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens.

    Raises
    ------
    InvalidSetting
        When the address cannot be used.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With the protocol named, asyncio sends small packets at once; else an answer takes 40 ms more.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if sys.platform != "win32":
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(128)
    except OSError as error:
        listening.close()
        is_port = error.errno in (98, 48, 10048, 13, 10013)
        raise InvalidSetting(
            f"port {{value}} on {host} cannot be used ({reason(error)})"
            if is_port
            else f"the address {host} cannot be used ({reason(error)})",
            field="port" if is_port else "host",
            value=port if is_port else host,
            remedy="choose another one with --port" if is_port else "choose another --host",
        ) from None
    return listening
