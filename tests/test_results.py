"""What a result offers for its plan: text, files, tables."""

from __future__ import annotations

import dataclasses
import json
import sys

import pytest

import fripn
from fripn import Budget, Status
from fripn.errors import InvalidFile, MissingExtra, NoPlanFound
from fripn.problem.io import read_solution
from fripn.result import Result
from fripn.summary import percent_text


@pytest.fixture(scope="module")
def result():
    """Return a short run on an instance whose optimum is known."""
    return fripn.solve("golden-03", "savings")


def test_print_is_a_summary(result):
    """Fleet, cost, gap and how it ended, a line each."""
    first, fleet, cost, gap, method = str(result).splitlines()
    assert first == f"golden-03, 20 customers: {len(result.routes)} routes"
    assert fleet.split(maxsplit=1)[1] == ", ".join(f"{n} × {k}" for k, n in result.fleet.items())
    assert cost.startswith(f"cost    {result.cost:.2f}  (fixed ")
    assert gap.endswith("% to the best known, 961.03 (optimal)")
    assert method.startswith("method  savings, feasible after ")
    assert f"{result}" == str(result) != repr(result)


def test_summary_of_a_proven_optimum(result):
    """A plan of the library's proven optimum is optimal, and 0.00 % has no sign."""
    best = fripn.problem.library.best_known_solution("golden-03")
    optimal = Result.from_solution(
        result.instance, best, method="m", status=Status.FEASIBLE, seconds=1.0
    )
    assert "gap     0.00 % to the best known" in str(optimal)
    assert "method  m, optimal after 1.00 s" in str(optimal)
    assert [percent_text(x) for x in (-0.001, 0.0, 0.004, -0.006, 1.5)] == [
        "0.00 %", "0.00 %", "0.00 %", "-0.01 %", "+1.50 %"
    ]  # fmt: skip


def test_summary_without_a_plan(result):
    """Says so, and how the run ended."""
    empty = Result.from_solution(
        result.instance, None, method="m", status=Status.FEASIBLE, seconds=1.0, lower_bound=5.0
    )
    assert str(empty).splitlines() == [
        "golden-03, 20 customers: no plan",
        "bound   5.00 (None)",
        "method  m, no plan after 1.00 s",
    ]


@pytest.mark.parametrize("suffix", [".json", ".sol", ".csv"])
def test_saved_plans_can_be_read(result, tmp_path, suffix):
    """The ending determines the format."""
    result.save(tmp_path / f"plan{suffix}")
    again = read_solution(tmp_path / f"plan{suffix}", result.instance)
    assert fripn.evaluate(result.instance, again).cost == pytest.approx(result.cost)


def test_report_is_a_page(result, tmp_path):
    """And nothing else."""
    result.report(tmp_path / "plan.html")
    assert "961.03" in (tmp_path / "plan.html").read_text(encoding="utf-8")
    with pytest.raises(InvalidFile, match=r"not a format for a report; use one of \.html"):
        result.report(tmp_path / "plan.csv")


def test_frame_has_a_row_per_stop(result, monkeypatch):
    """From depot to depot, with distances that add up."""
    frame = result.to_frame()
    assert sorted(frame.customer[frame.customer > 0]) == list(range(1, 21))
    assert frame.distance.sum() == pytest.approx(result.evaluation.distance, abs=0.1)
    assert set(frame.vehicle_type) == set(result.fleet)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match="run: pip install pandas"):
        result.to_frame()


@pytest.mark.parametrize("use", ["save", "report", "to_frame", "plot"])
def test_without_a_plan_there_is_nothing_to_write(result, tmp_path, use):
    """One sentence says so."""
    empty = dataclasses.replace(result, solution=None, evaluation=None, status=Status.NO_PLAN)
    given = () if use == "to_frame" else (tmp_path / "plan.html",)
    with pytest.raises(NoPlanFound, match="there is no plan for golden-03 to"):
        getattr(empty, use)(*given)


def test_threads_are_all_cores_as_on_the_command_line(register, monkeypatch):
    """One where iterations are limited, so that the run can be repeated."""
    from helpers import OneByOne

    seen = []

    class Recorder(OneByOne):
        def __call__(self, instance, run):
            seen.append(run.threads)
            return super().__call__(instance, run)

    monkeypatch.setattr(sys.modules["fripn.solve"], "num_cores", lambda: 7)
    register("fake", Recorder)
    fripn.solve("golden-03", "fake", time_limit=1)
    fripn.solve("golden-03", "fake", budget=Budget(iterations=1))
    fripn.solve("golden-03", "fake", time_limit=1, threads=3)
    assert seen == [7, 1, 3]


def test_json_is_that_of_the_command(result):
    """Printing a summary leaves the plain data as they are."""
    assert json.loads(result.to_json())["cost"] == result.cost
