"""Who gets an answer: the token, hosts, origins, sizes, and what is never opened."""

from __future__ import annotations

import contextlib
import json
import socket

import httpx
import pytest
from served import TOKEN, small_instance

from fripn.serve.access import Access

API = ["/v1/info", "/v1/jobs", "/v1/schema", "/v1/openapi.json", "/page/index.html", "/nothing"]


@pytest.mark.parametrize("path", API)
@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer wrong"}, {"Cookie": "fripn=x"}])
def test_nothing_is_reachable_without_the_token(served, path, headers):
    """Not even the description of the API; the answer is a problem."""
    answer = httpx.get(served.url + path, headers=headers)
    assert answer.status_code == 401
    assert answer.headers["content-type"] == "application/problem+json"
    assert "token" in answer.json()["detail"]


def test_health_needs_no_token_and_tells_nothing(served):
    """It says that the service is alive, and that is all."""
    answer = httpx.get(f"{served.url}/health")
    assert (answer.status_code, answer.json()) == (200, {"status": "alive"})
    assert "server" not in answer.headers


def test_the_address_with_the_token_becomes_a_cookie(served):
    """The token is exchanged once, and the cookie opens page and API."""
    with httpx.Client(base_url=served.url) as browser:
        assert browser.get("/").status_code == 401
        answer = browser.get("/", params={"token": TOKEN})
        assert (answer.status_code, answer.headers["location"]) == (303, "/")
        cookie = answer.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=Strict" in cookie
        assert TOKEN not in cookie
        page = browser.get("/")
        assert page.status_code == 200
        assert page.headers["content-type"].startswith("text/html")
        assert browser.get("/v1/info").status_code == 200
        assert browser.get("/", params={"token": "wrong"}).status_code == 401


def test_a_link_on_another_page_opens_ours(served):
    """Browsers send no strict cookies along a redirect that began elsewhere."""
    headers = {"Sec-Fetch-Site": "cross-site"}
    answer = httpx.get(served.url, params={"token": TOKEN}, headers=headers)
    assert answer.status_code == 200
    assert "url=/" in answer.text
    assert TOKEN not in answer.text
    assert "SameSite=Strict" in answer.headers["set-cookie"]


def test_codes_open_the_page_once():
    """The browser is started with one, as other users may see how it is called."""
    access = Access(token=TOKEN, port=80)
    code = access.new_code()
    assert code not in repr(access)
    assert [access.is_code(one) for one in (code, code, "x")] == [True, False, False]


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8765", "127.0.0.1:1", "", "[::"])
def test_other_names_of_this_computer_are_refused(served, host):
    """A page of somebody else whose name leads here does not get through."""
    headers = {"Host": host, "Authorization": f"Bearer {TOKEN}"}
    for path in ("/v1/info", "/health"):
        assert httpx.get(served.url + path, headers=headers).status_code in (400, 421)


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://localhost:1"])
def test_requests_of_other_pages_are_refused(client, origin):
    """Whatever they send along."""
    answer = client.post("/v1/evaluate", json={}, headers={"Origin": origin})
    assert answer.status_code == 403
    answer = client.post("/v1/evaluate", json={}, headers={"Sec-Fetch-Site": "cross-site"})
    assert answer.status_code == 403


def test_our_own_page_may_call(client, served):
    """Its origin is that of the service; other sites are never allowed to read answers."""
    answer = client.get("/v1/info", headers={"Origin": served.url})
    assert answer.status_code == 200
    assert not [name for name in answer.headers if name.startswith("access-control")]


def test_answers_carry_a_strict_policy(client):
    """No inline scripts and styles, no frames, nothing from elsewhere, nothing kept in caches."""
    headers = client.get("/").headers
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert client.get("/v1/info").headers["cache-control"] == "no-store"


def test_page_files_are_cached_by_content(client):
    """A file that has not changed is not sent again."""
    first = client.get("/page/index.html")
    again = client.get("/page/index.html", headers={"If-None-Match": first.headers["etag"]})
    assert (first.status_code, again.status_code, again.content) == (200, 304, b"")


@pytest.mark.parametrize(
    "path",
    ["/page/../app.py", "/page/%2e%2e/app.py", "/page//etc/passwd", "/page/..%2fapp.py", "/page/"],
)
def test_only_files_of_the_page_are_served(served, path):
    """What is asked for is looked up in a list and never opened as a path."""
    host, _, port = served.url.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port))) as raw:
        request = f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n"
        raw.sendall(f"{request}Authorization: Bearer {TOKEN}\r\n\r\n".encode())
        answer = b"".join(iter(lambda: raw.recv(65536), b""))
    assert answer.startswith(b"HTTP/1.1 404"), answer[:100]


def test_paths_of_clients_are_never_opened(client, tmp_path):
    """Neither as an instance, nor as a method with settings, nor as the name of an upload."""
    secret = tmp_path / "secret.json"
    secret.write_text(json.dumps(small_instance()))
    weights = f"policy:weights={secret}"
    for body in (
        {"instance": str(secret)},
        {"instance": {**small_instance(), "matrix": str(secret)}},
        {"instance": small_instance(), "method": weights},
        {"instance": small_instance(), "method": "os:system"},
    ):
        answer = client.post("/v1/jobs", json=body)
        assert answer.status_code == 422, body
    answer = client.post("/v1/validate", files={"files": (str(secret), b"no table")})
    assert answer.status_code == 200
    assert not answer.json()["ok"]


def test_large_requests_are_refused_while_they_arrive(start):
    """By their stated length, and by what arrives when none is stated."""
    service = start("--max-request", 1)
    large = b'{"instance": "' + b"x" * 2_000_000 + b'"}'
    headers = {"Content-Type": "application/json"}
    with service.client() as client:
        answer = client.post("/v1/jobs", content=large, headers=headers)
        assert answer.status_code == 413
        assert "1 MB" in answer.json()["detail"]
        assert "--max-request" in answer.json()["remedy"]

        def parts():
            for place in range(0, len(large), 50_000):
                yield large[place : place + 50_000]

        # The service answers and closes before all has been sent.
        with contextlib.suppress(httpx.WriteError, httpx.ReadError, httpx.RemoteProtocolError):
            assert client.post("/v1/jobs", content=parts(), headers=headers).status_code == 413
        assert client.get("/v1/info").status_code == 200


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1:80", True),
        ("127.0.0.1", True),
        ("localhost:80", True),
        ("[::1]:80", True),
        ("plans.example:443", True),
        ("192.168.1.2:80", False),
        ("user@localhost:80", False),
        ("localhost:80/x", False),
        ("localhost:x", False),
    ],
)
def test_host_headers(host, expected):
    """Names of this computer with the right port, and those that were stated."""
    access = Access(token=TOKEN, port=80, hosts=("plans.example",))
    assert access.is_host(host) is expected
    assert TOKEN not in repr(access)


def test_other_computers_name_the_service_by_its_address():
    """Where they may call it; names could be those of anybody."""
    access = Access(token=TOKEN, port=80, any_address=True)
    assert access.is_host("192.168.1.2:80")
    assert not access.is_host("evil.example:80")
