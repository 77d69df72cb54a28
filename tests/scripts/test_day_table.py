"""The table of working days: its rows, targets and lines; and the plans kept of the lines."""

from __future__ import annotations

import dataclasses
import importlib
import json
import sys
from pathlib import Path

import pytest

from fripn.problem import Solution, evaluate, library

ROOT = Path(__file__).parents[2]
MARKS = ("day_table",)


@pytest.fixture
def day_table(monkeypatch):
    """Return the script as a module."""
    monkeypatch.syspath_prepend(ROOT / "runs")
    module = importlib.import_module("day_table")
    yield module
    del sys.modules["day_table"]


def test_rows_are_the_sets_of_the_published_comparison(day_table):
    """All instances of each set, two methods in turns, one thread, and what they take together."""
    sizes = {"fsmtw": 168, "fsmtw-T": 56, "sdvrptw": 26, "mdvrp": 17, "solomon": 56}
    seconds = {"fsmtw": 10, "fsmtw-T": 10, "sdvrptw": 30, "mdvrp": 30, "solomon": 10}
    for name, row in day_table.ROWS.items():
        items = day_table.items_of(row, day_table.METHODS, 1, 1)
        assert len(items) == 2 * sizes[name]
        assert {item.budget.seconds for item in items} == {seconds[name]}
        assert {item.threads for item in items} == {1}
        assert [item.fields["method"] for item in items[:4]] == ["hybrid", "pyvrp"] * 2
        assert items[0].fields["instance"] == items[1].fields["instance"]
    some = day_table.items_of(day_table.ROWS["solomon"], ["hybrid"], 8, 2)
    assert [item.seed for item in some] == [0] * 7 + [1] * 7
    assert day_table.expectation(some, 1) == "14 runs to do, 1 at a time: about 3 min"
    assert day_table.expectation(some * 100, 2).endswith("2 at a time: about 1 h 57 min")


def test_differences_are_of_the_published_objective(day_table, bench_line):
    """The service times, 1,000 with R101, are subtracted where hours are paid."""
    row = day_table.ROWS["fsmtw-T"]
    name = "fsmtw-R101a-T"
    ours, theirs = (
        day_table.lines_of([bench_line("fsmtw-T", name, method, 10.0, cost)], row, method)
        for method, cost in (("hybrid", 4920.0), ("pyvrp", 5000.0))
    )
    assert day_table.differences(row, ours, theirs) == ("-2.00 % (1)", f"-2.00 % ({name})")
    assert day_table.verdict_of(row, ours, theirs) == "met so far (1 of 56)"


def test_targets_are_compared_with_what_is_measured(checkout, run_script, bench_line):
    """Mean and worst difference, the gap to published values, and runs without a plan."""
    lines = [
        bench_line("fsmtw", "fsmtw-R101a", "hybrid", 10.0, 90.0),
        bench_line("fsmtw", "fsmtw-R101a", "pyvrp", 10.0, 100.0),
        bench_line("fsmtw", "fsmtw-R102a", "hybrid", 10.0, 101.0),
        bench_line("fsmtw", "fsmtw-R102a", "pyvrp", 10.0, 100.0),
        bench_line("mdvrp", "mdvrp-p01", "hybrid", 30.0, 576.87 * 1.004),
        bench_line("mdvrp", "mdvrp-p01", "pyvrp", 30.0, 576.87 * 1.006),
        bench_line("solomon", "solomon-R101", "hybrid", 10.0, None),
        bench_line("solomon", "solomon-R101", "pyvrp", 10.0, 1650.8),
        bench_line("solomon", "solomon-R102", "hybrid", 10.0, 1500.0),
        bench_line("solomon", "solomon-R102", "pyvrp", 10.0, 1500.0),
    ]
    script = checkout("runs/day_table.py", MARKS, day=lines)
    ended = run_script(script, "--report")
    assert ended.code == 0
    rows = {row.split("|")[1].strip(): row for row in ended.out.splitlines() if "|" in row}
    fsmtw = rows["mixed fleets and windows, distance, 10 s"]
    assert fsmtw.endswith(
        "| mean -2.5 %, worst +0.3 % | mean cost 95.50 (2 runs) | mean cost 100.00 (2 runs) | "
        "-4.50 % (2) | +1.00 % (fsmtw-R102a) | missed so far (2 of 168) |"
    )
    assert (
        "| gap 0.400 % (1 runs) | gap 0.600 % (1 runs) |"
        in rows["several depots and durations, 30 s"]
    )
    assert "| met so far (1 of 17) |" in rows["several depots and durations, 30 s"]
    assert "(1 runs, 1 without a plan) |" in rows["one type and windows, 10 s"]
    assert "| missed so far (1 of 56) |" in rows["one type and windows, 10 s"]
    ended = run_script(script, "--report", "--update-docs")
    assert ended.code == 2
    assert "distance, 10 s with hybrid (166 of 168 instances)" in ended.err


def test_a_toy_run_is_measured_once(day_table, run_script, monkeypatch, capsys, tmp_path):
    """Two short runs make lines with plans, of which the table and the library's plans are made."""
    pytest.importorskip("pyvrp")
    row = dataclasses.replace(day_table.ROWS["mdvrp"], seconds=0.3)
    monkeypatch.setattr(day_table, "ROWS", {"mdvrp": row})
    new = tmp_path / "day.jsonl"
    arguments = ["day_table.py", "--rows", "mdvrp", "--every", "17", "--lines", str(new)]
    for expected in ("2 runs to do, 1 at a time: about 1 min", "0 runs to do"):
        monkeypatch.setattr("sys.argv", arguments)
        day_table.main()
        shown = capsys.readouterr()
        assert expected in shown.err
        assert "| several depots and durations, 30 s | gap 0.5 %, not above PyVRP's | gap " in (
            shown.out
        )
    lines = [json.loads(line) for line in new.read_text("utf-8").splitlines()]
    assert [(line["instance"], line["method"]) for line in lines] == [
        ("mdvrp-p01", "hybrid"),
        ("mdvrp-p01", "pyvrp"),
    ]
    assert all(line["routes"] for line in lines)


def test_best_plans_are_kept(run_script, bench_line, tmp_path):
    """The cheapest valid plan of an instance, if it reaches the published value."""
    name = "sdvrptw-PR01"
    plan = library.best_known_solution(name).pairs()
    cost = library.published(name).cost
    alone = [[0, [customer]] for customer in range(1, 101)]
    alone_cost = evaluate(library.load("fsmtw-C101a"), Solution.of(alone)).cost
    lines = [
        bench_line("sdvrptw", name, "hybrid", 30.0, cost, routes=plan),
        bench_line("fsmtw", "fsmtw-C101a", "pyvrp", 10.0, alone_cost, routes=alone),
        bench_line("fsmtw", "fsmtw-C102a", "pyvrp", 10.0, 1.0, routes=[[0, [*range(1, 101)]]]),
        bench_line("mdvrp", "mdvrp-p01", "hybrid", 30.0, 700.0),
    ]
    source, output = tmp_path / "day.jsonl", tmp_path / "plans.json"
    source.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    ended = run_script(ROOT / "tools" / "best_plans.py", source, "--output", output)
    assert ended.code == 0
    assert "2 plans are new, 2 in all" in ended.out
    plans = json.loads(output.read_text("utf-8"))
    assert list(plans) == ["fsmtw-C101a", name]
    assert plans["fsmtw-C101a"]["cost"] == alone_cost
    assert plans["fsmtw-C101a"]["source"] == "pyvrp, 10 s, commit abc"
    assert plans["fsmtw-C101a"]["routes"][:2] == [[0, 1], [0, 2]]
    again = run_script(ROOT / "tools" / "best_plans.py", source, "--output", output)
    assert "0 plans are new, 2 in all" in again.out
