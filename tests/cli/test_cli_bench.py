"""``fripn bench run`` and ``report`` from the command line."""

from __future__ import annotations

import importlib.util
import json

import pytest

from fripn import Solution, evaluate
from fripn.bench import run
from fripn.bench.lines import read_lines
from fripn.problem import library
from fripn.problem.io import write_instance
from helpers import NoPlan, OneByOne


def test_run_resume_and_report(fripn, tmp_path):
    """The first call runs, the second has nothing left to do, the report has a row."""
    raw = tmp_path / "raw.jsonl"
    call = ("bench", "run", "--suite", "golden", "--limit", 2, "-m", "savings", "-t", 1, "-o", raw)
    assert fripn(*call).code == 0
    before = raw.read_bytes()
    again = fripn(*call)
    assert again.code == 0
    assert "2 of 2 runs were done before" in again.err
    assert raw.read_bytes() == before
    table = fripn("bench", "report", raw).out
    assert "savings" in table
    assert "Gaps are to the best-known cost (2 instances)." in table
    assert fripn("bench", "report", raw, "--format", "md").out.startswith("| suite |")
    assert fripn("bench", "report", raw, "--format", "csv").out.startswith("suite,method,")


def test_a_file_of_another_commit_is_told(fripn, tmp_path, monkeypatch):
    """Old and new code in one table is reported; the same code again is not."""
    raw = tmp_path / "raw.jsonl"
    call = ("bench", "run", "--suite", "golden", "--limit", 1, "-m", "hybrid", "--iterations", 1)
    monkeypatch.setattr(run, "current_commit", lambda: "0123456789ab")
    fripn(*call, "-o", raw)
    assert "has runs of" not in fripn(*call, "-o", raw).err
    monkeypatch.setattr(run, "current_commit", lambda: "ba9876543210+")
    monkeypatch.setattr(run, "weights_of", lambda method: "other")
    message = fripn(*call, "-o", raw).err
    weights = read_lines(raw)[0]["weights"]
    assert f"raw.jsonl has runs of commit 0123456789ab, weights {weights}, which" in message
    monkeypatch.setattr(run, "current_commit", lambda: None)
    assert "commit 0123456789ab" in fripn(*call, "-o", raw, "--seeds", 2).err
    assert f"version {read_lines(raw)[0]['version']}" not in fripn(*call, "-o", raw).err


def test_two_methods_two_seeds(fripn, tmp_path, register):
    """Every combination gets its line."""
    register("fake", OneByOne)
    raw = tmp_path / "raw.jsonl"
    outcome = fripn(
        "bench", "run", "--suite", "golden", "--limit", 1, "-m", "savings,fake", "--seeds", 2,
        "--iterations", 5, "--curve", "--keep-plans", "-o", raw,
    )  # fmt: skip
    assert outcome.code == 0
    assert {(line["method"], line["seed"]) for line in read_lines(raw)} == {
        ("savings", 0),
        ("savings", 1),
        ("fake", 0),
        ("fake", 1),
    }
    assert all("curve" in line for line in read_lines(raw))
    instance = library.load("golden-03")
    for line in read_lines(raw):
        assert evaluate(instance, Solution.of(line["routes"])).cost == pytest.approx(line["cost"])
    rows = fripn("bench", "report", raw, "--by", "instance", "--plot", tmp_path / "x.svg").out
    assert rows.count("golden-03") == 2
    assert (tmp_path / "x.svg").stat().st_size > 1000
    paired = fripn("bench", "report", raw, "--paired", "--format", "csv").out
    assert paired.splitlines()[1].startswith("golden,5 iterations,1,savings,fake,1,1,0,-")


def test_settings_of_methods_are_part_of_their_names(fripn, tmp_path):
    """Each setting goes to the methods that have it; other settings are another run."""
    raw = tmp_path / "raw.jsonl"
    call = ("bench", "run", "--suite", "golden", "--limit", 1, "-o", raw)
    greedy = ("-m", "policy,savings", "--decode", "greedy", "--no-augment")
    assert fripn(*call, *greedy, "--decoding", "paper").code == 0
    assert fripn(*call, *greedy).code == 0
    lines = {line["method"]: line for line in read_lines(raw)}
    paper = "policy --decode greedy --no-augment --no-split --temperature 1"
    plain = "policy --decode greedy --no-augment"
    assert list(lines) == [paper, "savings", plain]
    assert lines[plain]["cost"] <= lines[paper]["cost"]
    assert lines[plain]["weights"] == lines[paper]["weights"] is not None
    assert lines["savings"]["weights"] is None
    assert f"| golden | {plain} |" in fripn("bench", "report", raw, "--format", "md").out
    assert fripn(*call, "-m", "milp", "--model", "paper", "--no-start-plan", "-t", 0.01).code == 1
    assert read_lines(raw)[-1]["method"] == "milp --model paper --no-start-plan"


def test_failures_are_told(fripn, tmp_path, register):
    """The run goes on, the failure is printed each time, the line has the reason; exit code 1."""
    register("fake", NoPlan)
    raw = tmp_path / "raw.jsonl"
    call = ("bench", "run", "--suite", "golden", "-m", "fake", "-t", 1, "-o", raw)
    for _ in range(2):
        outcome = fripn(*call, "--limit", 1)
        assert outcome.code == 1
        assert "1 run failed; its line in" in outcome.err
    assert json.loads(raw.read_text(encoding="utf-8"))["error"] == "no plan was found"
    outcome = fripn(*call, "--limit", 2)
    assert outcome.code == 1
    assert "2 runs failed" in outcome.err
    register("fake", OneByOne)
    assert fripn(*call, "--limit", 2, "--retry-failed").code == 0
    assert fripn(*call, "--limit", 2).code == 0


def test_an_instance_that_cannot_be_read_is_bad_input(fripn, tmp_path, register):
    """The others run first; then exit code 2, also when runs failed for another reason."""
    register("fake", NoPlan)
    suite = tmp_path / "suite"
    suite.mkdir()
    write_instance(library.load("golden-03"), suite / "good.json")
    (suite / "bad.json").write_text("{")
    raw = tmp_path / "raw.jsonl"
    call = ("bench", "run", "--suite", suite, "-m", "savings,fake", "-t", 1, "-o", raw)
    assert [fripn(*call).code for _ in range(2)] == [2, 2]
    assert {(line["instance"], line["method"]): line["status"] for line in read_lines(raw)} == {
        ("bad", "savings"): "unreadable",
        ("bad", "fake"): "unreadable",
        ("good", "savings"): "feasible",
        ("good", "fake"): "no_plan",
    }


def test_bad_calls(refused, tmp_path):
    """Wrong numbers, names and places are refused before the first run."""
    raw = tmp_path / "raw.jsonl"

    def bench(*words: object) -> str:
        usual = {"--suite": "golden", "-m": "savings", "-o": raw}
        call = [word for pair in usual.items() if pair[0] not in words for word in pair]
        return refused("bench", "run", *call, *words)

    assert "no limit is given for hgs; add --time-limit" in bench("-m", "hgs,savings")
    assert "--model is not an option of savings" in bench("-t", 1, "--model", "paper")
    assert "no weights file" in bench("-t", 1, "-m", "policy", "--weights", tmp_path / "none")
    assert "--seeds" in bench("-t", 1, "--seeds", 0)
    assert "--jobs" in bench("-t", 1, "--jobs", 0)
    assert "--limit" in bench("-t", 1, "--limit", 0)
    assert "savings" in bench("-t", 1, "-m", "savngs")
    assert "--method is ','; name at least one" in bench("-t", 1, "-m", ",")
    assert "--method is ','; name at least one" in bench("-t", 1, "-m", "savings", "-m", ",")
    assert "golden" in bench("-t", 1, "--suite", "goldne")
    assert "does not exist" in bench("-t", 1, "-o", tmp_path / "no" / "raw.jsonl")
    assert not raw.exists()
    assert "nowhere.jsonl" in refused("bench", "report", tmp_path / "nowhere.jsonl")
    raw.write_text("nonsense\n", encoding="utf-8")
    assert "line 1" in refused("bench", "report", raw)
    assert "line 1" in bench("-t", 1)


def test_a_solver_that_is_not_installed_is_refused_before_anything_runs(
    refused, tmp_path, monkeypatch
):
    """One sentence instead of a failed line per instance."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    raw = tmp_path / "raw.jsonl"
    call = ("bench", "run", "--suite", "golden", "-m", "milp", "--solver", "cplex", "-t", 1)
    said = refused(*call, "-o", raw)
    assert "solver 'cplex' needs the package 'cplex', which is not installed" in said
    assert not raw.exists()
