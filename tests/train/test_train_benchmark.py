"""The throughput benchmark compares like with like, and goes on working."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.pure
@pytest.mark.parametrize("attention", ["per_query", "joint"])
def test_all_sides_of_the_throughput_benchmark_agree(attention):
    """It stops unless all three implementations have the same probabilities."""
    command = [sys.executable, "benchmarks/train_throughput.py", "--sizes", "4", "--batch", "2"]
    command += ["--plain-batch", "2", "--keep", "2", "--layers", "1", "--turns", "1"]
    command += ["--attention", attention]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0, ended.stderr
    assert "n = 4" in ended.stdout
    assert "ours to published" in ended.stdout
