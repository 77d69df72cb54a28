"""Runs recorded line by line: resumable, whole lines only, failures kept."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from fripn.batch import local_executor, run_batch
from fripn.batch.runner import run_item
from fripn.bench.lines import RECORD, key_of, read_lines
from fripn.bench.run import bench_item, bench_items
from fripn.bench.suites import open_suite
from fripn.budget import Budget
from fripn.errors import InvalidFile, InvalidInput, Unsupported
from fripn.policy.weights import default_weights
from fripn.problem import library
from fripn.problem.io import write_instance
from helpers import OneByOne

BUDGET = Budget(seconds=5.0)


def items_of(suite="golden", limit=2, methods=("savings",), seeds=1, budget=BUDGET):
    return bench_items(open_suite(suite)[:limit], methods, seeds, 1, budget)


def run(items, path, workers=1, **options):
    """Run a batch; return the lines that it adds."""
    entries = run_batch(items, RECORD, output=path, executor=local_executor(workers), **options)
    return [entry.line for entry in entries if entry.origin == "new"]


class Bad(OneByOne):
    """A method that refuses everything."""

    def __call__(self, instance, run):
        """Refuse."""
        raise Unsupported(f"{instance.name} is not for me")


def test_a_line_says_all_about_its_run(tmp_path):
    """Instance, method, seed, budget, cost with its parts, gap, time, version."""
    line = run(items_of(limit=1), tmp_path / "raw.jsonl")[0]
    assert line["instance"] == "golden-03"
    assert (line["n"], line["types"]) == (20, 5)
    assert line["cost"] == pytest.approx(line["fixed_cost"] + line["travel_cost"])
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
        method: run_item(bench_item(case, method, 0, 1, budget))["weights"]
        for method in ("policy", "hybrid", "savings")
    }
    fingerprint = default_weights().fingerprint
    assert weights == {"policy": fingerprint, "hybrid": fingerprint, "savings": None}


def test_curve_is_kept_on_request():
    """The curve of improvements is for plots."""
    case = open_suite("golden")[0]
    line = run_item(bench_item(case, "savings", 0, 1, BUDGET, keep_curve=True))
    assert line["curve"][-1][1] == pytest.approx(line["cost"])


def test_finished_runs_are_not_repeated(tmp_path):
    """The same command goes on where it stopped; another seed or budget is another run."""
    path = tmp_path / "raw.jsonl"
    run(items_of(limit=2), path)
    assert run(items_of(limit=2), path) == []
    assert [line["instance"] for line in run(items_of(limit=3), path)] == ["golden-05"]
    assert [line["seed"] for line in run(items_of(limit=2, seeds=2), path)] == [1, 1]
    assert len(run(items_of(limit=2, budget=Budget(seconds=1.0)), path)) == 2


def test_a_torn_last_line_is_done_again(tmp_path):
    """What a kill leaves behind costs one run, not the file."""
    path = tmp_path / "raw.jsonl"
    run(items_of(limit=3), path)
    path.write_bytes(path.read_bytes()[:-40])
    assert [line["instance"] for line in run(items_of(limit=3), path)] == ["golden-05"]
    names = [line["instance"] for line in read_lines(path)]
    assert names == ["golden-03", "golden-04", "golden-05"]


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


def test_failures_are_lines_too(tmp_path, register):
    """One method that fails does not stop the others, and can be tried again."""
    path = tmp_path / "raw.jsonl"
    register("bad", Bad)
    methods = ("bad", "savings")
    bad, good = run(items_of(limit=1, methods=methods), path)
    assert bad["error"] == "golden-03 is not for me"
    assert bad["cost"] is None
    assert good["error"] is None
    assert run(items_of(limit=1, methods=methods), path) == []
    again = run(items_of(limit=1, methods=methods), path, retry_failed=True)
    assert [line["method"] for line in again] == ["bad"]


def test_processes_give_the_same_lines(tmp_path):
    """Two processes, same costs, whatever order they finish in."""
    serial = run(items_of(limit=4), tmp_path / "serial.jsonl")
    parallel = run(items_of(limit=4), tmp_path / "parallel.jsonl", workers=2)
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
    """Return a script whose method kills its process on golden-04."""
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
        "golden-04": "the process died; the instance may be too large for the memory",
        "golden-05": None,
    }


def test_a_killed_run_is_resumed(tmp_path, killer):
    """SIGKILL in the middle: what was finished is on the disk, the rest is done later."""
    path = tmp_path / "raw.jsonl"
    assert killer(1, path) == -9
    assert [line["instance"] for line in read_lines(path)] == ["golden-03"]
    path.write_bytes(path.read_bytes().replace(b'"killer"', b'"savings"'))
    left = run(items_of(limit=4, budget=Budget(seconds=1.0)), path)
    assert [line["instance"] for line in left] == ["golden-04", "golden-05", "golden-06"]


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
