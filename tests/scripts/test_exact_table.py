"""What the exact method proves: from raw lines to a table."""

from __future__ import annotations

import json

import pytest

PAGE = "".join(
    f"<!-- {block}: begin -->\nto be made\n<!-- {block}: end -->\n"
    for block in ("exact_table", "exact_ingredients")
)


@pytest.fixture
def script(checkout, bench_line, tmp_path):
    """Return the script beside three published lines: two proofs and a gap of 2 %."""
    lines = [
        bench_line("paper-50", "paper:50:0", "exact", 60.0, 100.0, status="optimal"),
        bench_line("paper-50", "paper:50:1", "exact", 60.0, 50.0, status="optimal"),
        bench_line("paper-50", "paper:50:2", "exact", 60.0, 200.0, status="feasible"),
    ]
    lines += [
        bench_line("ingredients", "paper:50:900", "exact", 60.0, 100.0, status="optimal"),
        bench_line(
            "ingredients", "paper:50:900", "exact without fixing", 60.0, 100.0, status="feasible"
        ),
    ]
    figures = zip(lines, (1.0, 3.0, 60.0, 2.0, 60.0), (100, 50, 196, 100, 99), strict=True)
    for line, seconds, bound in figures:
        line |= {"seconds": seconds, "lower_bound": float(bound), "threads": 2}
    made = checkout("runs/exact_table.py", exact=lines)
    (tmp_path / "docs" / "exact.md").write_text(PAGE, encoding="utf-8")
    return made


@pytest.mark.pure
def test_seconds_are_of_proofs_and_gaps_of_all_runs(script, run_script):
    """One row per group that has lines."""
    ended = run_script(script, "--report")
    assert ended.code == 0
    rows = [row for row in ended.out.splitlines() if row.startswith("| paper")]
    assert rows == ["| paper-50 (3 of 100) | 60 s | 2 (67 %) | 2.00 | 3.00 | 0.667 | 2.000 |"]


@pytest.mark.pure
def test_what_a_part_adds(script, run_script):
    """Runs without a part stand below the runs with all parts."""
    rows = [row for row in run_script(script, "--report").out.splitlines() if "| exact" in row]
    assert rows == [
        "| exact | 1 of 1 | 2.0 | 0.000 |",
        "| exact without fixing | 0 of 1 | 60.0 | 1.000 |",
    ]


@pytest.mark.pure
def test_docs_need_all_groups(script, run_script, tmp_path):
    """Unless told otherwise."""
    ended = run_script(script, "--report", "--update-docs")
    assert ended.code == 2
    assert "paper-20" in ended.err
    assert run_script(script, "--report", "--update-docs", "--partial").code == 0
    assert "paper-50 (3 of 100)" in (tmp_path / "docs" / "exact.md").read_text(encoding="utf-8")


@pytest.mark.pure
def test_lines_of_a_checkout_with_changes_are_not_published(
    script, run_script, bench_line, tmp_path
):
    """Neither new ones nor those that are there."""
    changed = bench_line("paper-50", "paper:50:3", "exact", 60.0, 10.0, status="optimal")
    changed |= {"commit": "0123abc+", "lower_bound": 10.0}
    lines = tmp_path / "new.jsonl"
    lines.write_text(json.dumps(changed) + "\n", encoding="utf-8")
    call = ("--report", "--update-docs", "--partial", "--lines", lines)
    ended = run_script(script, *call)
    assert ended.code == 2
    assert "0123abc+" in ended.err


@pytest.mark.pure
def test_a_gap_that_ended_runs_is_named(script, run_script, bench_line, tmp_path):
    """Such runs may have proven more, had they gone on."""
    stopped = bench_line("xh-short", "X101-FSMFD", "exact", 600.0, 100.0, status="feasible")
    stopped |= {"lower_bound": 99.0, "stop_gap": 1.0}
    lines = tmp_path / "new.jsonl"
    lines.write_text(json.dumps(stopped) + "\n", encoding="utf-8")
    out = run_script(script, "--report", "--lines", lines).out
    assert "Runs of xh-short end at a gap of 1 %." in out


def test_measures_and_goes_on(script, run_script, tmp_path):
    """A line per run; the second call has nothing left to do."""
    lines = tmp_path / "new.jsonl"
    call = ("--groups", "golden-03", "--limit", 1, "--threads", 1, "--stop-gap", 0.001)
    call += ("--lines", lines)
    ended = run_script(script, *call)
    assert ended.code == 0
    assert "| golden-03 (1 of 4) | 60 s |" in ended.out
    before = lines.read_text(encoding="utf-8")
    assert json.loads(before)["stop_gap"] == 0.001
    assert run_script(script, *call).code == 0
    assert lines.read_text(encoding="utf-8") == before
