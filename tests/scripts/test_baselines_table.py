"""The table of all methods."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.pure


def test_a_suite_has_a_table_of_methods_by_budgets(checkout, run_script, bench_line, tmp_path):
    """Mean gaps with the number of runs; failures are counted; an empty cell is empty."""

    def line(instance, method, seconds, cost):
        return bench_line("golden", instance, method, seconds, cost, best_known=100.0)

    lines = [
        line("golden-03", "savings", 1.0, 103.0),
        line("golden-03", "hgs", 1.0, 100.0),
        line("golden-04", "hgs", 1.0, None),
        line("golden-03", "hgs", 10.0, 100.0) | {"seconds": 10.2},
    ]
    script = checkout("runs/baselines_table.py", ["baselines_table"], baselines=lines)
    ended = run_script(script, "--report")
    assert ended.code == 0
    assert ended.out == (
        "### golden\n\nMean gap to the best-known costs, in percent.\n\n"
        "| method | 1 s | 10 s | latest end |\n| --- | ---: | ---: | ---: |\n"
        "| savings | 3.00 (1) |  | 1.00 × limit |\n"
        "| hgs | 0.00 (2, 1 without a plan) | 0.00 (1) | 1.02 × limit |\n\n"
        "- Instances: 2 at 1 s (golden-03, golden-04); 1 at 10 s (golden-03). Runs in brackets; "
        "one seed per run, 1 thread.\n- Commits: abc.\n\n"
    )
    ended = run_script(script, "--report", "--update-docs")
    assert ended.code == 2
    assert "these cells have no runs: golden, sweep, 1 s; golden, milp, 1 s;" in ended.err
    assert "to be made" in (tmp_path / "docs" / "benchmarks.md").read_text("utf-8")
