"""Make the pictures of the planner's page for its documentation.

    python tools/page_pictures.py [--seconds 5]

Starts a service, opens the page in chromium (or the browser that FRIPN_BROWSER names), works
through its steps with the bakery that has opening hours, and writes docs/serve/*.png. Look at them
before they are committed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "serve"
sys.path.insert(0, str(ROOT / "benchmarks"))

from served import TOKEN, Served, ended, job_of, until  # noqa: E402

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
EXAMPLE = "A bakery with opening hours and shifts"
WINDOW = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}


def picture(page: Any, name: str, *, is_whole: bool = False) -> None:
    """Write what the page shows, in as few colours as do not change it visibly."""
    from PIL import Image

    page.wait_for_timeout(500)
    path = PICTURES / f"{name}.png"
    page.screenshot(path=path, full_page=is_whole)
    with Image.open(path) as found:
        plain = found.convert("RGB")
    # Median cut would drop colours of small parts, such as those of the vehicle types.
    method, dither = Image.Quantize.MAXCOVERAGE, Image.Dither.NONE
    plain.quantize(256, method, dither=dither).save(path, optimize=True)


def wrong_data(page: Any) -> None:
    """Open the example and make two mistakes."""
    page.get_by_role("button", name=EXAMPLE).click()
    page.wait_for_selector(".state .pill.good")
    page.get_by_role("textbox", name="demand, row 4", exact=True).fill("a few")
    page.get_by_role("textbox", name="lat, row 7", exact=True).fill("51.3438 N")
    page.wait_for_selector(".state .pill.bad")
    page.locator(".problems button").first.click()


def scenarios(page: Any, service: Served) -> None:
    """Compare fleets, and add two scenarios."""
    page.locator("input[type=range]").fill("0")
    page.locator("#compare").click()
    page.locator(".fleet-split .card").nth(1).get_by_text("Finished").wait_for(timeout=180_000)
    for label, value in (("Fixed cost of van", "80"), ("Available of truck", "1")):
        page.get_by_label(label).fill(value)
        page.locator("#plan-scenario").click()
    with service.client() as client:
        until(
            lambda: all(one["state"] == "finished" for one in client.get("/v1/jobs").json()["jobs"])
        )
    page.wait_for_timeout(1500)
    # The table of all fleets is long and says what the bars say.
    page.evaluate("document.querySelector('.fleet > section.card').remove()")


def main() -> int:
    """Make all pictures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--seconds", type=float, default=5.0)
    arguments = parser.parse_args()
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

        def opened(place: str = "", **settings: Any) -> Any:
            page = browser.new_context(**{"viewport": WINDOW, **settings}).new_page()
            page.goto(f"{service.url}/?token={TOKEN}")
            page.wait_for_selector("h1")
            if place:
                page.goto(f"{service.url}/#/{place}")
            return page

        page = opened()
        wrong_data(page)
        picture(page, "data")
        with service.client() as client:
            instance = client.get("/v1/examples/bakery-hours").json()["instance"]
            body = {"instance": instance, "name": EXAMPLE, "seconds": arguments.seconds}
            job = client.post("/v1/jobs", json=body).json()["id"]
            until(lambda: job_of(client, job)["cost"] is not None)
            page = opened(f"solve/{job}")
            page.wait_for_selector(".curve .cost-end")
            page.wait_for_timeout(1000)
            picture(page, "solve")
            ended(client, job)
        page = opened(f"plan/{job}")
        page.locator(".route-row").nth(1).click()
        picture(page, "plan", is_whole=True)
        page.goto(f"{service.url}/#/fleet/{job}")
        scenarios(page, service)
        picture(page, "fleet", is_whole=True)
        page = opened(f"plan/{job}", color_scheme="dark")
        page.wait_for_selector(".route-row")
        picture(page, "dark")
        page = opened(f"plan/{job}", viewport=PHONE, is_mobile=True, has_touch=True)
        page.wait_for_selector(".route-row")
        picture(page, "phone")
        browser.close()
        service.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
