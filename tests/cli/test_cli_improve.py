"""``fripn improve`` and ``--report``: a plan of one's own, never made worse."""

from __future__ import annotations

import json

import pytest

from fripn.problem import evaluate
from fripn.problem.io import read_instance, read_solution, write_solution
from fripn.solve import solve
from helpers import one_by_one


@pytest.fixture
def own_plan(tables, tmp_path):
    """Return a costly but valid plan in a file."""
    instance = read_instance(tables[0], vehicles=tables[1])
    path = tmp_path / "plan.json"
    write_solution(instance, one_by_one(instance), path)
    return instance, path


def improve(fripn, tables, *arguments):
    return fripn("improve", tables[0], *arguments, "--vehicles", tables[1], "--method", "savings")


def test_result_is_never_worse(fripn, tables, own_plan):
    """The saving is printed, and is not negative."""
    instance, path = own_plan
    before = evaluate(instance, read_solution(path, instance)).cost
    outcome = improve(fripn, tables, path)
    assert outcome.code == 0
    assert f"before  {before:.2f}; saved" in outcome.out
    record = json.loads(improve(fripn, tables, path, "--json").out)
    assert record["cost"] <= before


def test_plan_may_be_replaced_by_the_better_one(fripn, tables, own_plan):
    """Writing back to the file that was read is allowed."""
    instance, path = own_plan
    before = evaluate(instance, read_solution(path, instance)).cost
    assert improve(fripn, tables, path, "-o", path, "--quiet").code == 0
    assert evaluate(instance, read_solution(path, instance)).cost <= before


def test_best_plan_stays_as_it_is(fripn, tables, tmp_path):
    """A plan the method cannot improve comes back at the same cost."""
    instance = read_instance(tables[0], vehicles=tables[1])
    best = solve(instance, "savings")
    path = tmp_path / "best.csv"
    write_solution(instance, best.solution, path)
    record = json.loads(improve(fripn, tables, path, "--json").out)
    assert record["cost"] == pytest.approx(best.cost)


def test_broken_plan_is_refused(refused, tables, tmp_path):
    """A plan that leaves customers out is named with what it lacks."""
    path = tmp_path / "plan.sol"
    path.write_text("Route #1: 1 2\nCost 1\n")
    message = refused("improve", tables[0], path, "--vehicles", tables[1])
    assert str(path) in message


def test_solve_writes_a_report(fripn, tmp_path):
    """``--report`` gives a page with the gap to the best-known value."""
    page = tmp_path / "plan.html"
    outcome = fripn("solve", "golden-20", "--method", "savings", "--report", page)
    assert outcome.code == 0
    assert f"wrote {page}" in outcome.err
    text = page.read_text(encoding="utf-8")
    assert "to best known 4,029.61" in text
    assert "<h1>golden-20</h1>" in text
