"""The table of all methods."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.pure


def test_a_suite_has_a_table_of_methods_by_budgets(checkout, run_script, bench_line, tmp_path):
    """Mean gaps over the seeds, with the number of runs; failures are counted; others left out."""

    def line(suite, instance, method, seed, cost, **more):
        known = 100.0 if suite == "golden" else None
        return bench_line(suite, instance, method, 2.0, cost, seed=seed, best_known=known) | more

    lines = [
        line("golden", "golden-03", "savings", 1, 103.0),
        line("golden", "golden-03", "savings", 2, 110.0),
        line("golden", "golden-03", "hgs", 1, 100.0),
        line("golden", "golden-05", "hgs", 2, 101.0, seconds=2.04),
        line("golden", "golden-05", "hgs", 3, None),
        line("golden", "golden-05", "hgs", 1, 110.0, commit="abc+"),
        line("paper-100", "paper:100:0", "alns", 1, 300.0),
        line("paper-100", "paper:100:0", "alns", 1, 294.0, time_limit=10.0, seconds=10.0),
    ]
    script = checkout("runs/baselines_table.py", ["baselines_table"], baselines=lines)
    ended = run_script(script, "--report")
    assert ended.code == 0
    assert ended.out == (
        "### golden\n\nMean gap to the best-known costs, in percent.\n\n"
        "| method | 2 s | latest end |\n| --- | ---: | ---: |\n"
        "| savings | 3.00 (1) | 1.00 × limit |\n"
        "| hgs | 0.50 ± 0.71, worst 1.00 (3, 1 without a plan) | 1.02 × limit |\n\n"
        "- Instances: 2 at 2 s (golden-03, golden-05). Runs in brackets.\n- Commits: abc.\n\n"
        "### paper-100\n\nMean gap to the best cost of all runs here, in percent.\n\n"
        "| method | 2 s | 10 s | latest end |\n| --- | ---: | ---: | ---: |\n"
        "| alns | 2.04 (1) | 0.00 (1) | 1.00 × limit |\n\n"
        "- Instances: 1 at 2 s (paper:100:0); 1 at 10 s (paper:100:0). Runs in brackets.\n"
        "- Commits: abc.\n\n"
    )
    ended = run_script(script, "--report", "--update-docs")
    assert ended.code == 2
    assert "lack runs: golden, savings, 2 s (1 of 6); golden, sweep, 2 s (0 of 6);" in ended.err
    assert "to be made" in (tmp_path / "docs" / "benchmarks.md").read_text("utf-8")
