"""The engine's table: made of raw lines, printed, and published only whole."""

from __future__ import annotations

import json

import pytest

pytestmark = pytest.mark.pure

MARKS = ("engine_table", "engine_scaling")


@pytest.fixture
def few_lines(bench_line):
    """Two rows of the table by one method, and one size of the other table."""

    def run(name, cost, gap):
        return bench_line("golden", name, "hgs", 1.5, cost, gap_percent=gap, threads=2)

    scaling = {
        "customers": 1000,
        "seconds": 10.0,
        "first_plan": 0.021,
        "iterations": 15930,
        "gain_percent": 6.987,
        "half_gain": 0.912,
        "peak_mb": 57.4,
    }
    lines = [run("golden-03", 101.0, 1.0), run("golden-04", 102.0, 2.0) | {"seconds": 1.51}]
    return {"engine": [*lines, run("golden-05", None, None)], "engine_scaling": [scaling]}


def test_a_table_is_printed_and_nothing_is_written(checkout, run_script, few_lines, tmp_path):
    """Means over the runs with a plan; dashes where nothing was measured."""
    script = checkout("runs/engine_table.py", MARKS, **few_lines)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    ended = run_script(script, "--report")
    assert (ended.code, ended.err) == (0, "")
    assert "| instances, time | aim, % | hgs, 2 threads | PyVRP |\n| --- | ---: |" in ended.out
    row = "| golden, 1.5 s, 3 seeds | 0.10 | 1.500 % (2 runs, 1 without a plan) | – |\n"
    assert row in ended.out
    assert "Latest end of hgs: 10 ms after its limit. Commits: abc.\n" in ended.out
    assert "| 1,000 | 0.02 | 1,593 | 6.99 | 0.91 | 10.00 | 57 |\n" in ended.out
    assert ended.out.count("golden, 1.5 s") == 1
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_a_table_with_missing_cells_is_not_published(checkout, run_script, few_lines, tmp_path):
    """One sentence names the cells; --partial publishes all the same."""
    script = checkout("runs/engine_table.py", MARKS, **few_lines)
    ended = run_script(script, "--report", "--update-docs")
    assert (ended.code, ended.out) == (2, "")
    assert "no runs: golden, 1.5 s, 3 seeds with pyvrp; golden, 10 s with hgs;" in ended.err
    assert ended.err.endswith("more; measure them, or add --partial\n")
    page = tmp_path / "docs" / "benchmarks.md"
    assert page.read_text("utf-8").count("to be made") == 2
    assert run_script(script, "--report", "--update-docs", "--partial").code == 0
    assert "to be made" not in page.read_text("utf-8")


def test_new_lines_stay_apart_until_they_are_published(
    checkout, run_script, few_lines, bench_line, tmp_path
):
    """They replace the published lines of the same runs, in the table and then in the file."""
    script = checkout("runs/engine_table.py", MARKS, **few_lines)
    better = bench_line("golden", "golden-03", "hgs", 1.5, 100.0, gap_percent=0.0, threads=2)
    (tmp_path / "out").mkdir()
    new = tmp_path / "out" / "engine.jsonl"
    new.write_text(json.dumps(better) + "\n", encoding="utf-8")
    assert "| 1.000 % (2 runs, 1 without a plan) |" in run_script(script, "--report").out
    assert new.exists()
    assert run_script(script, "--report", "--update-docs", "--partial").code == 0
    assert not new.exists()
    text = (tmp_path / "docs" / "results" / "engine.jsonl").read_text("utf-8")
    lines = [json.loads(line) for line in text.splitlines()]
    assert [line["cost"] for line in lines] == [102.0, None, 100.0]
