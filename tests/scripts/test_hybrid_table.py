"""The hybrid's table: from runs to lines, and from lines to table and figure."""

from __future__ import annotations

import json

MARKS = ("hybrid_table",)


def test_gaps_are_to_the_best_run(checkout, run_script, bench_line, tmp_path):
    """100 is the best; the hybrid is one percent above the better of its parts on average."""
    costs = {"policy": (110, 104), "hgs": (100, 102), "hybrid": (102, 102), "pyvrp": (120, 100)}
    lines = [
        bench_line("paper distribution 20", f"i{place}", method, 0.2, cost)
        for method, both in costs.items()
        for place, cost in enumerate(both)
    ]
    lines[-1]["seconds"] = 0.3
    script = checkout("runs/hybrid_table.py", MARKS, hybrid=lines)
    ended = run_script(script, "--report")
    assert ended.code == 0
    row = "| paper distribution 20 (2) | 0.2 s | 7.000 | 1.000 | 2.000 | 10.000 (1.50 × limit) |"
    assert f"{row} +1.000 ± 1.000 |\n" in ended.out
    assert (tmp_path / "out" / "hybrid.svg").is_file()
    assert not (tmp_path / "docs" / "hybrid.svg").exists()
    ended = run_script(script, "--report", "--update-docs")
    assert ended.code == 2
    assert "paper distribution 20, 0.05 s with policy; " in ended.err


def test_runs_are_measured_once_and_go_to_a_file_of_their_own(checkout, run_script, tmp_path):
    """The same call finds its lines; the docs do not change."""
    script = checkout("runs/hybrid_table.py", MARKS)
    call = ["--sizes", 5, "--instances", 2, "--budgets", 0.05, "--methods", "hgs", "--beside", 1]
    ended = run_script(script, *call)
    assert ended.code == 0
    assert "| paper distribution 5 (2) | 0.05 s | 0.000" in ended.out
    assert ended.err.count("hgs, seed 0, 0.05 s: ") == 2
    new = tmp_path / "out" / "hybrid.jsonl"
    lines = [json.loads(line) for line in new.read_text("utf-8").splitlines()]
    assert [line["instance"] for line in lines] == [
        "paper-distribution-5-0",
        "paper-distribution-5-1",
    ]
    again = run_script(script, *call)
    assert (again.out, again.err) == (ended.out, "")
    assert not list((tmp_path / "docs" / "results").iterdir())
    assert "to be made" in (tmp_path / "docs" / "benchmarks.md").read_text("utf-8")
