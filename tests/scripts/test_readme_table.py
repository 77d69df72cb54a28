"""The README's table: two methods side by side, the policy's lines, and the paper's figures."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.pure

MARKS = ("readme_table",)


@pytest.fixture
def few_lines(bench_line):
    """One row by both methods, one by one, and two lines of the policy."""
    runs = [
        bench_line("golden", "golden-03", "hybrid", 10.0, 961.03, gap_percent=0.0, threads=1),
        bench_line("golden", "golden-04", "hybrid", 10.0, 6500.0, gap_percent=1.0, threads=1),
        bench_line("golden", "golden-03", "pyvrp", 10.0, 980.0, gap_percent=2.0, threads=1),
        bench_line("paper-100", "paper:100:0", "hybrid", 1.0, 280.0, gap_percent=None, threads=1),
    ]
    policy = [
        {"instance": f"paper:20:{i}", "size": 20, "decoding": "sampling x8", "cost": cost}
        for i, cost in enumerate((60.0, 70.0))
    ]
    return {"readme": runs, "policy_table": policy}


def test_rows_of_the_table(checkout, run_script, few_lines):
    """Mean gaps, mean costs, dashes, and the mean of the paper's gaps."""
    script = checkout("runs/readme_table.py", MARKS, **few_lines)
    ended = run_script(script, "--report")
    assert (ended.code, ended.err) == (0, "")
    assert "| golden, 10 s | 2 | +0.50 % | +2.00 % | +1.75 % |\n" in ended.out
    assert "| paper-100, 1 s | 1 | cost 280.00 | – | – |\n" in ended.out
    assert "| paper-20, the policy alone | 2 | cost 65.00 | – | cost 64.05 |\n" in ended.out


def test_missing_cells_are_not_published(checkout, run_script, few_lines, tmp_path):
    """One sentence names them, and the README stays."""
    script = checkout("runs/readme_table.py", MARKS, **few_lines)
    before = (tmp_path / "README.md").read_bytes()
    ended = run_script(script, "--report", "--update-docs")
    assert (ended.code, ended.out) == (2, "")
    assert "X, unlimited fleet, 10 s with hybrid" in ended.err
    assert (tmp_path / "README.md").read_bytes() == before
