"""Who may call the service: hosts, origins, the token, and the size of requests."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import ipaddress
import json
import logging
import secrets
import time
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fripn.serve.problems import MEDIA_TYPE, Refusal, problem, problem_of

log = logging.getLogger("fripn.serve")

#: Seconds between two parts of a request, at most.
_BODY_TIMEOUT = 30.0

#: Requests that arrive at the same time may be so many times the limit for one.
_MAX_IN_FLIGHT = 8

#: Methods that change nothing.
_SAFE = ("GET", "HEAD")

_NO_TOKEN_PAGE = b"""<!doctype html>
<html lang="en"><meta charset="utf-8"><title>fripn</title>
<h1>This page needs its address with the token</h1>
<p>Open the address that <code>fripn serve</code> printed in the terminal where it was started.</p>
</html>
"""


#: Leads on to the page, without the token in its address.
_GO_ON_PAGE = b"""<!doctype html>
<html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=/"><title>fripn
</title></html>
"""

#: How long a code for the browser is valid.
_CODE_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class Access:
    """Whom the service answers.

    Parameters
    ----------
    token
        What a client must know.
    port
        The port that the service listens on.
    hosts
        Names under which it can be reached, beside those of this computer.
    any_address
        Whether other computers may call it, which name it by any of its addresses.
    tile_url
        Address of map tiles, whose host the page may load pictures from.
    """

    token: str = field(repr=False)
    port: int
    hosts: tuple[str, ...] = ()
    any_address: bool = False
    tile_url: str | None = None
    _codes: dict[str, float] = field(default_factory=dict, repr=False)

    @property
    def cookie_name(self) -> str:
        """Name of the cookie; cookies do not distinguish ports, so it holds the port."""
        return f"fripn-{self.port}"

    @property
    def cookie_value(self) -> str:
        """Value of the cookie, from which the token cannot be told."""
        return hmac.new(self.token.encode(), b"cookie", hashlib.sha256).hexdigest()

    def new_code(self) -> str:
        """Return a code that opens the page once: other users may see the calls of a browser."""
        code = secrets.token_urlsafe(24)
        self._codes[code] = time.monotonic()
        return code

    def is_code(self, given: str) -> bool:
        """Return whether a string is a code that was not used and is new; it is used up then."""
        made = self._codes.pop(given, None)
        return made is not None and time.monotonic() - made < _CODE_SECONDS

    def is_token(self, given: str) -> bool:
        """Return whether a string is the token, in a time that tells nothing about it."""
        return hmac.compare_digest(given.encode("utf-8", "replace"), self.token.encode())

    def is_cookie(self, given: str) -> bool:
        """Return whether a cookie has the right value."""
        return hmac.compare_digest(given.encode("utf-8", "replace"), self.cookie_value.encode())

    def is_host(self, given: str) -> bool:
        """Return whether a Host header names this service.

        A page of somebody else whose name resolves to this computer is so refused.
        """
        try:
            parts = urlsplit(f"//{given}")
            name, port = (parts.hostname or "").lower(), parts.port
        except ValueError:
            return False
        if parts.path or parts.query or parts.username is not None:
            return False
        if name in self.hosts:
            return True
        if (port or 80) != self.port:
            return False
        if name == "localhost":
            return True
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return False
        return self.any_address or address.is_loopback

    def is_origin(self, origin: str, host: str) -> bool:
        """Return whether an Origin header is that of our own page."""
        return origin.lower() in (f"http://{host}".lower(), f"https://{host}".lower())

    def security_headers(self) -> list[tuple[bytes, bytes]]:
        """Return the headers of every answer."""
        tiles = ""
        if self.tile_url is not None:
            parts = urlsplit(self.tile_url)
            tiles = f" {parts.scheme}://{parts.netloc}"
        policy = (
            f"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:{tiles};"
            " connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; "
            "frame-ancestors 'none'"
        )
        # Servers of tiles want to know the page; the address of ours has no token in it.
        referrer = "no-referrer" if self.tile_url is None else "strict-origin"
        return [
            (b"content-security-policy", policy.encode()),
            (b"x-content-type-options", b"nosniff"),
            (b"referrer-policy", referrer.encode()),
            (b"cross-origin-opener-policy", b"same-origin"),
            (b"cross-origin-resource-policy", b"same-origin"),
            (b"x-frame-options", b"DENY"),
        ]


class Gate:
    """Lets requests through to the application that come from a client with the token.

    Parameters
    ----------
    app
        The application.
    access
        Whom to answer.
    max_bytes
        Size of a request, at most.
    """

    def __init__(self, app: ASGIApp, access: Access, max_bytes: int) -> None:
        self._app, self._access, self._max_bytes = app, access, max_bytes
        self._headers = access.security_headers()
        self._in_flight = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # an ASGI server answers a refused websocket with 403
        began = time.perf_counter()
        status = 0

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                present = {name for name, _ in message["headers"]}
                more = [pair for pair in self._headers if pair[0] not in present]
                if b"cache-control" not in present:
                    more.append((b"cache-control", b"no-store"))
                message = {**message, "headers": [*message["headers"], *more]}
            await send(message)

        body = _Body(self, receive)
        try:
            answer = self._refusal(scope)
            if answer is None:
                await self._app(scope, body.receive, send_with_headers)
            else:
                await _send(answer, send_with_headers)
        finally:
            self._in_flight -= body.count
            log.info(
                "request",
                extra={
                    "method": scope["method"],
                    "path": scope["path"],
                    "status": status,
                    "ms": round(1000 * (time.perf_counter() - began), 1),
                },
            )

    def _refusal(self, scope: Scope) -> _Answer | None:
        """Return the answer to a request that the application does not get to see."""
        access = self._access
        headers = {
            name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]
        }
        host, method, path = headers.get("host", ""), scope["method"], scope["path"]
        if not access.is_host(host):
            return _problem(421, "the service is not reached under this name; use 127.0.0.1")
        if path == "/health" and method in _SAFE:
            return None
        origin = headers.get("origin")
        if origin is not None and not access.is_origin(origin, host):
            return _problem(
                403, "requests of other pages are refused; open the page of the service"
            )
        site = headers.get("sec-fetch-site", "none")
        if method not in _SAFE and site not in ("same-origin", "none"):
            return _problem(
                403, "requests of other pages are refused; open the page of the service"
            )
        if path == "/" and method in _SAFE and scope["query_string"]:
            return self._log_in(scope["query_string"], site)
        if not self._is_known(headers):
            if path == "/":
                return _Answer(
                    401, _NO_TOKEN_PAGE, [(b"content-type", b"text/html; charset=utf-8")]
                )
            answer = _problem(
                401, "the token is missing or wrong; send Authorization: Bearer TOKEN"
            )
            answer.headers.append((b"www-authenticate", b"Bearer"))
            return answer
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit()) or int(length[:20]) > self._max_bytes:
            return _refused(self.too_large())
        return None

    def too_large(self) -> Refusal:
        """Return the error about a request that is too large."""
        return Refusal(
            413,
            f"the request has more than {self._max_bytes / 1e6:g} MB",
            field="size",
            value=self._max_bytes,
            remedy="send less, or start the service with a higher --max-request",
        )

    def count(self, size: int) -> None:
        """Count what arrives.

        Raises
        ------
        Refusal
            When too much arrives at the same time.
        """
        self._in_flight += size
        if self._in_flight > _MAX_IN_FLIGHT * self._max_bytes:
            raise Refusal(429, "too many large requests at once", remedy="try again")

    @property
    def max_bytes(self) -> int:
        """Size of a request, at most."""
        return self._max_bytes

    def _log_in(self, query: bytes, site: str) -> _Answer:
        """Exchange the token in an address for a cookie, so that it is not seen again."""
        given = parse_qs(query.decode("latin-1")).get("token", [""])[0]
        if not self._access.is_token(given) and not self._access.is_code(given):
            return _Answer(401, _NO_TOKEN_PAGE, [(b"content-type", b"text/html; charset=utf-8")])
        cookie = (
            f"{self._access.cookie_name}={self._access.cookie_value}; HttpOnly; SameSite=Strict; "
            "Path=/"
        )
        set_cookie = (b"set-cookie", cookie.encode())
        if site not in ("same-origin", "none"):
            # A redirect would belong to the visit from elsewhere, which gets no strict cookies.
            return _Answer(200, _GO_ON_PAGE, [(b"content-type", b"text/html"), set_cookie])
        return _Answer(303, b"", [(b"location", b"/"), set_cookie])

    def _is_known(self, headers: dict[str, str]) -> bool:
        word, _, given = headers.get("authorization", "").partition(" ")
        if word.lower() == "bearer" and self._access.is_token(given.strip()):
            return True
        for part in headers.get("cookie", "").split(";"):
            name, _, value = part.strip().partition("=")
            if name == self._access.cookie_name and self._access.is_cookie(value):
                return True
        return False


class _Body:
    """The body of a request, counted while it arrives."""

    def __init__(self, gate: Gate, receive: Receive) -> None:
        self._gate, self._receive = gate, receive
        self._is_complete = False
        self.count = 0

    async def receive(self) -> Message:
        if self._is_complete:
            return await self._receive()
        try:
            message = await asyncio.wait_for(self._receive(), _BODY_TIMEOUT)
        except TimeoutError:
            raise Refusal(408, "the request does not arrive", remedy="send it again") from None
        if message["type"] == "http.request":
            size = len(message.get("body", b""))
            self.count += size
            self._gate.count(size)
            if self.count > self._gate.max_bytes:
                raise self._gate.too_large()
            self._is_complete = not message.get("more_body", False)
        return message


@dataclass(slots=True)
class _Answer:
    status: int
    body: bytes
    headers: list[tuple[bytes, bytes]]


def _problem(status: int, detail: str) -> _Answer:
    return _json_answer(problem(status, detail))


def _refused(error: Refusal) -> _Answer:
    return _json_answer(problem_of(error))


def _json_answer(content: dict[str, Any]) -> _Answer:
    body = json.dumps(content).encode()
    return _Answer(content["status"], body, [(b"content-type", MEDIA_TYPE.encode())])


async def _send(answer: _Answer, send: Send) -> None:
    length = (b"content-length", str(len(answer.body)).encode())
    await send(
        {
            "type": "http.response.start",
            "status": answer.status,
            "headers": [*answer.headers, length],
        }
    )
    await send({"type": "http.response.body", "body": answer.body})
