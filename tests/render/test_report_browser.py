"""The report in a real browser; skipped where no Chromium is installed."""

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
  const scale = Math.min(box.width / 1000, box.height / 700);
  const [x, y] = data.points[data.routes[0].stops[0]];
  const at = {
    clientX: box.left + (box.width - 1000 * scale) / 2 + scale * x,
    clientY: box.top + (box.height - 700 * scale) / 2 + scale * y,
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


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
def test_page_works_in_a_browser(tmp_path):
    """The map is drawn, hovering shows the stop, and switching a type hides its routes."""
    result = solve(paper_instance(30, 4), "savings")
    page = tmp_path / "report.html"
    page.write_text(report_html(result).replace("<style>", ACTIONS + "<style>", 1))
    run = subprocess.run(
        [
            CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            f"--user-data-dir={tmp_path / 'profile'}", "--window-size=1280,900",
            "--virtual-time-budget=5000", "--dump-dom", page.as_uri(),
        ],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    title = re.search(r"<title>(.*?)</title>", run.stdout, re.S).group(1)
    assert title.startswith("SEEN"), title
    first = result.solution.routes[0]
    assert f"Customer {first.customers[0]}demand" in title
    mine = min(route.vehicle_type for route in result.solution.routes)
    count = sum(route.vehicle_type == mine for route in result.solution.routes)
    assert f'"hidden":{count}' in title
    assert '"drawn":true' in title
