"""The table of where learning helps."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def script(tmp_path):
    """Copy the script to a checkout with an empty page."""
    (tmp_path / "docs" / "results").mkdir(parents=True)
    page = "<!-- learning_table: begin -->\n<!-- learning_table: end -->\n"
    (tmp_path / "docs" / "paper.md").write_text(page, encoding="utf-8")
    (tmp_path / "runs").mkdir()
    return Path(shutil.copy(ROOT / "runs" / "learning_table.py", tmp_path / "runs"))


def test_a_small_grid_is_measured_once(script, run_script, tmp_path):
    """Instances are drawn by their names, lines kept, and the figure drawn beside them."""
    pytest.importorskip("matplotlib")
    call = [
        "--types", "few,30", "--sizes", 30, "--budgets", 0.05, "--instances", 1, "--seeds", 1,
        "--methods", "policy,hgs,hybrid", "--beside", 1,
    ]  # fmt: skip
    ended = run_script(script, *call)
    assert ended.code == 0, ended.err
    new = tmp_path / "out" / "learning.jsonl"
    lines = [json.loads(line) for line in new.read_text("utf-8").splitlines()]
    assert [(line["suite"], line["method"]) for line in lines] == [
        (f"{types} types, 30 customers", method)
        for types in ("3 to 6", "30")
        for method in ("policy", "hgs", "hybrid")
    ]
    assert {line["types"] for line in lines if line["suite"].startswith("30")} == {30}
    assert "| 30 | 30 | 0.05 |" in ended.out
    assert (tmp_path / "out" / "learning.svg").is_file()
    assert run_script(script, *call).out == ended.out
    assert len(new.read_text("utf-8").splitlines()) == len(lines)


@pytest.mark.pure
def test_gaps_are_to_the_best_of_all_runs(script, run_script, bench_line, tmp_path):
    """Of the instance, over methods, seeds and budgets; incomplete grids are not published."""
    suite = "15 types, 200 customers"
    lines = [
        bench_line(suite, "learning-15-200-40000", method, seconds, cost, n=200)
        for method, seconds, cost in (
            ("policy", 0.2, 110.0),
            ("hgs", 0.2, 105.0),
            ("hybrid", 0.2, 102.0),
            ("hgs", 5.0, 100.0),
        )
    ]
    file = tmp_path / "docs" / "results" / "learning.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    ended = run_script(script, "--report")
    assert "| 15 | 200 | 0.2 | 10.00 | 5.00 | 2.00 | – | 1 |" in ended.out
    assert "| 15 | 200 | 5 | – | 0.00 | – | – | 1 |" in ended.out
    ended = run_script(script, "--report", "--update-docs")
    assert ended.code == 2
    assert "lack runs: 3 to 6 types, 100 customers, 0.2 s, policy" in ended.err


@pytest.mark.pure
def test_the_page_has_the_table_of_the_published_lines(run_script, tmp_path):
    """Run the script with --report --update-docs when this fails."""
    ended = run_script(ROOT / "runs" / "learning_table.py", "--report", "--lines", tmp_path / "no")
    text = (ROOT / "docs" / "paper.md").read_text("utf-8")
    begin, end = (f"<!-- learning_table: {word} -->" for word in ("begin", "end"))
    assert ended.out.strip() == text.split(begin)[1].split(end)[0].strip()
