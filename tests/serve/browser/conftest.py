"""A real browser that looks at the planner's page; skipped where there is none."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from served import TOKEN

#: Browsers of the system that will do, and the variable that names another one.
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
BROWSER_VARIABLE = "FRIPN_BROWSER"

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP planner.test 127.0.0.1",
]

#: What the browser says about itself, where it is not about the page.
IGNORED = (
    "net::ERR",
    "the server responded with a status of 4",
    "Cross-Origin-Opener-Policy header has been ignored",
)


def browser_path() -> str | None:
    """Return the path of a browser of this system."""
    names = (os.environ.get(BROWSER_VARIABLE, ""), *BROWSERS)
    return next((path for name in names if name and (path := shutil.which(name))), None)


@pytest.fixture(scope="session")
def browser():
    """Return the browser that all tests share."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="needs playwright: pip install playwright"
    )
    path = browser_path()
    if path is None:
        pytest.skip(
            f"needs chromium (Debian: apt install chromium) or {BROWSER_VARIABLE}=PATH of a browser"
        )
    with playwright.sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield found
        found.close()


@pytest.fixture
def visit(browser, served):
    """Open the page in a window of its own: ``visit(color_scheme="dark")``.

    A script error, an answer 5xx, a violation of the content security policy, or a request to an
    address other than the service and its map tiles fails the test.
    """
    contexts, complaints = [], []

    def note(message) -> None:
        if message.type == "error" and not any(part in message.text for part in IGNORED):
            complaints.append(message.text)

    def open_page(service=served, place="", tiles="blob:", **settings):
        window = {"width": 1280, "height": 800}
        context = browser.new_context(**{"viewport": window, **settings})
        context.set_default_timeout(30_000)
        contexts.append(context)
        page = context.new_page()
        allowed = (service.url, "blob:", "data:", tiles)
        page.on(
            "request",
            lambda sent: sent.url.startswith(allowed) or complaints.append(f"asked {sent.url}"),
        )
        page.on("console", note)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "response",
            lambda answer: answer.status >= 500 and complaints.append(f"{answer.status}"),
        )
        page.goto(f"{service.url}/?token={TOKEN}")
        if place:
            page.goto(f"{service.url}/{place}")
        page.wait_for_selector("main h1", state="attached")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def axe() -> str:
    """Return axe-core, which looks for barriers in a page."""
    return (Path(__file__).parent / "vendor" / "axe.min.js").read_text(encoding="utf-8")
