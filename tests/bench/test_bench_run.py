"""Runs recorded line by line: resumable, whole lines only, failures kept."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import types

import pytest

from fripn.bench.lines import append, key_of, mend, read_lines
from fripn.bench.run import Job, plan_jobs, run_job, run_jobs, unfinished
from fripn.bench.suites import open_suite
from fripn.budget import Budget
from fripn.errors import InvalidFile, InvalidInput, Unsupported
from fripn.features import ROUTING
from fripn.policy.weights import default_weights
from fripn.problem import library
from fripn.problem.io import write_instance
from fripn.solve import METHODS, MethodInfo

BUDGET = Budget(seconds=5.0)


def jobs_of(suite="golden", limit=2, methods=("savings",), seeds=1):
    return plan_jobs(open_suite(suite)[:limit], methods, seeds, 1, BUDGET)


def run(jobs, path, workers=1):
    run_jobs(jobs, path, workers, lambda line: None)
    return read_lines(path)


@pytest.fixture
def bad_method(monkeypatch):
    """Register a method that refuses everything."""

    class Bad:
        name = "bad"
        supports = ROUTING
        ends_by_itself = False

        def __call__(self, instance, run):
            raise Unsupported(f"{instance.name} is not for me")

    module = types.ModuleType("fripn_bad_method")
    module.Bad = Bad
    monkeypatch.setitem(sys.modules, "fripn_bad_method", module)
    monkeypatch.setitem(METHODS, "bad", MethodInfo("fripn_bad_method", "Bad", ""))


def test_a_line_says_all_about_its_run(tmp_path):
    """Instance, method, seed, budget, cost with its parts, gap, time, version."""
    line = run(jobs_of(limit=1), tmp_path / "raw.jsonl")[0]
    assert line["instance"] == "golden-03"
    assert (line["n"], line["types"]) == (20, 5)
    assert line["cost"] == pytest.approx(line["fixed"] + line["travel"])
    assert line["gap_percent"] == pytest.approx(100 * (line["cost"] / 961.03 - 1))
    assert line["time_limit"] == 5.0
    assert line["seconds"] > 0
    assert line["error"] is None
    assert "curve" not in line
    for field in ("version", "commit", "cpus", "suite", "method", "seed", "threads", "status"):
        assert field in line


def test_lines_of_the_policy_name_its_weights():
    """Other methods have none."""
    case = open_suite("golden")[0]
    budget = Budget(iterations=1)
    weights = {
        method: run_job(Job(case, method, 0, 1, budget))["weights"]
        for method in ("policy", "hybrid", "savings")
    }
    fingerprint = default_weights().fingerprint
    assert weights == {"policy": fingerprint, "hybrid": fingerprint, "savings": None}


def test_curve_is_kept_on_request():
    """The curve of improvements is for plots."""
    case = open_suite("golden")[0]
    line = run_job(Job(case, "savings", 0, 1, BUDGET, keep_curve=True))
    assert line["curve"][-1][1] == pytest.approx(line["cost"])


def test_finished_runs_are_not_repeated(tmp_path):
    """The same command goes on where it stopped; another seed or budget is another run."""
    path = tmp_path / "raw.jsonl"
    run(jobs_of(limit=2), path)
    assert unfinished(jobs_of(limit=2), path) == []
    assert [job.case.name for job in unfinished(jobs_of(limit=3), path)] == ["golden-05"]
    assert [job.seed for job in unfinished(jobs_of(limit=2, seeds=2), path)] == [1, 1]
    other = plan_jobs(open_suite("golden")[:2], ["savings"], 1, 1, Budget(seconds=1.0))
    assert len(unfinished(other, path)) == 2


def test_a_torn_last_line_is_done_again(tmp_path):
    """What a kill leaves behind costs one run, not the file."""
    path = tmp_path / "raw.jsonl"
    run(jobs_of(limit=3), path)
    whole = path.read_bytes()
    path.write_bytes(whole[:-40])
    left = unfinished(jobs_of(limit=3), path)
    assert [job.case.name for job in left] == ["golden-05"]
    lines = run(left, path)
    assert [line["instance"] for line in lines] == ["golden-03", "golden-04", "golden-05"]


def test_every_cut_of_the_file_can_be_mended(tmp_path):
    """Wherever the kill falls, whole lines stay (their newline is made up for), the rest goes."""
    path = tmp_path / "raw.jsonl"
    run(jobs_of(limit=2), path)
    whole = path.read_bytes()
    ends = [place + 1 for place, byte in enumerate(whole) if byte == ord("\n")]
    for cut in {0, 1, ends[0] - 1, ends[0], ends[0] + 1, len(whole) - 1, len(whole)}:
        path.write_bytes(whole[:cut])
        mend(path)
        assert len(read_lines(path)) == sum(end - 1 <= cut for end in ends)
        assert path.stat().st_size in {0, *ends}


def test_a_broken_line_in_the_middle_is_named(tmp_path):
    """A file that is not ours is refused, with the line."""
    path = tmp_path / "raw.jsonl"
    path.write_text('{"a": 1}\n', encoding="utf-8")
    with pytest.raises(InvalidFile, match="line 1"):
        read_lines(path)
    path.write_text("nonsense\n", encoding="utf-8")
    with pytest.raises(InvalidFile, match="line 1"):
        read_lines(path)
    with pytest.raises(InvalidFile, match="no file"):
        read_lines(tmp_path / "nowhere.jsonl")


def test_failures_are_lines_too(tmp_path, bad_method):
    """One method that fails does not stop the others, and can be tried again."""
    path = tmp_path / "raw.jsonl"
    jobs = jobs_of(limit=1, methods=("bad", "savings"))
    bad, good = run(jobs, path)
    assert bad["error"] == "Unsupported: golden-03 is not for me"
    assert bad["cost"] is None
    assert good["error"] is None
    assert unfinished(jobs, path) == []
    assert [job.method for job in unfinished(jobs, path, retry_failed=True)] == ["bad"]


def test_processes_give_the_same_lines(tmp_path):
    """Two processes, same costs, whatever order they finish in."""
    serial = run(jobs_of(limit=4), tmp_path / "serial.jsonl")
    parallel = run(jobs_of(limit=4), tmp_path / "parallel.jsonl", workers=2)
    assert {key_of(line): line["cost"] for line in serial} == {
        key_of(line): line["cost"] for line in parallel
    }


KILLER = """
import os, signal, sys
from fripn.baselines.savings import Savings
from fripn.solve import METHODS, MethodInfo

class Killer(Savings):
    def __call__(self, instance, run):
        if instance.name == "golden-04":
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__call__(instance, run)

METHODS["killer"] = MethodInfo("killer_method", "Killer", "")
if __name__ == "__main__":
    from fripn.cli import main
    main(["bench", "run", "--suite", "golden", "--limit", "3", "-m", "killer", "-t", "1",
          "--jobs", sys.argv[1], "-o", sys.argv[2]])
"""


@pytest.fixture
def killer(tmp_path):
    """Give a script whose method kills its process on golden-04."""
    script = tmp_path / "killer_method.py"
    script.write_text(KILLER, encoding="utf-8")

    def start(jobs: int, output) -> int:
        path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
        done = subprocess.run(
            [sys.executable, str(script), str(jobs), str(output)],
            env={**os.environ, "PYTHONPATH": path},
            capture_output=True,
        )
        return done.returncode

    return start


def test_a_process_that_dies_costs_one_run(tmp_path, killer):
    """A crash in the core becomes a line; all other runs are there."""
    path = tmp_path / "raw.jsonl"
    assert killer(2, path) == 1
    errors = {line["instance"]: line["error"] for line in read_lines(path)}
    assert errors == {
        "golden-03": None,
        "golden-04": "the process died",
        "golden-05": None,
    }


def test_a_killed_run_is_resumed(tmp_path, killer):
    """SIGKILL in the middle: what was finished is on the disk, the rest is done later."""
    path = tmp_path / "raw.jsonl"
    assert killer(1, path) == -9
    assert [line["instance"] for line in read_lines(path)] == ["golden-03"]
    jobs = plan_jobs(open_suite("golden")[:4], ["killer"], 1, 1, Budget(seconds=1.0))
    assert [job.case.name for job in unfinished(jobs, path)] == [
        "golden-04",
        "golden-05",
        "golden-06",
    ]


def test_a_folder_is_a_suite(tmp_path):
    """Own instances, with best-known values beside them."""
    for name in ("golden-03", "golden-04"):
        write_instance(library.load(name), tmp_path / f"mine-{name}.json")
    (tmp_path / "best_known.csv").write_text(
        "instance,cost\nmine-golden-03,961.03\n", encoding="utf-8"
    )
    cases = open_suite(str(tmp_path))
    assert [(case.name, case.best_known) for case in cases] == [
        ("mine-golden-03", 961.03),
        ("mine-golden-04", None),
    ]
    assert cases[0].suite == tmp_path.name
    assert cases[0].load().num_customers == 20


def test_wrong_suites_are_named(tmp_path):
    """No such suite, no such folder, an empty folder, a broken best_known.csv."""
    with pytest.raises(InvalidInput, match="golden"):
        open_suite("goldn")
    with pytest.raises(InvalidInput, match="there is no folder"):
        open_suite("no/where")
    with pytest.raises(InvalidInput, match="holds no instance"):
        open_suite(str(tmp_path))
    write_instance(library.load("golden-03"), tmp_path / "a.json")
    (tmp_path / "best_known.csv").write_text("instance,cost\na,cheap\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match="line 2 has the cost 'cheap'"):
        open_suite(str(tmp_path))


@pytest.mark.parametrize("cost", ["0", "-5", "nan", "1e999", ""])
def test_a_best_known_cost_is_positive(tmp_path, cost):
    """A gap in percent of nothing means nothing; the line counts blank and repeated ones too."""
    write_instance(library.load("golden-03"), tmp_path / "a.json")
    (tmp_path / "best_known.csv").write_text(
        f"instance,cost\na,1\n\na,2\nb,{cost}\n", encoding="utf-8"
    )
    with pytest.raises(InvalidInput, match=rf"csv, line 5 has the cost '{cost}'; give a positive"):
        open_suite(str(tmp_path))


def test_append_never_joins_lines(tmp_path):
    """Each line ends before the next begins."""
    path = tmp_path / "raw.jsonl"
    for number in range(3):
        append(path, {"number": number})
    assert [json.loads(line)["number"] for line in path.read_text().splitlines()] == [0, 1, 2]
