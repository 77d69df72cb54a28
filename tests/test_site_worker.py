"""The site's search works from disk; skipped where no Chromium is installed."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

#: A browser cannot start with a sanitizer's library loaded into it.
pytestmark = pytest.mark.pure

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
SCRIPT = Path(__file__).resolve().parent.parent / "docs" / "assets" / "iframe-worker.js"

PAGE = """<!doctype html><title>nothing</title>
<script src="iframe-worker.js"></script><body><script>
const worker = new Worker("worker.js");
const heard = [];
worker.addEventListener("message", (event) => {
  heard.push(event.data);
  document.title = "HEARD " + heard.join(" ");
});
worker.postMessage(20);
worker.postMessage(21);
</script></body>"""


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
def test_a_worker_answers_a_page_opened_from_disk(tmp_path):
    """Messages sent before the script has loaded are answered, in order."""
    shutil.copy(SCRIPT, tmp_path)
    (tmp_path / "index.html").write_text(PAGE, encoding="utf-8")
    (tmp_path / "worker.js").write_text(
        'addEventListener("message", async (event) => postMessage(2 * event.data));',
        encoding="utf-8",
    )
    run = subprocess.run(
        [
            CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=5000",
            "--dump-dom", (tmp_path / "index.html").as_uri(),
        ],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    title = re.search(r"<title>(.*?)</title>", run.stdout, re.S).group(1)
    assert title == "HEARD 40 42"
