"""The table of the default method beside PyVRP: made of raw lines, and published only whole."""

from __future__ import annotations

import json

import pytest

pytestmark = pytest.mark.pure

MARKS = ("engine_table", "engine_scaling", "readme_table")


@pytest.fixture
def line_of(bench_line):
    """Return a maker of lines of golden."""

    def make(number, method, seed, gap, *, seconds=10.0, **more):
        cost = None if gap is None else 100.0 + gap
        name = f"golden-{number:02}"
        return bench_line("golden", name, method, seconds, cost, gap_percent=gap, seed=seed, **more)

    return make


@pytest.fixture
def few_lines(line_of, bench_line):
    """Rows with two seeds, one seed and a failed run; lines of no cell; a size; the policy."""
    lines = [
        line_of(3, "hybrid", 1, 0.0),
        line_of(4, "hybrid", 1, 1.0) | {"seconds": 10.01},
        line_of(3, "hybrid", 2, 0.5),
        line_of(4, "hybrid", 2, None),
        line_of(3, "pyvrp", 1, 2.0),
        bench_line("paper-100", "paper:100:0", "hybrid", 1.0, 280.0, seed=1),
    ]
    others = [
        line_of(3, "hgs", 1, 9.0),
        line_of(3, "hybrid", 0, 9.0),
        line_of(3, "hybrid", 3, 9.0, threads=2),
        line_of(3, "hybrid", 4, 9.0, commit="abc+"),
    ]
    scaling = {
        "customers": 1000,
        "threads": 1,
        "commit": "abc",
        "seconds": 10.0,
        "first_plan": 0.021,
        "iterations": 15930,
        "gain_percent": 6.987,
        "half_gain": 0.912,
        "peak_mb": 57.4,
    }
    policy = [
        {"instance": f"paper:20:{i}", "size": 20, "decoding": "sampling x8", "cost": cost}
        for i, cost in enumerate((60.0, 70.0))
    ]
    return {
        "engine": lines + others,
        "engine_scaling": [scaling, scaling | {"customers": 300, "threads": 2}],
        "policy_table": policy,
    }


def test_a_table_is_printed_and_nothing_is_written(checkout, run_script, few_lines, tmp_path):
    """Means, spread and worst of the seeds of the runs with a plan; dashes without runs."""
    script = checkout("runs/engine_table.py", MARKS, **few_lines)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    ended = run_script(script, "--report")
    assert (ended.code, ended.err) == (0, "")
    # The seeds have the means 0.5 and 0.5; lines of other methods, seeds and threads do not count.
    figures = "0.500 ± 0.000, worst 0.500 (1 without a plan) | 2.000 |"
    assert f"| golden, 10 s | 2 | 2 | 4 | 0.01 | {figures}\n" in ended.out
    assert "| paper-100, 1 s | 1 | 1 | 1 |  | cost 280.00 | – |\n" in ended.out
    assert "Latest end after the limit: hybrid 10 ms, PyVRP 0.14.1 0 ms.\n" in ended.out
    assert "\nCommits: abc.\n" in ended.out
    assert "| 1,000 | 0.02 | 1,593 | 6.99 | 0.91 | 10.00 | 57 |\n" in ended.out
    assert "| 300 |" not in ended.out
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_the_short_table_is_made_of_the_same_lines(checkout, run_script, few_lines):
    """Mean gaps, mean costs, dashes, the policy's lines and the mean of the paper's gaps."""
    script = checkout("runs/engine_table.py", MARKS, **few_lines)
    out = run_script(script, "--report").out
    assert "| golden, 10 s | 2 | 2 | +0.50 ± 0.00 % | +2.00 % | +1.75 % |\n" in out
    assert "| paper-100, 1 s | 1 | 1 | cost 280.00 | – | – |\n" in out
    assert "| paper-20, the policy alone | 2 | 1 | cost 65.00 | – | cost 64.05 |\n" in out


def test_a_table_with_missing_cells_is_not_published(checkout, run_script, few_lines, tmp_path):
    """One sentence names the cells; --partial publishes all the same."""
    script = checkout("runs/engine_table.py", MARKS, **few_lines)
    ended = run_script(script, "--report", "--update-docs")
    assert (ended.code, ended.out) == (2, "")
    assert "lack runs: golden, 1.5 s with hybrid (0 of 36); golden, 1.5 s with pyvrp" in ended.err
    assert "golden, 10 s with hybrid (4 of 60)" in ended.err
    assert ended.err.endswith("more; measure them, or add --partial\n")
    pages = tmp_path / "docs" / "benchmarks.md", tmp_path / "README.md"
    assert [page.read_text("utf-8").count("to be made") for page in pages] == [3, 3]
    assert run_script(script, "--report", "--update-docs", "--partial").code == 0
    assert [page.read_text("utf-8").count("to be made") for page in pages] == [1, 2]


def test_new_lines_stay_apart_until_they_are_published(
    checkout, run_script, few_lines, line_of, tmp_path
):
    """They replace the lines of the same runs; lines of no cell are not published again."""
    script = checkout("runs/engine_table.py", MARKS, **few_lines)
    (tmp_path / "out").mkdir()
    new = tmp_path / "out" / "engine.jsonl"
    new.write_text(json.dumps(line_of(3, "pyvrp", 1, 1.0)) + "\n", encoding="utf-8")
    assert "(1 without a plan) | 1.000 |" in run_script(script, "--report").out
    assert new.exists()
    assert run_script(script, "--report", "--update-docs", "--partial").code == 0
    assert not new.exists()
    text = (tmp_path / "docs" / "results" / "engine.jsonl").read_text("utf-8")
    lines = [json.loads(line) for line in text.splitlines()]
    assert [line["cost"] for line in lines] == [100.0, 101.0, 100.5, None, 280.0, 101.0]


def test_lines_of_a_checkout_with_changes_are_not_published(
    checkout, run_script, few_lines, line_of, tmp_path
):
    """They are printed with their commit, and the docs stay as they are."""
    script = checkout("runs/engine_table.py", MARKS, **few_lines)
    (tmp_path / "out").mkdir()
    line = line_of(3, "pyvrp", 1, 1.0, commit="def+")
    (tmp_path / "out" / "engine.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    assert "\nCommits: abc, def+.\n" in run_script(script, "--report").out
    before = (tmp_path / "docs" / "benchmarks.md").read_bytes()
    ended = run_script(script, "--report", "--update-docs", "--partial")
    assert (ended.code, ended.out) == (2, "")
    assert "not of a commit without changes: def+; commit the changes" in ended.err
    assert (tmp_path / "docs" / "benchmarks.md").read_bytes() == before
