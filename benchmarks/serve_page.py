"""How fast the planner's page is in a real browser.

    python benchmarks/serve_page.py [--stops 5000] [--repeats 5]

Prints four things. The first byte of the page, at rest and while as many jobs run as the service
runs at a time, on all cores. The time from pressing "Find a plan" to the first plan on the screen,
with 100 stops. And with thousands of stops, how long the frames take while the map of the plan is
panned and while the pointer moves over it, beside the frames of the same page at rest. A browser is
needed for all but the first byte: chromium, or the one that FRIPN_BROWSER names. Frames are drawn
by the processor, not by a graphics card.
"""

from __future__ import annotations

import argparse
import os
import shutil
import socket
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from served import TOKEN, Served, ended, job_of, until

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

#: Note when the button was pressed and when the curve of the first plan was painted.
WATCH = """() => {
  window.seen = {};
  document.addEventListener("click", (event) => {
    if (event.target.id === "solve-now") window.seen.pressed = performance.now();
  }, true);
  const look = () => {
    if (document.querySelector(".curve .cost-end")) {
      requestAnimationFrame(() => requestAnimationFrame(() => {
        window.seen.shown = performance.now();
      }));
    } else requestAnimationFrame(look);
  };
  look();
}"""

#: Collect the time from frame to frame until it is told to stop.
FRAMES = """() => {
  window.frames_ = [];
  window.isWatching = true;
  let last = performance.now();
  const next = (now) => {
    window.frames_.push(now - last);
    last = now;
    if (window.isWatching) requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
}"""


def first_bytes(service: Served, repeats: int) -> list[float]:
    """Return the milliseconds until the page starts to arrive, on connections of their own."""
    host, _, port = service.url.removeprefix("http://").partition(":")
    request = f"GET / HTTP/1.1\r\nHost: {host}:{port}\r\nAuthorization: Bearer {TOKEN}\r\n\r\n"
    times = []
    for _ in range(repeats):
        time.sleep(0.02)
        begun = time.perf_counter()
        with socket.create_connection((host, int(port))) as connection:
            connection.sendall(request.encode())
            start = connection.recv(12)
            times.append(1000 * (time.perf_counter() - begun))
        assert start == b"HTTP/1.1 200", start
    return times


def first_bytes_while_solving(service: Served, repeats: int) -> tuple[int, list[float]]:
    """Return how many jobs were running, and the milliseconds until the page starts to arrive."""
    with service.client() as client:
        parallel = client.get("/v1/info").json()["limits"]["parallel"]
        instance = client.get("/v1/examples/li-H1").json()["instance"]
        body = {"instance": instance, "seconds": 600}
        jobs = [client.post("/v1/jobs", json=body).json()["id"] for _ in range(parallel)]
        for job in jobs:
            until(lambda job=job: job_of(client, job)["cost"] is not None)
        times = first_bytes(service, repeats)
        states = [client.post(f"/v1/jobs/{job}/stop").json()["state"] for job in jobs]
        assert states == ["stopped"] * parallel, states
    return parallel, times


def first_plan(page: Any, repeats: int) -> list[float]:
    """Return the milliseconds from pressing the button to the first plan, 100 stops."""
    times = []
    for _ in range(repeats):
        page.evaluate("localStorage.clear()")
        page.goto(page.url.partition("#")[0])
        page.reload()
        page.locator(".example", has_text="Golden").click()
        page.get_by_role("button", name="Next: solve").click()
        page.locator("input[type=range]").fill("0")
        page.evaluate(WATCH)
        page.locator("#solve-now").click()
        page.wait_for_function("() => window.seen.shown")
        times.append(page.evaluate("window.seen.shown - window.seen.pressed"))
        page.wait_for_selector("#open-plan")
    return times


def frames(page: Any, moves: Any) -> list[float]:
    """Return the milliseconds from frame to frame while something is done."""
    page.evaluate(FRAMES)
    moves()
    page.evaluate("window.isWatching = false")
    times: list[float] = page.evaluate("window.frames_.slice(2)")
    return times


def summary(times: list[float], what: str = "frames") -> str:
    """Return median, 95th percentile and maximum in words."""
    ordered = sorted(times)
    late = ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
    return (
        f"median {statistics.median(ordered):.1f} ms, 95 % within {late:.1f} ms, "
        f"slowest {ordered[-1]:.1f} ms ({len(ordered)} {what})"
    )


def large_plan(service: Served, stops: int) -> str:
    """Return a job with a plan of many stops."""
    from fripn.problem.generate import paper_instance
    from fripn.problem.io import instance_to_dict

    document = instance_to_dict(paper_instance(stops, seed=1))
    body = {"instance": document, "seconds": 10, "method": "savings"}
    with service.client() as client:
        answer = client.post("/v1/jobs", json=body)
        answer.raise_for_status()
        job: str = answer.json()["id"]
        ended(client, job, 600)
    return job


def pan_and_hover(page: Any, steps: int) -> dict[str, list[float]]:
    """Return the frames at rest, while panning and while the pointer moves over the map."""
    box = page.locator(".map-top").bounding_box()
    left, top, wide, high = box["x"], box["y"], box["width"], box["height"]

    def rest() -> None:
        page.wait_for_timeout(1500)

    def pan() -> None:
        page.mouse.move(left + 20, top + high - 60)
        page.mouse.down()
        for step in range(steps):
            offset = 160 * abs((step % 40) - 20) / 20
            page.mouse.move(left + 20 + offset, top + high - 60 - offset / 2)
        page.mouse.up()

    def hover() -> None:
        for step in range(steps):
            share = (step % 50) / 50
            page.mouse.move(left + 40 + share * (wide - 80), top + high * (0.2 + 0.6 * share))

    return {
        "at rest": frames(page, rest),
        "panning": frames(page, pan),
        "pointing": frames(page, hover),
    }


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--stops", type=int, default=5000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--first-bytes", type=int, default=200)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        service = Served(Path(folder))
        asked = arguments.first_bytes
        first_bytes(service, 5)
        print(f"first byte of the page, at rest: {summary(first_bytes(service, asked), 'visits')}")
        jobs, times = first_bytes_while_solving(service, asked)
        print(f"first byte of the page, while {jobs} jobs run: {summary(times, 'visits')}")
        service.stop()
    names = (os.environ.get("FRIPN_BROWSER", ""), *BROWSERS)
    path = next((found for name in names if name and (found := shutil.which(name))), None)
    if path is None:
        print("no browser was found; install chromium or set FRIPN_BROWSER", file=sys.stderr)
        return 1
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        service = Served(Path(folder))
        browser = driver.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(f"{service.url}/?token={TOKEN}")
        page.wait_for_selector("h1")
        times = first_plan(page, arguments.repeats)
        print(
            f"first plan on the screen, 100 stops: median {statistics.median(times):.0f} ms, "
            f"slowest {max(times):.0f} ms ({len(times)} runs)"
        )
        job = large_plan(service, arguments.stops)
        page.goto(f"{service.url}/#/plan/{job}")
        page.wait_for_selector(".route-row")
        page.wait_for_timeout(1000)
        for name, found in pan_and_hover(page, 150).items():
            print(f"{arguments.stops} stops, {name}: {summary(found)}")
        browser.close()
        service.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
