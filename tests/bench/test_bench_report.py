"""Tables from lines, checked against numbers worked out by hand."""

from __future__ import annotations

import csv
import io

import pytest

from fripn.bench.report import summarize, to_csv, to_markdown, to_text

pytestmark = pytest.mark.pure


def line(instance, method, cost, best_known=None, seed=0, seconds=2.0, time_limit=1.0):
    return {
        "suite": "s",
        "instance": instance,
        "method": method,
        "seed": seed,
        "threads": 1,
        "time_limit": time_limit,
        "iterations": None,
        "cost": cost,
        "seconds": None if cost is None else seconds,
        "best_known": best_known,
        "error": "failed" if cost is None else None,
    }


def test_gaps_are_to_the_best_known():
    """110 and 100 against 100: mean 5 %, worst 10 %, half reached."""
    report = summarize([line("a", "m", 110.0, 100.0), line("b", "m", 100.0, 100.0)])
    (row,) = report.rows
    assert row.mean_gap == pytest.approx(5.0)
    assert row.worst_gap == pytest.approx(10.0)
    assert row.reached == pytest.approx(50.0)
    assert row.mean_cost == pytest.approx(105.0)
    assert row.mean_seconds == pytest.approx(2.0)
    assert report.reference == "Gaps are to the best-known cost (2 instances)."


def test_without_a_best_known_the_best_line_counts():
    """Methods are compared with the best of the file, and the report says so."""
    report = summarize([line("a", "m", 102.0), line("a", "k", 100.0), line("b", "m", 9.0, 9.0)])
    by_method = {row.method: row for row in report.rows}
    assert by_method["m"].worst_gap == pytest.approx(2.0)
    assert by_method["k"].mean_gap == pytest.approx(0.0)
    assert "best-known cost (1 instances) and to the best cost of all lines" in report.reference


def test_failures_are_counted_and_reach_nothing():
    """A failed run does not count as cost zero."""
    (row,) = summarize([line("a", "m", 100.0, 100.0), line("b", "m", None, 50.0)]).rows
    assert (row.runs, row.failures) == (2, 1)
    assert row.mean_gap == pytest.approx(0.0)
    assert row.reached == pytest.approx(50.0)


def test_only_failures_leave_blanks():
    """Nothing to average is not zero."""
    report = summarize([line("a", "m", None)])
    assert report.rows[0].mean_gap is None
    assert "–" in to_text(report)


def test_budgets_are_kept_apart_and_the_latest_line_wins():
    """One row per budget; a repeated run counts once."""
    rows = summarize(
        [
            line("a", "m", None, 100.0),
            line("a", "m", 101.0, 100.0),
            line("a", "m", 100.0, 100.0, time_limit=10.0),
        ]
    ).rows
    assert [(row.budget, row.runs, row.failures) for row in rows] == [("1 s", 1, 0), ("10 s", 1, 0)]


def test_formats_hold_the_same_numbers():
    """Markdown, text and CSV."""
    report = summarize([line("a", "m", 110.0, 100.0)])
    assert (
        "| s | m | 1 s | 1 | 1 | 0 | 10.000 | – | 10.000 | 0.0 | 110.00 | 2.000 |"
        in to_markdown(report)
    )
    assert "10.000" in to_text(report)
    (row,) = csv.DictReader(io.StringIO(to_csv(report)))
    assert float(row["mean_gap"]) == pytest.approx(10.0)


def test_empty_file_says_so():
    """No lines, no table, no traceback."""
    assert "There is no run to compare" in to_text(summarize([]))


def test_the_report_says_what_the_runs_were_made_with():
    """Commits, version, cores, threads and weights of the lines that count; old ones lack some."""
    origin = {"version": "0.1.0", "commit": "abc", "cpus": 2}
    report = summarize(
        [
            line("a", "hgs", 3.0) | origin | {"commit": "first"},
            line("a", "hgs", 2.0) | origin | {"threads": 16},
            line("a", "hgs", 2.0) | origin | {"threads": 2},
            line("a", "hgs", 1.0) | origin | {"weights": None},
            line("a", "policy", 1.0) | origin | {"weights": "fee1", "commit": "abd+"},
            line("a", "hybrid", 1.0) | origin,
        ]
    )
    expected = (
        "Commits: abc, abd+. Version: 0.1.0. Cores: 2. Threads: 1, 2, 16. "
        "Weights of the policy: fee1, unknown. "
        "Lines with a later one for the same run, left out: 1.\n"
    )
    assert to_text(report).endswith(expected)
    assert to_markdown(report).endswith(expected)
    assert "Commits: unknown. " in to_text(summarize([line("a", "m", 1.0)]))
    assert "Weights" not in to_text(summarize([line("a", "m", 1.0)]))
