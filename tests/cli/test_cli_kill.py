"""Killed at any moment, output files are the old ones or complete new ones."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from fripn.problem import evaluate, library
from fripn.problem.io import read_solution, write_solution
from fripn.solve import solve


@pytest.mark.parametrize("delay", [0.0, 0.01, 0.05, 0.2])
def test_kill_leaves_whole_files(tmp_path, delay):
    """SIGKILL around the moment of writing: every file can be read, and nothing else is lost."""
    instance = library.load("golden-20")
    plan, page = tmp_path / "plan.json", tmp_path / "plan.html"
    write_solution(instance, solve(instance, "savings").solution, plan)
    page.write_text("<p>old</p></html>\n")
    process = subprocess.Popen(
        [
            sys.executable, "-m", "fripn", "solve", "golden-20", "--method", "savings",
            "-o", str(plan), "--report", str(page), "--progress", "plain",
        ],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=os.environ,
    )  # fmt: skip
    process.stderr.readline()  # the plan is found: from now on files are written
    time.sleep(delay)
    process.kill()
    process.communicate()
    assert evaluate(instance, read_solution(plan, instance)).is_feasible
    assert page.read_text(encoding="utf-8").rstrip().endswith("</html>")
