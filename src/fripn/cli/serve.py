"""``fripn serve``: the planner's page and the HTTP API, on this computer."""

from __future__ import annotations

import os
import re
import secrets
import sys
from pathlib import Path
from typing import Annotated

import typer

from fripn.errors import InvalidSetting, MissingExtra
from fripn.problem.io.text import read_text
from fripn.settings import PositiveCount, checked

#: Variable of the environment with the token.
TOKEN_VARIABLE = "FRIPN_SERVE_TOKEN"


def serve(
    *,
    port: Annotated[
        int, typer.Option("--port", metavar="P", help="Port to listen on; 0 for any free one.")
    ] = 8765,
    host: Annotated[
        str,
        typer.Option(
            "--host",
            metavar="ADDRESS",
            help="Address to listen on; others than this computer's need --allow-remote.",
        ),
    ] = "127.0.0.1",
    data: Annotated[
        Path | None,
        typer.Option(
            "--data", metavar="DIR", help="Folder of the stored jobs.", show_default=False
        ),
    ] = None,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Print the address and open no browser.")
    ] = False,
    allow_remote: Annotated[
        bool,
        typer.Option(
            "--allow-remote",
            help="Let other computers call it; needs a token of your own.",
        ),
    ] = False,
    token_file: Annotated[
        Path | None,
        typer.Option(
            "--token-file",
            metavar="FILE",
            help=f"File with the token, in place of a random one; or set {TOKEN_VARIABLE}.",
            show_default=False,
        ),
    ] = None,
    hosts: Annotated[
        list[str] | None,
        typer.Option(
            "--name",
            metavar="NAME",
            help="A further host name that clients use; may be repeated.",
            show_default=False,
        ),
    ] = None,
    parallel: Annotated[
        int, typer.Option("--parallel", metavar="N", help="Jobs that run at the same time.")
    ] = 2,
    queue: Annotated[int, typer.Option("--queue", metavar="N", help="Jobs that may wait.")] = 200,
    max_stops: Annotated[
        int, typer.Option("--max-stops", metavar="N", help="Customers of an instance, at most.")
    ] = 10_000,
    max_types: Annotated[
        int, typer.Option("--max-types", metavar="N", help="Vehicle types, at most.")
    ] = 100,
    max_seconds: Annotated[
        float, typer.Option("--max-seconds", metavar="S", help="Seconds of a job, at most.")
    ] = 3600.0,
    max_request: Annotated[
        int, typer.Option("--max-request", metavar="MB", help="Size of a request, at most.")
    ] = 20,
    keep: Annotated[
        int, typer.Option("--keep", metavar="N", help="Ended jobs to keep; older ones go.")
    ] = 1000,
    tiles: Annotated[
        str | None,
        typer.Option(
            "--tiles",
            metavar="URL",
            help="Map tiles for the page: https://…/{z}/{x}/{y}.png; none by default.",
            show_default=False,
        ),
    ] = None,
    log: Annotated[
        str | None,
        typer.Option(
            "--log",
            metavar="FILE",
            help="Where to log, - for stderr; by default serve.log in the folder of the jobs.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Open the planner's page in a browser, and serve the HTTP API."""
    try:
        from fripn.serve.limits import Limits
        from fripn.serve.server import ServerSettings, default_folder, is_loopback, run_server
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] == "fripn":
            raise
        raise MissingExtra(
            f"fripn serve needs the package {error.name!r}, which is not installed",
            field="serve",
            value=error.name,
            remedy="run: pip install 'fripn[serve]'",
        ) from None
    if not 0 <= port <= 65535:
        raise InvalidSetting(field="--port", value=port, remedy="give a number from 0 to 65535")
    token = _stated_token(token_file)
    if not is_loopback(host) and not allow_remote:
        raise InvalidSetting(
            "--host is {value}, which other computers can reach",
            field="--host",
            value=host,
            remedy="add --allow-remote if that is wanted",
        )
    if not is_loopback(host) and token is None:
        raise InvalidSetting(
            "other computers may call the service, but no token is stated",
            field="--token-file",
            remedy=f"name a file with it, or set {TOKEN_VARIABLE}",
        )
    folder = default_folder() if data is None else data
    settings = ServerSettings(
        token=secrets.token_urlsafe(24) if token is None else token,
        data=folder,
        host=host,
        port=port,
        limits=Limits(
            stops=max_stops,
            types=max_types,
            seconds=max_seconds,
            parallel=parallel,
            queue=queue,
            body_bytes=1_000_000 * int(checked("--max-request", max_request, PositiveCount)),
            keep=keep,
        ),
        hosts=tuple(hosts or ()),
        tile_url=_tile_url(tiles),
        log=None if log == "-" else Path(log) if log is not None else folder / "serve.log",
        opens_browser=not no_browser,
    )
    run_server(settings, _announce)


def _announce(address: str) -> None:
    print(f"fripn serves at {address}", flush=True)
    print("Ctrl-C ends it; jobs and plans are kept.", file=sys.stderr, flush=True)


def _stated_token(file: Path | None) -> str | None:
    """Return the token that the user states, if any."""
    from fripn.serve.server import MIN_TOKEN

    if file is not None:
        token, source = read_text(file, 10_000).strip(), str(file)
    elif os.environ.get(TOKEN_VARIABLE):
        token, source = os.environ[TOKEN_VARIABLE].strip(), TOKEN_VARIABLE
    else:
        return None
    if not re.fullmatch(r"[A-Za-z0-9._~-]+", token) or len(token) < MIN_TOKEN:
        raise InvalidSetting(
            f"the token in {source} is not usable",
            field="token",
            remedy=f"give {MIN_TOKEN} or more letters, digits, or any of - . _ ~",
        )
    return token


def _tile_url(text: str | None) -> str | None:
    if text is None:
        return None
    if not re.fullmatch(r"https?://[A-Za-z0-9.:-]+/[^\s'\";]*", text) or not all(
        part in text for part in ("{z}", "{x}", "{y}")
    ):
        raise InvalidSetting(
            field="--tiles", value=text, remedy="give an address such as https://…/{z}/{x}/{y}.png"
        )
    return text
