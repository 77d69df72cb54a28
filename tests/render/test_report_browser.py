"""The report in a real browser; skipped where no Chromium is installed."""

import json
import re
import shutil
import subprocess

import pytest

from fripn.problem.generate import paper_instance
from fripn.render.report import report_html
from fripn.solve import solve

#: A browser cannot start with a sanitizer's library loaded into it.
pytestmark = pytest.mark.pure

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

#: Acts as a user would: hovers over the first stop, zooms, switches off one vehicle type. A page
#: that is only dumped paints no frames, so what waits for one is run at once.
ACTIONS = """
<script>
window.requestAnimationFrame = (action) => setTimeout(action, 0);
window.addEventListener("load", () => setTimeout(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const canvas = document.getElementById("canvas");
  const box = canvas.getBoundingClientRect();
  const shape = document.getElementById("map").viewBox.baseVal;
  const { width, height } = shape;
  const scale = Math.min(box.width / width, box.height / height);
  const [x, y] = data.points[data.routes[0].stops[0]];
  const at = {
    clientX: box.left + (box.width - width * scale) / 2 + scale * x,
    clientY: box.top + (box.height - height * scale) / 2 + scale * y,
    bubbles: true, cancelable: true, pointerId: 1,
  };
  canvas.dispatchEvent(new PointerEvent("pointermove", at));
  setTimeout(() => {
    const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    const tip = document.getElementById("tip").textContent;
    canvas.dispatchEvent(new WheelEvent("wheel", { ...at, deltaY: -300 }));
    document.querySelector("#types input").click();
    const hidden = document.querySelectorAll(".route.hidden").length;
    const seen = { tip, hidden, drawn: pixels.some((value) => value > 0) };
    document.title = "SEEN" + JSON.stringify(seen);
  }, 50);
}, 50));
window.addEventListener("error", (event) => { document.title = "ERROR " + event.message; });
</script>
"""


#: Measures the tables of a narrow page: what is wider than the screen, and what is blank.
MEASURES = """
<script>
window.addEventListener("load", () => setTimeout(() => {
  const rows = [...document.querySelectorAll(".cards tbody tr")];
  const blank = rows.map((row) => {
    const cells = [...row.children].map((cell) => cell.getBoundingClientRect().height);
    return row.getBoundingClientRect().height - cells.reduce((sum, height) => sum + height, 0);
  });
  const seen = {
    isTooWide: document.documentElement.scrollWidth > window.innerWidth,
    cards: rows.filter((row) => getComputedStyle(row).display === "block").length,
    blank: Math.max(...blank),
  };
  document.title = "SEEN" + JSON.stringify(seen);
}, 50));
</script>
"""


def title_after(page, script, tmp_path, size):
    """Open a page with a script in it, and return the title that the script leaves."""
    path = tmp_path / "report.html"
    path.write_text(page.replace("<style>", script + "<style>", 1))
    run = subprocess.run(
        [
            CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            f"--user-data-dir={tmp_path / 'profile'}", f"--window-size={size}",
            "--virtual-time-budget=5000", "--dump-dom", path.as_uri(),
        ],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    title = re.search(r"<title>(.*?)</title>", run.stdout, re.S).group(1)
    assert title.startswith("SEEN"), title
    return title


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
def test_a_phone_shows_a_card_per_route(tmp_path):
    """Nothing is wider than the screen, every row is a card, and no card has blank space."""
    result = solve("golden-20", "savings")
    title = title_after(report_html(result), MEASURES, tmp_path, "500,900")
    seen = json.loads(title.removeprefix("SEEN"))
    used = sum(used.count > 0 for used in result.evaluation.types)
    assert not seen["isTooWide"]
    assert seen["cards"] >= len(result.solution.routes) + used
    assert seen["blank"] < 40


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
def test_page_works_in_a_browser(tmp_path):
    """The map is drawn, hovering shows the stop, and switching a type hides its routes."""
    result = solve(paper_instance(30, 4), "savings")
    title = title_after(report_html(result), ACTIONS, tmp_path, "1280,900")
    first = result.solution.routes[0]
    assert f"Customer {first.customers[0]}demand" in title
    mine = min(route.vehicle_type for route in result.solution.routes)
    count = sum(route.vehicle_type == mine for route in result.solution.routes)
    assert f'"hidden":{count}' in title
    assert '"drawn":true' in title
