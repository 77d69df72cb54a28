"""The benchmark of the page goes on working; what it measures is not looked at here."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[3] / "benchmarks" / "serve_page.py"


def test_a_small_run_ends_with_its_figures(browser):
    """First byte, first plan, and the frames of a small map."""
    call = [sys.executable, str(SCRIPT), "--stops", "30", "--repeats", "1"]
    call += ["--first-bytes", "5"]
    ended = subprocess.run(call, capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0, ended.stderr
    for expected in ("first byte of the page", "first plan on the screen", "30 stops, panning"):
        assert expected in ended.stdout
